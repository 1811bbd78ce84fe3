#!/usr/bin/env bash
# `package.sh [BUILD]`: writes a Debian package of the program into the build folder BUILD, which is build
# unless given and is built first, and prints its path.
# `package.sh --check DEB`: installs DEB into an empty root, runs what it brings, removes it, and fails where
# something is missing, wrong or left behind. As root, or by fakeroot.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "package.sh: $*" >&2
  exit 1
}

if [[ ${1:-} != --check ]]; then
  build=${1:-build}
  if (($# == 0)); then
    "$root/scripts/install-packages.sh" >&2
    "$root/scripts/build.sh" build placer_program -DCMAKE_BUILD_TYPE=Release -DPLACER_TESTS=OFF >&2
    build=$root/build
  fi
  cd "$build"
  cpack -G DEB >cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
  ls "$PWD"/placer_*.deb
  exit
fi

(($# == 2)) || fail "expected --check DEB, found $*"
deb=$(realpath "$2")
if [[ $(id -u) != 0 ]]; then
  exec fakeroot -- bash "${BASH_SOURCE[0]}" --check "$deb"
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/var/lib/dpkg/info" "$place/var/lib/dpkg/updates"
touch "$place/var/lib/dpkg/status" "$place/var/lib/dpkg/available"
# The libraries that it depends on are those of this system.
on_place() { dpkg --root="$place" --log="$place/var/lib/dpkg/log" --force-depends "$@" 2>/dev/null; }

depends=$(dpkg-deb --field "$deb" Depends)
for library in libc6 libstdc++6 libtbb12 libfmt9; do
  [[ $depends == *"$library"* ]] || fail "expected $library among the Depends, found $depends"
done
on_place --install "$deb" >/dev/null || fail "$deb cannot be installed"
placer=$place/usr/bin/placer
[[ $("$placer" --version) == "placer $(dpkg-deb --field "$deb" Version)" ]] ||
  fail "expected the package's version, found $("$placer" --version)"
for shell in bash zsh fish; do
  case $shell in
    bash) file=bash-completion/completions/placer ;;
    zsh) file=zsh/vendor-completions/_placer ;;
    fish) file=fish/vendor_completions.d/placer.fish ;;
  esac
  "$placer" completion "$shell" | cmp -s - "$place/usr/share/$file" ||
    fail "/usr/share/$file is not what 'placer completion $shell' prints"
done
pages=0
for page in "$place"/usr/share/man/man1/*.1.gz; do
  name=$(basename "$page" .1.gz)
  command=${name#placer}
  # shellcheck disable=SC2086  # no word for the page of the program
  "$placer" man ${command#-} | cmp -s - <(gzip -dc "$page") || fail "$page is not what 'placer man' prints"
  pages=$((pages + 1))
done
commands=$("$placer" --help | grep -c '^  [a-z]')
((pages > 10 && pages == commands + 1)) || fail "expected $((commands + 1)) manual pages, found $pages"
for file in copyright changelog.gz README.md docs/tour.md; do
  [[ -s $place/usr/share/doc/placer/$file ]] || fail "expected /usr/share/doc/placer/$file, found none"
done
if [[ -n $(find "$place/usr" -name '*.a' -o -name '*.hpp') ]]; then
  fail "expected no parts of the library, found $(find "$place/usr" -name '*.a' -o -name '*.hpp' | head -n 1)"
fi
on_place --purge placer >/dev/null || fail "the package cannot be removed"
left=$(find "$place" -mindepth 1 -not -path "$place/var*" -print)
[[ -z $left ]] || fail "expected nothing to stay, found $left"
echo "$(basename "$deb"): installed, run and removed; $pages manual pages; depends on $depends"
