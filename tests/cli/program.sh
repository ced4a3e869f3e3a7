#!/usr/bin/env bash
# What the program promises: exit codes, one-line messages, whole outputs.
#
#   program.sh PROGRAM TEST     runs one function test_* in an empty folder
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scenes=$(cd "$here/../../scenes" && pwd)
folder=$(mktemp -d)
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
cp "$here"/pendulum.json .
# where servers leave their tokens
mkdir -m 700 .run
export XDG_RUNTIME_DIR=$folder/.run
unset MOLEJO_TOKEN

fail() {
  echo "FAILED: $*"
  for stream in stdout stderr; do [ ! -s $stream ] || sed "s/^/$stream: /" $stream; done
  exit 1
}

# runs the program; its exit code must be the first argument
expect() {
  local expected=$1 code=0
  shift
  "$program" "$@" > stdout 2> stderr < /dev/null || code=$?
  [ "$code" -eq "$expected" ] || fail "exit code $code, expected $expected: molejo $*"
}

# bad input: code 2, nothing on stdout, and one line on stderr that starts with "molejo: " and holds the text
refuse() {
  local text=$1
  shift
  expect 2 "$@"
  [ ! -s stdout ] || fail "something on stdout: molejo $*"
  [ "$(wc -l < stderr)" -eq 1 ] || fail "not one line: molejo $*"
  grep -q '^molejo: ' stderr || fail "the line does not start with 'molejo: '"
  grep -qF -- "$text" stderr || fail "the line lacks '$text'"
  [ "$(wc -c < stderr)" -lt 400 ] || fail "the line is too long"
}

holds() { grep -qE -- "$2" "$1" || fail "$1 lacks '$2'"; }
lacks() { ! grep -qE -- "$2" "$1" || fail "$1 has '$2'"; }
only_files() { # the folder holds these and nothing else of our making
  local found
  found=$(ls -A | grep -vxE 'stdout|stderr|pendulum.json|.run' | tr '\n' ' ' || true)
  [ "$found" = "${*:+$* }" ] || fail "files are '$found', expected '$*'"
}

test_help_and_version() {
  expect 0 --version
  holds stdout '^molejo [0-9]+\.[0-9]+\.[0-9]+$'
  expect 0 --help
  for command in simulate check convert modes sketch train gait direct stabilise pushes character walk gallery; do
    holds stdout "  $command "
  done
  expect 0 simulate --help
  for option in output duration fps time-step integrator formulation contacts forces force-scale set command units json; do
    holds stdout "--$option"
  done
}

write_figure() { # two legs and a head, three frames
  cat > figure.bvh << 'BVH'
HIERARCHY
ROOT Hips
{
 OFFSET 0 1 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT LeftUpLeg
 { OFFSET 0.1 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftLeg
  { OFFSET 0 -0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftFoot
   { OFFSET 0 -0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    { OFFSET 0 0 0.2 } } } }
 JOINT RightUpLeg
 { OFFSET -0.1 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT RightLeg
  { OFFSET 0 -0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightFoot
   { OFFSET 0 -0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    { OFFSET 0 0 0.2 } } } }
 JOINT Head
 { OFFSET 0 0.6 0 CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  { OFFSET 0 0.2 0 } } }
MOTION
Frames: 3
Frame Time: 0.5
0 1 0 0 0 0  0 -20 0 0 0 0 0 0 0  0 20 0 0 0 0 0 0 0  0 0 0
0 1 1 0 0 0  0 20 0 0 0 0 0 0 0  0 -20 0 0 0 0 0 0 0  0 0 0
0 1 2 0 0 0  0 -20 0 0 0 0 0 0 0  0 20 0 0 0 0 0 0 0  0 0 0
BVH
}

test_character() {
  write_figure
  expect 0 character figure.bvh
  holds stdout '^character: 11 joints, 1 clips, 0 skins$'
  holds stdout '  hips +Hips +found by name'
  holds stdout '  left_toes +LeftFoot_end +inferred from the shape'
  holds stdout 'goes 2 over the ground'
  expect 0 character figure.bvh --json --role left_toes=
  python3 -c 'import json; c = json.load(open("stdout")); assert c["walks"] and "left_toes" not in c["roles"]; assert c["clips"][0]["way"] == 2'
  expect 0 character figure.bvh --in-place --mirror --resample 10 -o out.glb -o out.bvh
  holds stdout '11 keys, .* in place'
  expect 0 character out.glb --clip mot
  expect 0 character out.bvh --onto figure.bvh -o onto.glb
  echo '{"roles": {"head": "LeftFoot_end"}}' > roles.json
  expect 0 character figure.bvh --roles roles.json
  holds stdout '  head +LeftFoot_end +given'
  only_files figure.bvh onto.glb out.bvh out.glb roles.json
}

test_character_refuses() {
  write_figure
  refuse "no FILE given" character
  refuse "no such file" character missing.glb
  refuse "unknown ending '.json'; expected .glb, .gltf, .vrm or .bvh" character pendulum.json
  refuse "unknown clip 'motoin'; did you mean 'motion'?" character figure.bvh --clip motoin
  refuse "unknown role 'hip'; did you mean 'hips'?" character figure.bvh --role hip=Hips
  refuse "did you mean 'Hips'?" character figure.bvh --role hips=Hpis
  refuse "expected frames per second from 1 to 1000" character figure.bvh --fps 0
  refuse ".glb" character figure.bvh -o out.txt
  echo '{"roles": {"haed": "Head"}}' > roles.json
  refuse "roles.json:1: /roles/haed" character figure.bvh --roles roles.json
  echo 'glTF' > short.glb
  refuse "short.glb: a GLB file that ends in its header" character short.glb
  only_files figure.bvh roles.json short.glb
}

walks=$scenes/walks

test_walk() {
  expect 0 walk "$walks/stick_walk.bvh" --idle "$walks/stick_idle.bvh" --terrain "0.1*sin(x)" --duration 4 -o out.glb -o out.bvh
  holds stdout '^stick_walk: [0-9.]+ m, [0-9]+ stances$'
  holds stdout '^ +adaptive +unadapted clip$'
  for row in 'foot slip, most \(mm\)' 'penetration, toe \(mm\)' 'hovering, heel \(mm\)' 'knee speed, peak \(deg/s\)' \
    "angle jump / clip's" 'deviation, RMS \(deg\)' 'hip jerk, RMS' 'all \(us a frame\)'; do
    holds stdout "^  $row"
  done
  expect 0 character out.bvh
  holds stdout '4.000 s, 121 keys'
  expect 0 character out.glb
  holds stdout '4.000 s, 121 keys'
  only_files out.bvh out.glb
}

test_walk_reports_as_json() {
  expect 0 walk "$walks/stick_walk.bvh" --path "2,0 2,2" --duration 6 --fps 24 --json
  python3 - << 'PY'
import json
r = json.load(open("stdout"))
assert r["frames"] == 145 and r["fps"] == 24, r
c = r["characters"][0]
assert c["name"] == "stick_walk" and c["solver"] == "adaptive"
a, u = c["adapted"], c["unadapted"]
assert a["slip_most_mm"] < 10 and a["stances"] > 4 and u["deviation_rms_deg"] < 1e-9
assert a["microseconds"]["sum"] > 0 and 2 < a["way_m"] < 6, a
PY
}

test_walk_scene() {
  cp "$walks/stick_c.walk.json" "$walks"/stick_*.bvh .
  expect 0 walk stick_c.walk.json --duration 3 --curves -o out.glb
  holds stdout '^first: '
  holds stdout '^second: '
  local code=0
  node "$here/../../scripts/validate_glb.mjs" out.glb > verdict 2>&1 || code=$?
  if [ "$code" -eq 3 ] || [ "$code" -eq 127 ]; then
    echo "skipped: the validator needs node and 'npm ci'"
    return
  fi
  [ "$code" -eq 0 ] || fail "$(cat verdict)"
}

test_walk_plays_in_blender() {
  if ! command -v blender > /dev/null; then
    echo "skipped: blender is not installed"
    return
  fi
  expect 0 walk "$walks/stick_walk.bvh" --terrain "0.1*sin(x)" --duration 2 -o out.glb
  cat > load.py << 'PY'
import bpy
import numpy
numpy.bool = bool  # Debian's importer is older than its numpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath="out.glb")
scene = bpy.context.scene
scene.render.fps = 24
def place(frame):
    scene.frame_set(frame)
    bones = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    if bones:
        return bones[0].matrix_world @ bones[0].pose.bones["Hips"].matrix.translation
    return bpy.data.objects["Hips"].matrix_world.translation
a, b = place(1).copy(), place(48).copy()
# back in Blender's axes, z is up again: it went along x, and stands on the ground
assert 0.5 < b.x - a.x < 4 and abs(b.y - a.y) < 0.3 and 0.7 < b.z < 1.2, (a, b)
print("walked in blender")
PY
  timeout 100 blender --background --python-exit-code 7 --python load.py > verdict 2>&1 || fail "$(tail -n 5 verdict)"
  holds verdict 'walked in blender'
}

test_walk_in_a_skin_plays_in_blender() {
  local clips="$here/../../node_modules/.molejo-clips/viverse"
  if ! command -v blender > /dev/null; then
    echo "skipped: blender is not installed"
    return
  fi
  if [ ! -e "$clips/mannequin.glb" ]; then
    echo "skipped: the characters of @pmndrs/viverse are not installed"
    return
  fi
  expect 0 walk "$clips/mannequin.glb" --walk "$clips/walk.glb" --terrain "0.1*sin(x)" --duration 2 -o out.glb
  cat > load.py << 'PY'
import bpy
import numpy
numpy.bool = bool  # Debian's importer is older than its numpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath="out.glb")
scene = bpy.context.scene
scene.render.fps = 24
skins = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
assert skins, "no skin"
def bounds(frame):
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    points = []
    for o in skins:
        shown = o.evaluated_get(graph)
        points += [shown.matrix_world @ v.co for v in shown.to_mesh().vertices]
    return [(min(p[k] for p in points), max(p[k] for p in points)) for k in range(3)]
a, b = bounds(1), bounds(48)
# a person of flesh: as tall as before, walked along x, soles on the ground
for box in (a, b):
    assert 1.5 < box[2][1] - box[2][0] < 2.1, (a, b)
    assert abs(box[2][0]) < 0.15, (a, b)
assert 0.5 < b[0][0] - a[0][0] < 4, (a, b)
print("walked in its skin")
PY
  timeout 100 blender --background --python-exit-code 7 --python load.py > verdict 2>&1 || fail "$(tail -n 5 verdict)"
  holds verdict 'walked in its skin'
}

test_walk_on_shipped_terrains_stays_on_them() {
  local terrain
  for terrain in flat hills steps ramp rough; do
    expect 0 walk "$walks/stick_walk.bvh" --terrain "$scenes/terrains/$terrain.terrain.json" --duration 20 --json
    python3 -c '
import json
c = json.load(open("stdout"))["characters"][0]["adapted"]
assert not c["off_ground"] and c["way_m"] > 8, c'
  done
}

test_walk_on_a_formula_goes_as_far_as_it_can() {
  local duration
  for duration in 12 60; do
    expect 0 walk "$walks/stick_walk.bvh" --terrain "0.1*sin(x)" --duration $duration --json
    python3 - $duration << 'PY'
import json, sys
c = json.load(open("stdout"))["characters"][0]["adapted"]
# about a metre a second, and never at an edge
assert c["way_m"] > 0.9 * int(sys.argv[1]) and c["blocked_s"] == 0 and not c["off_ground"], c
PY
  done
}

test_walk_refuses() {
  refuse "no FILE given" walk
  refuse "expected a character (.glb .gltf .vrm .bvh) or a .walk.json" walk pendulum.json
  refuse "no such file" walk missing.bvh
  local figure=$walks/stick_walk.bvh
  refuse "--terrain: 'sin(z)'" walk "$figure" --terrain 'sin(z)'
  refuse "--path: '1': expected way-points" walk "$figure" --path '1 2'
  refuse "only one of them" walk "$figure" --path '1,2' --heading 3
  refuse "unknown solver 'newton'" walk "$figure" --solver newton
  refuse "--duration: '0': expected seconds" walk "$figure" --duration 0
  refuse "--fps: 'x': expected frames per second" walk "$figure" --fps x
  refuse "--loop: needs --path" walk "$figure" --loop
  refuse "unknown clip 'run'" walk "$figure" --clip run
  refuse "--curves: only a .glb" walk "$figure" --curves
  refuse "unknown ending '.txt'" walk "$figure" -o out.txt
  refuse "--path: the scene says that itself" walk "$walks/stick_a.walk.json" --path '1,2'
  refuse "a .bvh holds one character" walk "$walks/stick_c.walk.json" -o out.bvh
  echo '{"terrains": [' > broken.walk.json
  refuse "broken.walk.json:" walk broken.walk.json
  only_files broken.walk.json
}

test_no_command() {
  refuse "no command given"
  refuse "did you mean 'simulate'" simulat pendulum.json
  refuse "unknown command 'pendulum.json'" pendulum.json
}

test_unknown_options_name_the_nearest() {
  refuse "unknown option '--duratoin'; did you mean '--duration'?" simulate pendulum.json --duratoin 5
  refuse "unknown option '--duratoin'; did you mean '--duration'?" simulate --duratoin=5 pendulum.json
  refuse "did you mean '--json'" check pendulum.json --jso
  refuse "unexpected word 'second.json'" simulate pendulum.json second.json
  refuse "no SCENE given" simulate
  refuse "no FILE given" check
  refuse "no OUT given" convert pendulum.json
}

test_unknown_words_name_the_nearest() {
  refuse "unknown integrator 'rk5'; did you mean 'rk4'?" simulate pendulum.json --integrator rk5
  refuse "unknown formulation 'maximum'; did you mean 'maximal'?" \
    simulate pendulum.json --formulation maximum
}

test_numbers_out_of_range() {
  local value
  for value in -1 nan inf 1e999 1e7 0x10 ten '' ' 1' 1s --; do
    refuse "--duration" simulate pendulum.json "--duration=$value"
  done
  for value in 0 -30 nan 1e300 999999; do refuse "--fps" simulate pendulum.json --fps "$value"; done
  for value in 0 -0.001 nan 1e-300 2; do
    refuse "--time-step" simulate pendulum.json --time-step "$value"
  done
  refuse "'-1': expected seconds from 0 to 1e+06" simulate pendulum.json --duration -1
  refuse "--duration" simulate pendulum.json --duration
  refuse "--fps" simulate pendulum.json --fps 1 --fps 2
}

test_too_many_frames_for_memory() {
  refuse "choose a smaller --duration or --fps" simulate pendulum.json --duration 1e6 --fps 1e5
}

test_inputs_that_cannot_be_read() {
  refuse "missing.json: no such file" simulate missing.json
  refuse "missing.urdf: no such file" check missing.urdf
  refuse "missing.step: no such file" check missing.step
  mkdir folder.json
  refuse "is a folder" simulate folder.json
  echo solid > part.step
  refuse "unknown kind of file; expected scene (.json .cfg .dat .ani .urdf .xml), show (.show.json)" check part.step
  refuse "unknown ending '.step'; expected .json, .cfg, .dat, .urdf or .xml" simulate part.step
  : > empty.json
  refuse "empty.json" check empty.json
  echo '<html/>' > page.xml
  refuse "unknown root element 'html'" check page.xml
  echo '<!-- only a comment' > page.xml
  refuse "expected <mujoco> or <robot>" check page.xml
  : > body.bds
  refuse "give its .cfg file" check body.bds
  head -c 100000 /dev/urandom > noise.json
  refuse "noise.json" check noise.json
}

