#!/usr/bin/env bash
# Installs the Debian packages that a build needs, as far as they are missing: `install-packages.sh`
# for the program, `install-packages.sh test` for its tests too, `... package` for a Debian package of
# it, `... bench` for the benchmarks, `... clang` for the other compiler, `... fuzz` for its sanitizers and
# fuzzer too.
# Says nothing and asks nothing when all are there. Whatever apt prints goes to stderr.
set -euo pipefail

packages=(g++ cmake ninja-build ccache libfmt-dev libtbb-dev nlohmann-json3-dev libcli11-dev
          libspdlog-dev libeigen3-dev libmetis-dev libscotch-dev libpugixml-dev coinor-libclp-dev
          coinor-libcbc-dev libprotobuf-dev protobuf-compiler libonnx-dev libopenmpi-dev
          openmpi-bin)
for set in "$@"; do
  case $set in
    test) packages+=(catch2 python3 python3-jsonschema python3-onnx zsh fish man-db dpkg-dev file
                     fakeroot chromium) ;;
    package) packages+=(dpkg-dev file fakeroot) ;;
    check) packages+=(clang-format clang-tidy) ;;
    bench) packages+=(libbenchmark-dev valgrind) ;;
    clang) packages+=(clang) ;;
    fuzz) packages+=(clang libclang-rt-14-dev) ;;
    *) echo "install-packages.sh: expected test, package, check, bench, clang or fuzz, found '$set'" >&2; exit 1 ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "no apt-get here, so nothing is installed; needed are (Debian 12 names): ${packages[*]}" >&2
  exit 0  # whether they are there in another form, CMake will say
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "packages are missing and neither root nor sudo is there to install them; ask for:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" \
    >"$log" 2>&1 </dev/null
}

echo "installing ${missing[*]}" >&2
if ! apt install -y --no-install-recommends "${missing[@]}"; then
  # The package lists are missing or old.
  if ! apt update || ! apt install -y --no-install-recommends "${missing[@]}"; then
    cat "$log" >&2
    echo "apt-get could not install: ${missing[*]}" >&2
    exit 1
  fi
fi
