#!/usr/bin/env bash
# What the packages hold, and that they work where they are unpacked.
#
#   packages.sh FOLDER TEST     runs one function test_* on the packages of FOLDER
set -euo pipefail
packages=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
read -r file seconds hash < <(grep '^double_pendulum.json ' "$source/tests/hashes/hashes.txt")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "FAILED: $*"
  exit 1
}

one_file() { # pattern
  local found
  mapfile -t found < <(compgen -G "$packages/$1")
  [ ${#found[@]} -eq 1 ] || fail "expected one $1, found: ${found[*]}"
  echo "${found[0]}"
}

# Unpacks a .deb into root/, its fields into control.
take_apart() { # pattern
  local deb
  deb=$(one_file "$1")
  dpkg-deb --info "$deb" control > control
  dpkg-deb --extract "$deb" root
  dpkg-deb --contents "$deb" > contents
}

field_is() { # name, pattern of the whole value
  grep -qE "^$1: ($2)$" control || fail "$(grep "^$1:" control || echo "no field $1"); expected $2"
}

# The same files are below both folders.
same_files() { # folder, folder, name patterns...
  local one=$1 other=$2
  shift 2
  diff <(cd "$one" && find . -type f "$@" | sort) <(cd "$other" && find . -type f | sort) | head -5 >&2 || fail "other files in $other than in $one"
}

# All belongs to root, lies in usr, and can be read, but not changed, by all.
plain_contents() {
  ! awk '$2 != "root/root" || $6 !~ /^\.\/(usr\/.*)?$/ || ($1 !~ /^l/ && $1 !~ /^([d-]rwxr-xr-x|-rw-r--r--)$/)' contents | grep . ||
    fail "unusual owners, modes or places"
}

fields_of_all() {
  local version
  version=$(sed -nE 's/^project\(molejo VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
  field_is Version "$version"
  field_is Architecture "$(dpkg --print-architecture)"
  field_is Maintainer 'The Molejo authors'
  field_is Priority optional
  plain_contents
  [ -f "root/usr/share/doc/$1/copyright" ] || fail "no copyright"
}

test_deb_holds_program_and_scenes() {
  take_apart 'molejo_*.deb'
  field_is Package molejo
  field_is Section graphics
  field_is Recommends 'chromium, ffmpeg'
  field_is Description 'physically based character animation'
  fields_of_all molejo
  same_files "$source/scenes" root/usr/share/molejo/scenes
  [ "$(ls root/usr/bin)" = molejo ] || fail "programs: $(ls root/usr/bin)"
  [ ! -e root/usr/include ] || fail "headers in the package of the program"
  ! readelf --sections --wide root/usr/bin/molejo | grep -F .symtab || fail "the program has symbols"
}

# Every library that the program loads has its package among the dependencies; and nothing else is there.
test_deb_depends_on_what_it_loads() {
  local library path package
  take_apart 'molejo_*.deb'
  for library in root/usr/bin/molejo $(find root/usr/lib -name '*.so.*' -type f 2> /dev/null); do
    readelf --dynamic --wide "$library"
  done | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort -u > needed
  [ -s needed ] || fail "the program loads no library"
  while read -r library; do
    [ -z "$(find root -name "$library")" ] || continue # its own
    path=$(/sbin/ldconfig -p | awk -v name="$library" '$1 == name && !found { print $NF; found = 1 }')
    { dpkg -S "$(realpath "$path")" "$path" 2> /dev/null || true; } | sed -n '1s/:.*//p' # one of them is listed
  done < needed | sort -u > expected
  sed -n 's/^Depends: //p' control | tr , '\n' | sed -E 's/^ *([^ ]+).*/\1/' | sort -u > depends
  diff expected depends || fail "other dependencies than what is loaded"
}

test_dev_deb_holds_headers_and_library() {
  take_apart 'libmolejo-dev_*.deb'
  field_is Package libmolejo-dev
  field_is Section libdevel
  fields_of_all libmolejo-dev
  local needs
  for needs in libeigen3-dev libfmt-dev libpugixml-dev libpng-dev; do
    grep -qE "^Depends: (.*, )?$needs(,|$)" control || fail "no dependency on $needs"
  done
  same_files "$source/molejo" root/usr/include/molejo -name '*.h'
  for needs in libmolejo.a pkgconfig/molejo.pc cmake/molejo/molejo-config.cmake; do
    [ -s "root/usr/lib/$needs" ] || fail "no $needs"
  done
  ! grep -rF "$source" root/usr/lib/pkgconfig root/usr/lib/cmake || fail "it names the folder where it was built"
}

# Unpacked anywhere, the program finds its scenes.
test_archive_works_where_it_is_unpacked() {
  mkdir 'a place'
  tar -xzf "$(one_file 'molejo-*.tar.gz')" -C 'a place'
  local place
  place=$(compgen -G "$PWD/a place/*")
  same_files "$source/scenes" "$place/share/molejo/scenes"
  same_files "$source/molejo" "$place/include/molejo" -name '*.h'
  "$here/use" "$place/bin/molejo" "$place/share/molejo/scenes" "$file" "$seconds" "$hash"
}

# A machine that has neither compiler nor node: apt installs the package, the studio works, and apt takes all away again.
test_deb_works_in_a_clean_root() {
  "$source/scripts/fresh_root" --check || exit 77
  cat > try << 'SH'
set -euo pipefail
for tool in c++ g++ cc gcc clang cmake ninja make node npm; do
  ! command -v "$tool" || { echo "FAILED: the clean root has $tool"; exit 1; }
done
export DEBIAN_FRONTEND=noninteractive
apt-get install -y -qq --no-install-recommends ./molejo_*.deb > install.log 2>&1 || { cat install.log; exit 1; }
./use /usr/bin/molejo /usr/share/molejo/scenes "$@"
! command -v c++ node || { echo "FAILED: the package brought a compiler or node"; exit 1; }
apt-get purge -y -qq molejo > purge.log 2>&1 || { cat purge.log; exit 1; }
! find / -xdev -iname '*molejo*' -not -path '/root/*' -not -path '/proc/*' | grep . || { echo "FAILED: purge left files"; exit 1; }
SH
  "$source/scripts/fresh_root" --bare --with "$(one_file 'molejo_*.deb')" --with "$here/use" --with try \
    bash try "$file" "$seconds" "$hash"
}

"$2"
