#include "sim/fast_path.hpp"

#include "sim/fifo.hpp"
#include "sim/moments_path.hpp"
#include "sim/strict.hpp"

namespace placer {
namespace {

template <Order kOrder>
std::unique_ptr<FastPath> by_moments(const CompactLayout& layout) {
  if (layout.all_takes_time()) {
    if constexpr (kOrder == Order::kFifo) return std::make_unique<FifoPath>(layout);
    if constexpr (kOrder != Order::kFifo) {
      return std::make_unique<MomentsPath<kOrder, Rounds::kIgnored>>(layout);
    }
  }
  if (layout.horizon_ps() > Moments<Rounds::kTold>::kLongestStep) return nullptr;
  return std::make_unique<MomentsPath<kOrder, Rounds::kTold>>(layout);
}

}  // namespace

std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order) {
  if (!layout.sole_senders()) return nullptr;
  switch (order) {
    case Order::kFifo:
      return by_moments<Order::kFifo>(layout);
    case Order::kPriority:
      return by_moments<Order::kPriority>(layout);
    case Order::kPct:
      return by_moments<Order::kPct>(layout);
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
