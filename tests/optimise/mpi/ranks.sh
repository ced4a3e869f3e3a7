#!/usr/bin/env bash
# ranks.sh MPIRUN PROGRAM TEST: what holds for jobs of several processes.
set -uo pipefail
mpirun=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# a test may run as root in a container; the ranks may be more than the cores
options=(--allow-run-as-root --oversubscribe)

fail() { echo "FAILED: $*"; cat "$folder"/* 2> /dev/null; exit 1; }
# job RANKS MODE: output in $folder/out and $folder/err, code in $code; at most a minute
job() {
  timeout 60 "$mpirun" "${options[@]}" -n "$1" "$program" "$2" > "$folder/out" 2> "$folder/err"
  code=$?
}
expect_line() { grep -qE -- "$1" "$folder/err" || fail "not in the errors: $1"; }

test_same_bits_for_one_two_and_four_ranks() {
  local ranks first='' workers=(0 1 3 0 6)
  for ranks in 1 2 4; do
    job "$ranks" same
    [ $code -eq 0 ] || fail "$ranks ranks: code $code"
    grep -q "workers ${workers[$ranks]}\$" "$folder/out" || fail "$ranks ranks: $(cat "$folder/out")"
    local result
    result=$(grep -oE 'hash [0-9a-f]+ evaluations [0-9]+' "$folder/out")
    [ -n "$result" ] || fail "$ranks ranks: no hash"
    [ -z "$first" ] && first=$result
    [ "$result" = "$first" ] || fail "$ranks ranks: $result, one rank: $first"
  done
}

test_without_mpirun_it_is_one_rank() {
  "$program" same > "$folder/out" 2> "$folder/err" || fail "code $?"
  grep -q "workers 1$" "$folder/out" || fail "$(cat "$folder/out")"
}

test_an_exception_reaches_the_leader() {
  job 3 throw
  [ $code -eq 2 ] || fail "code $code"
  expect_line '^error: rank [12] on [^ ]+: x = 1\.[0-9]+$'
}

test_ranks_must_agree_on_the_sizes() {
  job 3 sizes
  [ $code -eq 2 ] || fail "code $code"
  expect_line '^error: rank 2 on [^ ]+: the problem has other sizes here than on rank 0$'
}

test_trouble_of_one_rank_ends_all() {
  job 3 trouble
  [ $code -eq 2 ] || fail "code $code"
  expect_line '^error: rank 2 on [^ ]+: motion.json: no such file$'
}

test_a_rank_that_leaves_ends_the_job() {
  job 3 leave
  [ $code -ne 0 ] && [ $code -ne 124 ] || fail "code $code"
  expect_line '^molejo: rank 2 on [^ ]+: left before the leader ended; the job ends$'
}

# kill_rank RANK: mpirun names it and nothing is left
kill_rank() {
  "$mpirun" "${options[@]}" -n 3 "$program" wait > "$folder/out" 2> "$folder/err" &
  local job=$! i pids left
  for ((i = 0; i < 300; ++i)); do
    [ "$(grep -c '^process' "$folder/err" 2> /dev/null)" = 3 ] && break
    sleep 0.1
  done
  sleep 0.5  # let it work
  pids=$(awk '/^process/ { print $2 }' "$folder/err")
  kill -KILL "$(awk -v rank="$1" '/^process/ && $4 == rank { print $2 }' "$folder/err")" || fail "no rank $1"
  for ((i = 0; i < 300; ++i)); do kill -0 $job 2> /dev/null || break; sleep 0.1; done
  kill -0 $job 2> /dev/null && { kill -KILL $job $pids; fail "mpirun goes on without rank $1"; }
  wait $job && fail "mpirun returned 0"
  expect_line "process rank $1 .*signal 9"
  # none is left but as an entry that nobody has asked about yet
  for ((i = 0; i < 100; ++i)); do
    left=$(for pid in $pids; do cat "/proc/$pid/stat" 2> /dev/null; done | awk '$3 != "Z" { print $1 }')
    [ -z "$left" ] && return 0
    sleep 0.1
  done
  fail "left: $left"
}
test_a_killed_rank_ends_the_job() { kill_rank 2; }
test_a_killed_leader_ends_the_job() { kill_rank 0; }

"$3"
