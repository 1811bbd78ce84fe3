#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "placer/model/topology.hpp"

namespace placer {

/// What a measuring command says of one run.
struct PrintedRun {
  std::optional<double> seconds;                     // empty: out of memory
  std::map<std::string, std::int64_t> memory_bytes;  // the peak, by device name
};

/// Reads what a command printed: a JSON object {"seconds": x, "memory_bytes": {"gpu:0": n},
/// "out_of_memory": true}, the last two where there is something to say, as the whole output or as
/// its last line; or a number of seconds on the last line, as options take it. Throws Error,
/// "expected ..., found ...".
PrintedRun parse_printed(const std::string& printed, const Topology& topology);

}  // namespace placer
