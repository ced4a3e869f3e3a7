#!/usr/bin/env bash
# libraries.sh PREFIX LIBDIR COMPILER TEST: what others can do with the installed libraries.
set -uo pipefail
prefix=$1 libraries=$1/$2 compiler=$3
sources=$(cd "$(dirname "$0")" && pwd)
scene=$sources/../../scenes/ragdoll.json
export PKG_CONFIG_PATH=$libraries/pkgconfig
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "FAILED: $*"; tail -n 20 out err 2> /dev/null; exit 1; }
flags() { pkg-config "$@"; }
compile() { "$compiler" -std=c++20 -O1 "$@" > out 2> err || fail "$*"; }
# the hash of the program
"$prefix/bin/molejo" simulate "$scene" --duration 1 --json > out 2> err || fail "the program"
expected=$(grep -o '"hash": *"[0-9a-f]*"' out | grep -oE '[0-9a-f]{16}')
[ -n "$expected" ] || fail "no hash"

test_a_program_links_the_shared_library_only() {
  compile "$sources/hash.cpp" $(flags --cflags --libs molejo-shared) -o hash
  readelf -d hash | grep NEEDED > out
  grep -qF '[libmolejo.so.0.1]' out || fail "not linked to libmolejo.so.0.1"
  grep -qE 'fmt|pugixml|png|mpi' out && fail "linked to more"
  export LD_LIBRARY_PATH=$libraries
  [ "$(./hash "$scene" 1)" = "$expected" ] || fail "another hash"
  [ "$(MOLEJO_INSTRUCTIONS=baseline ./hash "$scene" 1)" = "$expected" ] || fail "another hash without AVX2"
  # an exception of the library is known to the program
  ./hash missing.json 1 > out 2> err
  [ $? -eq 2 ] || fail "an InputError is not caught"
}

test_a_wrong_word_for_the_instructions_is_told_once() {
  printf '#include <molejo/math/instructions.h>\nint main() { return molejo::runs_wide() != molejo::runs_wide(); }\n' > wide.cpp
  compile wide.cpp $(flags --cflags --libs molejo) -o wide
  MOLEJO_INSTRUCTIONS=nonsense ./wide 2> err || fail "code $?"
  echo "molejo: MOLEJO_INSTRUCTIONS is 'nonsense'; expected baseline or avx2" | cmp - err || fail "line"
}

test_other_flags_of_a_program_change_nothing() {
  grep -qw avx2 /proc/cpuinfo || exit 77
  compile -march=native "$sources/hash.cpp" $(flags --cflags --libs molejo) -o hash
  [ "$(./hash "$scene" 1)" = "$expected" ] || fail "another hash"
}

test_a_plugin_contains_the_static_library() {
  compile -shared -fPIC "$sources/plugin.cpp" $(flags --cflags --libs molejo) -o plugin.so
  compile "$sources/host.cpp" -o host
  [ "$(./host ./plugin.so "$scene" 1)" = "$expected" ] || fail "another hash"
}

test_the_shared_library_shows_namespace_molejo_only() {
  nm -D --defined-only "$libraries/libmolejo.so" | awk '{ print $3 }' > out
  grep -q '^_ZN6molejo8simulate.*@@MOLEJO_0\.1$' out || fail "no simulate of version MOLEJO_0.1"
  grep -vE '^_Z[A-Z]*N?K?6molejo|^_Z(TI|TS|TV|GV|GVZ|Z)?NK?6molejo|^MOLEJO_0\.1' out && fail "more than molejo"
  readelf -d "$libraries/libmolejo.so" > dynamic # not piped: grep would leave before all is written
  grep -qF 'soname: [libmolejo.so.0.1]' dynamic || fail "soname"
  grep -q TEXTREL dynamic && fail "code that is not position-independent"
  return 0
}

"$4"
