#!/usr/bin/env bash
# instructions.sh BUILD TEST: one program for processors with and without AVX2.
set -uo pipefail
build=$(realpath "$1") program=$(realpath "$1")/molejo
scenes=$(cd "$(dirname "$0")/../../scenes" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "FAILED: $*"; tail -n 20 out err 2> /dev/null; exit 1; }

# work PREFIX: a little of all that works on packs, and of what does not, by the program as PREFIX
# runs it, with $evaluations of each of $motions; the results are put to `results`
work() {
  rm -rf results
  mkdir results
  "$@" "$program" simulate "$scenes/ragdoll.json" --duration 0.1 --json -o results/ragdoll.csv > out 2> err ||
    fail "$* simulate: code $?"
  grep -o '"hash": *"[0-9a-f]*"' out > results/hash || fail "no hash"
  local motion
  for motion in $motions; do
    "$@" "$program" train "$scenes/gaits/$motion.motion.json" -o results/$motion.json --threads 1 \
      --evaluations "$evaluations" > out 2> err
    [ $? -eq 1 ] || fail "$* train $motion: code $?"
    sed -i -E 's/"seconds": [0-9.e+-]+/"seconds": 0/' results/$motion.json
    rm results/$motion.json.part
  done
  "$@" "$program" walk "$scenes/walks/stick_b.walk.json" -o results/walk.bvh --duration 0.2 > out 2> err ||
    fail "$* walk: code $?"
}

test_both_sets_give_the_same_bits() {
  evaluations=200 motions='basic_run kangaroo quadruped'
  work env MOLEJO_INSTRUCTIONS=avx2
  mv results wide
  work env MOLEJO_INSTRUCTIONS=baseline
  diff -r wide results || fail "other results"
}

# An emulated processor stops at the first instruction that it does not know.
test_runs_on_a_processor_without_avx() {
  command -v qemu-x86_64 > /dev/null || exit 77
  evaluations=32 motions=basic_run
  work env MOLEJO_INSTRUCTIONS=baseline
  mv results native
  work qemu-x86_64 -cpu Nehalem
  diff -r native results || fail "other results"
}

test_a_processor_without_avx_refuses_it_in_one_line() {
  command -v qemu-x86_64 > /dev/null || exit 77
  MOLEJO_INSTRUCTIONS=avx2 qemu-x86_64 -cpu Nehalem "$program" --version > out 2> err
  [ $? -eq 2 ] || fail "code $?"
  echo "molejo: MOLEJO_INSTRUCTIONS is 'avx2', which this processor or this build has not" | cmp - err || fail "line"
}

test_an_unknown_set_is_told_in_one_line() {
  MOLEJO_INSTRUCTIONS=sse9 "$program" --version > out 2> err
  [ $? -eq 2 ] || fail "code $?"
  echo "molejo: MOLEJO_INSTRUCTIONS is 'sse9'; expected baseline or avx2" | cmp - err || fail "line"
}

# What the wide object defines serves it alone: no symbol that others could take, no variable that
# others have too.
test_the_wide_object_shares_only_its_functions() {
  nm --defined-only -C "$build/wide.o" | awk '$2 ~ /[A-Zu]/' > out
  grep -q ' molejo::wide::step_tree' out || fail "no kernels"
  grep -vE ' T molejo::(motion::)?wide::' out && fail "symbols that others could take"
  # memory that a kernel keeps from call to call is harmless
  nm --defined-only -C "$build/wide.o" | grep -E ' [bd] ' |
    grep -vE 'DW.ref.__gxx_personality|::kept$|(vtable|typeinfo) for ' && fail "variables of its own"
  [ "$(objdump -d "$build/wide.o" | grep -c '%ymm')" -gt 1000 ] || fail "it has no wide registers"
}

test_no_other_object_has_avx() {
  mkdir objects
  (cd objects && ar x "$build/libmolejo.a" && rm wide.o && ls) > out || fail "no wide.o"
  [ "$(wc -l < out)" -gt 20 ] || fail "few objects"
  # instructions of AVX begin with v, but for those that check segments
  for object in objects/*; do
    objdump -d --no-show-raw-insn "$object" | grep -P '\tv(?!er[rw])' | head -n 3 > out
    [ -s out ] && fail "$object"
  done
  return 0
}

"$2"
