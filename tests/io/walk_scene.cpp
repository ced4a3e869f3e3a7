// Navigation scenes: what is read, who walks, what is refused and where.
#include "molejo/io/walk_scene.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/io/walk_glb.h"
#include "molejo/motion/edit.h"
#include "molejo/navigation/quality.h"
#include "tests/support/characters.h"
#include "tests/support/error_text.h"
#include "tests/support/made_walks.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::navigation;
using test::error_text;

namespace {

constexpr double degree = 3.141592653589793 / 180;

std::string walks() { return test::source_dir() + "/scenes/walks/"; }

WalkScene scene_of(const std::string& text) {
  return parse_walk_scene(text, SourceFile::given(walks() + "test.walk.json"));
}

// A scene of one character with these keys besides its name and file.
std::string with(const std::string& keys) {
  return R"({"terrains": [{"elevation": "0", "from": [-20, -20], "to": [20, 20]}],
             "characters": [{"name": "ana", "file": "stick_walk.bvh")" +
         (keys.empty() ? "" : ", " + keys) + "}]}";
}

std::string refused(const std::string& text) {
  return error_text([&] {
    parse_walk_scene(text, "t.walk.json", [](const SourceFile& file) {
      return load_character(SourceFile::given(walks() + file.name()));
    });
  });
}

bool holds(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("walk scene: everything that is said is taken") {
  const WalkScene s = scene_of(R"({
    "name": "all", "parameters": {"r": 2}, "duration": 4, "fps": 25,
    "terrains": ["../terrains/flat.terrain.json", {"elevation": "x", "from": [0, 0], "to": [1, 1]}],
    "characters": [
      {"name": "a{i}", "count": 3, "file": "stick_walk.bvh",
       "clips": {"walk": {"file": "stick_walk.bvh", "clip": "motion"}, "idle": "stick_idle.bvh"},
       "position": ["=r*i", 3], "heading_deg": 30, "scale": 1.5,
       "options": {"orient_feet": false, "fade": 0.25, "stride_validation": false},
       "plan": {"path": [[1, 2], [3, 4]], "loop": true, "within": 0.4, "ahead": 1.5,
                "turn_limit_deg": 90, "rate": 0.8}},
      {"name": "b", "file": "dog_walk.bvh", "solver": "gradient_descent",
       "options": {"support_factor": 2, "stride_validation": true},
       "plan": {"commands": [{"at": 1, "walk": true}, {"at": 2, "turn_deg": -90, "rate": 0.5}]}},
      {"name": "c", "file": "stick_walk.bvh", "heading_deg": 45}
    ]})");
  CHECK(s.name == "all");
  CHECK(s.frames() == 100);
  CHECK(s.terrains.size() == 2);
  REQUIRE(s.actors.size() == 5);
  const WalkActor& a = s.actors[2];
  CHECK(a.name == "a2");
  CHECK(a.start.x == 4);
  CHECK(a.start.y == 3);
  CHECK(a.start.heading == doctest::Approx(30 * degree));
  CHECK(a.start.scale == 1.5);
  CHECK_FALSE(a.adaptive.orient_feet);
  CHECK_FALSE(a.adaptive.stride_validation);
  CHECK(a.adaptive.fade == 0.25);
  CHECK(a.plan.kind == Plan::Kind::path);
  CHECK(a.plan.path[1].y == 4);
  CHECK(a.plan.loop);
  CHECK(a.plan.turn_limit == doctest::Approx(90 * degree));
  CHECK(a.plan.steering.rate == 0.8);
  CHECK(a.clips->idle.clip.duration() == doctest::Approx(3));
  // those who share their clips share them
  CHECK(s.actors[0].clips == a.clips);
  CHECK(s.actors[0].character == a.character);
  const WalkActor& b = s.actors[3];
  CHECK(b.solver == Solver::gradient_descent);
  CHECK(b.thesis.support_factor == 2);
  CHECK(b.thesis.stride_validation);
  CHECK(b.clips->rig.legs.size() == 4);
  REQUIRE(b.plan.commands.size() == 2);
  // what is not said stays as it was
  CHECK(b.plan.commands[1].steering.walk);
  CHECK(b.plan.commands[1].steering.turn == doctest::Approx(-90 * degree));
  CHECK(b.plan.commands[1].steering.rate == 0.5);
  const WalkActor& c = s.actors[4];
  CHECK(c.plan.kind == Plan::Kind::heading);
  CHECK(c.plan.heading == doctest::Approx(45 * degree));
  CHECK(c.clips->idle.clip.duration() != doctest::Approx(3));
}

TEST_CASE("walk scene: roles and legs of the user come first") {
  const WalkScene s = scene_of(with(
      R"("legs": [{"name": "one", "from": "LeftUpLeg", "to": "LeftFoot"},
                  {"name": "two", "from": "RightUpLeg", "to": "RightFoot", "toes": "RightToeBase"}],
         "roles": {"head": null})"));
  const Rig& rig = s.actors[0].clips->rig;
  REQUIRE(rig.legs.size() == 2);
  CHECK(rig.legs[0].name == "one");
  CHECK(rig.legs[0].toes == -1);
  CHECK(rig.legs[1].toes == rig.skeleton.find("RightToeBase"));
  CHECK(rig.roles[Role::head] == -1);
}

TEST_CASE("walk scene: a clip of another skeleton is put on the character's") {
  // VRM names, longer legs, looking the other way
  const motion::Character other = test::other_character();
  const WalkScene s = parse_walk_scene(
      with(R"("clips": {"walk": "the walk"})"), "t.walk.json", [&](const SourceFile& file) {
        return file.name() == "the walk" ? test::made_stick_walk() : other;
      });
  const WalkClips& clips = *s.actors[0].clips;
  CHECK(clips.rig.skeleton.size() == other.skeleton.size());
  CHECK(clips.walk.footfalls.stances.size() == 2);
  // 1.24 m a stride of legs of 0.85 m, on legs of 1.25 m, less what is between ankle and sole
  const double stride = clips.walk.footfalls.speed() * clips.walk.footfalls.duration;
  CHECK(stride == doctest::Approx(1.24 * 1.25 / 0.85).epsilon(0.05));
}

TEST_CASE("walk scene: models in centimetres are found out") {
  CHECK(navigation::usual_scale(0.9) == 1);
  CHECK(navigation::usual_scale(90) == 0.01);
  CHECK(navigation::usual_scale(9) == 1);
}

TEST_CASE("walk scene: what is wrong is told with file, line and pointer") {
  holds(refused("{}"), "t.walk.json:1: /");
  holds(refused("{}"), "'terrains'");
  holds(refused(R"({"terrains": [], "characters": []})"), "/terrains");
  holds(refused(with(R"("posiiton": [0, 0])")), "did you mean 'position'");
  holds(refused(with(R"("position": [0, 99])")),
        "/characters/0/position: [0, 99]: there is no ground");
  holds(refused(with(R"("solver": "adaptiv")")),
        "unknown solver 'adaptiv'; did you mean 'adaptive'?");
  holds(refused(with(R"("options": {"support_factor": 2})")), "/characters/0/options");
  holds(refused(with(R"("scale": -1)")), "/characters/0/scale");
  holds(refused(with(R"("plan": {})")), "expected path, heading_deg, turn_deg, commands or rest");
  holds(refused(with(R"("plan": {"path": []})")), "/characters/0/plan/path");
  holds(refused(with(R"("plan": {"path": [[1, 2, 3]]})")), "/characters/0/plan/path/0");
  holds(refused(with(R"("plan": {"path": [[1, 1], [1, 1]], "loop": true})")),
        "apart from each other");
  holds(refused(with(R"("plan": {"heading_deg": 1, "loop": true})")), "belongs to 'path'");
  holds(refused(with(R"("plan": {"commands": [{"at": 2}, {"at": 1}]})")),
        "times must not decrease");
  holds(refused(with(R"("plan": {"path": [[1, 2]], "rest": true})")), "/characters/0/plan");
  holds(refused(with(R"("roles": {"hip": "Hips"})")), "unknown role 'hip'; did you mean 'hips'?");
  holds(refused(with(R"("roles": {"hips": "Hpis"})")),
        "/characters/0/roles/hips: \"Hpis\": unknown joint 'Hpis'; did you mean 'Hips'?");
  holds(refused(with(R"("legs": [{"from": "LeftUpLeg", "to": "RightFoot"}])")),
        "/characters/0/file");
  holds(refused(with(R"("clips": {"walk": {"clip": "jog"}})")), "unknown clip 'jog'");
  holds(refused(with(R"("clips": {"run": "x"})")), "/characters/0/clips");
  holds(refused(R"({"terrains": {"elevation": "0", "from": [0, 0], "to": [1, 1]}, "characters": [
                    {"name": "a", "file": "stick_walk.bvh"}, {"name": "a", "file": "stick_walk.bvh"}]})"),
        "there is one of that name already");
  holds(refused(with(R"("count": 3000)")), "/characters/0/count");
  holds(refused(with(R"("falls": [{"at": 1}])")), "/characters/0/falls/0: ");
  holds(refused(with(R"("falls": [{"at": 1, "push": [1, 2]}])")), "/characters/0/falls/0/push");
  holds(refused(with(R"("falls": [{"at": 1, "push": [1, 2, 3], "recover": 1}])")), "/falls/0");
  holds(refused(with(R"("falls": [{"at": 1, "recover": 1, "part": "torso"}])")),
        "belongs to 'push'");
  const WalkScene unknown =
      scene_of(with(R"("falls": [{"at": 1, "push": [1, 2, 3], "part": "tors"}])"));
  holds(error_text([&] { make_stage(unknown); }), "unknown part 'tors'; did you mean 'torso'?");
  const std::string missing = error_text([] {
    parse_walk_scene(with(R"("clips": {"walk": "node_modules/.molejo-clips/x.glb"})"),
                     SourceFile::given(walks() + "a.walk.json"));
  });
  holds(missing, "run scripts/install_deps --test");
}

