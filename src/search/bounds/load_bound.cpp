#include "search/bounds/load_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr double kAmpleTime = 1e25;     // for work that does not matter
constexpr std::size_t kMostApart = 64;  // devices

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const std::vector<double>& values) { return *std::ranges::max_element(values); }

/// Whether one price suits both: what is allowed on one is on the other, but where there are many
/// devices, and all takes as long and has as much room.
bool are_alike(const Problem& problem, DeviceId a, DeviceId b) {
  if (problem.costs().kind(a) != problem.costs().kind(b)) return false;
  if (problem.device_count() > kMostApart) return true;
  const Groups& groups = problem.groups();
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    if (groups.is_allowed(group, a) != groups.is_allowed(group, b)) return false;
  }
  return true;
}

}  // namespace

LoadBound::LoadBound(const Problem& problem) : deadline_(problem.deadline()) {
  for (const DeviceId id : IdRange<DeviceId>(problem.device_count())) {
    const Device& device = problem.topology().device(id);
    const auto alike = std::ranges::find_if(
        firsts_, [&](DeviceId first) { return are_alike(problem, first, id); });
    const auto pool = static_cast<std::size_t>(alike - firsts_.begin());
    if (pool == firsts_.size()) {
      firsts_.push_back(id);
      slots_.push_back(0);
      memory_bytes_.push_back(0);
      device_slots_.push_back(device.slots);
      device_bytes_.push_back(device.memory_bytes);
    }
    pool_of_.push_back(static_cast<std::uint32_t>(pool));
    slots_[pool] += device.slots;
    memory_bytes_[pool] += std::min(device.memory_bytes, kMostMemory - memory_bytes_[pool]);
  }
  loads_.assign(firsts_.size(), 0);
  fills_.assign(firsts_.size(), 0);
}

void LoadBound::add_choice(DeviceId device, Picoseconds work_ps, std::int64_t bytes) {
  const std::uint32_t pool = pool_of_[device.index()];
  if (!counts(device)) return;
  const auto memory = static_cast<double>(std::max<std::int64_t>(1, memory_bytes_[pool]));
  choices_.push_back({pool, static_cast<double>(work_ps) / static_cast<double>(slots_[pool]),
                      static_cast<double>(bytes) / memory});
  exact_.push_back({work_ps, bytes});
}

void LoadBound::end_item() { offsets_.push_back(choices_.size()); }

LoadBound::Weights LoadBound::equal_loads() const {
  std::vector<double> totals(slots_.size(), 0);
  for (const Choice& choice : choices_) totals[choice.pool] += choice.load;
  Weights weights{std::vector<double>(slots_.size(), 0), std::vector<double>(slots_.size(), 0)};
  for (std::size_t d = 0; d < totals.size(); ++d) {
    if (totals[d] > 0) weights.work[d] = 1 / totals[d];
  }
  const double all = sum(weights.work);
  for (double& weight : weights.work) weight = all > 0 ? weight / all : 0;
  return weights;
}

/// Where there are very many items, every n-th stands for n of them: prices need not be the best,
/// and the bound is worked out with all. Together in memory, as prices are looked for in hundreds
/// of passes.
void LoadBound::draw_sample() {
  sample_offsets_ = {0};
  const std::size_t step = (items() + kMostSampled - 1) / kMostSampled;
  for (std::size_t item = 0; item < items(); item += step) {
    sample_.insert(sample_.end(), choices_.begin() + static_cast<std::ptrdiff_t>(offsets_[item]),
                   choices_.begin() + static_cast<std::ptrdiff_t>(offsets_[item + 1]));
    sample_offsets_.push_back(sample_.size());
  }
}

void LoadBound::price_paths(const Weights& weights) {
  if (paths_.empty()) return;
  path_costs_.assign(choices_.size(), 0);
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    const double price = weights.path[k] / weights.target_ps;
    if (price == 0) continue;
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      path_costs_[c] += price * static_cast<double>(paths_[k][c]);
    }
  }
}

void LoadBound::add_path_loads() {
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    path_loads_[k] = 0;
    for (const std::size_t c : chosen_) path_loads_[k] += static_cast<double>(paths_[k][c]);
  }
}

/// Sends each item where it costs least; returns the sum of the costs.
double LoadBound::assign(const Weights& weights) {
  if (is_sampled() && sample_.empty()) draw_sample();
  const std::vector<Choice>& choices = sample_.empty() ? choices_ : sample_;
  const std::vector<std::size_t>& offsets = sample_.empty() ? offsets_ : sample_offsets_;
  std::ranges::fill(loads_, 0);
  std::ranges::fill(fills_, 0);
  price_paths(weights);
  std::vector<double> work = weights.work;
  for (double& price : work) price /= weights.target_ps;
  chosen_.resize(offsets.size() - 1);
  double costs = 0;
  for (std::size_t item = 0; item + 1 < offsets.size(); ++item) {
    std::size_t cheapest = offsets[item];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = offsets[item]; c < offsets[item + 1]; ++c) {
      const Choice& choice = choices[c];
      double cost = work[choice.pool] * choice.load + weights.memory[choice.pool] * choice.fill;
      if (!path_costs_.empty()) cost += path_costs_[c];
      cheapest = cost < least ? c : cheapest;  // both without a branch: it would be a guess
      least = cost < least ? cost : least;
    }
    costs += least;
    const Choice& choice = choices[cheapest];
    loads_[choice.pool] += choice.load;
    fills_[choice.pool] += choice.fill;
    chosen_[item] = cheapest;
  }
  add_path_loads();
  if (sample_.empty()) return costs;
  const auto weight = static_cast<double>(items()) / static_cast<double>(offsets.size() - 1);
  for (std::size_t d = 0; d < loads_.size(); ++d) {
    loads_[d] *= weight;
    fills_[d] *= weight;
  }
  return costs * weight;
}