test_check_takes_every_shipped_file() {
  local file kind code
  while read -r file; do
    case $file in
      scenes/thumbs/*) continue ;;
      *.act | *.bds | *.shp | *.ste | *.ctr | *.for) kind=part ;;
      *.show.json) kind=show ;;
      *.motion.json) kind=motion ;;
      *.gait.json) kind=gait ;;
      *.walk.json) kind=walk ;;
      *.net.json | *.pn | *.pnml) kind=net ;;
      *.terrain.json) kind=terrain ;;
      *.bvh) kind=character ;;
      *.obj) kind=mesh ;;
      *.png) kind=heights ;;
      *) kind=scene ;;
    esac
    if [ $kind = part ]; then
      refuse "a part of a s" check "$scenes/../$file"
      continue
    fi
    code=0
    "$program" check --json "$scenes/../$file" > stdout 2> stderr || code=$?
    # clips of packages that not everybody has
    if [ $code -eq 2 ] && grep -q "node_modules/.*no such file" stderr; then continue; fi
    [ $code -eq 0 ] || fail "code $code: check $file"
    python3 -c 'import json, sys; k = json.load(open("stdout")); assert k["kind"] == sys.argv[1] and len(k) > 5, k' $kind ||
      fail "check $file: not a $kind"
    "$program" check "$scenes/../$file" > stdout 2> stderr || fail "check $file"
    [ "$(wc -l < stdout)" -gt 4 ] || fail "check $file: says little"
  done < <(cd "$scenes/.." && git ls-files scenes 2> /dev/null || find scenes -type f | sort)
}

test_check_knows_a_kind_by_what_the_file_holds() {
  local kind
  for kind in gaits/basic_run.motion gaits/basic_run.gait shows/wave.show nets/walk.net terrains/hills.terrain; do
    mkdir -p "$(dirname "copy/$kind")"
    ln -sf "$scenes/characters" "$scenes/nets" "$scenes/gaits" copy/ 2> /dev/null || true
    sed "s|\.\./|$scenes/|g; s|\"wave.bvh\"|\"$scenes/shows/wave.bvh\"|" "$scenes/$kind.json" > plain.json
    expect 0 check plain.json --json
    holds stdout "\"kind\": \"${kind##*.}\""
  done
  expect 0 check "$scenes/walks/stick_c.walk.json"
  holds stdout '^  characters +2$'
  cp "$scenes/nets/fms_5.pnml" net.xml
  expect 0 check net.xml
  holds stdout '^  kind +net$'
  expect 1 train "$(run_motion)" --evaluations 32 -o a.json
  expect 0 check a.json.part
  holds stdout '^  evaluations +32$'
  printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n' > a.stl
  expect 0 check a.stl
  holds stdout '^  triangles +1$'
  holds stdout '^  x +0 to 1 m$'
}

test_check_says_what_is_wrong_with_any_kind() {
  printf 'no picture' > a.png
  refuse "a.png: " check a.png
  printf 'v 0 0 nan\n' > a.obj
  refuse "a.obj:1: " check a.obj
  head -c 100 "$scenes/walks/stick_walk.bvh" > a.bvh
  refuse "a.bvh" check a.bvh
  printf 'P a 0\n' > a.pn
  refuse "a.pn:1: " check a.pn
  echo '{"training_state": "gait", "moti' > a.part
  refuse "a.part:1: " check a.part
  echo '{"noise": {"amplitude": -1}, "from": [0, 0], "to": [1, 1]}' > a.terrain.json
  refuse "a.terrain.json:1: /noise" check a.terrain.json
  sed 's/"unknowns": \[/"unknowns": [0.5,/' "$scenes/gaits/basic_run.gait.json" > a.gait.json
  refuse "a.gait.json: /found/unknowns: " check a.gait.json
  refuse "only a scene has formulas" check "$scenes/nets/walk.net.json" --names
}

test_a_height_field_under_a_gait_is_refused() {
  local field='{"name": "hills", "immobile": true, "shape": {"height_field": {"heights": [[0, 1], [1, 0]], "size": [4, 4]}}}'
  sed "s|^  \"bodies\": \[|  \"bodies\": [$field,|" "$scenes/characters/humanoid.json" > hilly.json
  expect 0 check hilly.json
  sed "s|\.\./characters/humanoid.json|hilly.json|" "$(run_motion)" > hilly.motion.json
  for command in train sketch check; do
    refuse "hilly.json: body 'hills', shape 1: a height field; expected none" $command hilly.motion.json
  done
  sed "s|^    \"bodies\": \[|    \"bodies\": [$field,|" "$scenes/gaits/basic_run.gait.json" > hilly.gait.json
  refuse "hilly.gait.json: /scene: body 'hills', shape 1: a height field" gait hilly.gait.json
  refuse "hilly.gait.json: /scene: body 'hills', shape 1: a height field" stabilise hilly.gait.json -o out.json
  refuse "hilly.gait.json: /scene: body 'hills', shape 1: a height field" pushes hilly.gait.json
  refuse "hilly.gait.json: /scene: body 'hills', shape 1: a height field" studio hilly.gait.json --port 0
  only_files hilly.gait.json hilly.json hilly.motion.json
}

test_an_earlier_search_is_not_lost() {
  local again='a.json.part: holds an earlier search for this gait; continue it with --resume, or delete the file to start over'
  expect 1 train "$(run_motion)" --evaluations 64 -o a.json
  cp a.json.part kept.part
  refuse "$again" train "$(run_motion)" --evaluations 64 -o a.json
  refuse "$again" train "$scenes/gaits/crouched.motion.json" --seed 3 -o a.json
  cmp a.json.part kept.part || fail "the search is another one"
  expect 1 train "$(run_motion)" --evaluations 96 -o a.json --resume --json
  holds stdout '"resumed": true'
  rm a.json.part
  expect 1 train "$(run_motion)" --evaluations 64 -o a.json --json
  holds stdout '"resumed": false'
}

test_what_a_gait_would_not_feel_is_refused() {
  local body what command at='"immobile": true, "position": [1.5, 0, 0]'
  while IFS='|' read -r body what; do
    sed "s|^  \"bodies\": \[|  \"bodies\": [{\"name\": \"odd\", $body},|" "$scenes/characters/humanoid.json" > odd.json
    expect 0 check odd.json
    sed "s|\.\./characters/humanoid.json|odd.json|" "$(run_motion)" > odd.motion.json
    sed "s|^    \"bodies\": \[|    \"bodies\": [{\"name\": \"odd\", $body},|" "$scenes/gaits/basic_run.gait.json" > odd.gait.json
    if [ -z "$what" ]; then
      expect 0 check odd.motion.json
      expect 0 check odd.gait.json
      expect 0 gait odd.gait.json
      continue
    fi
    for command in 'train -o out.json' sketch check; do
      refuse "odd.json: body 'odd', shape 1: $what; expected none" $command odd.motion.json
    done
    for command in check gait pushes; do
      refuse "odd.gait.json: /scene: body 'odd', shape 1: $what; expected none" $command odd.gait.json
    done
  done << EOF
$at, "shape": {"box": [1, 5, 0.6]}|solid, and no part of the figure
$at, "shape": {"sphere": 0.1}|solid, and no part of the figure
"position": [1.5, 0, 0.5], "shape": {"sphere": 0.1}|solid, and no part of the figure
"follow": [{"t": 0, "position": [2, 0, 0]}, {"t": 1, "position": [2, 0, 1]}], "shape": {"box": [1, 1, 1]}|solid, and no part of the figure
"immobile": true, "orientation": {"axis": [0, 1, 0], "angle_deg": 10}, "shape": {"plane": true}|a plane other than z = 0
"immobile": true, "shape": {"plane": true, "position": [0, 0, -0.01]}|a plane other than z = 0
"immobile": true, "position": [0, 0, 1], "shape": {"plane": true, "position": [4, 0, -1]}|
$at, "shape": {"box": [1, 5, 0.6], "collides": false}|
EOF
  # the only ground is tilted
  sed 's|{"name": "ground", "immobile": true,|& "orientation": {"axis": [1, 0, 0], "angle_deg": 5},|' \
    "$scenes/characters/humanoid.json" > odd.json
  sed "s|\.\./characters/humanoid.json|odd.json|" "$(run_motion)" > odd.motion.json
  refuse "odd.json: body 'ground', shape 1: a plane other than z = 0" check odd.motion.json
  only_files odd.gait.json odd.json odd.motion.json
}

test_simulate_writes_every_kind() {
  expect 0 simulate pendulum.json -o a.glb -o a.csv -o a.json -o a.svg --duration 0.5
  only_files a.csv a.glb a.json a.svg
  [ "$(head -c 4 a.glb)" = glTF ] || fail "a.glb has no glTF header"
  holds a.csv '^t|^time'
  [ "$(wc -l < a.csv)" -eq 17 ] || fail "a.csv has $(wc -l < a.csv) lines, expected a header and 16 frames"
  holds a.svg '<svg'
  holds a.json '^\{'
  for word in simulated frames energy 'energy drift' 'momentum drift' 'constraint error' 'wall time' hash; do
    holds stdout "^  $word "
  done
  holds stdout '^  wrote +a.glb'
  [ ! -s stderr ] || fail "something on stderr of a run that went well"
}

test_simulate_writes_bacin_frames() {
  expect 0 simulate pendulum.json -o swing.sur --duration 0.1 --fps 30
  only_files swing.sur swing0.ste swing1.ste swing2.ste
}

test_summary_as_json() {
  expect 0 simulate pendulum.json --json --duration 0.5 --time-step 0.01
  for word in duration steps rejected_steps frames energy_initial energy_final energy_deviation \
    energy_drift momentum_drift angular_momentum_drift constraint_error wall_seconds \
    steps_per_second hash warnings; do
    holds stdout "\"$word\": *"
  done
  holds stdout '"duration": *0\.5'
  holds stdout '"steps": *50\b'
  holds stdout '"frames": *16\b'
  if command -v node > /dev/null; then
    node -e 'JSON.parse(require("fs").readFileSync("stdout"))' || fail "not JSON"
  fi
}

hash_of() { expect 0 simulate "$@" --json && grep -o '"hash": *"[0-9a-f]*"' stdout; }

test_same_run_same_hash() {
  local first other
  first=$(hash_of pendulum.json --duration 2)
  [ -n "$first" ] || fail "no hash"
  [ "$(hash_of pendulum.json --duration 2)" = "$first" ] || fail "two runs differ"
  [ "$(hash_of pendulum.json --duration 2 -o a.csv)" = "$first" ] || fail "an output changes the run"
  other=$(hash_of pendulum.json --duration 2 --time-step 0.002)
  [ "$other" != "$first" ] || fail "another step gives the same hash"
  other=$(hash_of pendulum.json --duration 2 --integrator rk4)
  [ "$other" != "$first" ] || fail "another integrator gives the same hash"
}

test_same_outputs_bit_for_bit() {
  expect 0 simulate pendulum.json -o a.glb -o a.csv --duration 0.3
  expect 0 simulate pendulum.json -o b.glb -o b.csv --duration 0.3
  cmp a.glb b.glb || fail "glb differs"
  cmp a.csv b.csv || fail "csv differs"
}

test_outputs_are_checked_before_the_run() {
  refuse "unknown ending '.gbl'; did you mean '.glb'?" simulate pendulum.json -o a.gbl
  refuse "unknown ending ''" simulate pendulum.json -o a
  refuse "no such folder 'nowhere'" simulate pendulum.json -o nowhere/a.csv
  refuse "given twice" simulate pendulum.json -o a.csv -o ./a.csv
  refuse "is the input itself" simulate pendulum.json -o ./pendulum.json
  mkdir a.csv
  refuse "is a folder" simulate pendulum.json -o a.csv
  rmdir a.csv
  if [ "$(id -u)" -ne 0 ]; then
    mkdir -m 555 locked
    refuse "not writable" simulate pendulum.json -o locked/a.csv
    rmdir locked
  fi
  # a good output beside a bad one is not written either
  refuse "unknown ending" simulate pendulum.json -o good.csv -o bad.gbl --duration 0.1
  only_files
}

test_earlier_outputs_stay_whole_on_error() {
  echo precious > a.csv
  echo '{"bodies": [{"name": "a", "mass": -1}]}' > bad.json
  refuse "bad.json" simulate bad.json -o a.csv
  [ "$(cat a.csv)" = precious ] || fail "the earlier a.csv was touched"
  refuse "unknown option" simulate pendulum.json -o a.csv --oops
  [ "$(cat a.csv)" = precious ] || fail "the earlier a.csv was touched"
  only_files a.csv bad.json
}

test_silent_when_piped() {
  expect 0 simulate pendulum.json --duration 3
  [ ! -s stderr ] || fail "progress in a pipe"
  lacks stdout $'\r'
}

test_progress_on_a_terminal() {
  # a chroot without /dev/pts has no terminals to give
  script -qec true typescript > /dev/null 2>&1 < /dev/null || { echo "skipped: no terminal"; return 0; }
  script -qec "$program simulate pendulum.json --duration 2000 --fps 2" typescript > stdout < /dev/null
  holds stdout 'times real time'
  holds stdout '^.*hash'
}

test_check_tells_what_would_run() {
  expect 0 check pendulum.json
  holds stdout '^  bodies +2$'
  holds stdout '^  freedoms +2$'
  holds stdout '^  loops +0$'
  holds stdout '^  constraint equations +0$'
  holds stdout '^  redundant constraints +0$'
  holds stdout '^  mass +3 kg$'
  holds stdout '^  shoulder +revolute +world +upper +1$'
  holds stdout '^  elbow +revolute +upper +lower +1$'
  only_files
}

# a ball on a spring that is a formula, with a variable that has a range
formula_ball() {
  cat > formula.json << 'SCENE'
{"name": "Formula", "gravity": [0, 0, 0], "duration": 1, "variables": {"k": {"value": 4, "range": [1, 9]}, "w": "sqrt(k)"},
 "functions": {"pull(x)": "-k*x"}, "curves": {"c": {"keys": [[0, 1], [1, 1]]}}, "probes": {"place": "2*c(t)*ball.x"},
 "bodies": [{"name": "ball", "position": [1, 0, 0], "mass": 1, "shape": {"sphere": 0.1}}],
 "forces": [{"name": "spring", "body": "ball", "force": ["pull(ball.x)", 0, 0]}]}
SCENE
}
test_check_tells_of_formulas() {
  formula_ball
  expect 0 check formula.json
  holds stdout '^  formulas +4, for forces, motors and probes$'
  holds stdout '^  probes +place$'
  holds stdout '^  names +variable k: 4, from 1 to 9$'
  holds stdout '^ +formula w = sqrt\(k\)$'
  holds stdout '^ +function pull: -k\*x$'
  holds stdout '^ +curve c: 2 keys$'
  expect 0 check formula.json --json
  holds stdout '"formulas": 4,'
  holds stdout '"probes": \['
  expect 0 check --names formula.json
  holds stdout '^ball\.x +number +m$'
  holds stdout '^ball\.contact\.force +vector +N$'
  holds stdout '^k +variable$'
  holds stdout '^pull +function$'
}
test_units_are_compared_when_asked() {
  formula_ball
  expect 0 check formula.json
  refuse "'pull(ball.x)': column 1: m, where N is expected" check --units formula.json
  refuse "formula.json:4: /forces/0/force/0: " simulate formula.json --units
  sed 's/-k\*x/-k N\/m * x/' formula.json > units.json
  expect 0 check --units units.json
  expect 0 simulate --units=strict units.json
  refuse "did you mean 'strict'?" check --units=strct units.json
}
test_variables_are_set() {
  formula_ball
  expect 0 simulate formula.json
  holds stdout '^  work of forces +1\.6536[0-9]* J by spring$' # (k - k cos^2 2)/2
  expect 0 simulate formula.json --set k=1 --json
  holds stdout '"spring": 0\.354'                               # sin^2 1 / 2
  expect 0 simulate formula.json --set 'k=100 cm'
  holds stdout 'work of forces +0\.354'
  refuse "unknown variable 'kk'; did you mean 'k'?" simulate formula.json --set kk=1
  refuse "must be from 1 to 9" simulate formula.json --set k=10
  refuse "expected NAME=VALUE" simulate formula.json --set k
  refuse "column " simulate formula.json --set k=1+
  refuse "unknown variable 'w'" simulate formula.json --set w=1
}
test_bad_formulas_name_their_place() {
  formula_ball
  sed 's/(ball.x)/(bal.x)/' formula.json > bad.json
  refuse "molejo: bad.json:4: /forces/0/force/0: 'pull(bal.x)': column 6: unknown name 'bal.x'; did you mean 'ball.x'?" \
    simulate bad.json
  sed 's/"sqrt(k)"/"1\/ball.y"/; s/"2\*c(t)\*ball.x"/"w"/' formula.json > bad.json
  refuse "1 / 0 is infinite at the start" simulate bad.json
}
test_check_as_json() {
  expect 0 check --json pendulum.json
  holds stdout '"bodies": 2,'
  holds stdout '"freedoms": 2,'
  holds stdout '"redundant_constraints": 0,'
  holds stdout '"mass": 3\.0,'
  holds stdout '"name": "elbow"'
  if command -v node > /dev/null; then
    node -e 'JSON.parse(require("fs").readFileSync("stdout"))' || fail "not JSON"
  fi
}

# a ball that falls on a floor and stays, beside one that is put into it
falling_ball() {
  cat > ball.json << 'END'
{"name": "Ball", "duration": 2,
 "bodies": [{"name": "floor", "immobile": true, "shape": {"plane": true}},
            {"name": "ball", "position": [0, 0, 0.3], "shape": {"sphere": 0.1}, "mass": 1}]}
END
}

test_contacts_are_told_and_written() {
  falling_ball
  expect 0 simulate ball.json --contacts hits.csv
  holds stdout '^  contacts +1 begun, 0 ended$'
  holds stdout '^  largest penetration +[0-9.e-]+ m$'
  holds stdout '^  asleep at last +1 of 2 bodies$'
  holds stdout '^  wrote +hits.csv$'
  [ "$(head -n 1 hits.csv)" = t,phase,a,b,x,y,z,nx,ny,nz,jx,jy,jz ] || fail "another header"
  [ "$(grep -c ',begin,floor,ball,' hits.csv)" -eq 1 ] || fail "not one begin"
  expect 0 simulate ball.json --contacts hits.json --json
  holds stdout '"contacts_begun": 1,'
  holds stdout '"asleep": 1,'
  holds stdout '"largest_penetration": '
  if command -v node > /dev/null; then
    node -e 'const f = JSON.parse(require("fs").readFileSync("hits.json"));
             process.exit(f.contacts.filter(e => e[1] == "begin").length == 1 ? 0 : 1)' ||
      fail "hits.json is not the table it should be"
  fi
  # nothing to tell where nothing touches
  expect 0 simulate pendulum.json
  lacks stdout '^  contacts|^  largest penetration|^  asleep'
  refuse "unknown ending '.txt'; expected one of .csv, .json" simulate ball.json --contacts hits.txt
  refuse "given twice" simulate ball.json --contacts a.csv -o ./a.csv
}

test_a_table_of_commands_acts() {
  local plain nothing
  # a motor holds both rods where they hang, against the weight
  printf '%s\n' t,shoulder.position,shoulder.stiffness,shoulder.damping,elbow.position,elbow.stiffness,elbow.damping \
    0,0.5,1e6,1e5,-0.2,1e6,1e5 > hold.csv
  expect 0 simulate pendulum.json --command hold.csv -o held.csv
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { shoulder = $at["shoulder"]; elbow = $at["elbow"] }
           END { exit !(shoulder > 0.499 && shoulder < 0.501 && elbow > -0.201 && elbow < -0.199) }' held.csv ||
    fail "the motors do not hold"
  # a table that tells nothing changes no bit
  printf 't,shoulder.force,upper.force.x\n0,,\n' > nothing.csv
  plain=$(hash_of pendulum.json)
  nothing=$(hash_of pendulum.json --command nothing.csv)
  [ "$plain" = "$nothing" ] || fail "an empty table has an effect"
  printf 't,shoulder.force\n0,oops\n' > bad.csv
  refuse "bad.csv:2: column 'shoulder.force': 'oops': expected a number" simulate pendulum.json --command bad.csv
  printf 't,sholder.force\n0,1\n' > bad.csv
  refuse "bad.csv:1: column 'sholder.force': unknown joint 'sholder'; did you mean 'shoulder'?" \
    simulate pendulum.json --command bad.csv
  refuse "missing.csv: no such file" simulate pendulum.json --command missing.csv
  refuse "is the input itself" simulate pendulum.json --command hold.csv -o ./hold.csv
}

test_contact_forces_are_columns_and_arrows() {
  falling_ball
  expect 0 simulate ball.json -o a.csv -o plain.glb -o plain.svg
  head -n 1 a.csv | grep -q 'ball.force.x,ball.force.y,ball.force.z$' || fail "no columns of the force"
  # at rest the floor carries the weight: 9.81 N
  tail -n 1 a.csv | awk -F, '{ exit !($NF > 9.8 && $NF < 9.82) }' || fail "the weight is not carried"
  expect 0 simulate ball.json --forces -o arrows.glb -o arrows.svg
  grep -aq 'ball.force' arrows.glb || fail "no arrow"
  ! grep -aq 'ball.force' plain.glb || fail "an arrow that was not asked for"
  cmp -s plain.svg arrows.svg && fail "no arrow in the stills"
  expect 0 simulate ball.json --force-scale 100 -o scaled.glb
  grep -aq 'ball.force' scaled.glb || fail "no arrow of the given scale"
  cmp -s scaled.glb arrows.glb && fail "the scale has no effect"
  refuse "--force-scale: '0': expected newtons per metre" simulate ball.json --force-scale 0
}

test_check_tells_what_may_touch() {
  falling_ball
  expect 0 check ball.json
  holds stdout '^  contact +2 shapes collide, 1 pair of them may touch$'
  [ ! -s stderr ] || fail "a warning without a reason"
  sed 's/0.3\]/0.05]/' ball.json > inside.json
  expect 0 check inside.json
  holds stderr "^molejo: warning: bodies 'floor' and 'ball' overlap by 0.05 m at the start$"
  expect 0 check inside.json --json
  holds stdout '"colliders": 2,'
  holds stdout '"collider_pairs": 1,'
  holds stdout 'overlap by 0.05 m'
  sed 's/"duration": 2,/"contact": false,/' inside.json > off.json
  expect 0 check off.json
  holds stdout '^  contact +off$'
  [ ! -s stderr ] || fail "a warning about bodies that do not touch"
}

test_convert_native_to_itself_keeps_the_run() {
  expect 0 convert pendulum.json again.json
  [ "$(hash_of pendulum.json --duration 1)" = "$(hash_of again.json --duration 1)" ] ||
    fail "the rewritten scene runs differently"
}

test_convert_to_bacin_and_back() {
  expect 0 convert pendulum.json old.cfg
  for part in cfg bds ste ctr; do [ -f old.$part ] || fail "old.$part is missing"; done
  ls old_*.shp > /dev/null || fail "no shape was written"
  expect 0 check old.cfg
  holds stdout '^  bodies +2'
  expect 0 convert old.cfg new.json
  expect 0 check new.json
  holds stdout '^  mass +3 kg$'
}

test_convert_refuses() {
  refuse "unknown ending '.glb'" convert pendulum.json a.glb
  refuse "is the input itself" convert pendulum.json pendulum.json
  refuse "no such folder" convert pendulum.json nowhere/a.json
  refuse "no such file" convert missing.json a.json
  only_files
}

test_modes_are_told_in_words() {
  expect 0 modes "$scenes/characters/humanoid.json" --stiffness 100
  holds stdout '^Humanoid, air: 30 modes, 6 rigid motions$'
  holds stdout '^     2     0\.989   0\.311   legs scissor fore-aft \(sagittal, alternating: '
  holds stdout '^    10     4\.380   1\.376\*  knees alternate '
  expect 0 modes "$scenes/characters/humanoid.json" --phase ground --foot right_leg.foot
  holds stdout '^Humanoid, ground on right_leg.foot: 30 modes, 3 rigid motions$'
  holds stdout '^     3 .* push-off '
  expect 0 modes "$scenes/characters/humanoid.json" --phase ground --gravity
  holds stdout '^Humanoid, ground on left_leg.foot: 28 modes, 1 rigid motions, falls at [0-9.]+/s, falls at '
  expect 0 modes "$scenes/characters/humanoid.json" --pose left_leg.hip=0,-40,0
  holds stdout '30 modes'
  # any tree: a pendulum swings by its weight alone, here turned from level to hanging
  expect 0 modes pendulum.json --gravity --pose shoulder=0,-90,0
  holds stdout ' 2 modes, 0 rigid motions'
}

test_modes_as_json_and_as_clips() {
  expect 0 modes "$scenes/characters/kangaroo.json" --json -o modes.glb
  only_files modes.glb
  [ "$(head -c 4 modes.glb)" = glTF ] || fail "not a glb"
  if command -v node > /dev/null; then
    node -e 'const fs = require("fs"), m = JSON.parse(fs.readFileSync("stdout"));
      const glb = fs.readFileSync("modes.glb"), length = glb.readUInt32LE(12);
      const clips = JSON.parse(glb.subarray(20, 20 + length)).animations;
      if (m.modes.length !== 36 || clips.length !== 36 || m.rigid_motions !== 6) process.exit(1);
      if (!m.symmetric || Object.keys(m.modes[0].shape).length !== 36) process.exit(2);
      clips.forEach((c, i) => { if (!c.name.startsWith("air " + String(i + 1).padStart(2, "0") + ": ")) process.exit(3); });
      const norm = Object.values(m.modes[3].shape).reduce((s, x) => s + x * x, 0);
      if (Math.abs(norm - 1) > 1e-9) process.exit(4);' || fail "clips or numbers are wrong"
  fi
}

test_modes_refuses() {
  local man="$scenes/characters/humanoid.json"
  refuse "no CHARACTER given" modes
  refuse "unknown phase 'grond'; did you mean 'ground'?" modes "$man" --phase grond
  refuse "unknown foot 'left_leg.fot'; did you mean 'left_leg.foot'?" modes "$man" --phase ground --foot left_leg.fot
  refuse "--foot: only in --phase ground" modes "$man" --foot left_leg.foot
  refuse "the scene names no feet" modes pendulum.json --phase ground
  refuse "expected JOINT=x,y,z in degrees" modes "$man" --pose left_leg.hip
  refuse "expected three numbers" modes "$man" --pose left_leg.hip=0,x,0
  refuse "unknown joint 'left_leg.hup'; did you mean 'left_leg.hip'?" modes "$man" --pose left_leg.hup=0,1,0
  refuse "is beyond its limits" modes "$man" --pose left_leg.knee=0,140,0
  refuse "unknown body 'torsi'; did you mean 'torso'?" modes "$man" --fix torsi
  refuse "body 'ground' is immobile already" modes "$man" --fix ground
  refuse "--stiffness" modes "$man" --stiffness -1
  refuse "unknown ending '.csv'" modes "$man" -o a.csv
  refuse "closes a loop" modes "$scenes/four_bar.json"
  only_files
}

without_seconds() { sed -E 's/"seconds": [0-9.e+-]+/"seconds": 0/' "$1"; }
run_motion() { echo "$scenes/gaits/basic_run.motion.json"; }

test_train_writes_the_nearest_when_none_is_found() {
  expect 1 train "$(run_motion)" --evaluations 64
  holds stdout '^Basic run: no gait found; this is the nearest$'
  holds stdout '^  evaluations +64 in '
  holds stdout '^  broken +[a-z_]+ by '
  only_files basic_run.gait.json basic_run.gait.json.part
  holds basic_run.gait.json '"valid": false'
  expect 1 train "$(run_motion)" --evaluations 64 --json -o a.json --threads 1
  holds stdout '"valid": false'
  holds stdout '"evaluations": 64'
  without_seconds a.json > expected
  without_seconds basic_run.gait.json | cmp - expected || fail "threads changed the gait"
  expect 1 train "$(run_motion)" --evaluations 64 --seed 2 -o b.json
  without_seconds b.json | cmp -s - expected && fail "the seed changed nothing"
  expect 1 gait a.json
  holds stdout '^  valid +NO$'
  holds stdout ' BROKEN by '
}

test_train_keeps_a_valid_gait_when_none_is_found() {
  cp "$scenes/gaits/basic_run.gait.json" valid.json
  cp valid.json a.json
  expect 1 train "$(run_motion)" --evaluations 64 -o a.json
  holds stdout '^Basic run: no gait found; this is the nearest$'
  holds stdout '^  kept +a.json: it holds a valid gait; '
  lacks stdout '^  wrote'
  cmp a.json valid.json || fail "the valid gait is gone"
  expect 1 train "$(run_motion)" --evaluations 96 -o a.json --resume --json
  holds stdout '"written": false'
  holds stdout '"evaluations": 96'
  cmp a.json valid.json || fail "the valid gait is gone after a resume"
  # what is not valid gives way, whatever comes
  expect 1 train "$(run_motion)" --evaluations 32 -o b.json --json
  holds stdout '"written": true'
  rm b.json.part
  expect 1 train "$(run_motion)" --evaluations 64 -o b.json
  holds stdout '^  wrote +b.json$'
  holds b.json '"evaluations": 64'
  only_files a.json a.json.part b.json b.json.part valid.json
}

test_train_runs_no_more_simulations_than_allowed() {
  refuse "--evaluations: 10 simulations, expected 32 or more" train "$(run_motion)" --evaluations 10
  only_files
  expect 1 train "$(run_motion)" --evaluations 100 -o a.json
  holds stdout '^  evaluations +96 in '
  # the polish after 60 generations ends where they end
  rm a.json.part
  expect 1 train "$(run_motion)" --evaluations 2000 -o a.json --json
  local run
  run=$(grep -oE '"evaluations": [0-9]+' stdout | grep -oE '[0-9]+')
  [ "$run" -gt 1920 ] && [ "$run" -le 2000 ] || fail "$run simulations"
  sed "s|\.\./characters|$scenes/characters|; s|\"name\"|\"solver\": {\"evaluations\": 8}, \"name\"|" "$(run_motion)" > few.motion.json
  refuse "few.motion.json: 8 simulations, expected 32 or more" train few.motion.json -o b.json
}

# how many evaluations the checkpoint of gait.json knows of
checked_evaluations() { grep -m 1 -oE '"evaluations": [0-9]+' gait.json.part 2> /dev/null | grep -oE '[0-9]+' || echo -1; }

test_train_goes_on_after_a_kill_with_the_same_bits() {
  local before i job kills=0 many=6000
  expect 1 train "$(run_motion)" --seed 3 --evaluations $many -o plain.json --threads 1
  without_seconds plain.json > expected
  "$program" train "$(run_motion)" --seed 3 --evaluations $many -o gait.json --threads 1 > /dev/null 2>&1 &
  job=$!
  while [ $kills -lt 3 ]; do
    before=$(checked_evaluations)
    [ "$before" -ge 0 ] || before=0
    for ((i = 0; i < 1000; ++i)); do
      if [ "$(checked_evaluations)" -gt "$before" ] || ! kill -0 $job 2> /dev/null; then break; fi
      sleep 0.02
    done
    kill -KILL $job 2> /dev/null || break
    wait $job 2> /dev/null || true
    [ ! -e gait.json ] || break
    kills=$((kills + 1))
    [ "$(checked_evaluations)" -gt "$before" ] || fail "no new checkpoint"
    "$program" train "$(run_motion)" --evaluations $many -o gait.json --threads 1 --resume > /dev/null 2>&1 &
    job=$!
  done
  kill -KILL $job 2> /dev/null || true
  wait $job 2> /dev/null || true
  [ $kills -ge 1 ] || fail "it was over before it could be killed"
  rm -f gait.json
  expect 1 train "$(run_motion)" --evaluations $many -o gait.json --resume --json
  holds stdout '"seed": 3'
  holds stdout '"resumed": true'
  without_seconds gait.json | cmp - expected || fail "another gait after $kills kills"
  # and once more with a larger budget, beside one that had it from the start
  expect 1 train "$(run_motion)" --evaluations $((many + 100)) -o gait.json --resume
  rm plain.json.part
  expect 1 train "$(run_motion)" --seed 3 --evaluations $((many + 100)) -o plain.json
  without_seconds plain.json > expected
  without_seconds gait.json | cmp - expected || fail "another gait with more evaluations"
  echo "killed $kills times"
}

test_two_trainings_do_not_share_an_output() {
  "$program" train "$(run_motion)" -o a.json > /dev/null 2>&1 &
  first=$!
  local i
  trap 'kill -KILL $first 2> /dev/null || true; rm -rf "$folder"' EXIT
  for ((i = 0; i < 500; ++i)); do
    if [ -s a.json.part ]; then break; fi
    sleep 0.02
  done
  ln -s a.json link.json
  refuse "a.json: process $first is working for it; wait for its end or choose another name" train "$(run_motion)" -o a.json
  refuse "process $first is working for it" train "$(run_motion)" -o link.json --resume
  refuse "process $first is working for it" stabilise "$scenes/gaits/basic_run.gait.json" -o a.json
  kill -0 $first || fail "the first one has ended"
  kill -KILL $first
  wait $first 2> /dev/null || true
  # its lock went with it, whatever lies there
  expect 1 train "$(run_motion)" -o a.json --resume --evaluations 64
  holds stdout 'no gait found'
  rm link.json
  only_files a.json a.json.part
}

test_a_training_outlives_checkpoints_that_fail() {
  mkdir kept
  "$program" train "$(run_motion)" -o "$folder/kept/a.json" > out 2> err &
  job=$!
  local i before
  trap 'kill -KILL $job 2> /dev/null || true; rm -rf "$folder"' EXIT
  for ((i = 0; i < 500; ++i)); do
    if [ -s kept/a.json.part ]; then break; fi
    sleep 0.02
  done
  mv kept away
  for ((i = 0; i < 1000; ++i)); do
    if grep -q "a.json.part: no such folder '.*'; the training goes on, and tries again" err; then break; fi
    sleep 0.02
  done
  kill -0 $job || fail "it has ended: $(cat err)"
  mv away kept
  before=$(stat -c %Y.%i kept/a.json.part)
  for ((i = 0; i < 1000; ++i)); do
    if [ "$(stat -c %Y.%i kept/a.json.part)" != "$before" ]; then break; fi
    sleep 0.02
  done
  [ "$(stat -c %Y.%i kept/a.json.part)" != "$before" ] || fail "it is not saved again"
  [ "$(grep -c 'tries again' err)" -eq 1 ] || fail "told $(grep -c 'tries again' err) times"
  # asked to end it does so at once and leaves only what it goes on from
  kill -TERM $job
  i=0
  wait $job 2> /dev/null || i=$?
  [ $i -eq 1 ] || fail "code $i"
  holds err '^molejo: interrupted; --resume goes on from .*a.json.part$'
  [ "$(ls -A kept)" = a.json.part ] || fail "leaves $(ls -A kept)"
}

test_a_result_that_cannot_be_written_can_be_resumed() {
  local code=0
  expect 1 train "$(run_motion)" --evaluations 64 -o plain.json
  # a file may have no more than a kilobyte: neither the search nor the gait has room
  (ulimit -f 1; "$program" train "$(run_motion)" --evaluations 64 -o a.json > stdout 2> stderr) || code=$?
  [ $code -eq 2 ] || fail "code $code"
  holds stderr '^molejo: warning: a.json.part: cannot be written: File too large; the training goes on'
  holds stderr '^molejo: a.json: cannot be written: File too large$'
  rm stdout stderr
  only_files plain.json plain.json.part
  mkdir a.json
  refuse "a.json: is a folder" train "$(run_motion)" --evaluations 64 -o a.json
}

test_outputs_keep_modes_and_links() {
  umask 027
  expect 0 simulate pendulum.json --duration 0.1 -o a.csv
  [ "$(stat -c %a a.csv)" = 640 ] || fail "a new file has mode $(stat -c %a a.csv)"
  chmod 600 a.csv
  ln -s a.csv link.csv
  echo mine > a.csv.new
  expect 0 simulate pendulum.json --duration 0.2 -o link.csv
  [ -L link.csv ] && [ "$(stat -c %a a.csv)" = 600 ] && [ "$(wc -l < a.csv)" -gt 3 ] || fail "mode or link"
  [ "$(cat a.csv.new)" = mine ] || fail "a.csv.new is not what it was"
  only_files a.csv a.csv.new link.csv
  ln -s /dev/full full.csv
  refuse "full.csv: cannot be written: No space left on device" simulate pendulum.json --duration 0.1 -o full.csv -o b.csv
  [ ! -e b.csv ] || fail "b.csv is written though full.csv is not"
  mkfifo pipe.csv
  cat pipe.csv > read.csv &
  expect 0 simulate pendulum.json --duration 0.2 -o pipe.csv
  wait $!
  cmp read.csv a.csv || fail "the pipe got something else"
  "$program" check pendulum.json > /dev/full 2> stderr && fail "nobody noticed"
  holds stderr '^molejo: standard output cannot be written$'
}

test_train_refuses() {
  refuse "no MOTION given" train
  refuse "nowhere.json: " train nowhere.json
  refuse "unknown key" train pendulum.json
  refuse "unknown ending '.glb'" train "$(run_motion)" -o a.glb
  refuse "no such folder 'no'" train "$(run_motion)" -o no/a.json
  refuse "--seed: '-1'" train "$(run_motion)" --seed -1
  refuse "--seed: '1.5': expected a whole number" train "$(run_motion)" --seed 1.5
  refuse "--evaluations: '0'" train "$(run_motion)" --evaluations 0
  refuse "--threads: 'x'" train "$(run_motion)" --threads x
  refuse "unknown option '--sead'; did you mean '--seed'?" train "$(run_motion)" --sead 1
  only_files
  cp "$(run_motion)" mine.motion.json
  sed -i "s|\.\./characters|$scenes/characters|; s|right_leg.foot|right_leg.shin|" mine.motion.json
  refuse "mine.motion.json: body 'right_leg.shin' is not a foot of the character" train mine.motion.json
  sed -i "s|right_leg.shin|right_leg.foot|" mine.motion.json
  expect 1 train mine.motion.json --evaluations 32 -o a.json
  refuse "was begun with --seed 1, not 2" train mine.motion.json --resume --seed 2 -o a.json
  sed -i 's|"name"|"torque_scale": 400, "name"|' mine.motion.json
  refuse "the motion or its character has changed since" train mine.motion.json --resume -o a.json
  echo '{"training_state": "gait", "moti' > a.json.part
  refuse "a.json.part:1: " train mine.motion.json --resume -o a.json
}

test_gait_checks_and_replays() {
  local gait="$scenes/gaits/basic_run.gait.json"
  expect 0 gait "$gait" --seconds 1 --forces -o a.glb -o a.csv -o a.json -o a.svg
  holds stdout '^  valid +yes$'
  holds stdout '^  easy constraints +least_speed +holds$'
  holds stdout '^ +peak_force +holds$'
  holds stdout '^  priority modes +keep sign and amplitude$'
  holds stdout '^  cyclic error +0\.[0-9]+ tolerances, most in '
  holds stdout '^  sketch alone +fails, as it should$'
  holds stdout '^  cost of transport +[0-9]'
  only_files a.csv a.glb a.json a.svg
  [ "$(head -c 4 a.glb)" = glTF ] || fail "not a glb"
  grep -aq 'force' a.glb || fail "no arrows in the glb"
  [ "$(wc -l < a.csv)" -eq 62 ] || fail "not 61 frames in the csv"
  expect 0 gait "$gait" --seconds 20 --reset --json
  holds stdout '"valid": true'
  holds stdout '"fell": false'
  holds stdout '"take_off": 0.0'
  expect 0 gait "$gait" --seconds 60
  holds stdout '^  replay +open loop: [0-9]+ steps in [0-9.]+ s before it fell$'
  # what has a feedback uses it unless told otherwise
  expect 0 gait "$scenes/gaits/basic_run_closed.gait.json" --seconds 20
  holds stdout '^  replay +with feedback: [0-9]+ steps in [0-9.]+ s, on its feet$'
  expect 0 gait "$scenes/gaits/basic_run_closed.gait.json" --seconds 20 --open-loop
  holds stdout '^  replay +open loop: '
  # a hard push makes it fall earlier
  expect 0 gait "$gait" --seconds 60 --json
  local unpushed
  unpushed=$(grep -m 1 '"seconds"' stdout | grep -oE '[0-9.]+')
  expect 0 gait "$gait" --seconds 60 --push 2000@90:0.1:0.2 --json
  holds stdout '"fell": true'
  awk -v a="$(grep -m 1 '"seconds"' stdout | grep -oE '[0-9.]+')" -v b="$unpushed" 'BEGIN { exit !(a < b) }' ||
    fail "the push did not matter"
}

test_gait_refuses() {
  local gait="$scenes/gaits/basic_run.gait.json" text
  refuse "no GAIT given" gait
  refuse "key 'scene' is missing" gait "$(run_motion)"
  refuse "unknown ending '.obj'" gait "$gait" -o a.obj
  refuse "given twice" gait "$gait" -o a.glb -o ./a.glb
  refuse "--seconds: '0'" gait "$gait" --seconds 0
  refuse "more than a million frames" gait "$gait" --seconds 10000 --fps 10000
  for text in 100 100@ @90 100@90:1:2:3 100@90:-1 100@x 1e9@0 100@90:; do
    refuse "expected NEWTONS@DEGREES[:START[:DURATION]]" gait "$gait" --push "$text"
  done
  sed 's/"unknowns": \[/"unknowns": [0.5, /' "$gait" > a.gait.json
  refuse "/found/unknowns: " gait a.gait.json
  only_files a.gait.json
}

test_sketch_shows_the_marked_modes() {
  expect 0 sketch "$(run_motion)" -o a.glb --seconds 1.4
  holds stdout '^Basic run, without gravity and ground$'
  holds stdout '^  simulated +[0-9]+ times real time$'
  holds stdout '^     1  air        2 .* legs scissor fore-aft '
  holds stdout '^     1  ground     3 .* push-off '
  [ "$(head -c 4 a.glb)" = glTF ] || fail "not a glb"
  only_files a.glb
  expect 0 sketch "$(run_motion)" --json
  holds stdout '"times_real_time": [0-9]'
  refuse "no MOTION given" sketch
  refuse "--seconds" sketch "$(run_motion)" --seconds x
  refuse "unknown ending '.obj'" sketch "$(run_motion)" -o a.obj
  # modes that the file leaves to the program are no part of the sketch
  sed "s|\.\./characters|$scenes/characters|; s|\"others\": \[[0-9, ]*\]|\"others\": \"auto\"|" "$(run_motion)" > auto.motion.json
  holds auto.motion.json '"others": "auto"'
  expect 0 sketch "$(run_motion)"
  grep -v 'times real time' stdout > expected
  expect 0 sketch auto.motion.json
  grep -v 'times real time' stdout | cmp - expected || fail "other modes changed the sketch"
  expect 1 train auto.motion.json --evaluations 32 -o a.gait.json
  lacks a.gait.json auto
  sed -i 's|right_leg.foot|right_leg.shin|' auto.motion.json
  refuse "auto.motion.json: body 'right_leg.shin' is not a foot of the character" sketch auto.motion.json -o b.glb
  refuse "nowhere.json: " sketch nowhere.json -o b.glb
  [ ! -e b.glb ] || fail "wrote something"
}

test_stabilise_finds_a_feedback() {
  local gait="$scenes/gaits/basic_run.gait.json"
  expect 0 stabilise "$gait" -o closed.json --generations 0 --threads 1
  holds stdout '^score 0\.[0-9]+ of [0-9]+ tried; spectral radius 0\.[0-9]+, open loop [0-9.]+$'
  holds stdout '^runs 6[0-9.]+ s, [0-9]+ cycles, [0-9.]+ m forward, at most 0\.[0-9]+ m aside$'
  holds stderr '^generation   0 of 0: '
  only_files closed.json
  holds closed.json '"feedback": \{'
  expect 0 gait closed.json --seconds 20 --json
  holds stdout '"fell": false'
  expect 0 gait closed.json --seconds 20 --json --open-loop
  holds stdout '"fell": true'
  # the same on two threads
  expect 0 stabilise "$gait" -o again.json --generations 0 --threads 2 --json
  for key in score tried step open_radius radius seconds cycles fell forward sideways peak_force wall_seconds; do
    holds stdout "^  \"$key\": "
  done
  cmp closed.json again.json || fail "threads changed the feedback"
}

test_stabilise_refuses() {
  local gait="$scenes/gaits/basic_run.gait.json"
  refuse "no GAIT given" stabilise
  refuse "no --output FILE given" stabilise "$gait"
  refuse "unknown ending '.glb'" stabilise "$gait" -o a.glb
  refuse "no such folder 'no'" stabilise "$gait" -o no/a.json
  refuse "nowhere.json: " stabilise nowhere.json -o a.json
  refuse "key 'scene' is missing" stabilise "$(run_motion)" -o a.json
  refuse "--seed: '1.5': expected a whole number" stabilise "$gait" -o a.json --seed 1.5
  refuse "--generations: '0.5': expected a whole number" stabilise "$gait" -o a.json --generations 0.5
  refuse "--push: 'x'" stabilise "$gait" -o a.json --push x
  refuse "--push: '-1'" stabilise "$gait" -o a.json --push -1
  refuse "unknown option '--generation'; did you mean '--generations'?" stabilise "$gait" -o a.json --generation 1
  only_files
  sed 's/"unknowns": \[/"unknowns": [0.5, /' "$gait" > a.gait.json
  refuse "a.gait.json: /found/unknowns: " stabilise a.gait.json -o a.json
  only_files a.gait.json
}

test_pushes_measures_a_battery() {
  local gait="$scenes/gaits/basic_run_closed.gait.json"
  expect 0 pushes "$gait" --directions 2 --phases 1 --threads 1 -o a.svg
  holds stdout '^Basic run, with feedback: 73.4 kg, 0.2 s, up 5 s later; at least [0-9.]+ N s/kg '
  holds stdout '^ +0\.0 ° +[0-9]+\.[0-9]+ +[0-9]+ '
  holds stdout '^ +180\.0 ° +[0-9]+\.[0-9]+ +[0-9]+ '
  holds a.svg '</svg>'
  expect 0 pushes "$gait" --directions 2 --phases 1 --threads 2 --json -o a.json
  for key in mass push_seconds seconds_after most least least_force directions; do holds stdout "\"$key\": "; done
  [ "$(cat stdout)" = "$(cat a.json)" ] || fail "the file is not what is printed"
  only_files a.json a.svg
}

test_pushes_refuses() {
  local gait="$scenes/gaits/basic_run_closed.gait.json"
  refuse "no GAIT given" pushes
  refuse "unknown ending '.png'" pushes "$gait" -o a.png
  refuse "nowhere.json: " pushes nowhere.json -o a.svg
  refuse "--directions: '0'" pushes "$gait" --directions 0 -o a.svg
  refuse "--directions: '2.5': expected a whole number" pushes "$gait" --directions 2.5 -o a.svg
  refuse "--phases: 'x'" pushes "$gait" --phases x -o a.svg
  refuse "key 'scene' is missing" pushes "$(run_motion)" -o a.svg
  only_files
}

# a stiff spring under an explicit integrator with far too large a step
unstable_scene() {
  cat > unstable.json << 'END'
{"integrator": {"method": "rk4", "time_step": 0.1}, "duration": 100,
 "bodies": [{"name": "ball", "position": [0, 0, 1], "shape": {"sphere": 0.1}, "mass": 1}],
 "springs": [{"name": "stiff", "a": {"point": [0, 0, 2]}, "b": {"body": "ball"},
              "stiffness": 1e9, "rest_length": 0.9}]}
END
}

test_numeric_failure_keeps_what_was_reached() {
  unstable_scene
  expect 1 simulate unstable.json -o a.csv -o a.glb -o a.svg
  holds stderr '^molejo: stopped early: .*[0-9]'
  [ "$(wc -l < stderr)" -eq 1 ] || fail "not one line"
  [ "$(wc -l < a.csv)" -gt 2 ] || fail "no frames were kept"
  lacks a.csv 'nan|inf'
  expect 1 simulate unstable.json --json
  holds stdout '"failure": *".+"'
}

test_a_run_that_does_not_keep_its_energy_says_so() {
  expect 0 simulate pendulum.json --duration 5
  lacks stdout warning
  expect 0 simulate pendulum.json --duration 5 --json
  holds stdout '"warnings": *\[\]'
  expect 0 simulate pendulum.json --duration 5 --integrator semi_implicit_euler --time-step 0.02
  holds stdout '^  warning +the energy changes by 0\.[0-9]+ of what is exchanged, more than 0\.001'
  expect 0 simulate pendulum.json --duration 5 --integrator semi_implicit_euler --time-step 0.02 --json
  holds stdout '"warnings": *\[$'
  holds stdout '^ +"the energy changes'
}

test_a_run_that_is_lost_names_a_body() {
  # so small that it swings faster than the step
  sed -E 's/"ground": 0.8, "crank": 0.3, "coupler": 0.9, "rocker": 0.7, "thickness": 0.03/"ground": 8e-6, "crank": 3e-6, "coupler": 9e-6, "rocker": 7e-6, "thickness": 3e-7/' \
    "$scenes/four_bar.json" > tiny.json
  holds tiny.json 8e-6
  for method in midpoint rk4; do
    expect 1 simulate tiny.json --integrator $method
    holds stderr "no longer finite after t = [0-9.]+ s \(body '(crank|coupler|rocker).bar'\); try a smaller time step"
  done
  # with a step of its own size it runs
  expect 0 simulate tiny.json --time-step 3e-6 --duration 0.03
  lacks stdout warning
}

# two bars in one line between two pivots: free at first sight, yet they cannot move
test_a_singular_configuration_stops_the_run_and_is_named() {
  cat > truss.json << 'END'
{"contact": false, "duration": 1,
 "bodies": [
   {"name": "a", "position": [0.5, 0, 0], "mass_properties": {"mass": 1, "inertia": [0.01, 0.1, 0.1]}},
   {"name": "b", "position": [1.5, 0, 0], "mass_properties": {"mass": 1, "inertia": [0.01, 0.1, 0.1]}}],
 "joints": [
   {"type": "revolute", "child": "a", "anchor": [0, 0, 0], "axis": [0, 1, 0]},
   {"type": "revolute", "parent": "a", "child": "b", "anchor": [1, 0, 0], "axis": [0, 1, 0]},
   {"name": "far", "type": "revolute", "child": "b", "anchor": [2, 0, 0], "axis": [0, 1, 0], "loop": true}]}
END
  for method in semi_implicit_euler midpoint rk4 rkf45; do
    expect 1 simulate truss.json --integrator $method
    holds stderr "the mechanism of joint 'far' comes to a singular configuration"
  done
}

test_loops_and_redundant_constraints() {
  cp "$scenes/imports/fourbar.xml" .
  expect 0 check fourbar.xml
  holds stdout '^  loops +2$'
  holds stdout '^  redundant constraints +[1-9]'
  holds stdout '^  freedoms left +1$'
}

test_scripts_write_a_table_per_actor() {
  mkdir tables
  expect 0 simulate "$scenes/animado/planetas.dat" -o tables -o planets.csv
  [ "$(ls tables | wc -l)" -eq 9 ] || fail "$(ls tables | wc -l) tables, expected 9"
  [ "$(wc -l < tables/mercury.out)" -eq 601 ] || fail "mercury.out is not 601 lines long"
  tail -n 1 tables/mercury.out | grep -q '^25 -16\.805' || fail "Mercury is elsewhere"
  # one that was written can be followed
  printf 'time_end 2\ntime_step 0.5\nACTOR a\nFOLLOW tables/earth.out\nFILE a.out\n' > again.dat
  expect 0 simulate again.dat -o .
  [ "$(cut -d' ' -f1-4 a.out | tail -n 1)" = "$(grep '^2 ' tables/earth.out | cut -d' ' -f1-4)" ] ||
    fail "the path is not met"
}

test_scripts_become_scenes_with_their_tables() {
  mkdir script scene
  expect 0 simulate "$scenes/animado/planetas.dat" -o script
  expect 0 convert "$scenes/animado/planetas.dat" planets.json
  [ ! -s stderr ] || fail "a warning without a reason"
  expect 0 simulate planets.json -o scene
  diff -r script scene > /dev/null || fail "the tables differ"
}

test_scripts_are_refused() {
  printf 'time_end 2\ntime_step 0.5\nACTOR a\nm 1\nIxx 1\nIyy 1\nIzz 1\nFx 2*sxx\n' > a.dat
  refuse "a.dat:8: '2*sxx': column 3" check a.dat
  printf 'INCLUDE a.dat\n' > a.dat
  refuse "a.dat:1: files include each other: a.dat -> a.dat" check a.dat
  printf 'time_end 2\ntime_step 0.5\nACTOR a\nm 1\nradius 1\nFILE a.dat\n' > a.dat
  refuse "is the input itself" simulate a.dat -o .
  mkdir folder
  refuse "is a folder, but no actor" simulate "$scenes/pendulum.json" -o folder
}

test_gallery_shows_every_scene() {
  mkdir in in/more
  cp pendulum.json in/swing.json
  cp pendulum.json in/more/more.json
  expect 0 gallery in shown
  [ "$(ls shown | tr '\n' ' ')" = "index.html more.csv more.glb more.svg swing.csv swing.glb swing.svg " ] ||
    fail "files are $(ls shown | tr '\n' ' ')"
  holds stdout '^2 cards'
  holds stdout "file://.*/shown/index.html"
  holds shown/index.html 'swing.glb'
  lacks shown/index.html 'https?://[^w]'

  # a bad scene is told and does not hide the others
  echo '{' > in/bad.json
  expect 2 gallery in shown
  holds stderr '^molejo: in/bad.json'
  holds stdout '^2 cards'
  unstable_scene
  mv unstable.json in/bad.json
  expect 1 gallery in shown
  holds stdout 'stopped early'
}

