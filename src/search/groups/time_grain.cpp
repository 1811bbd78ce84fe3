#include "search/groups/time_grain.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace placer {
namespace {

/// The first two devices of each kind or link end, as `number` tells them.
template <class Number>
std::vector<DeviceId> two_of_each(std::span<const DeviceId> devices, Number number) {
  std::map<std::size_t, int> met;
  std::vector<DeviceId> two;
  for (const DeviceId device : devices) {
    if (++met[number(device)] <= 2) two.push_back(device);
  }
  return two;
}

/// Of the links from devices of one allowed set to those of another.
std::set<std::size_t> speeds_between(const Topology& topology, std::span<const DeviceId> senders,
                                     std::span<const DeviceId> receivers) {
  const auto end = [&](DeviceId device) { return topology.link_table().end_of[device.index()]; };
  const std::vector<DeviceId> all_to = two_of_each(receivers, end);
  std::set<std::size_t> speeds;
  for (const DeviceId from : two_of_each(senders, end)) {
    for (const DeviceId to : all_to) {
      if (topology.joins(from, to)) speeds.insert(topology.speed_class(from, to));
    }
  }
  return speeds;
}

}  // namespace

Picoseconds time_grain(const Problem& problem) {
  const Groups& groups = problem.groups();
  std::vector<std::vector<DeviceId>> enough;  // by allowed set
  for (const std::vector<DeviceId>& set : groups.allowed_sets()) {
    enough.push_back(
        two_of_each(std::span(set), [&](DeviceId id) { return problem.costs().kind(id); }));
  }
  Picoseconds divisor_ps = 0;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    for (const DeviceId device : enough[groups.allowed_set(groups.of(op))]) {
      divisor_ps = std::gcd(divisor_ps, problem.costs().op_ps(op, device));
    }
  }
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> speeds;  // by allowed sets
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    if (divisor_ps == 1) break;
    const GroupId producer = groups.of(problem.graph().tensor(id).producer);
    for (const OpId op : problem.graph().tensor(id).consumers) {
      const GroupId consumer = groups.of(op);
      if (consumer == producer) continue;
      const auto [known, is_new] =
          speeds.try_emplace({groups.allowed_set(producer), groups.allowed_set(consumer)});
      if (is_new) {
        known->second =
            speeds_between(problem.topology(), groups.allowed(producer), groups.allowed(consumer));
      }
      for (const std::size_t speed : known->second) {
        divisor_ps = std::gcd(divisor_ps, problem.costs().transfer_ps(id, speed));
      }
    }
  }
  return std::max<Picoseconds>(divisor_ps, 1);
}

Picoseconds load_grain(const Problem& problem) {
  const bool have_slots = std::ranges::any_of(
      problem.topology().devices(), [](const Device& device) { return device.slots > 1; });
  return have_slots ? 1 : time_grain(problem);
}

}  // namespace placer
