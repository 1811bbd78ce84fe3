#!/usr/bin/env bash
# Each fault that scripts/rooms.py looks for, made in a copy of the sources, is told.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# expect MESSAGE: the check of the copy fails with it; then the copy is as before.
expect() {
  local said
  if said=$(python3 -B "$root/scripts/rooms.py" --check "$copy" 2>&1) || [[ $said != *"$1"* ]]; then
    printf 'expected a failure with\n  %s\nfound\n%s\n' "$1" "$said"
    exit 1
  fi
  fresh
}
fresh() {
  rm -rf "${copy:?}"/*
  cp -r "$root/src" "$root/include" "$copy"
}

fresh
python3 -B "$root/scripts/rooms.py" --check "$copy"

echo '#include "search/lists/timeline.hpp"' >>"$copy/src/search/groups/levels.cpp"
expect 'src/search/groups/levels.cpp: search/groups may not include search/lists, found "search/lists/timeline.hpp"'

echo '#include "placer/search/search.hpp"' >>"$copy/src/model/graph.cpp"
expect 'src/model/graph.cpp: model may not include search/core, found "placer/search/search.hpp"'

echo '#include "io/onnx/shapes.hpp"' >>"$copy/src/io/openvino/work.cpp"  # beside, not before
expect 'src/io/openvino/work.cpp: io/openvino may not include io/onnx'

echo '#include "sim/trace.hpp"' >>"$copy/include/placer/sim/score.hpp"
expect 'include/placer/sim/score.hpp: a public header may include only public ones'

echo '#include "timeline.hpp"' >>"$copy/src/search/lists/run.cpp"
expect 'src/search/lists/run.cpp: expected an include of placer/LAYER/ or ROOM/, found "timeline.hpp"'

mkdir "$copy/src/attic"
touch "$copy/src/attic/old.cpp"
expect 'src/attic/old.cpp: expected a folder of scripts/rooms.py'

for number in {1..45}; do touch "$copy/src/search/exact/more_$number.cpp"; done
expect 'search/exact: expected at most 45 files in a room'

echo 'namespace placer { struct Stage : Mark<int> { int begin; }; }' >>"$copy/src/io/importers/source.hpp"
expect 'placer::Stage: expected one definition, found 2: src/io/importers/source.hpp, src/search/core/events.hpp'

echo 'namespace placer { enum class Stop { kNow }; }' >>"$copy/src/model/graph.cpp"
expect 'placer::Stop: expected one definition, found 2: include/placer/search/run.hpp, src/model/graph.cpp'

cat >>"$copy/src/model/graph.cpp" <<'END'
namespace placer {
struct Stop;  // struct Stop {
namespace {
struct Stop {};
}  // namespace
void local() { struct Stage {}; }
}  // namespace placer
END
python3 -B "$root/scripts/rooms.py" --check "$copy"
