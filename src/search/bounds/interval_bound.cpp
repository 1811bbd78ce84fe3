#include <algorithm>
#include <cmath>

#include "search/bounds/window_bounds.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostChoices = 2000;  // ops times kinds of devices: larger is not quick
constexpr double kSteps = 400'000;          // overlaps worked out for one step time
constexpr double kRelativePrecision = 1e-4;

/// One of the devices where an op may go; alike devices are one.
struct Window {
  Picoseconds head_ps, tail_ps, work_ps;
  std::int64_t price;

  /// The least work inside of an interval, in a step of `step_ps`.
  Picoseconds inside_ps(Picoseconds begin_ps, Picoseconds end_ps, Picoseconds step_ps) const {
    const Picoseconds early_ps = head_ps + work_ps - begin_ps;
    const Picoseconds late_ps = end_ps - (step_ps - tail_ps - work_ps);
    return std::max<Picoseconds>(0, std::min({work_ps, end_ps - begin_ps, early_ps, late_ps}));
  }
};

class Intervals {
 public:
  explicit Intervals(const BoundBasis& basis) {
    const Problem& problem = basis.problem;
    const std::vector<std::int64_t> prices = alike_prices(basis);
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      price_of_time_ +=
          static_cast<__int128>(prices[device.index()]) * problem.topology().device(device).slots;
    }
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      for (const DeviceId device : basis.fit.devices(problem.groups().of(op))) {
        if (problem.first_identical(device) != device) continue;
        windows_.push_back({basis.times.head_ps(op, device), basis.times.tail_ps(op, device),
                            problem.costs().op_ps(op, device), prices[device.index()]});
      }
      offsets_.push_back(windows_.size());
    }
  }

  bool quick() const { return price_of_time_ > 0 && windows_.size() <= kMostChoices; }

  /// True where no schedule takes `step_ps` or less.
  bool refutes(Picoseconds step_ps) {
    if (!find_points(step_ps)) return true;
    for (const Picoseconds begin_ps : begins_ps_) {
      const auto first = std::ranges::upper_bound(ends_ps_, begin_ps);
      for (auto end_ps = first; end_ps != ends_ps_.end(); ++end_ps) {
        if (overfull(begin_ps, *end_ps, step_ps)) return true;
      }
    }
    return false;
  }

 private:
  /// Alike devices cost the mean of their prices, so that one stands for all.
  static std::vector<std::int64_t> alike_prices(const BoundBasis& basis) {
    const std::vector<std::int64_t> prices = basis.load.work_prices();
    std::vector<std::int64_t> sums(prices.size(), 0), counts(prices.size(), 0);
    const auto first = [&](std::size_t d) {
      return basis.problem.first_identical(DeviceId(d)).index();
    };
    for (std::size_t d = 0; d < prices.size(); ++d) {
      sums[first(d)] += prices[d];
      ++counts[first(d)];
    }
    std::vector<std::int64_t> alike;
    for (std::size_t d = 0; d < prices.size(); ++d)
      alike.push_back(sums[first(d)] / counts[first(d)]);
    return alike;
  }

  /// Where intervals may begin and end; false where some op has no window left.
  bool find_points(Picoseconds step_ps) {
    begins_ps_.clear();
    ends_ps_.clear();
    for (std::size_t op = 0; op + 1 < offsets_.size(); ++op) {
      bool possible = false;
      for (std::size_t w = offsets_[op]; w < offsets_[op + 1]; ++w) {
        const Window& window = windows_[w];
        if (window.head_ps + window.work_ps + window.tail_ps > step_ps) continue;
        possible = true;
        begins_ps_.push_back(window.head_ps);
        begins_ps_.push_back(step_ps - window.tail_ps - window.work_ps);
        ends_ps_.push_back(step_ps - window.tail_ps);
        ends_ps_.push_back(window.head_ps + window.work_ps);
      }
      if (!possible) return false;
    }
    thin(begins_ps_);
    thin(ends_ps_);
    return true;
  }

  void thin(std::vector<Picoseconds>& points) const {
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    const auto most = std::max<std::size_t>(
        8, static_cast<std::size_t>(std::sqrt(kSteps / static_cast<double>(windows_.size()))));
    if (points.size() <= most) return;
    for (std::size_t k = 0; k < most; ++k) points[k] = points[k * points.size() / most];
    points.resize(most);
  }

  bool overfull(Picoseconds begin_ps, Picoseconds end_ps, Picoseconds step_ps) const {
    const __int128 room = price_of_time_ * (end_ps - begin_ps);
    __int128 costs = 0;
    for (std::size_t op = 0; op + 1 < offsets_.size(); ++op) {
      __int128 least = -1;
      for (std::size_t w = offsets_[op]; w < offsets_[op + 1]; ++w) {
        const Window& window = windows_[w];
        if (window.head_ps + window.work_ps + window.tail_ps > step_ps) continue;
        const __int128 cost =
            static_cast<__int128>(window.price) * window.inside_ps(begin_ps, end_ps, step_ps);
        if (least < 0 || cost < least) least = cost;
      }
      costs += least;
    }
    return costs > room;
  }

  std::vector<Window> windows_;          // op after op
  std::vector<std::size_t> offsets_{0};  // of the ops in windows_
  __int128 price_of_time_ = 0;           // of all slots
  std::vector<Picoseconds> begins_ps_, ends_ps_;
};

}  // namespace

std::optional<Picoseconds> interval_bound(const BoundBasis& basis, Picoseconds known_ps,
                                          Picoseconds grain_ps) {
  Intervals intervals(basis);
  if (!intervals.quick()) return std::nullopt;
  if (known_ps == 0) return known_ps;
  const Picoseconds unit_ps = std::max(
      grain_ps, static_cast<Picoseconds>(static_cast<double>(known_ps) * kRelativePrecision) /
                    grain_ps * grain_ps);
  Picoseconds refuted = 0, open = 1;  // in units beyond the known bound
  const auto refutes = [&](Picoseconds units) {
    return intervals.refutes(known_ps + units * unit_ps);
  };
  if (!refutes(0)) return known_ps;
  while (refutes(open)) {
    refuted = open;
    open *= 2;
  }
  while (open - refuted > 1) {
    const Picoseconds middle = refuted + (open - refuted) / 2;
    (refutes(middle) ? refuted : open) = middle;
  }
  return known_ps + refuted * unit_ps + 1;
}

}  // namespace placer
