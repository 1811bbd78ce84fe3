#pragma once

#include <cstddef>
#include <vector>

#include "placer/base/names.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// What an op or a transfer of the path waited for before it began: nothing, at time 0; an input,
/// or of a transfer the end of its producer; its device, which was busy with the op before it on
/// the path; its turn, as its device was kept for an op before it in a sequence; a channel of its
/// link, which was busy with the transfer before it.
enum class Wait { kNothing, kData, kDevice, kTurn, kChannel };
constexpr Names<5> names_of(Wait) { return {"nothing", "data", "device", "turn", "channel"}; }

/// A link of the chain.
struct CriticalStep {
  bool is_transfer = false;
  std::size_t at = 0;  // the op's id, or the position in the schedule's transfers
  Wait wait = Wait::kNothing;
  friend bool operator==(const CriticalStep&, const CriticalStep&) = default;
};

/// What the step waited for, without a gap from time 0 to the end of the step: each op of the path
/// began when the op or transfer before it ended, and so did each transfer.
struct CriticalPath {
  std::vector<OpId> ops;               // by time
  std::vector<std::size_t> transfers;  // positions in the schedule's transfers, by time
  std::vector<CriticalStep> steps;     // both, by time
};

/// Walks back from the op that ends last, of several the one with the lowest id. An op waited for
/// the input that came last or, where all had come before, for its device to be free; a transfer
/// waited for its producer or for an earlier transfer on one of its channels.
CriticalPath critical_path(const Problem& problem, const Schedule& schedule);

}  // namespace placer