test_gallery_shows_every_kind() {
  mkdir -p in/terrains
  for file in gaits/basic_run_closed.gait.json gaits/basic_run.motion.json shows/jump.show.json nets/jump.net.json \
    nets/jump.pn nets/philosophers_10.pnml walks/stick_fall.walk.json walks/stick_walk.bvh walks/stick_idle.bvh \
    walks/demo_a.walk.json terrains/hills.terrain.json characters/stick_figure.json characters/humanoid.json; do
    mkdir -p "in/$(dirname "$file")"
    cp "$scenes/$file" "in/$file"
  done
  # what is not installed is told and left out
  expect 0 gallery in shown
  holds stdout 'walks-demo_a.walk +left out: .*mannequin.glb is not installed'
  lacks shown/index.html 'walks-demo_a'
  holds stdout '^9 cards'
  for file in gaits-basic_run_closed.gait.glb gaits-basic_run_closed.gait.csv gaits-basic_run_closed.gait.svg \
    gaits-basic_run.motion.glb shows-jump.show.glb shows-jump.show.gantt.svg shows-jump.show.net.svg nets-jump.net.svg \
    nets-jump.svg nets-philosophers_10.svg walks-stick_fall.walk.glb; do
    [ -s "shown/$file" ] || fail "there is no $file"
    holds shown/index.html "\"$file\""
  done
  # figures of the gait, vibrations of the sketch, findings, quality of the walk
  holds shown/index.html '<dt>cost of transport</dt><dd>1\.0'
  holds shown/index.html '<dt>falls</dt><dd>never</dd>'
  holds shown/index.html '<td>legs scissor fore-aft</td>'
  holds shown/index.html '<li class="bad">deadlock after [0-9]+ firings</li>'
  holds shown/index.html '<td>feet slip, mm</td><td>0\.'

  # what waits for the world may fire: the sack hits
  cp "$scenes/shows/stumble.show.json" in/shows/
  expect 0 gallery in shown
  lacks shown/index.html 'can never fire: .*hit'

  # a bad net and a walk without its terrain are told, the others shown
  echo 'place' > in/nets/bad.pn
  rm in/terrains/hills.terrain.json
  expect 2 gallery in shown
  holds stderr '^molejo: in/nets/bad.pn'
  holds stderr '^molejo: .*hills.terrain.json'
  holds stdout '^9 cards'
}

