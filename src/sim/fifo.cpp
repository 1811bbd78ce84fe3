// Under fifo a device takes ready ops by (ready time, id). This path pops ops of all devices in
// that order and commits each at once: one queue entry for an op, no events.
//
// Why that is exact where ops and transfers that move bytes take time (commits.hpp):
// * Nothing ends in the instant in which it begins, so an instant has one round in which ops become
//   ready: all that are ready at t are known before a device takes one of them at t or later. So
//   each device takes its ops in the order of (ready time, id).
// * An op's consumers become ready when it has ended at the earliest, hence later than it became
//   ready itself. So keys pop in ascending order, and all of a smaller key have been committed: the
//   commits of each device are in the order in which it takes its ops.
// * Requests for shared channels are served up to the time at which the first op became ready: what
//   is committed from then on ends later, and what they bring arrives later than they were made.
// * A key is the ready time above the id in 64 bits. A ready time that does not fit makes the step,
//   which is no shorter, too long as well: seen at the end, and then the result is not used.
// Where something takes no time, rounds matter: MomentsPath.
#include "sim/fifo.hpp"

#include <bit>

#include "sim/radix.hpp"

namespace placer {

template <Channels kChannels>
FifoPath<kChannels>::FifoPath(const CompactLayout& layout)
    : layout_(layout),
      id_bits_(static_cast<int>(std::bit_width(layout.op_count() - 1))),
      commits_(layout),
      keys_(layout.op_count()) {
  for (const std::uint32_t op : layout.sources) sources_.push_back(layout.id_of[op]);
}

template <Channels kChannels>
std::optional<Score> FifoPath<kChannels>::evaluate(const Placement& placement, const Sequences*,
                                                   Picoseconds most_ps) {
  commits_.reset(placement);
  const bool may_be_too_long = !fits_above(id_bits_, layout_.horizon_ps());
  if (may_be_too_long && !fits_above(id_bits_, commits_.longest_load_ps())) return std::nullopt;
  queue_ = ReadyQueue<std::uint64_t>(keys_, sources_);
  const std::uint64_t id_mask = (std::uint64_t{1} << id_bits_) - 1;
  const auto enqueue = [&](std::uint32_t op, Picoseconds ready_ps) {
    queue_.push(static_cast<std::uint64_t>(ready_ps) << id_bits_ | layout_.id_of[op]);
  };
  const auto first_ready_ps = [&] {
    return queue_.empty() ? kAnyTime : static_cast<Picoseconds>(queue_.front() >> id_bits_);
  };
  while (!queue_.empty()) {
    commits_.commit(layout_.op_of[queue_.pop() & id_mask], enqueue);
    if constexpr (kChannels == Channels::kShared) commits_.serve(first_ready_ps, enqueue);
  }
  if (!fits_above(id_bits_, commits_.step_ps()) || commits_.too_long()) return std::nullopt;
  return commits_.score(most_ps);
}

template class FifoPath<Channels::kSole>;
template class FifoPath<Channels::kShared>;

}  // namespace placer
