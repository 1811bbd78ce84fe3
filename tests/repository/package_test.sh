#!/usr/bin/env bash
# `package_test.sh BUILD`: makes the Debian package of a build folder and tries it. Exits with 77 where the
# tools for it are missing.
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for tool in cpack dpkg dpkg-shlibdeps file; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: $tool is not installed"
    exit 77
  fi
done
if [[ $(id -u) != 0 ]] && ! command -v fakeroot >/dev/null; then
  echo "skipped: fakeroot is not installed"
  exit 77
fi
rm -f "$build"/placer_*.deb
"$root/scripts/package.sh" --check "$("$root/scripts/package.sh" "$build")"