/// Makes full devices dearer.
void LoadBound::reweigh(Weights& weights, double rate) const {
  const double most_ps = std::max(largest(loads_), path_loads_.empty() ? 0 : largest(path_loads_));
  const double most = std::max(most_ps / weights.target_ps, largest(fills_));
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    weights.work[d] *= portable_exp(rate * loads_[d] / weights.target_ps / most);
    weights.memory[d] *= portable_exp(rate * fills_[d] / most);
  }
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    weights.path[k] *= portable_exp(rate * path_loads_[k] / weights.target_ps / most);
  }
  const double all = sum(weights.work) + sum(weights.memory) + sum(weights.path);
  for (double& weight : weights.work) weight /= all;
  for (double& weight : weights.memory) weight /= all;
  for (double& weight : weights.path) weight /= all;
}

/// Keeps in `best_` the prices with the largest bound. Once a bound passes the
/// target, it becomes the target.
void LoadBound::improve(Weights& weights, int steps) {
  constexpr double kDecay =
      0.97;  // of the rate; the worst gap to the linear program seen is 0.005 %
  const bool in_memory = sum(weights.memory) > 0;
  double best_ps = 0;
  best_ = weights;
  shares_.assign(is_sampled() ? 0 : choices_.size(), 0);
  double rate = 1;
  for (int step = 0; step < steps && !(step > 0 && deadline_.passed()); ++step, rate *= kDecay) {
    const double costs = assign(weights);
    if (2 * step >= steps && !is_sampled()) {
      for (const std::size_t c : chosen_) shares_[c] += 1 / static_cast<double>(steps - steps / 2);
    }
    const double work = sum(weights.work) + sum(weights.path);
    const double found_ps = work > 0 ? weights.target_ps * (costs - sum(weights.memory)) / work : 0;
    if (found_ps > best_ps) {
      best_ps = found_ps;
      best_ = weights;
    }
    if (std::max(largest(loads_), largest(fills_)) == 0) break;  // so are paths
    if (in_memory) weights.target_ps = std::max(weights.target_ps, best_ps);
    reweigh(weights, rate);
  }
}

Picoseconds LoadBound::bound(int steps) {
  return std::max(bound_of_sums(steps), largest_item_ps());
}

Picoseconds LoadBound::bound_of_sums(int steps) {
  Weights weights = first_.work.empty() ? equal_loads() : first_;
  improve(weights, steps);
  return exact_bound();
}

std::optional<Picoseconds> LoadBound::bound_in_memory(int steps, Picoseconds known_ps) {
  const Weights of_work = best_;
  if (overfull(steps / 3)) return std::nullopt;
  Weights weights = of_work;
  weights.target_ps = std::max(1.0, static_cast<double>(known_ps));
  for (double& weight : weights.work) weight *= 0.5;
  const double share = 0.5 / static_cast<double>(slots_.size());
  std::ranges::fill(weights.memory, share);
  improve(weights, steps);
  return std::max(known_ps, exact_bound());
}

void LoadBound::add_path(std::vector<Picoseconds> times_ps) {
  paths_.push_back(std::move(times_ps));
  path_loads_.push_back(0);
  // The newcomer gets an equal share of all that has a price.
  const double share = 1 / static_cast<double>(paths_.size() + 1);
  for (auto* prices : {&best_.work, &best_.memory, &best_.path}) {
    for (double& price : *prices) price *= 1 - share;
  }
  best_.path.push_back(share);
}

Picoseconds LoadBound::bound_with_paths(int steps, Picoseconds known_ps, bool in_memory) {
  Weights weights = best_;
  weights.target_ps = std::max(1.0, static_cast<double>(known_ps));
  if (!in_memory) std::ranges::fill(weights.memory, 0);
  improve(weights, steps);
  return std::max(known_ps, exact_bound());
}

/// True where prices of memory alone show that not even fractions fit.
bool LoadBound::overfull(int steps) {
  Weights weights{std::vector<double>(slots_.size(), 0),
                  std::vector<double>(slots_.size(), 1.0 / static_cast<double>(slots_.size()))};
  weights.target_ps = kAmpleTime;
  double rate = 1;
  for (int step = 0; step < steps && !deadline_.passed(); ++step, rate *= 0.9) {
    if (assign(weights) > 1 + 1e-9) {
      best_ = weights;
      return exact_bound() > 0;
    }
    if (largest(fills_) <= 1) return false;
    reweigh(weights, rate);
  }
  return false;
}

}  // namespace placer