test_gallery_looks_at_a_character_from_before_its_right() {
  mkdir -p in/characters in/gaits
  # without a camera of its own
  grep -v '^  "camera"' "$scenes/characters/humanoid.json" > in/characters/humanoid.json
  lacks in/characters/humanoid.json '"camera"'
  cp "$scenes/gaits/basic_run.motion.json" in/gaits/
  grep -v '"camera"' "$scenes/gaits/basic_run_closed.gait.json" > in/gaits/basic_run_closed.gait.json
  expect 0 gallery in shown
  python3 - << 'PY'
import base64, json, math, re, struct
page = open("shown/index.html").read()
cards = re.findall(r'<article class="card" id="(.*?)".*?<script type="application/json">(.*?)</script>', page, re.S)
films = {name: json.loads(film) for name, film in cards}

def places(actor, frames):  # of an actor, frame by frame
    if "rest" in actor:
        return [actor["rest"][:3]] * frames
    whole = base64.b64decode(actor["frames"])
    numbers = struct.unpack("<%dh" % (len(whole) // 2), whole)
    return [[actor["middle"][k] + actor["size"] * numbers[7 * i + k] / 32767 for k in range(3)] for i in range(frames)]

def minus(a, b):
    return [x - y for x, y in zip(a, b)]

def angle(a, b):
    return math.degrees(math.acos(sum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)))

for name in "gaits-basic_run.motion", "gaits-basic_run_closed.gait":
    film = films[name]
    camera, frames = film["camera"], len(film["times"])
    # it runs along x, z is up: its right is -y
    x, y, z = minus(camera["position"], camera["target"])
    assert 0 < x < -y and 0 < z < -y, (name, camera)
    # wherever it goes, all of it is seen, and not small
    followed = places(film["actors"][camera["follow"]], frames)
    seen = {part["actor"] for part in film["parts"] if "mesh" in part}
    widest = 0
    for actor in seen:
        for p, here in zip(places(film["actors"][actor], frames), followed):
            eye = [camera["position"][k] + here[k] - followed[0][k] for k in range(3)]
            widest = max(widest, angle(minus(p, eye), minus(camera["target"], camera["position"])))
    assert len(seen) > 8 and camera["fov_deg"] / 8 < widest < camera["fov_deg"] / 2, (name, widest)
# a gait has its ground, vibrations hang in the air
flat = {name: sum("mesh" not in part for part in film["parts"]) for name, film in films.items()}
assert flat["gaits-basic_run.motion"] == 0 and flat["gaits-basic_run_closed.gait"] == 1, flat
PY
}

test_gallery_refuses() {
  refuse "no such folder" gallery nowhere
  mkdir empty
  refuse "holds nothing to show" gallery empty
  : > file
  refuse "file" gallery . file
}

# starts the program and waits until a file holds a text; its id is in $started
start_until() {
  local file=$1 text=$2
  shift 2
  rm -f served
  "$program" "$@" > served 2> told < /dev/null &
  started=$!
  wait_for "$file" "$text"
}

wait_for() {
  for _ in $(seq 200); do
    if grep -qE -- "$2" "$1" 2> /dev/null; then return 0; fi
    sleep 0.1
  done
  fail "$1 does not come to hold '$2'"
}

test_serve_and_send() {
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  local url
  url=$(grep -oE 'ws://.*' served)
  expect 0 send "$url" describe '{"do": "step", "frames": 30, "id": 4}'
  holds stdout '"bodies":\['
  holds stdout '"id":4,"ok":true,"t":1'
  expect 0 send "$url" '{"do": "subscribe"}' step --frames 1
  holds stdout '"poses":\['
  expect 2 send "$url" '{"do": "sett"}'
  holds stdout "did you mean 'set'"
  kill -INT $started
  local code=0
  wait $started || code=$?
  [ $code -eq 0 ] || fail "serve ended with $code"
  expect 1 send "$url" status
  holds stderr '^molejo: '
}

test_a_command_has_the_same_bits_in_the_studio() {
  local how simulated
  printf 't,upper.force.x,upper.force.y,upper.force.z\n0,5,1,0\n' > push.csv
  simulated=$(hash_of pendulum.json --command push.csv --duration 1 | grep -oE '[0-9a-f]{16}')
  for how in serve studio; do
    start_until served '://127' $how pendulum.json --port 0
    trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
    expect 0 send "$(grep -oE '127.0.0.1:[0-9]+' served | cut -d : -f 2)" pause \
      '{"do": "command", "body": "upper", "force": [5, 1, 0]}' reset '{"do": "step", "frames": 30}'
    holds stdout "\"t\":1,.*\"hash\":\"$simulated\""
    ends_without_a_trace
  done
}

# What is no message gets one line from serve and studio, and they go on.
answers_odd_messages() { # address
  local message
  for message in '[]' '{}' '[1, 2]' '[[1], {"do": "play"}]' '7' '-7' '"play"' 'null' 'true' '' ' ' '{"do": 3}' '{"do": ["play"]}' \
    '{"do": ""}' '{"do": "play"' '{"do": "play", "id": {}}' 'plaay' 'Play!' '{"do": "a\u0000b"}'; do
    expect 2 send "$1" -- "$message"
    [ "$(cat stdout stderr | wc -l)" -eq 1 ] || fail "not one line for '$message'"
    holds stdout '^\{.*"error":"'
  done
  expect 2 send "$1" '[]' status
  [ "$(wc -l < stdout)" -eq 2 ] || fail "not an answer for each of two"
  refuse "no MESSAGE given" send "$1"
  refuse "unknown option '--frame'; did you mean '--frames'?" send "$1" status --frame 3
}

test_odd_messages_are_answered_in_one_line() {
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  answers_odd_messages "$(grep -oE 'ws://.*' served)"
  ends_without_a_trace
  start_until served 'http://127' studio pendulum.json --port 0
  answers_odd_messages "$(grep -oE '127.0.0.1:[0-9]+' served | cut -d : -f 2)"
  ends_without_a_trace
}

# An HTTP request as another user of this machine, where we may become one: the status it gets.
as_another_user() { # port, request line, further head
  local user=(env)
  [ "$(id -u)" -ne 0 ] || user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${user[@]}" bash -c 'exec 3<> "/dev/tcp/127.0.0.1/$1" && printf "%s\r\nHost: localhost\r\n%b\r\n" "$2" "$3" >&3 &&
    head -1 <&3 | cut -d " " -f 2' - "$1" "$2" "${3:-}" || echo "no answer"
}

# No process of this machine was started with what the file holds.
in_no_command_line() { # file
  local found
  found=$(grep -laF -f "$1" /proc/[0-9]*/cmdline 2> /dev/null || true)
  [ -z "$found" ] || fail "the token stands in $found"
}

# The token of a server is for its user alone.
keeps_its_token() { # where the address was printed
  local port
  port=$(grep -oE '127.0.0.1:[0-9]+' "$1" | cut -d : -f 2)
  grep -oE 'token=[A-Za-z0-9_-]{32}' "$1" | cut -d = -f 2 > token || fail "no token in the address"
  chmod 600 token
  in_no_command_line token
  local note=$XDG_RUNTIME_DIR/molejo/$port
  cmp -s token "$note" || fail "$note does not hold the token"
  [ "$(stat -c %a "$note")" = 600 ] || fail "$note has the mode $(stat -c %a "$note")"
  [ "$(stat -c %a "$XDG_RUNTIME_DIR/molejo")" = 700 ] || fail "others may look for the token"
  if [ "$(id -u)" -eq 0 ]; then
    chmod 711 "$folder" "$XDG_RUNTIME_DIR"
    ! setpriv --reuid=65534 --regid=65534 --clear-groups cat "$note" 2> /dev/null || fail "another user reads $note"
    chmod 700 "$folder" "$XDG_RUNTIME_DIR"
  fi
  local upgrade='Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
  for line in 'GET / HTTP/1.1' 'GET /index.html HTTP/1.1' 'GET /app.js HTTP/1.1' 'GET /gallery.json HTTP/1.1' \
    'POST /upload?name=a.json HTTP/1.1' 'GET /?token= HTTP/1.1' 'GET /?token=0123456789abcdef0123456789abcdef HTTP/1.1'; do
    local status
    status=$(as_another_user "$port" "$line")
    [ "$status" = 401 ] || fail "another user gets $status for $line"
  done
  [ "$(as_another_user "$port" 'GET /live HTTP/1.1' "$upgrade")" = 401 ] || fail "another user gets a WebSocket"
  # its own user needs no word of it, and one who knows it wrongly is told
  expect 0 send "$port" status
  expect 0 send "$port" status --token-file token
  MOLEJO_TOKEN=0123456789abcdef expect 1 send "$port" status
  holds stderr '401'
  lacks stderr "$(cat token)"
}

ends_without_a_trace() {
  kill -INT $started
  local code=0
  wait $started || code=$?
  [ $code -eq 0 ] || fail "ended with $code"
  [ -z "$(ls "$XDG_RUNTIME_DIR/molejo")" ] || fail "the token is left behind"
}

test_what_a_killed_server_has_left_goes_with_the_next() {
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  kill -KILL $started
  wait $started || true
  [ "$(ls "$XDG_RUNTIME_DIR/molejo" | wc -l)" -eq 1 ] || fail "nothing is left"
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  local first=$started
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  [ "$(ls "$XDG_RUNTIME_DIR/molejo" | wc -l)" -eq 2 ] || fail "there are $(ls "$XDG_RUNTIME_DIR/molejo")"
  kill -INT $first
  wait $first || fail "ended with $?"
  ends_without_a_trace
}

test_serve_lets_in_its_own_user_alone() {
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  keeps_its_token served
  ends_without_a_trace
}

test_studio_lets_in_its_own_user_alone() {
  start_until served 'http://127' studio pendulum.json --port 0
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  keeps_its_token served
  ends_without_a_trace
}

test_the_token_is_given_by_a_file_or_the_environment() {
  refuse "unknown option '--token'" serve pendulum.json --port 0 --token 0123456789abcdef
  echo 'a-word-that-only-we-know' > word
  refuse "word: no token: expected a file of yours that nobody else can read" serve pendulum.json --port 0 --token-file word
  refuse "nowhere: no token" serve pendulum.json --port 0 --token-file nowhere
  chmod 600 word
  start_until served 'token=a-word-that-only-we-know$' serve pendulum.json --port 0 --paused --token-file word
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  ends_without_a_trace
  export MOLEJO_TOKEN=another-word-that-we-know
  start_until served 'token=another-word-that-we-know$' serve pendulum.json --port 0 --paused
  ends_without_a_trace
  MOLEJO_TOKEN=short refuse "a token of 5 characters" serve pendulum.json --port 0
}

# A folder of the served scene may hold anything: what is no scene is not told.
test_serve_tells_nothing_of_other_files() {
  mkdir shown
  cp pendulum.json shown/a.json
  echo 'hunter2' > secret.txt
  echo '{"password": "hunter2"}' > shown/settings.json
  echo 'hunter2' > shown/notes.dat
  ln -s ../secret.txt shown/link.json
  start_until served 'ws://127' serve shown/a.json --port 0 --paused
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  local port
  port=$(grep -oE '127.0.0.1:[0-9]+' served | cut -d : -f 2)
  for file in settings.json notes.dat link.json ../secret.txt "$PWD/secret.txt" /etc/passwd nowhere.json; do
    expect 2 send "$port" "{\"do\": \"load\", \"file\": \"$file\"}"
    lacks stdout 'hunter2|password|root:'
  done
  for path in "$PWD/secret.txt" ../secret.txt /etc/passwd '\/etc\/passwd' '\u002fetc/passwd' a.json; do
    expect 2 send "$port" '{"do": "load", "scene": {"bodies": [{"name": "b", "shape": {"sphere": 1}, "follow": "'"$path"'"}]}}'
    holds stdout 'no other files can be read here'
    lacks stdout 'hunter2|root:'
  done
  expect 0 send "$port" '{"do": "load", "file": "a.json"}'
  kill $started
}

# Robots name what lies beside their folder, or in their package; what lies elsewhere must be allowed.
test_files_around_a_file_are_read_and_others_by_leave() {
  mkdir -p ws/arm/urdf ws/arm/meshes ws/hand/meshes far
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n' > ws/arm/meshes/a.obj
  cp ws/arm/meshes/a.obj ws/hand/meshes/b.obj
  cp ws/arm/meshes/a.obj far/c.obj
  robot() {
    echo '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>' \
      '<collision><geometry><mesh filename="'"$1"'"/></geometry></collision></link></robot>' > ws/arm/urdf/arm.urdf
  }
  for mesh in ../meshes/a.obj package://arm/meshes/a.obj; do
    robot "$mesh"
    expect 0 check ws/arm/urdf/arm.urdf
    (cd ws/arm/urdf && "$program" check arm.urdf > /dev/null) || fail "$mesh is not found from its own folder"
  done
  robot package://hand/meshes/b.obj
  refuse "hand/meshes/b.obj" check ws/arm/urdf/arm.urdf
  touch ws/arm/package.xml
  expect 0 check ws/arm/urdf/arm.urdf
  for mesh in ../../../far/c.obj "$PWD/far/c.obj" "file://$PWD/far/c.obj"; do
    robot "$mesh"
    refuse "far/c.obj: lies outside of what may be read here; --root FOLDER allows more" check ws/arm/urdf/arm.urdf
    expect 0 check ws/arm/urdf/arm.urdf --root far
  done
  refuse "nowhere: no such folder" check ws/arm/urdf/arm.urdf --root nowhere
}

test_serve_refuses() {
  refuse "nowhere.json" serve nowhere.json
  refuse "expected" send not-an-address status
}

test_an_origin_that_is_none_is_refused() {
  local origin
  for origin in foo a.org http://a.org/page '*' null; do
    refuse "origin '$origin'; expected one like https://a.org" serve pendulum.json --port 0 --origin "$origin"
    refuse "origin '$origin'; expected one like https://a.org" studio pendulum.json --port 0 --origin https://a.org --origin "$origin"
  done
}

# Ctrl-C while a pipe waits for its other end
test_who_waits_for_a_pipe_can_be_interrupted() {
  mkfifo in.json out.csv
  local code
  for words in "check in.json" "simulate in.json" "simulate pendulum.json --duration 0.1 -o out.csv" "train in.json"; do
    # shellcheck disable=SC2086
    "$program" $words > stdout 2> stderr < /dev/null &
    started=$!
    sleep 1
    kill -INT $started
    code=0
    wait $started || code=$?
    [ "$code" -eq 1 ] || fail "exit code $code, expected 1: molejo $words"
    [ "$(cat stderr)" = "molejo: interrupted" ] || fail "other words: molejo $words"
  done
}

test_a_name_with_a_nul_does_not_cut_the_message() {
  printf '{"bodies": [{"name": "b", "shape": {"mesh": {"obj": "a\\u0000b.obj"}}}]}' > nul.json
  refuse 'nul.json:1: /bodies/0/shape/mesh/obj: "a\u0000b.obj": a name must not have control characters' simulate nul.json
  printf '{"bodies": [{"name": "b", "shape": {"sphere": 1}, "a\\u0000b": 1}]}' > nul.json
  refuse "unknown key 'a?b'" simulate nul.json
  sed 's|"character": *"[^"]*"|"character": "a\\u0000b.json"|' "$(run_motion)" > nul.motion.json
  refuse 'nul.motion.json:' train nul.motion.json
  holds stderr '/character: "a.u0000b.json": a name must not have control characters$'
  start_until served 'ws://127' serve pendulum.json --port 0 --paused
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  local address
  address=$(grep -oE 'ws://.*' served)
  expect 2 send "$address" '{"do": "load", "file": "a\u0000b.json"}'
  holds stdout '"error":".*a\?b.json.*: .*"'
  expect 2 send "$address" '{"do": "push", "body": "a\u0000b", "force": [0, 0, 1]}'
  holds stdout "unknown body 'a\\?b'"
  ends_without_a_trace
}

test_studio_begins_with_a_file_of_its_folder() {
  mkdir -p mine scenes/gaits empty
  cp pendulum.json mine/swing.json
  # a file of the usual name in the working folder is none of its business
  echo '{' > scenes/gaits/basic_run_closed.gait.json
  echo '{"bodies": 3}' > mine/a_broken_one.json
  start_until served 'http://127' studio --scenes mine --port 0
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  holds served '^scenes/swing.json runs in the studio'
  expect 0 send "$(grep -oE '127.0.0.1:[0-9]+' served | cut -d : -f 2)" describe
  holds stdout '"file": ?"scenes/swing.json"'
  ends_without_a_trace
  # with the shipped scenes it is the run
  start_until served 'http://127' studio --scenes "$scenes" --port 0
  holds served '^scenes/gaits/basic_run_closed.gait.json runs in the studio'
  ends_without_a_trace
  refuse "empty: no file here can be opened" studio --scenes empty --port 0
  rm mine/swing.json
  refuse "mine: no file here can be opened; the first: scenes/a_broken_one.json:1: " studio --scenes mine --port 0
  refuse "nowhere: no such folder" studio --scenes nowhere --port 0
  # a path that is given is that path, whatever the folder has of this name
  cp pendulum.json scenes/swing.json
  sed 's/"name": *"[^"]*"/"name": "another"/' pendulum.json > mine/swing.json
  start_until served 'http://127' studio scenes/swing.json --scenes mine --port 0
  expect 0 send "$(grep -oE '127.0.0.1:[0-9]+' served | cut -d : -f 2)" describe
  lacks stdout 'another'
  ends_without_a_trace
}

test_studio_says_where_it_is() {
  start_until served 'http://127' studio pendulum.json --port 0
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  local url
  url=$(grep -oE 'http://\S+' served)
  expect 0 send "$(sed 's|http|ws|; s|/?|/live?|' <<< "$url")" describe pause
  holds stdout '"kind": ?"scene"'
  kill -INT $started
  local code=0
  wait $started || code=$?
  [ $code -eq 0 ] || fail "studio ended with $code"
}

# the first of two has the usual port, unless somebody else has it already
test_studio_goes_elsewhere_when_its_port_is_taken() {
  start_until served 'http://127' studio pendulum.json
  first=$started
  cp served before
  start_until served 'http://127' studio pendulum.json
  trap 'kill $first $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  ! cmp -s before served || fail "two studios at one address"
  local port
  port=$(grep -oE '127.0.0.1:[0-9]+' served)
  expect 1 studio pendulum.json --port "${port#*:}"
  holds stderr "^molejo: .*${port#*:}"
  kill $first $started
}

test_studio_refuses_bad_input_with_one_line() {
  refuse "nowhere.json: no such file" studio nowhere.json --port 0
  mkdir -p alone/bin
  cp "$program" alone/bin/molejo
  (program=$PWD/alone/bin/molejo && refuse "no folder of scenes here" studio --port 0)
  echo '{' > broken.json
  refuse "broken.json:1" studio broken.json --port 0
}

# a run that would take years
endless() {
  cat > endless.json << SCENE
{"integrator": {"time_step": 1e-6}, "duration": 1e6, "fps": 1, "bodies": [{"name": "b", "shape": {"sphere": 0.1}}]}
SCENE
}

test_an_interrupted_run_writes_what_it_reached() {
  endless
  "$program" simulate endless.json -o out.csv > stdout 2> stderr < /dev/null &
  started=$!
  sleep 2
  kill -INT $started
  local code=0 begun=$SECONDS
  wait $started || code=$?
  [ "$code" -eq 1 ] || fail "exit code $code, expected 1"
  [ $((SECONDS - begun)) -le 5 ] || fail "ended $((SECONDS - begun)) s after SIGINT"
  holds stderr '^molejo: stopped early: interrupted at t = [0-9.e-]+ s$'
  [ "$(wc -l < out.csv)" -ge 2 ] || fail "nothing was written"
}

test_an_error_stays_one_line_and_no_terminal_obeys_what_it_quotes() {
  expect 2 net analyse "$scenes/nets/walk.net.json" --property $'always: a\n\x1b[31mb'
  [ "$(wc -l < stderr)" -eq 1 ] || fail "$(wc -l < stderr) lines"
  lacks stderr $'\x1b'
}

test_numbers_of_a_file_have_the_bounds_of_the_options() {
  endless
  sed 's/1e-6/1e-300/' endless.json > tiny.json
  refuse "tiny.json:1: /integrator/time_step: 1e-300: expected seconds from 1e-09 to 1" simulate tiny.json
  refuse "--time-step: '1e-300': expected seconds from 1e-09 to 1" simulate pendulum.json --time-step 1e-300
  sed 's/"time_step": 1e-6/"method": "rkf45", "max_step": 1e-299/' endless.json > tiny.json
  refuse "tiny.json:1: /integrator/max_step: 1e-299: expected seconds from 1e-09 to 1" simulate tiny.json
}

test_memory_is_bounded() {
  # every ball touches every other
  { printf '{"bodies": ['
    seq -f '{"name": "b%g", "shape": {"sphere": 0.1}},' 2000
    printf '{"name": "last", "shape": {"sphere": 0.1}}]}'; } > heap.json
  expect 1 simulate heap.json
  holds stderr '^molejo: stopped early: .* at t = 0 s; the 225 MB for contact hold no more$'
  expect 1 simulate heap.json --max-memory 100M --duration 0.1
  holds stderr '^molejo: stopped early: .* at t = 0 s; the 25 MB for contact hold no more$'
  refuse "more than 450 MB; choose a smaller --duration or --fps, or a larger --max-memory" \
    simulate pendulum.json --duration 10000 --fps 1000
  # what fits is done: frames of some 150 MB
  expect 0 simulate pendulum.json --duration 3000 --fps 100 --time-step 0.01
  { printf '{"bodies": ['
    seq 50000 | sed 's/.*/{"name": "b&", "position": [&, 0, 0], "shape": {"sphere": 0.1}},/'
    printf '{"name": "last", "shape": {"sphere": 0.1}}]}'; } > many.json
  refuse "needs more than 64 MB of memory; --max-memory allows more" simulate many.json --max-memory 64M
  refuse "--max-memory: '1k': expected 64M or more" simulate pendulum.json --max-memory 1k
  # a switch that goes on and off a thousand million times a second
  echo '{"places": [{"name": "a", "tokens": 1, "delay": 1e-9}, {"name": "b"}],
    "transitions": [{"name": "s", "in": "a", "out": "b"}, {"name": "r", "in": "b", "out": "a"}]}' > fast.net.json
  refuse "needs more than 64 MB of memory; --max-memory allows more" net run fast.net.json --max-memory 64M
}

