#include "sim/successor_ranks.hpp"

namespace placer {
namespace {

// Mayer, Mayer, Laich 2017, as their published simulator has them.
constexpr std::int64_t kAny = 1, kElsewhere = 1, kBecomesReady = 1, kFeedsIdle = 5;

}  // namespace

SuccessorRanks::SuccessorRanks(const Graph& graph) {
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> at(graph.ops().size(), kNone);  // in successors_, of this op's
  for (const OpId op : IdRange<OpId>(graph.ops().size())) {
    const std::size_t first = successors_.size();
    offsets_.push_back(static_cast<std::uint32_t>(first));
    for (const TensorId output : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(output).consumers) {
        std::uint32_t& position = at[consumer.index()];
        if (position == kNone) {
          position = static_cast<std::uint32_t>(successors_.size());
          successors_.push_back({static_cast<std::uint32_t>(consumer.index()), 0});
        }
        ++successors_[position].inputs;
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
