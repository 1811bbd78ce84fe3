#include "search/bounds/memory_cut.hpp"

#include <algorithm>
#include <numeric>

namespace placer {
namespace {

/// The least group of each group's connected part.
std::vector<std::size_t> connected_parts(const Problem& problem) {
  std::vector<std::size_t> part(problem.groups().size());
  std::iota(part.begin(), part.end(), 0);
  const auto find = [&](std::size_t group) {
    while (part[group] != group) group = part[group] = part[part[group]];
    return group;
  };
  for (const Tensor& tensor : problem.graph().tensors()) {
    for (const OpId consumer : tensor.consumers) {
      const std::size_t a = find(problem.groups().of(tensor.producer).index());
      const std::size_t b = find(problem.groups().of(consumer).index());
      part[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::size_t group = 0; group < part.size(); ++group) part[group] = find(group);
  return part;
}

/// By part: no device has room for what all of its groups hold throughout.
std::vector<char> divided_parts(const Problem& problem, const MemoryFit& fit,
                                const std::vector<std::size_t>& part) {
  std::vector<char> divided(part.size(), 1);
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.first_identical(device) != device) continue;
    std::vector<std::int64_t> kept_bytes(part.size(), 0);
    std::vector<char> barred(part.size(), 0);
    for (const GroupId group : IdRange<GroupId>(part.size())) {
      if (fit.may_go(group, device)) {
        kept_bytes[part[group.index()]] += fit.memory(group, device).kept_bytes;
      } else {
        barred[part[group.index()]] = 1;
      }
    }
    for (std::size_t p = 0; p < part.size(); ++p) {
      if (barred[p] == 0 && kept_bytes[p] <= problem.topology().device(device).memory_bytes) {
        divided[p] = 0;
      }
    }
  }
  return divided;
}

/// The least step time in which `tensor` crosses to `consumer`.
Picoseconds crossing_ps(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
                        const DeviceKinds& kinds, TensorId tensor, OpId consumer) {
  const OpId producer = problem.graph().tensor(tensor).producer;
  Picoseconds least_ps = kNeverPs;
  for (const DeviceId from : kinds.firsts()) {
    if (!fit.may_go(problem.groups().of(producer), from)) continue;
    for (const DeviceId to : kinds.places(from)) {
      if (from == to || !fit.may_go(problem.groups().of(consumer), to)) continue;
      least_ps =
          std::min(least_ps, times.head_ps(producer, from) + problem.costs().op_ps(producer, from) +
                                 problem.costs().transfer_ps(tensor, from, to) +
                                 problem.costs().op_ps(consumer, to) + times.tail_ps(consumer, to));
    }
  }
  return least_ps;
}

}  // namespace

Picoseconds memory_cut_bound(const Problem& problem, const MemoryFit& fit,
                             const HeadsAndTails& times) {
  const std::vector<std::size_t> part = connected_parts(problem);
  const std::vector<char> divided = divided_parts(problem, fit, part);
  if (std::ranges::count(divided, 1) == 0) return 0;
  const DeviceKinds kinds(problem, DeviceKinds::Merge::kIdentical);
  if (kinds.are_too_many(problem.graph().edge_count())) return 0;
  std::vector<Picoseconds> least_ps(part.size(), kNeverPs);
  Watch watch(problem.deadline());
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    const GroupId producer = problem.groups().of(tensor.producer);
    Picoseconds& least = least_ps[part[producer.index()]];
    if (divided[part[producer.index()]] == 0) continue;
    for (const OpId consumer : tensor.consumers) {
      watch.check();
      if (problem.groups().of(consumer) == producer) continue;
      least = std::min(least, crossing_ps(problem, fit, times, kinds, id, consumer));
    }
  }
  Picoseconds bound_ps = 0;
  for (const Picoseconds least : least_ps) {
    if (least != kNeverPs) bound_ps = std::max(bound_ps, least);
  }
  return bound_ps;
}

}  // namespace placer