test_watch_begins_again_when_the_file_is_saved() {
  start_until told 'waits for' simulate pendulum.json --duration 1 --watch -o out.csv
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  [ "$(wc -l < out.csv)" -gt 10 ] || fail "nothing was written"
  # a mistake is told, and what was written stays
  cp pendulum.json good.json
  echo '{' > pendulum.json
  wait_for told 'pendulum.json:1'
  [ "$(wc -l < out.csv)" -gt 10 ] || fail "the output is gone"
  rm out.csv
  sed '3s/Double/Triple/' good.json > pendulum.json
  for _ in $(seq 200); do [ -s out.csv ] && break; sleep 0.1; done
  [ -s out.csv ] || fail "the run did not begin again"
  kill $started
}

# a ball that rests, for so long that only a formula can end the run
watched_ball() { # w, k, force
  cat > next.json << SCENE
{"gravity": [0, 0, 0], "duration": 1e6, "fps": 0.01, "variables": {"k": $2, "w": "$1"}, "probes": {"seen": "w"},
 "bodies": [{"name": "ball", "mass": 1, "shape": {"sphere": 0.1}}],
 "forces": [{"name": "end", "body": "ball", "force": ["$3", 0, 0]}]}
SCENE
  mv next.json watched.json
}
times_gone_on() { grep -c 'goes on with the new formulas at t = ' told || true; }
watch_goes_on() { # what the file says now
  local before
  before=$(times_gone_on)
  watched_ball "$@"
  for _ in $(seq 200); do
    [ "$(times_gone_on)" -eq "$before" ] || return 0
    sleep 0.1
  done
  fail "the run does not go on with $*"
}

