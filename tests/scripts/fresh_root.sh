#!/usr/bin/env bash
# scripts/fresh_root leaves nothing mounted, running or lying about when it is told to end, nor when it is killed.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
"$source/scripts/fresh_root" --check || exit 77
folder=$(mktemp -d)
script=
trap '[ -z "$script" ] || kill "$script" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "FAILED: $*"
  sed 's/^/output: /' output
  exit 1
}

mark=$((RANDOM + 100000)) # seconds that nobody else sleeps
begin() {
  "$source/scripts/fresh_root" --bare bash -c "setsid sleep $mark & echo begun; sleep $mark" > output 2>&1 &
  script=$!
  until grep -qx begun output; do
    if ! kill -0 "$script" 2> /dev/null; then
      if grep -q '^skipped: ' output; then exit 77; fi
      fail "it ended early"
    fi
    sleep 0.1
  done
}

runs() { [ -n "$(grep -ls "[${mark:0:1}]${mark:1}" /proc/[0-9]*/cmdline || true)" ]; }
ends_with() { # signal, code
  local code=0 left
  runs || fail "the command does not run"
  kill "-$1" "$script"
  wait "$script" 2> /dev/null || code=$?
  [ "$code" -eq "$2" ] || fail "code $code after $1, expected $2"
  for left in $(seq 50); do
    if ! runs; then break; fi
    [ "$left" -lt 50 ] || fail "processes are left after $1"
    sleep 0.1
  done
  ! grep -F "root.$script" /proc/mounts || fail "mounts are left after $1"
}

begin
ends_with TERM 143
[ ! -e "$source/build/fresh_root/root.$script" ] || fail "its folder is left"

begin
ends_with KILL 137
killed=$script
begin # the next one takes away what was left
[ ! -e "$source/build/fresh_root/root.$killed" ] || fail "the folder of the killed one is left"
ends_with TERM 143
script=
