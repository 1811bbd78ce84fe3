#include "search/joins/joint_start.hpp"

#include <algorithm>

#include "search/joins/heads_and_tails.hpp"

namespace placer {

/// The join's device stands for itself alone.
void JointStart::begin(const JoinBasis& basis) {
  turns_.resize(problem_.device_count());
  kinds_.assign(problem_.device_count(), 0);
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    for (std::size_t k = 1; k < basis.places.size() && device != basis.places.front(); ++k) {
      const bool alike =
          problem_.first_identical(basis.places[k]) == problem_.first_identical(device);
      if (alike) kinds_[device.index()] = k;
    }
  }
}

Picoseconds JointStart::least_ps(const JoinBasis& basis, const JointPlacement& placement) {
  crossings_.clear();
  ends_ps_.assign(members_.all().size(), 0);
  for (auto& turns : turns_) turns.clear();
  const std::size_t join = members_.all().size() - 1;
  Picoseconds least_ps = basis.least_ps;
  for (std::size_t m = 0; m < join; ++m) {
    if (!is_placed(placement, m)) continue;
    const OpId op = members_.all()[m].op;
    const DeviceId here = device(placement, m);
    const Picoseconds start_ps = std::max(basis.head_ps(op, here), arrival_ps(placement, m));
    const Picoseconds work_ps = problem_.costs().op_ps(op, here);
    const Picoseconds path_ps = members_.path_ps(m, kinds_[here.index()]);
    ends_ps_[m] = start_ps + work_ps;
    least_ps = std::max(least_ps, ends_ps_[m] + path_ps);
    turns_[here.index()].push_back({start_ps, work_ps, path_ps, kNeverPs});
    send(placement, m);
  }
  return std::max({least_ps, arrival_ps(placement, join), take_turns()});
}

/// The arrival of the inputs from those members that have a device.
Picoseconds JointStart::arrival_ps(const JointPlacement& placement, std::size_t m) const {
  Picoseconds latest_ps = 0;
  for_each_bit(members_.all()[m].inputs, [&](std::size_t f) {
    const std::size_t producer = members_.flows()[f].producer;
    if (!is_placed(placement, producer)) return;
    const auto crossing = std::ranges::find_if(crossings_, [&](const Crossing& one) {
      return one.flow == f && one.to == device(placement, m);
    });
    latest_ps =
        std::max(latest_ps, crossing == crossings_.end() ? ends_ps_[producer] : crossing->end_ps);
  });
  return latest_ps;
}

void JointStart::send(const JointPlacement& placement, std::size_t m) {
  const DeviceId from = device(placement, m);
  const JoinMembers::Member& member = members_.all()[m];
  for (std::size_t f = member.first_output; f < member.end_output; ++f) {
    receivers_.clear();
    for_each_bit(members_.flows()[f].consumers, [&](std::size_t consumer) {
      if (!is_placed(placement, consumer) || device(placement, consumer) == from) return;
      add_receiver(receivers_, device(placement, consumer));
    });
    for (const DeviceId to : receivers_) cross(f, from, to);
  }
}

/// Channels are taken in the order of requests: where the producer of another tensor has run
/// before, or it is the same one, and it comes first.
void JointStart::cross(std::size_t flow, DeviceId from, DeviceId to) {
  const JoinMembers::Flow& sent = members_.flows()[flow];
  const auto channels = channels_of(problem_, sent.tensor, from, to);
  const std::uint64_t before = members_.all()[sent.producer].ancestors;
  Picoseconds begin_ps = ends_ps_[sent.producer];
  for (const Crossing& other : crossings_) {
    const std::size_t producer = members_.flows()[other.flow].producer;
    const bool is_first =
        producer == sent.producer ? other.flow != flow : (before >> producer & 1) != 0;
    if (!is_first || !share_channels(other.channels, channels)) continue;
    begin_ps = std::max(begin_ps, other.end_ps);
  }
  const Picoseconds time_ps = problem_.costs().transfer_ps(sent.tensor, from, to);
  crossings_.push_back({flow, to, begin_ps + time_ps, channels});
}

Picoseconds JointStart::take_turns() {
  Picoseconds least_ps = 0;
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    std::vector<JoinedOp>& turns = turns_[device.index()];
    if (turns.size() < 2) continue;
    const std::int64_t slots = problem_.topology().device(device).slots;
    least_ps = std::max(least_ps, join_time_.earliest_ps(turns, slots));
  }
  return least_ps;
}

}  // namespace placer