test_watch_goes_on_with_new_formulas() {
  watched_ball k+1 4 0
  "$program" simulate watched.json --set k=7 --watch -o out.csv > served 2> told < /dev/null &
  started=$!
  trap 'kill $started 2> /dev/null || true; rm -rf "$folder"' EXIT
  for _ in $(seq 100); do # it runs once it has seen the file saved
    touch watched.json
    sleep 0.3
    [ "$(times_gone_on)" -eq 0 ] || break
  done
  watch_goes_on k+20 4 0  # another formula: --set stays
  watch_goes_on k+20 5 0  # another number in the file
  watch_goes_on 2*k 5 0
  watched_ball k+ 5 0     # a mistake changes nothing
  wait_for told 'watched.json:1: .*column 3'
  watch_goes_on k 5 1e300 # too much for any number
  wait_for told 'stopped early'
  [ "$(tail -n +2 out.csv | awk -F, '{print $(NF - 1)}' | uniq | head -n 4 | tr '\n' ' ')" = "8 27 25 10 " ] ||
    fail "formulas and variables were not what they should be: $(cut -c 1-200 told)"
  lacks told 'begins again'
  kill $started
}

nets=$scenes/nets

test_net_run_prints_the_firings() {
  expect 0 net run "$nets/walk.pn" --duration 10
  [ "$(cut -d, -f2,4 stdout | tr '\n' ' ')" = "frame,node 0,T1 12,T2 36,T3 36,T5 60,T8 72,T10 72,T11 " ] ||
    fail "not the firings of the thesis"
  holds stderr '^72 frames, then nothing can happen any more$'
  expect 0 net run "$nets/walk.pn" --fps 25 --json
  holds stdout '"frames": 75'
  expect 0 net run "$nets/ball_game.net.json" --duration 14.5 -o game.csv -o game.json -o game.svg
  only_files game.csv game.json game.svg
  holds game.csv '^4.5,108,fire,T2,1$'
  holds game.csv '^14.5,348,fire,T8,1$'
  expect 0 net run "$nets/ball_top.net.json" --fps 30000/1001 --duration 20
  holds stdout '^4.5,135,fire,T2,1$'
}

test_net_run_stops_an_endless_cascade() {
  printf '1 1\nP p 0 0\nT t 1\nO p t 1\n' > source.pn
  expect 1 net run source.pn
  holds stderr 'source.pn: stopped in frame 1: the firings of one instant never end'
}

test_net_analyse_tells_what_the_specification_says() {
  expect 0 net analyse "$nets/ball_top.net.json"
  holds stdout '^markings +32$'
  holds stdout '^firings +48$'
  holds stdout '^period +13 s, from 4.5 s on$'
  holds stdout '^holds +never: P3 & P19 '
  expect 0 net analyse "$nets/ball_game.pn" --json
  holds stdout '"markings": 384'
  holds stdout '"period": 13'
  expect 0 net analyse "$nets/walk.pn"
  holds stdout '^never fire +T4, T6, T7, T9$'
  holds stdout '\{P5\} after T1, T2, T3, T5, T8, T10, T11'
  expect 0 net analyse "$nets/walk.pn" --ignore-priorities
  holds stdout '^unbounded +P3, P5; of the others nothing is said$'
}

