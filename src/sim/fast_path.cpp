#include "sim/fast_path.hpp"

#include "sim/fifo.hpp"
#include "sim/priority.hpp"
#include "sim/strict.hpp"

namespace placer {

std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order) {
  if (!layout.sole_senders()) return nullptr;
  switch (order) {
    case Order::kFifo:
      if (!layout.transfers_take_time()) return nullptr;
      return std::make_unique<FifoPath>(layout);
    case Order::kPriority:
      if (!layout.transfers_take_time()) return nullptr;
      return std::make_unique<PriorityPath>(layout);
    case Order::kProgram:
      return std::make_unique<ProgramPath>(layout);
    case Order::kGiven:
      return std::make_unique<GivenPath>(layout);
  }
  return nullptr;
}

}  // namespace placer
