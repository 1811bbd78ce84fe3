#include "sim/fast_path.hpp"

#include "sim/fifo.hpp"
#include "sim/priority.hpp"
#include "sim/strict.hpp"

namespace placer {

std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order) {
  if (!layout.sole_senders()) return nullptr;
  const bool transfers_take_time = layout.transfers_take_time();
  switch (order) {
    case Order::kFifo:
      if (transfers_take_time) return std::make_unique<FifoPath>(layout);
      return nullptr;
    case Order::kPriority:
      if (transfers_take_time) return std::make_unique<PriorityPath<RankTies::kById>>(layout);
      return nullptr;
    case Order::kPct:
      if (transfers_take_time) {
        return std::make_unique<PriorityPath<RankTies::kByReadyTime>>(layout);
      }
      return nullptr;
    case Order::kMsr:
      return nullptr;
    case Order::kProgram:
      return std::make_unique<ProgramPath>(layout);
    case Order::kGiven:
      return std::make_unique<GivenPath>(layout);
  }
  return nullptr;
}

}  // namespace placer