test_net_analyse_shows_why_a_property_fails() {
  expect 1 net analyse "$nets/walk.pn" --property 'never: P6a'
  holds stdout '^fails +never: P6a '
  holds stdout 'after T1 at 0 s, T2 at 0.5 s, T3 at 1.5 s'
  refuse "did you mean 'never'" net analyse "$nets/walk.pn" --property 'nver: P6a'
  refuse "unknown place 'P66'" net analyse "$nets/walk.pn" --property 'never: P66'
}

test_net_analyse_finds_broken_nets_before_they_run() {
  grep -v '^I P9 T2 1$' "$nets/ball_game.pn" > early.pn
  expect 0 net analyse early.pn --max-states 200k
  holds stdout '^unbounded +P9'
  expect 0 net run early.pn --duration 5
  holds stdout '^3,72,fire,T2,1$'
  grep -v '^O P11 T5 1$' "$nets/ball_game.pn" > stuck.pn
  expect 1 net analyse stuck.pn --property 'never: deadlock'
  holds stdout '^deadlocks +1$'
}

test_net_analyse_ends_with_a_part_at_its_limits() {
  expect 0 net analyse "$nets/kanban_5.pnml" --max-states 10k
  holds stdout 'and more: --max-states was reached'
  expect 0 net analyse "$nets/kanban_5.pnml" --max-memory 4M --threads 2
  holds stdout 'and more: --max-memory was reached'
  refuse "--max-states" net analyse "$nets/kanban_5.pnml" --max-states many
  refuse "--max-memory" net analyse "$nets/kanban_5.pnml" --max-memory 0
}

# the most memory that the program has held, in MB, as whoever waits for it is told
peak_of() {
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=open("stdout", "w"), stderr=open("stderr", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$program" "$@"
}

test_net_analyse_keeps_to_its_memory() {
  local base peak
  base=$(peak_of net analyse "$nets/walk.pn")
  for net in kanban_5 fms_5 mapk_8; do
    peak=$(peak_of net analyse "$nets/$net.pnml" --max-memory 60M --threads 2)
    holds stdout '--max-memory was reached'
    [ "$peak" -lt $((60 + base + 30)) ] || fail "$net: $peak MB, of which $base for the program"
  done
}

lift() { # one that may move off while somebody enters
  cat > lift.net.json << 'EOF'
{"places": [{"name": "shut", "tokens": 1}, {"name": "opening", "delay": 2}, {"name": "open"},
            {"name": "outside", "tokens": 1}, {"name": "entering", "delay": 1}, {"name": "inside"}, {"name": "moving"}],
 "transitions": [{"name": "call", "in": "shut", "event": "button", "out": "opening"},
                 {"name": "opened", "in": "opening", "out": "open"},
                 {"name": "go", "in": "outside", "event": "walk", "out": "entering"},
                 {"name": "entered", "in": "entering", "out": "inside"},
                 {"name": "start", "in": "open", "event": "up", "out": "moving"}],
 "properties": ["never: entering & moving"]}
EOF
}

test_net_analyse_finds_when_events_must_come() {
  lift
  expect 1 net analyse lift.net.json
  holds stdout '^fails +never: entering & moving .*it depends on when events come'
  holds stdout 'call at 0 s, .*opened at 2 s'
  holds stdout '^never fire +none$'
  expect 1 net analyse lift.net.json --json
  cp stdout proof.json
  expect 1 net run lift.net.json --trace proof.json
  holds stdout 'fire,go,1$'
  holds stderr '^never: entering & moving: violated from '
  echo '["go", "go"]' > twice.json
  expect 1 net run lift.net.json --trace twice.json
  holds stderr "the trace cannot be played: 'go' \(step 2\) is not enabled"
}

test_direct_watches_properties_while_it_runs() {
  lift
  cat > lift.show.json << 'EOF'
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "net": "lift.net.json", "duration": 5,
 "causes": [{"at": [0], "raise": "button"}, {"at": [3], "raise": "walk"}, {"at": [3.2], "raise": "up"}]}
EOF
  expect 1 direct lift.show.json -o lift.glb --violation why.json
  holds stdout 'never: entering & moving: CAN FAIL, if events come so'
  holds stdout 'never: entering & moving: violated from 3.2 s \(frame 77\) to 4 s \(frame 95\)'
  holds stderr 'lift.show.json: never: entering & moving: violated from 3.2 s \(frame 77\)'
  [ "$(head -c 4 lift.glb)" = glTF ] || fail "the recording was not written"
  holds why.json '"fire": "go"'
  expect 1 direct lift.show.json --trace why.json --json
  holds stdout '"state": "violated"'
  holds stdout '"frame": 77'
  holds stderr 'never: entering & moving: violated from 3.2 s \(frame 77\)'
  expect 1 direct lift.show.json --json
  holds stdout '"frame": 77'
  # at other times all is well
  sed 's/"at": \[3.2\]/"at": [4.5]/' lift.show.json > later.show.json
  expect 0 direct later.show.json
  holds stdout 'never: entering & moving: kept'
  # an event that nobody raises is probably misspelt
  sed 's/"raise": "walk"/"put": "inside"/' lift.show.json > nobody.show.json
  expect 0 direct nobody.show.json
  holds stderr "warning: .*no cause raises the event 'walk' of 'go', which cannot fire; .*'up'"
  holds stdout 'never: entering & moving: holds'
  expect 0 direct nobody.show.json --json
  holds stdout '"warnings": '
  holds stdout "no cause raises the event 'walk' of 'go'"
}

# What one command writes the others read.
test_violations_and_counterexamples_play_again() {
  local fps property
  cat > slow.net.json << 'EOF'
{"places": [{"name": "a", "tokens": 1}, {"name": "b", "delay": "1/3"}, {"name": "c", "delay": 0.00000001}, {"name": "d"}, {"name": "e"}],
 "transitions": [{"name": "t", "in": "a", "event": "go", "out": "b"}, {"name": "u", "in": "b", "out": "c"},
                 {"name": "v", "in": "c", "event": "stop", "out": "d"}],
 "properties": ["PROPERTY"]}
EOF
  cat > slow.show.json << 'EOF'
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "net": "now.net.json", "duration": 3,
 "causes": [{"at": [0.7], "raise": "go"}, {"at": ["4/3"], "raise": "stop"}]}
EOF
  for property in 'never: b' 'never: d' 'always: a' 'eventually: e' 'eventually within 0.7: e' \
    'eventually within 1/3: b' 'eventually within 4/3: e' 'eventually within 0.123456789: c' 'never: a'; do
    sed "s|PROPERTY|$property|" slow.net.json > now.net.json
    # a counterexample of the analysis
    expect 1 net analyse now.net.json --json
    cp stdout proof.json
    for fps in 24 25 30 60 30000/1001 29.97; do
      expect 1 net run now.net.json --trace proof.json --fps "$fps"
      holds stderr "^$property: violated from "
      expect 1 direct slow.show.json --trace proof.json --fps "$fps" --json
      holds stdout '"state": "violated"'
    done
    # a violation of the show
    for fps in 24 30000/1001; do
      expect 1 direct slow.show.json --fps "$fps" --violation why.json --anyway
      grep -oE 'violated from [^)]*\)' stderr > first || fail "not violated: $property"
      expect 1 direct slow.show.json --fps "$fps" --trace why.json
      grep -oE 'violated from [^)]*\)' stderr > again || fail "not violated again: $property"
      cmp first again || fail "told otherwise: $property"
      expect 1 net run now.net.json --fps "$fps" --trace why.json
      grep -oE 'violated from [^)]*\)' stderr > again || fail "not violated in the net: $property"
      cmp first again || fail "told otherwise of the net: $property"
    done
  done
  # of a run
  sed 's|PROPERTY|never: a|' slow.net.json > now.net.json
  expect 1 net run now.net.json --json
  cp stdout run.json
  expect 1 net run now.net.json --trace run.json
  holds stderr '^never: a: violated from 0 s \(frame 0\)'
}

test_what_comes_too_late_is_shown_up_to_its_deadline() {
  local delay within command
  cat > late.show.json << 'EOF'
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "net": "late.net.json", "duration": 1}
EOF
  for delay in ', "delay": 0.5' ''; do # in a net without time the round takes none
    for within in 0 0.5 2 7/3; do
      cat > late.net.json << EOF
{"places": [{"name": "p0", "tokens": 1$delay}, {"name": "p1"}],
 "transitions": [{"name": "t", "in": "p0", "out": "p0"}, {"name": "x", "in": "p1", "out": "p1"}],
 "properties": ["eventually within $within: p1"]}
EOF
      expect 1 net analyse late.net.json --json
      cp stdout proof.json
      for command in 'net run late.net.json' 'direct late.show.json'; do
        expect 1 $command --trace proof.json
        holds stderr "^(molejo: late.show.json: )?eventually within $within: p1: violated from .* \(frame $(awk "BEGIN { print 24 * $within }")\)"
      done
    done
  done
}

# An event whose transitions can never fire changes nothing.
test_events_that_cannot_matter_are_no_excuse() {
  local file
  cat > dead.net.json << 'EOF'
{"places": [{"name": "a", "tokens": 1, "delay": 0.5}, {"name": "b"}, {"name": "c"}],
 "transitions": [{"name": "t", "in": "a", "out": "b"}, {"name": "u", "in": "b", "out": "c", "event": "go"},
                 {"name": "v", "in": "b", "out": "a", "priority": 2}],
 "properties": ["eventually within 1: c"]}
EOF
  sed 's/"priority": 2/"inhibit": "b"/' dead.net.json > live.net.json
  for file in dead live; do
    cat > $file.show.json << EOF
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "net": "$file.net.json", "duration": 2,
 "causes": [{"at": [0.75], "raise": "go"}]}
EOF
  done
  expect 1 net analyse dead.net.json --json
  holds stdout '"verdict": "fails"'
  lacks stdout depends_on_events
  expect 1 direct dead.show.json -o dead.csv
  holds stdout 'eventually within 1: c: FAILS, over'
  holds stderr 'a property fails, nothing was written'
  [ ! -e dead.csv ] || fail "it was written"
  expect 1 net analyse live.net.json --json
  holds stdout '"depends_on_events": true'
  expect 0 direct live.show.json
  holds stdout 'eventually within 1: c: CAN FAIL, if events come so'
}

test_times_are_exact_at_every_frame_rate() {
  local fps at
  for at in 0.1 0.3 0.7 1.1 0.123456789 0.000001 2.999999999 '"7/11"'; do
    cat > at.show.json << EOF
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "duration": 4, "causes": [{"at": [$at], "raise": "go"}],
 "net": {"places": [{"name": "a", "tokens": 1}, {"name": "b"}], "transitions": [{"name": "t", "in": "a", "event": "go", "out": "b"}],
         "properties": ["eventually within ${at//\"/}: b"]}}
EOF
    for fps in 24 25 30 60 30000/1001 29.97; do
      expect 0 direct at.show.json --fps "$fps"
      holds stdout 'eventually within .*: seen at '
    done
  done
  expect 0 direct at.show.json --duration 0.5
  holds stderr 'warning: at.show.json: a cause at 7/11 s comes after the end of the show, 0.5 s$'
  # two large primes and a frame rate
  cat > no.show.json << 'EOF'
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "duration": 4,
 "causes": [{"at": ["1/999999937", "1/999999929"], "raise": "go"}],
 "net": {"places": [{"name": "a", "tokens": 1}], "transitions": [{"name": "t", "in": "a", "event": "go"}]}}
EOF
  expect 2 direct no.show.json
  holds stderr '^molejo: no.show.json: .*the time 1/999999929 s of a cause has no common tick'
}

test_direct_tells_a_net_that_never_comes_to_rest() {
  cat > endless.show.json << 'EOF'
{"scene": {"bodies": [{"name": "ball", "shape": {"sphere": 0.1}}]}, "duration": 1,
 "net": {"places": [{"name": "a", "tokens": 1}, {"name": "n"}], "transitions": [{"name": "t", "in": "a", "out": ["a", "n"]}]}}
EOF
  expect 1 direct endless.show.json
  holds stderr 'the net stopped in frame 1: the firings of one instant never end'
}

test_a_trace_is_played_whole_or_told() {
  cat > late.net.json << 'EOF'
{"places": [{"name": "a", "delay": 100, "tokens": 1}, {"name": "b"}], "transitions": [{"name": "t", "in": "a", "out": "b"}],
 "properties": ["possible: a", "never: b"]}
EOF
  expect 1 net analyse late.net.json --json
  cp stdout proof.json
  # what fails comes before what is possible, and lasts longer than runs do unless told
  expect 1 net run late.net.json --trace proof.json
  holds stderr '^never: b: violated from 100 s \(frame 2400\)'
  expect 1 net run late.net.json --trace proof.json --duration 20
  holds stderr 'the trace is not over: step 1 of 1 was not played'
  echo '[{"time": 0.12345678901, "fire": "t"}]' > long.json
  refuse 'expected seconds with at most 9 decimals' net run late.net.json --trace long.json
  echo '[{"time": 100, "frie": "t"}]' > misspelt.json
  refuse "unknown key 'frie'" net run late.net.json --trace misspelt.json
}

test_net_convert_keeps_or_names_what_is_lost() {
  expect 0 net convert "$nets/ball_game.net.json" game.json
  holds game.json '"refine"'
  [ ! -s stderr ] || fail "something is lost"
  expect 0 net convert game.json game.pnml
  expect 0 net convert game.pnml again.json
  cmp game.json again.json || fail "not the same after PNML"
  expect 0 net convert game.json game.pn
  holds stderr "warning: game.pn: written flat, without the refinement of 'P1', 'P2'"
  cat > swap.net.json << 'EOF'
{"places": [{"name": "p2", "tokens": 1}, {"name": "p1"}], "transitions": [{"name": "t1", "in": "p2", "out": "p1"}],
 "properties": ["eventually: p1", "always: p2 | p1"]}
EOF
  expect 0 net convert swap.net.json swap.pnml
  expect 0 net convert swap.pnml back.net.json
  expect 0 net convert swap.net.json same.net.json
  cmp back.net.json same.net.json || fail "names have moved"
  expect 0 net analyse back.net.json
}

test_net_draw_and_convert() {
  expect 0 net draw "$nets/jump.pn" jump.svg
  expect 0 net draw "$nets/jump.pn" jump.dot
  holds jump.dot '^digraph '
  expect 0 net convert "$nets/ball_game.net.json" game.pnml
  expect 0 net convert game.pnml game.pn
  cmp game.pn "$nets/ball_game.pn" || fail "not the listing of the thesis"
  only_files game.pn game.pnml jump.dot jump.svg
  expect 0 net analyse "$nets/walk.pn" --gantt walk.svg
  holds walk.svg '^<svg '
}

test_net_refuses_bad_input_with_one_line() {
  refuse "net: no command given" net
  refuse "did you mean 'analyse'" net analyze "$nets/walk.pn"
  refuse "no FILE given" net run
  refuse "no OUT given" net draw "$nets/walk.pn"
  refuse "missing.pn: no such file" net run missing.pn
  refuse "unknown option '--fsp'; did you mean '--fps'?" net run "$nets/walk.pn" --fsp 3
  refuse "--fps" net run "$nets/walk.pn" --fps 0
  refuse "--duration" net run "$nets/walk.pn" --duration nan
  refuse "unknown ending '.txt'" net convert "$nets/walk.pn" walk.txt
  refuse "unknown ending '.png'" net draw "$nets/walk.pn" walk.png
  refuse "no events like that" net convert "$here/events.net.json" out.pn
  only_files
}


shows=$scenes/shows

test_direct_lets_a_walker_fall_and_get_up() {
  expect 0 direct "$shows/stumble.show.json" -o stumble.glb
  holds stdout '^  fired in frame +throw [0-9]+, hit [0-9]+, up [0-9]+, on [0-9]+, there [0-9]+$'
  [ "$(head -c 4 stumble.glb)" = glTF ] || fail "stumble.glb has no glTF header"
  only_files stumble.glb
}

