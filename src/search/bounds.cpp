#include "placer/search/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr Picoseconds kUnreached = std::numeric_limits<Picoseconds>::max();

Picoseconds path_bound(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<Picoseconds> tail_ps(problem.op_count(), 0);  // from the op's start to the end
  for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
    Picoseconds rest_ps = 0;
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        rest_ps = std::max(rest_ps, tail_ps[consumer.index()]);
      }
    }
    tail_ps[op->index()] = problem.fastest_ps(*op) + rest_ps;
  }
  return *std::ranges::max_element(tail_ps);
}

/// Longest tails that pay for each change of device: L(i, d) is a bound on the time from i's start
/// to the end of the step when i is on d.
class DevicePath {
 public:
  explicit DevicePath(const Problem& problem)
      : problem_(problem), tails_ps_(problem.op_count() * problem.device_count(), 0) {}

  Picoseconds bound() {
    const std::vector<OpId>& order = problem_.graph().program_order();
    Picoseconds longest_ps = 0;
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      Picoseconds least_ps = kUnreached;
      for (const DeviceId device : allowed(*op)) {
        Picoseconds& tail = tail_ps(*op, device);
        tail = problem_.costs().op_ps(*op, device) + rest_ps(*op, device);
        least_ps = std::min(least_ps, tail);
      }
      longest_ps = std::max(longest_ps, least_ps);
    }
    return longest_ps;
  }

 private:
  std::span<const DeviceId> allowed(OpId op) const {
    return problem_.groups().allowed(problem_.groups().of(op));
  }
  Picoseconds& tail_ps(OpId op, DeviceId device) {
    return tails_ps_[op.index() * problem_.device_count() + device.index()];
  }

  Picoseconds rest_ps(OpId op, DeviceId device) {
    Picoseconds longest_ps = 0;
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
        const bool together = problem_.groups().of(consumer) == problem_.groups().of(op);
        longest_ps = std::max(longest_ps, together ? tail_ps(consumer, device)
                                                   : cheapest_ps(tensor, device, consumer));
      }
    }
    return longest_ps;
  }

  Picoseconds cheapest_ps(TensorId tensor, DeviceId from, OpId consumer) {
    Picoseconds least_ps = kUnreached;
    for (const DeviceId to : allowed(consumer)) {
      least_ps = std::min(least_ps,
                          problem_.costs().transfer_ps(tensor, from, to) + tail_ps(consumer, to));
    }
    return least_ps;
  }

  const Problem& problem_;
  std::vector<Picoseconds> tails_ps_;  // op * devices + device
};

/// For any weights k_d >= 0 of the devices, k_d load_d <= k_d slots_d T; summed over devices,
///   T >= sum over groups of min_d k_d W_gd / sum_d k_d slots_d.
/// Multiplicative weights look for good ones in floating point; the bound is worked out in
/// integers.
class LoadBound {
 public:
  explicit LoadBound(const Problem& problem);
  Picoseconds bound();

 private:
  struct Choice {
    std::size_t device;
    Picoseconds work_ps;
    double load;  // work per slot
  };

  void start_weights();
  double assign();
  void reweigh(double rate);
  Picoseconds exact_bound() const;
  Picoseconds largest_group_ps() const;

  std::vector<std::int64_t> slots_;
  std::vector<Choice> choices_;       // group after group
  std::vector<std::size_t> offsets_;  // of the groups in choices_
  std::vector<double> weights_;       // k_d slots_d; sum to 1
  std::vector<double> best_weights_;
  std::vector<double> loads_;  // where each group goes to its cheapest device
};

LoadBound::LoadBound(const Problem& problem) : offsets_{0}, loads_(problem.device_count(), 0) {
  for (const Device& device : problem.topology().devices()) slots_.push_back(device.slots);
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    for (const DeviceId device : problem.groups().allowed(group)) {
      const Picoseconds work_ps = problem.group_ps(group, device);
      const double load =
          static_cast<double>(work_ps) / static_cast<double>(slots_[device.index()]);
      choices_.push_back({device.index(), work_ps, load});
    }
    offsets_.push_back(choices_.size());
  }
  start_weights();
}