TEST_CASE("walk scene: a push at a moment, a fall by physics, and up again") {
  const WalkScene scene = load_walk_scene(SourceFile::given(walks() + "stick_fall.walk.json"));
  navigation::Stage stage = make_stage(scene);
  const double leg = stage.walker(0).rig().leg_length;
  const auto hips = [&] {
    const Walker& w = stage.walker(0);
    const Vec3 p =
        w.placement() * w.model_transforms()[static_cast<std::size_t>(w.rig().hips)].origin;
    return p.z - stage.ground().at(p.x, p.y)->height;
  };
  double lowest = 1e9, before = 1e9, far = 0;
  for (int k = 0; k < scene.frames(); ++k) {
    stage.advance(1 / scene.fps);
    const double t = stage.time();
    if (t < 3) before = std::min(before, hips());
    if (t > 4.5 && t < 6) lowest = std::min(lowest, hips());
    if (t < 7.5) far = stage.walker(0).position().x;
  }
  CHECK(before > 0.75 * leg);
  CHECK(lowest < 0.4 * leg);
  CHECK(hips() > 0.75 * leg);
  CHECK(stage.walker(0).position().x > far + 0.5);
}

TEST_CASE("walk scene: more frames than are recorded are refused before they are") {
  const WalkScene s = scene_of(
      R"({"terrains": [{"elevation": "0", "from": [-20, -20], "to": [20, 20]}], "duration": 3600, "fps": 240,
          "characters": [{"name": "a{i}", "count": 50, "file": "stick_walk.bvh"}]})");
  CHECK(error_text([&] { make_stage(s); }) ==
        "864000 frames of 50 characters: more than are recorded");
}