test_direct_plays_the_shows_of_the_thesis() {
  expect 0 direct "$shows/walk.show.json" -o walk.glb -o walk.csv --events events.csv --gantt chart.svg
  holds stdout '^  fired in frame +T1 0, T2 12, T3 36, T5 36, T8 60, T10 72, T11 72$'
  holds stdout '^  frames +73 at 24 a second, 3 s, then nothing can happen$'
  [ "$(head -c 4 walk.glb)" = glTF ] || fail "walk.glb has no glTF header"
  [ "$(wc -l < walk.csv)" -eq 74 ] || fail "walk.csv has not a header and 73 frames"
  holds events.csv '^1.5,36,fire,T3,1$'
  holds chart.svg '<svg'
  only_files chart.svg events.csv walk.csv walk.glb
  # a picture a frame, all in one view; none unless asked for
  mkdir frames
  expect 0 direct "$shows/walk.show.json" --frames frames/walk
  holds stdout '^  wrote +frames/walk1\.svg \.\.\. frames/walk73\.svg$'
  [ "$(find frames -name 'walk*.svg' | wc -l)" -eq 73 ] || fail "not 73 pictures"
  cmp -s frames/walk1.svg frames/walk40.svg && fail "nothing moves in the pictures"
  [ "$(grep -c '<polygon' frames/walk1.svg)" -gt 20 ] || fail "nothing is drawn"
  [ "$(grep '<polygon' frames/walk1.svg | head -n 1)" = "$(grep '<polygon' frames/walk73.svg | head -n 1)" ] || fail "the floor moves"
  rm -r frames
  refuse 'missing' direct "$shows/walk.show.json" --frames missing/walk
  expect 0 direct "$shows/jump.show.json" --json
  holds stdout '"frames": 181'
  holds stdout '"fire": "T6", *"frame": 180|"frame": 180'
  expect 0 direct "$shows/ball_game.show.json" --duration 5
  holds stdout 'never: deadlock: holds, over all runs in exact time'
  expect 0 direct "$shows/walk.show.json" --fps 30000/1001 --duration 1 --seed 7
  holds stdout '^  frames +31 at 30000/1001 a second'
}

test_direct_writes_glb_files_without_a_fault() {
  local show code=0
  for show in "$shows"/*.show.json; do
    expect 0 direct "$show" -o "$(basename "$show" .show.json).glb"
  done
  only_files ball_game.glb jump.glb starter.glb stumble.glb walk.glb wave.glb
  # Khronos's validator: no error and no warning, and each file holds a motion
  node "$here/../../scripts/validate_glb.mjs" ./*.glb > verdict 2>&1 || code=$?
  if [ "$code" -eq 3 ] || [ "$code" -eq 127 ]; then
    echo "skipped: the validator needs node and 'npm ci'"
    return
  fi
  [ "$code" -eq 0 ] || fail "$(cat verdict)"
  [ "$(grep -c ': 0 errors, 0 warnings, .* 1 animations' verdict)" -eq 6 ] || fail "$(cat verdict)"
}

test_direct_refuses_what_is_proved_wrong() {
  mkdir nets characters shows
  cp "$scenes/characters/stick_figure.json" characters
  grep -v '"in": \["P2", "P9"\]' "$scenes/nets/ball_game.net.json" |
    sed 's/.*"name": "T3", "in": \["P3"\].*/    {"name": "T2", "in": ["P2"], "out": ["P3"]},\n&/' > nets/ball_game.net.json
  cp "$shows/ball_game.show.json" shows
  expect 1 direct shows/ball_game.show.json -o game.glb
  holds stdout 'never: P3_P1a & P9: FAILS'
  holds stdout 'T2 at 3 s'
  holds stderr 'a property fails, nothing was written'
  [ ! -e game.glb ] || fail "something was written"
  # the counterexample as an animation: the throw begins at frame 72
  expect 1 direct shows/ball_game.show.json --json
  cp stdout proof.json
  expect 1 direct shows/ball_game.show.json --trace proof.json -o game.glb --json
  holds stderr 'never: P3_P1a & P9: violated from 3 s \(frame 72\)'
  holds stdout '"fire": "T2"'
  [ "$(head -c 4 game.glb)" = glTF ] || fail "game.glb has no glTF header"
  expect 0 direct shows/ball_game.show.json --anyway --duration 1
}

test_direct_refuses_bad_input_with_one_line() {
  refuse "no SHOW given" direct
  refuse "missing.show.json: no such file" direct missing.show.json
  refuse "unknown option '--fsp'; did you mean '--fps'?" direct "$shows/walk.show.json" --fsp 3
  refuse "--fps" direct "$shows/walk.show.json" --fps 0
  refuse "--duration" direct "$shows/walk.show.json" --duration nan
  refuse "unknown ending '.png'" direct "$shows/walk.show.json" -o walk.png
  refuse "given twice as output" direct "$shows/walk.show.json" -o a.glb -o a.glb
  echo '["T99"]' > trace.json
  refuse "unknown transition 'T99'" direct "$shows/walk.show.json" --trace trace.json
  echo '["T3"]' > trace.json
  expect 1 direct "$shows/walk.show.json" --trace trace.json
  holds stderr "the trace cannot be played: 'T3' \(step 1\) is not enabled"
  sed 's/"left_arm"/"left_wing"/' "$shows/walk.show.json" > bad.show.json
  refuse "no such file" direct bad.show.json
}

# Skips by name where pictures cannot be drawn.
can_render() {
  local program
  for program in chromium ffmpeg ffprobe; do
    if ! command -v "$program" > /dev/null; then
      echo "skipped: $program is not installed"
      return 1
    fi
  done
  if [ ! -d "$here/../../node_modules/three" ]; then
    echo "skipped: the page needs node and 'npm ci'"
    return 1
  fi
}

# Distinct colours of a picture, by ffmpeg's raw pixels.
colours() {
  ffmpeg -loglevel error -i "$1" -f rawvideo -pix_fmt rgb24 - | od -An -v -tx1 -w3 | sort -u | wc -l
}

test_render_draws_a_picture() {
  can_render || return 0
  expect 0 render "$scenes/pendulum.json" -o still.png --from 0.5 --size 320x200
  holds stdout '^still.png: 1 pictures of 320x200'
  only_files still.png
  [ "$(ffprobe -v error -show_entries stream=width,height -of csv=p=0 still.png)" = 320,200 ] || fail "size"
  [ "$(colours still.png)" -gt 50 ] || fail "only $(colours still.png) colours"
}

# The browser is started with an address for nobody else: every user can read command lines.
test_render_keeps_the_token_out_of_command_lines() {
  can_render || return 0
  "$program" render "$scenes/pendulum.json" -o film.mp4 --seconds 1 --fps 10 --size 320x200 > stdout 2> stderr &
  local rendering=$! seen=0
  while kill -0 $rendering 2> /dev/null; do
    for line in /proc/[0-9]*/cmdline; do
      local text
      text=$(tr '\0' ' ' < "$line" 2> /dev/null || true)
      [[ $text != *chrom*file://*start.html* ]] || seen=1
      [[ $text != *chrom*token=* ]] || fail "the token stands in a command line: $text"
    done
    sleep 0.05
  done
  wait $rendering || fail "no film"
  [ $seen -eq 1 ] || fail "the browser was never seen"
  [ -s film.mp4 ] || fail "no film"
}

test_render_makes_a_film_that_moves() {
  can_render || return 0
  expect 0 render "$scenes/double_pendulum.json" -o film.mp4 --seconds 0.5 --fps 10 --size 320x200 --json
  holds stdout '"pictures": 5'
  only_files film.mp4
  [ "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 film.mp4)" = 5 ] ||
    fail "frames"
  ffmpeg -loglevel error -i film.mp4 f%d.png
  ! cmp -s f1.png f5.png || fail "nothing moves"
}

test_render_animates_a_picture_of_a_net() {
  can_render || return 0
  expect 0 render "$scenes/nets/ball_top.net.json" -o net.gif --seconds 2 --fps 2 --size 480x270
  only_files net.gif
  [ "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,nb_read_frames -of csv=p=0 net.gif)" = 480,270,4 ] ||
    fail "size or frames"
  ffmpeg -loglevel error -i net.gif f%d.png
  ! cmp -s f1.png f4.png || fail "nothing moves"
}

# Where a red ball is in a picture: centre and radius in pixels, or "none".
red_ball() {
  ffmpeg -loglevel error -i "$1" -f rawvideo -pix_fmt rgb24 - | python3 -c '
import sys
w = int(sys.argv[1])
data = sys.stdin.buffer.read()
red = [divmod(i // 3, w) for i in range(0, len(data), 3) if data[i] > data[i + 1] + 60 and data[i] > data[i + 2] + 60]
if not red: sys.exit(print("none"))
n = len(red)
print(sum(x for _, x in red) / n + 0.5, sum(y for y, _ in red) / n + 0.5, (n / 3.14159265) ** 0.5)' "$2"
}

# The same as a camera should see it: POSITION TARGET FOV WIDTH HEIGHT, points with commas.
seen_ball() {
  python3 -c '
import sys, math
point = lambda text: [float(x) for x in text.split(",")]
c, t, fov, w, h = point(sys.argv[1]), point(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
ball, radius = [0.6, 0.3, 0.9], 0.25
sub = lambda a, b: [x - y for x, y in zip(a, b)]
dot = lambda a, b: sum(x * y for x, y in zip(a, b))
cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
unit = lambda a: [x / math.sqrt(dot(a, a)) for x in a]
back = unit(sub(c, t)); right = unit(cross([0, 0, 1], back)); up = cross(back, right)
d = sub(ball, c); depth = -dot(d, back)
scale = h / 2 / math.tan(math.radians(fov) / 2)
print(w / 2 + scale * dot(d, right) / depth, h / 2 - scale * dot(d, up) / depth, scale * radius / math.sqrt(depth * depth - radius * radius))' "$@"
}

near() { # "X Y R" of two, within so many pixels
  python3 -c '
import sys
a, b = [[float(x) for x in text.split()] for text in sys.argv[1:3]]
sys.exit(0 if all(abs(x - y) <= float(sys.argv[3]) for x, y in zip(a, b)) else 1)' "$@"
}

write_ball() { # POSITION TARGET FOV, or no camera
  local camera=
  [ $# -eq 0 ] || camera="\"camera\": {\"position\": [$1], \"target\": [$2], \"fov_deg\": $3},"
  cat > ball.json << JSON
{$camera "gravity": [0, 0, 0], "bodies": [
  {"name": "ball", "position": [0.6, 0.3, 0.9], "shape": {"sphere": 0.25}, "color": [1, 0, 0]}]}
JSON
}

test_render_looks_from_where_the_scene_says() {
  can_render || return 0
  local camera size seen
  for camera in "3,-4,2 0.2,0.1,0.8 35" "-2,1,3 0.6,0.3,0.5 60"; do
    # shellcheck disable=SC2086
    write_ball $camera
    for size in 320x200 160x240; do
      expect 0 render ball.json -o a.png --size $size
      # shellcheck disable=SC2086
      seen=$(seen_ball $camera ${size/x/ })
      near "$(red_ball a.png ${size%x*})" "$seen" 2.5 || fail "$camera, $size: $(red_ball a.png ${size%x*}), expected $seen"
    done
  done
}

test_render_looks_from_where_it_is_told() {
  can_render || return 0
  local side
  # in the scene's picture the ball is far from the middle, in all others in it
  write_ball 3,-4,2 1.6,0.1,0.8 35
  expect 0 render ball.json -o scene.png --size 320x200 --camera scene
  near "$(red_ball scene.png 320)" "$(seen_ball 3,-4,2 1.6,0.1,0.8 35 320 200)" 2.5 || fail "scene: $(red_ball scene.png 320)"
  for side in side front three-quarter; do
    expect 0 render ball.json -o $side.png --size 320x200 --camera $side
    near "$(red_ball $side.png 320 | cut -d' ' -f1,2)" "160 100" 6 || fail "$side: $(red_ball $side.png 320)"
  done
  # without a camera in the file all is shown, three-quarter
  write_ball
  expect 0 render ball.json -o plain.png --size 320x200
  near "$(red_ball plain.png 320)" "$(red_ball three-quarter.png 320)" 0.5 || fail "without a camera: $(red_ball plain.png 320)"
  # a runner from two sides: two pictures, none of them that of its scene
  for side in side front scene; do
    expect 0 render "$scenes/gaits/basic_run.gait.json" -o run_$side.png --size 160x100 --camera $side
  done
  ! cmp -s run_side.png run_front.png || fail "side is front"
  ! cmp -s run_side.png run_scene.png || fail "side is scene"
  refuse "--camera: unknown place 'above'" render ball.json -o b.png --camera above
  refuse "is a net, which is drawn flat" render "$scenes/nets/walk.net.json" -o b.png --camera side
}

test_render_leaves_no_temporary_folder() {
  can_render || return 0
  local i
  mkdir tmp
  export TMPDIR="$folder/tmp"
  begin_film() {
    "$program" render "$scenes/pendulum.json" -o film.mp4 --seconds 100 --fps 30 --size 320x200 > out 2> err &
    job=$!
    for ((i = 0; i < 1500; ++i)); do
      if [ "$(ls -A tmp | wc -l)" -ge 2 ]; then return; fi
      sleep 0.02
    done
    fail "no temporary folders"
  }
  trap 'kill -KILL $job 2> /dev/null || true; rm -rf "$folder"' EXIT
  begin_film
  [ "$(stat -c %a tmp/*)" = "$(printf '700\n700')" ] || fail "modes $(stat -c %a tmp/*)"
  kill -TERM $job
  i=0
  wait $job 2> /dev/null || i=$?
  [ $i -eq 1 ] || fail "code $i"
  [ -z "$(ls -A tmp)" ] || fail "leaves $(ls -A tmp)"
  begin_film
  kill -KILL $job
  wait $job 2> /dev/null || true
  [ "$(ls -A tmp | wc -l)" -ge 2 ] || fail "nothing is left after a kill"
  expect 0 render "$scenes/pendulum.json" -o a.png --size 160x100
  [ -z "$(ls -A tmp)" ] || fail "the next one leaves $(ls -A tmp)"
  rm -rf tmp out err
  only_files a.png
}

test_track_makes_a_clip_of_the_same_skeleton() {
  expect 1 track "$scenes/walks/stick_walk.bvh" --rounds 1 --seconds 1 --candidates 60 --threads 2 --push 1
  holds stdout 'not pushed: no policy goes on by itself'
  expect 1 track "$scenes/walks/stick_walk.bvh" --rounds 1 --seconds 1 --candidates 60 --threads 2 --json -o walk.bvh -o walk.glb
  holds stdout '"loops": true'
  holds stdout '"joint": "left_foot"'
  only_files walk.bvh walk.glb
  expect 0 check walk.bvh
  holds stdout 'walks'
}

test_track_refuses_bad_input_with_one_line() {
  mkdir empty
  refuse "no CLIP given" track
  refuse "missing.bvh: no such file" track missing.bvh
  refuse "empty: holds no .glb" track empty
  refuse "unknown ending '.avi'" track "$scenes/walks/stick_walk.bvh" -o a.avi
  refuse "--candidates: '3'" track "$scenes/walks/stick_walk.bvh" --candidates 3
  refuse "--rounds: '0'" track "$scenes/walks/stick_walk.bvh" --rounds 0
  refuse "--push: '-1'" track "$scenes/walks/stick_walk.bvh" --push -1
  refuse "--loop and --once: only one of them" track "$scenes/walks/stick_walk.bvh" --loop --once
  refuse "a .bvh holds one clip, these are 2" track "$scenes/walks/stick_walk.bvh" "$scenes/walks/stick_idle.bvh" -o a.bvh
  cp "$scenes/walks/stick_idle.bvh" idle.bvh
  refuse "idle.bvh" track "$scenes/walks/stick_walk.bvh" idle.bvh -o idle.bvh
  cmp idle.bvh "$scenes/walks/stick_idle.bvh"
  refuse "--clip: no clip is called 'run'" track "$scenes/walks/stick_walk.bvh" --clip run
  refuse "pendulum.json: unknown ending '.json'" track "$scenes/walks/stick_walk.bvh" --character "$scenes/pendulum.json"
}

test_render_refuses_bad_input_with_one_line() {
  refuse "no FILE given" render
  refuse "-o FILE is missing" render "$scenes/pendulum.json"
  refuse "unknown ending '.avi'" render "$scenes/pendulum.json" -o a.avi
  local size
  for size in 9x9 15x100 100x15 7681x100 100x4321; do
    refuse "--size: '$size'" render "$scenes/pendulum.json" -o a.png --size $size
  done
  refuse "--fps: 0" render "$scenes/pendulum.json" -o a.mp4 --fps 0
  refuse "--seconds: -1" render "$scenes/pendulum.json" -o a.mp4 --seconds -1
  can_render || return 0
  refuse "missing.json: no such file" render missing.json -o a.png
}

"$2"