void LoadBound::start_weights() {
  std::vector<double> totals(slots_.size(), 0);
  for (const Choice& choice : choices_) totals[choice.device] += choice.load;
  double sum = 0;
  for (const double total : totals) {
    weights_.push_back(total > 0 ? 1 / total : 0);
    sum += weights_.back();
  }
  for (double& weight : weights_) weight = sum > 0 ? weight / sum : 0;
  best_weights_ = weights_;
}

/// Sends each group where it costs least; the sum of the costs is a bound.
double LoadBound::assign() {
  std::ranges::fill(loads_, 0);
  double sum = 0;
  for (std::size_t group = 0; group + 1 < offsets_.size(); ++group) {
    const Choice* cheapest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = offsets_[group]; c < offsets_[group + 1]; ++c) {
      const double cost = weights_[choices_[c].device] * choices_[c].load;
      if (cost >= least) continue;
      least = cost;
      cheapest = &choices_[c];
    }
    sum += least;
    loads_[cheapest->device] += cheapest->load;
  }
  return sum;
}

/// Makes loaded devices dearer.
void LoadBound::reweigh(double rate) {
  const double most = *std::ranges::max_element(loads_);
  double sum = 0;
  for (std::size_t d = 0; d < weights_.size(); ++d) {
    weights_[d] *= portable_exp(rate * loads_[d] / most);
    sum += weights_[d];
  }
  for (double& weight : weights_) weight /= sum;
}

Picoseconds LoadBound::bound() {
  constexpr int kSteps = 300;
  constexpr double kDecay =
      0.97;  // of the rate; the worst gap to the linear program seen is 0.005 %
  double best = 0;
  double rate = 1;
  for (int step = 0; step < kSteps; ++step, rate *= kDecay) {
    const double found = assign();
    if (found > best) {
      best = found;
      best_weights_ = weights_;
    }
    if (*std::ranges::max_element(loads_) == 0) break;
    reweigh(rate);
  }
  return std::max(exact_bound(), largest_group_ps());
}

Picoseconds LoadBound::exact_bound() const {
  constexpr double kScale = 0x1p40;
  std::vector<double> prices;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    prices.push_back(best_weights_[d] / static_cast<double>(slots_[d]));
  }
  const double dearest = *std::ranges::max_element(prices);
  if (dearest == 0) return 0;
  std::vector<std::int64_t> weights;
  __int128 slots = 0;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    weights.push_back(std::llround(prices[d] / dearest * kScale));
    slots += static_cast<__int128>(weights[d]) * slots_[d];
  }
  const auto cost = [&](const Choice& choice) {
    return static_cast<__int128>(weights[choice.device]) * choice.work_ps;
  };
  __int128 sum = 0;
  for (std::size_t group = 0; group + 1 < offsets_.size(); ++group) {
    __int128 least = cost(choices_[offsets_[group]]);
    for (std::size_t c = offsets_[group]; c < offsets_[group + 1]; ++c) {
      least = std::min(least, cost(choices_[c]));
    }
    sum += least;
  }
  return static_cast<Picoseconds>((sum + slots - 1) / slots);
}

/// Each group is somewhere.
Picoseconds LoadBound::largest_group_ps() const {
  Picoseconds largest_ps = 0;
  for (std::size_t group = 0; group + 1 < offsets_.size(); ++group) {
    Picoseconds least_ps = kUnreached;
    for (std::size_t c = offsets_[group]; c < offsets_[group + 1]; ++c) {
      const std::int64_t slots = slots_[choices_[c].device];
      const Picoseconds work_ps = choices_[c].work_ps;
      least_ps = std::min(least_ps, work_ps / slots + (work_ps % slots != 0 ? 1 : 0));
    }
    largest_ps = std::max(largest_ps, least_ps);
  }
  return largest_ps;
}

}  // namespace

Picoseconds LowerBounds::best_ps() const { return std::max({path_ps, device_path_ps, load_ps}); }

LowerBounds lower_bounds(const Problem& problem) {
  return {path_bound(problem), DevicePath(problem).bound(), LoadBound(problem).bound()};
}

}  // namespace placer
