#include "sim/fast_path.hpp"

#include "sim/fifo.hpp"
#include "sim/moments_path.hpp"
#include "sim/strict.hpp"
#include "sim/timed_sequences.hpp"

namespace placer {
namespace {

template <Order kOrder>
std::unique_ptr<FastPath> by_moments(const CompactLayout& layout) {
  if (layout.all_takes_time()) {
    if constexpr (kOrder == Order::kFifo) {
      return std::make_unique<FifoPath<Channels::kSole>>(layout);
    }
    if constexpr (kOrder != Order::kFifo) {
      return std::make_unique<MomentsPath<kOrder, Rounds::kIgnored>>(layout);
    }
  }
  if (layout.horizon_ps() > Moments<Rounds::kTold>::kLongestStep) return nullptr;
  return std::make_unique<MomentsPath<kOrder, Rounds::kTold>>(layout);
}

std::unique_ptr<FastPath> over_shared_channels(const CompactLayout& layout, Order order) {
  if (!layout.all_takes_time()) return nullptr;
  switch (order) {
    case Order::kFifo:
      return std::make_unique<FifoPath<Channels::kShared>>(layout);
    case Order::kPriority:
      return std::make_unique<MomentsPath<Order::kPriority, Rounds::kIgnored, Channels::kShared>>(
          layout);
    case Order::kPct:
      return std::make_unique<MomentsPath<Order::kPct, Rounds::kIgnored, Channels::kShared>>(
          layout);
    case Order::kProgram:
    case Order::kGiven:
      return std::make_unique<TimedSequencesPath>(layout, order);
    case Order::kMsr:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order) {
  if (!layout.one_slot_each()) return nullptr;
  if (!layout.sole_senders()) return over_shared_channels(layout, order);
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
