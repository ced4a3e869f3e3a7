#!/usr/bin/env bash
# study.sh PROGRAM: the table of shipped gaits, each as the only seed of its row.
set -uo pipefail
program=$(realpath "$1")
gaits=$(cd "$(dirname "$0")/../../scenes/gaits" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "FAILED: $*"; cat table err 2> /dev/null; exit 1; }

mkdir found picked
for row in basic_run crouched legs_apart one_leg kangaroo; do cp "$gaits/$row.gait.json" found/$row.1.gait.json; done
# one that was not found
sed 's/"valid": true/"valid": false/' found/basic_run.1.gait.json > found/skipping.1.gait.json
"$program" found picked > table 2> err || fail "exit code $?"
[ "$(wc -l < table)" -eq 8 ] || fail "rows"
grep -qE '^\| basic_run \| 1 of 1 \| [0-9]+ \|.*correlation 0\.7[0-9]* > 0\.7 \| yes \|$' table || fail "basic run"
grep -qE '^\| crouched \| 1 of 1 \|.*hips at 0\.[0-9]+ m < 0\.[0-9]+ - 0\.05 \| yes \|$' table || fail "crouched"
grep -qE '^\| legs_apart \| 1 of 1 \|.* \| yes \|$' table || fail "legs apart"
grep -qE '^\| one_leg \| 1 of 1 \|.*on the ground: right_leg\.foot \| yes \|$' table || fail "one leg"
grep -qE '^\| skipping \| 0 of 1 \|.*\| no \|$' table || fail "skipping"
cmp -s picked/one_leg.gait.json "$gaits/one_leg.gait.json" || fail "picked"
[ ! -e picked/skipping.gait.json ] || fail "an invalid gait was picked"

mkdir empty
"$program" empty > out 2> err && fail "an empty folder"
grep -q '^molejo_study: empty: holds no MOTION.SEED.gait.json$' err || fail "its message"
"$program" > out 2> err && fail "no folder"
exit 0
