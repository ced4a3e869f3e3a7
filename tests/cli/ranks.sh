#!/usr/bin/env bash
# ranks.sh MPIRUN PROGRAM TEST: molejo train over several processes.
set -uo pipefail
mpirun=$1 program=$(realpath "$2")
motion=$(cd "$(dirname "$0")/../../scenes/gaits" && pwd)/basic_run.motion.json
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# a test may run as root in a container; the ranks may be more than the cores
options=(--allow-run-as-root --oversubscribe)

fail() { echo "FAILED: $*"; tail -n 20 out err 2> /dev/null; exit 1; }
# job RANKS ARGUMENTS: the code in $code
job() {
  local ranks=$1
  shift
  timeout 100 "$mpirun" "${options[@]}" -n "$ranks" "$program" train "$@" > out 2> err
  code=$?
}
without_seconds() { sed -E 's/"seconds": [0-9.e+-]+/"seconds": 0/' "$1"; }

test_same_gait_for_one_two_and_four_ranks() {
  "$program" train "$motion" -o plain.json --evaluations 600 --threads 1 > out 2> err
  [ $? -eq 1 ] || fail "without mpirun"
  without_seconds plain.json > expected
  grep -q '"valid": false' expected || fail "600 evaluations are too many"
  local ranks
  for ranks in 1 2 4; do
    job "$ranks" "$motion" -o "$ranks.json" --evaluations 600
    [ $code -eq 1 ] || fail "$ranks ranks: code $code"
    without_seconds "$ranks.json" | cmp - expected || fail "$ranks ranks: another gait"
    [ "$(grep -c 'no gait found' out)" -eq 1 ] || fail "$ranks ranks: not one report"
  done
}

test_bad_input_is_told_once() {
  job 3 missing.json -o gait.json
  [ $code -eq 2 ] || fail "code $code"
  [ "$(grep -c '^molejo: missing.json: ' err)" -eq 1 ] || fail "not told once"
  [ ! -e gait.json ] || fail "something was written"
}

test_without_the_module_one_line_says_so() {
  cp "$program" alone
  program=$PWD/alone
  job 3 "$motion" -o gait.json --evaluations 600
  [ $code -eq 2 ] || fail "code $code"
  [ "$(grep -c '^molejo: no MPI: molejo_mpi.so is neither beside the program nor in /' err)" -eq 1 ] ||
    fail "not told once"
  [ ! -e gait.json ] || fail "something was written"
  "$program" train "$motion" -o gait.json --evaluations 600 > out 2> err
  [ $? -eq 1 ] || fail "without mpirun it does not train"
}

test_a_module_of_another_version_is_refused() {
  cp "$program" alone
  program=$PWD/alone
  cp "$(ldd "$program" | awk '/libz\.so/ { print $3 }')" molejo_mpi.so
  job 2 "$motion" -o gait.json --evaluations 600
  [ $code -eq 2 ] || fail "code $code"
  [ "$(grep -c '^molejo: no MPI: .*/molejo_mpi.so: of another version of Molejo$' err)" -eq 1 ] ||
    fail "not told once"
}

test_only_mpirun_loads_mpi() {
  ldd "$program" > out
  grep -qE 'libmpi|libopen-|libhwloc|libevent' out && fail "MPI is loaded by all commands"
  LD_DEBUG=files "$program" train "$motion" -o gait.json --evaluations 600 > out 2> err
  grep -q 'libfmt' err || fail "nothing is seen"
  grep -qE 'libmpi|molejo_mpi' err && fail "a training without mpirun loads MPI"
  LD_DEBUG=files job 1 "$motion" -o gait.json --evaluations 600
  grep -q 'molejo_mpi.so' err || fail "mpirun does not load MPI"
}

test_a_killed_rank_ends_the_job_and_resume_finishes_it() {
  local many=8000 i job victim
  "$program" train "$motion" -o plain.json --seed 3 --evaluations $many > out 2> err
  "$mpirun" "${options[@]}" -n 2 "$program" train "$motion" -o gait.json --seed 3 --evaluations $many > out 2> err &
  job=$!
  for ((i = 0; i < 1000; ++i)); do
    grep -m 1 '"evaluations":' gait.json.part 2> /dev/null | grep -q '[1-9]' && break
    sleep 0.02
  done
  victim=$(pgrep -P $job | tail -n 1)
  kill -KILL "$victim" || fail "no rank to kill"
  wait $job && fail "mpirun returned 0"
  grep -qE 'signal 9' err || fail "mpirun does not say which rank died"
  [ ! -e gait.json ] || fail "a gait of a killed job"
  job 2 "$motion" -o gait.json --resume --evaluations $many
  [ $code -eq 1 ] || fail "resume: code $code"
  without_seconds plain.json > expected
  without_seconds gait.json | cmp - expected || fail "another gait after the resume"
}

"$3"
