#include "sim/objectives/contiguity.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr std::size_t kBits = 64;
constexpr std::size_t kUnused = static_cast<std::size_t>(-1);

bool holds(const std::uint64_t* set, DeviceId device) {
  return (set[device.index() / kBits] >> (device.index() % kBits) & 1) != 0;
}
void add(std::uint64_t* set, DeviceId device) {
  set[device.index() / kBits] |= std::uint64_t{1} << (device.index() % kBits);
}

}  // namespace

ContiguityCheck::ContiguityCheck(const Problem& problem)
    : problem_(problem), words_((problem.device_count() + kBits - 1) / kBits) {
  for (const OpId op : problem.graph().program_order()) {
    if (!problem.graph().op(op).backward) forward_.push_back(op);
  }
  const std::vector<DeviceId>& stages = problem.goal().stages;
  place_.resize(stages.size());
  for (std::size_t place = 0; place < stages.size(); ++place) place_[stages[place].index()] = place;
}

std::int64_t ContiguityCheck::astray_ops(const Placement& placement) {
  switch (problem_.goal().contiguity) {
    case Contiguity::kNone:
      return 0;
    case Contiguity::kContiguous:
      return returns(placement);
    case Contiguity::kStages:
      return place_.empty() ? reads_in_circles(placement) : backward_reads(placement);
  }
  return 0;
}

std::int64_t ContiguityCheck::returns(const Placement& placement) {
  number_.assign(problem_.device_count(), kUnused);
  std::size_t used = 0;
  for (const DeviceId device : placement.devices) {
    std::size_t& number = number_[device.index()];
    if (number == kUnused) number = used++;
  }
  if (used < 2) return 0;
  const auto number_of = [&](OpId op) {
    return DeviceId(number_[placement[problem_.groups().of(op)].index()]);
  };
  const std::size_t words = (used + kBits - 1) / kBits;
  left_.assign(problem_.op_count() * words, 0);
  std::int64_t astray = 0;
  for (const OpId op : forward_) {
    std::uint64_t* left = left_.data() + op.index() * words;
    const DeviceId device = number_of(op);
    for (const TensorId input : problem_.graph().inputs(op)) {
      const OpId producer = problem_.graph().tensor(input).producer;
      if (problem_.graph().op(producer).backward) continue;
      for (std::size_t word = 0; word < words; ++word) {
        left[word] |= left_[producer.index() * words + word];
      }
      const DeviceId from = number_of(producer);
      if (from != device) add(left, from);
    }
    if (holds(left, device)) ++astray;
  }
  return astray;
}

/// Calls visit(op, device, from) for each forward op's input from a forward op elsewhere.
template <class Visit>
void ContiguityCheck::for_each_read(const Placement& placement, Visit visit) const {
  for (const OpId op : forward_) {
    const DeviceId device = placement[problem_.groups().of(op)];
    for (const TensorId input : problem_.graph().inputs(op)) {
      const OpId producer = problem_.graph().tensor(input).producer;
      const DeviceId from = placement[problem_.groups().of(producer)];
      if (from != device && !problem_.graph().op(producer).backward) visit(op, device, from);
    }
  }
}

std::int64_t ContiguityCheck::backward_reads(const Placement& placement) const {
  std::int64_t astray = 0;
  std::optional<OpId> last;
  for_each_read(placement, [&](OpId op, DeviceId device, DeviceId from) {
    if (place_[from.index()] < place_[device.index()] || last == op) return;
    last = op;
    ++astray;
  });
  return astray;
}

std::int64_t ContiguityCheck::reads_in_circles(const Placement& placement) {
  leads_.assign(problem_.device_count() * words_, 0);
  for_each_read(placement, [&](OpId, DeviceId device, DeviceId from) {
    add(leads_.data() + from.index() * words_, device);
  });
  reach();
  std::int64_t astray = 0;
  std::optional<OpId> last;
  for_each_read(placement, [&](OpId op, DeviceId device, DeviceId from) {
    if (last == op || !holds(leads_.data() + device.index() * words_, from)) return;
    last = op;
    ++astray;
  });
  return astray;
}

/// Closes `leads_` over paths (Warshall 1962).
void ContiguityCheck::reach() {
  for (const DeviceId middle : IdRange<DeviceId>(problem_.device_count())) {
    for (const DeviceId from : IdRange<DeviceId>(problem_.device_count())) {
      std::uint64_t* row = leads_.data() + from.index() * words_;
      if (!holds(row, middle)) continue;
      for (std::size_t word = 0; word < words_; ++word) {
        row[word] |= leads_[middle.index() * words_ + word];
      }
    }
  }
}

}  // namespace placer