TEST_CASE("walk scene: the stick figure goes where its plan says, on the ground") {
  WalkScene s = scene_of(
      R"({"terrains": ["../terrains/hills.terrain.json"], "duration": 14, "fps": 30,
          "characters": [{"name": "ana", "file": "stick_walk.bvh", "clips": {"idle": "stick_idle.bvh"},
                          "plan": {"path": [[5, 1], [6, 4]]}}]})");
  navigation::Stage stage = make_stage(s);
  const WalkRecord record = run(stage, {.fps = s.fps, .frames = s.frames()});
  CHECK(stage.progress(0).arrived);
  const Vec3 end = record.characters[0].frames.back().position;
  CHECK(std::hypot(end.x - 6, end.y - 4) < 1);  // it takes a step to stop
  CHECK(end.z == doctest::Approx(s.ground->at(end.x, end.y)->height).epsilon(0.02));
  const Quality q = quality_of(record.characters[0], *s.ground, s.fps);
  CHECK(q.adapted.slip_most < 10);
  CHECK(q.adapted.penetration_heel < 5);
  CHECK(q.adapted.penetration_toe < 5);
  CHECK(q.unadapted.penetration_toe > 20);
  CHECK_FALSE(q.off_ground);
}

TEST_CASE("walk scene: a crowd of both solvers has the same bits on any number of threads") {
  const std::string text = R"j({
    "terrains": [{"elevation": "0.1*sin(2*x)*cos(y)", "from": [-30, -30], "to": [30, 30]},
                 {"bumps": {"count": 20, "height": [-1, 2], "width": [1, 3], "seed": 3}, "from": [-9, -9], "to": [9, 9]}],
    "characters": [
      {"name": "a{i}", "count": 6, "file": "stick_walk.bvh", "clips": {"idle": "stick_idle.bvh"},
       "position": ["=2*i - 5", "=i"], "heading_deg": "=40*i", "plan": {"path": [["=-i", 3], [4, "=i"]], "loop": true}},
      {"name": "b{i}", "count": 3, "file": "stick_walk.bvh", "solver": "gradient_descent",
       "position": ["=2*i - 5", "=-2 - i"], "plan": {"turn_deg": "=10*i"}}]})j";
  const WalkScene s = scene_of(text);
  const auto walk = [&](int threads) {
    navigation::Stage stage = make_stage(s);
    return run(stage, {.fps = 30, .frames = 90, .threads = threads});
  };
  const WalkRecord one = walk(1), three = walk(3);
  REQUIRE(one.characters.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) {
    CAPTURE(i);
    const std::vector<TrackFrame>&a = one.characters[i].frames, &b = three.characters[i].frames;
    bool same = a.size() == b.size();
    for (std::size_t k = 0; same && k < a.size(); ++k) {
      same = a[k].pose == b[k].pose && a[k].placement == b[k].placement &&
             a[k].unadapted == b[k].unadapted && a[k].position == b[k].position;
    }
    CHECK(same);
    CHECK(norm(a.back().position - a.front().position) > 0.3);
  }
}

TEST_CASE("walk scene: the shipped scenes are read, and those of real clips where these are") {
  const bool installed = !test::installed_clip("viverse/mannequin.glb").empty() &&
                         !test::installed_clip("dcl/walk.glb").empty();
  for (const std::string name : {"stick_a", "stick_b", "stick_c", "demo_a", "demo_b", "demo_c"}) {
    CAPTURE(name);
    if (name.starts_with("demo") && !installed) {
      MESSAGE("skipped: clips are not installed");
      continue;
    }
    const WalkScene s = load_walk_scene(SourceFile::given(walks() + name + ".walk.json"));
    CHECK(s.actors.size() == (name.ends_with("c") ? 2 : 1));
    CHECK(s.terrains.size() == (name.ends_with("b") ? 3 : 1));
    navigation::Stage stage = make_stage(s);
    const WalkRecord record = run(stage, {.fps = s.fps, .frames = 90});
    for (const CharacterTrack& track : record.characters) {
      CHECK(norm(track.frames.back().position - track.frames.front().position) > 0.3);
    }
  }
}
