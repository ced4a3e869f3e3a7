#!/usr/bin/env bash
# What scripts/build tells, by builds of a few shell commands instead of ours.
#
#   build.sh TEST     runs one function test_*
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "FAILED: $*"
  [ ! -f output ] || sed 's/^/output: /' output
  exit 1
}

# a project of two objects and a program; what is missing stands in the file `missing`
mkdir -p scripts programs build molejo apps/cli tests
cp "$source/scripts/build" "$source/scripts/progress" scripts/
cat > scripts/install_deps << 'SH'
#!/usr/bin/env bash
if [ "$1" = --list ]; then cat missing; else echo "installs with: $*"; : > missing; fi
SH
cat > programs/cmake << 'SH'
#!/usr/bin/env bash
echo configured >> configured
[ ! -f project ] || cp project build/build.ninja
SH
chmod +x scripts/* programs/*
cat > build/build.ninja << 'NINJA'
rule object
  command = cp $in $out
  description = Building CXX object $out
rule program
  command = cat $in > $out
  description = Linking CXX executable $out
build one.o: object ../one.cpp
build two.o: object ../two.cpp
build program: program one.o two.o
NINJA
touch one.cpp two.cpp missing
export PATH=$PWD/programs:$PATH JOBS=1

runs() { # expected code, options and targets
  local expected=$1 code=0
  shift
  scripts/build "$@" > output 2>&1 || code=$?
  [ "$code" -eq "$expected" ] || fail "exit code $code, expected $expected: scripts/build $*"
}
tells() { grep -qE -- "$1" output || fail "lacks '$1'"; }

test_what_is_to_do_is_told_from_the_last_time() {
  printf '# ninja log v5\n0\t30000\t1\tone.o\t0\n0\t200000\t1\ttwo.o\t0\n0\t10000\t1\tprogram\t0\n' > build/.ninja_log
  runs 0 --then 'start it' release program
  tells '^To do: compile \(about 4 minutes on 1 core\), start it\.$'
  tells '^\[100%\] 0 s left  Linking CXX executable program$'
  [ -e build/program ] || fail "no program"
}

# One job or two do not change what each takes; the time is shared.
test_time_is_that_of_all_jobs() {
  printf '# ninja log v5\n0\t300000\t1\tone.o\t0\n0\t300000\t1\ttwo.o\t0\n' > build/.ninja_log
  JOBS=2 runs 0 release
  tells '^To do: compile \(about 5 minutes on 2 cores\)\.$'
}

test_nothing_is_said_when_nothing_is_to_do() {
  runs 0 release
  runs 0 --then 'start it' release
  [ ! -s output ] || fail "something was said"
}

test_numbers_may_have_a_decimal_comma() {
  mkdir locales
  localedef -i de_DE -f UTF-8 ./locales/de_DE.UTF-8 || fail "no German locale: run scripts/install_deps --test"
  export LOCPATH=$PWD/locales
  local i
  for i in {1..40}; do printf 'build %d.o: object ../one.cpp\n' "$i" >> build/build.ninja; done
  sed -i 's/command = cp/command = sleep 0.03 \&\& cp/' build/build.ninja
  LC_ALL=de_DE.UTF-8 runs 0 release
  [ -e build/40.o ] || fail "not all was built"
}

test_what_is_missing_is_told_and_installed_first() {
  mv build/build.ninja project # there is no cmake before it is installed
  printf 'g++\ncmake\nnpm packages\n' > missing
  head -c 2000000 /dev/zero > molejo/large.cpp
  runs 0 --test --then 'run the tests' release
  head -1 output | grep -qE '^To do: install 3 packages \(about [0-9]+ s\), compile \(about [0-9]+ minutes on 1 core\), run the tests\.$' ||
    fail "the first line does not tell what is to do"
  sed -n 2p output | grep -qx 'installs with: --test' || fail "not installed next"
  [ -e build/program ] || fail "no program"
}

test_what_compilers_say_is_shown() {
  sed -i 's/command = cp.*/command = echo "one.cpp:1: odd" \&\& false/' build/build.ninja
  runs 1 release
  tells '^one.cpp:1: odd$'
  tells '^FAILED: one.o'
}

test_unknown_targets_are_refused() {
  runs 1 release nonsense
  tells "unknown target 'nonsense'"
}

"$1"
