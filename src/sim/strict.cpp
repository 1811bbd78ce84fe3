// Under program and given, each device takes its ops in a sequence that is known beforehand, so any
// order of commits that keeps to the sequences and to the graph is exact where senders are alone
// (commits.hpp), ops and transfers that take no time included: rounds only matter for what is taken
// first, and that is settled.
//
// * program: the numbers of the layout are the program order, a topological order of the graph that
//   each device's sequence is a part of.
// * given as one list: that is a topological order, too.
// * given without sequences: all ops by larger rank, then program order. An op's rank is no smaller
//   than its consumers', so that is one, too.
// * given: each device commits the next op of its sequence while its inputs are known, and is woken
//   by the op that makes the last of them. If in the end some op is not committed, every device
//   with ops left waits for one that never comes: a deadlock.
#include "sim/strict.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace placer {
namespace {

constexpr auto kIgnore = [](std::uint32_t, Picoseconds) {};

}  // namespace

std::optional<Score> ProgramPath::evaluate(const Placement& placement, const Sequences*,
                                           Picoseconds most_ps) {
  commits_.reset(placement);
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) commits_.commit(op, kIgnore);
  return commits_.score(most_ps);
}

GivenPath::GivenPath(const CompactLayout& layout)
    : layout_(layout), commits_(layout), by_rank_(layout), committed_(layout.devices) {}

std::optional<Score> GivenPath::evaluate(const Placement& placement, const Sequences* sequences,
                                         Picoseconds most_ps) {
  commits_.reset(placement);
  if (sequences == nullptr) {
    const auto commit = [this](std::uint32_t op) { commits_.commit(op, kIgnore); };
    if (!by_rank_.visit(commits_, commit)) return std::nullopt;
  } else {
    if (!commit_sequences(*sequences)) return Score::deadlock();
  }
  return commits_.score(most_ps);
}

std::optional<Score> GivenPath::evaluate(const Placement& placement, const OpOrder& order,
                                         Picoseconds most_ps) {
  commits_.reset(placement);
  for (const OpId id : order) {
    const std::uint32_t op = layout_.op_of[id.index()];
    assert(commits_.op(op).missing == 0);
    commits_.commit(op, kIgnore);
  }
  return commits_.score(most_ps);
}

bool GivenPath::commit_sequences(const Sequences& sequences) {
  std::ranges::fill(committed_, 0);
  std::size_t left = layout_.op_count();
  std::uint64_t awake = ~std::uint64_t{0} >> (CompactLayout::kMostDevices - layout_.devices);
  const auto wake = [&](std::uint32_t op, Picoseconds) {
    awake |= std::uint64_t{1} << commits_.op(op).device;
  };
  while (awake != 0) {
    const auto device = static_cast<std::size_t>(std::countr_zero(awake));
    awake &= awake - 1;
    const std::vector<OpId>& sequence = sequences[device];
    std::size_t& at = committed_[device];
    for (; at < sequence.size(); ++at, --left) {
      const std::uint32_t op = layout_.op_of[sequence[at].index()];
      if (commits_.op(op).missing != 0) break;
      commits_.commit(op, wake);
    }
  }
  return left == 0;
}

}  // namespace placer
