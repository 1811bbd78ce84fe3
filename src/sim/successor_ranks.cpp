#include "sim/successor_ranks.hpp"

namespace placer {
namespace {

// Mayer, Mayer, Laich 2017, as their published simulator has them.
constexpr std::int64_t kAny = 1, kElsewhere = 1, kBecomesReady = 1, kFeedsIdle = 5;

}  // namespace

SuccessorRanks::SuccessorRanks(const CompactLayout& layout) {
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> at(layout.op_count(), kNone);  // in successors_, of this op's
  std::uint32_t edge = 0;
  for (std::uint32_t op = 0; op < layout.op_count(); ++op) {
    const std::size_t first = successors_.size();
    offsets_.push_back(static_cast<std::uint32_t>(first));
    for (std::uint32_t t = layout.first_tensor[op]; t < layout.first_tensor[op + 1]; ++t) {
      for (; edge < layout.tensors[t].end_edge; ++edge) {
        const std::uint32_t consumer = layout.edge_consumers[edge];
        if (at[consumer] == kNone) {
          at[consumer] = static_cast<std::uint32_t>(successors_.size());
          successors_.push_back({consumer, 0});
        }
        ++successors_[at[consumer]].inputs;
      }
    }
    for (std::size_t i = first; i < successors_.size(); ++i) at[successors_[i].op] = kNone;
  }
  offsets_.push_back(static_cast<std::uint32_t>(successors_.size()));
}

std::int64_t SuccessorRanks::rank(std::uint32_t op, const State& state) const {
  std::int64_t rank = 0;
  for (std::uint32_t i = offsets_[op]; i < offsets_[op + 1]; ++i) {
    const Successor& successor = successors_[i];
    const std::uint32_t device = state.device_of[successor.op];
    rank += kAny;
    if (device == state.device_of[op]) continue;
    rank += kElsewhere;
    if (state.missing[successor.op] > successor.inputs) continue;
    rank += kBecomesReady + (state.idle[device] ? kFeedsIdle : 0);
  }
  return rank;
}

}  // namespace placer
