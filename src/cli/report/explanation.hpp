#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/request.hpp"
#include "placer/model/modules.hpp"
#include "placer/sim/idle_time.hpp"
#include "placer/sim/memory_use.hpp"
#include "placer/sim/path_pieces.hpp"
#include "placer/sim/what_if.hpp"

namespace placer {

/// The score of the same placement on another machine.
struct WhatIf {
  std::string name;  // "every link twice as fast"
  Score score;
};

/// What a short search finds on another machine, from the same placement on.
struct SearchedWhatIf {
  std::string name;
  std::optional<Score> score;  // empty: the graph cannot run there
};

/// What the memory of a device does to the placement.
struct MemoryLimit {
  HeldAtPeak peak;
  std::optional<BarredMove> barred;
  std::int64_t missing_bytes = 0;  // of what is placed, or else of the barred move
  bool binds() const { return missing_bytes > 0; }
  bool unbound_by(std::int64_t bytes) const { return binds() && missing_bytes <= bytes; }
};

/// Why a placement takes as long as it does. All but the scores is about the simulated step,
/// whatever the objective is.
struct Explanation {
  const LoadedProblem* loaded = nullptr;
  Order order = Order::kFifo;
  Schedule schedule;
  Picoseconds end_ps = 0;  // of the last op
  ModelUnits units;
  CriticalPath path;
  std::vector<PathPiece> pieces;
  std::vector<DeviceTime> times;     // by device
  std::vector<std::size_t> dearest;  // the longest transfers' positions, longest first
  std::vector<MemoryLimit> limits;   // by device
  std::vector<WhatIf> what_ifs;
  std::vector<SearchedWhatIf> searched;  // the first on the machine as it is; empty: not asked
  bool is_interrupted = false;           // or out of time, before all that is tried was

  const std::string& device_name(DeviceId device) const {
    return loaded->problem.topology().device(device).name;
  }
};

inline constexpr std::int64_t kMoreBytes = std::int64_t{1} << 30;  // of memory, in what-ifs

/// Simulates the placement, and again for each what-if and for moves that memory may bar; these
/// end at the deadline. Throws Error for sequences that deadlock.
Explanation explain(const LoadedProblem& loaded, const Placement& placement, Order order,
                    const OpOrder& sequence, const Deadline& deadline);

/// In plain sentences: what the critical path consists of, what would help most, and what memory
/// does.
std::vector<std::string> conclusions(const Explanation& explanation);

/// What a tensor is called: by its name, else by its producer's.
std::string tensor_title(const Graph& graph, TensorId tensor);

std::string explanation_json(const Explanation& explanation);
std::string explanation_text(const Explanation& explanation, const Look& look);
std::string explanation_markdown(const Explanation& explanation);

}  // namespace placer
