#include "search/core/curve.hpp"

#include <algorithm>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostWindows = 256;
constexpr std::size_t kCountersEach = 3;  // end, samples, best (-1: nothing fits yet)

}  // namespace

bool Curve::add(const Score& score) {
  if (score != Score::deadlock()) {
    ++open_.samples;
    open_.sum_seconds += to_seconds(score.step_ps);
  }
  return ++in_open_ == length_;
}

void Curve::end_window(Instant now, const Score& best) {
  open_.end = now;
  if (best.fits()) open_.best_ps = best.step_ps;
  windows_.push_back(open_);
  open_ = {};
  in_open_ = 0;
  if (windows_.size() == kMostWindows) halve();
}

void Curve::halve() {
  for (std::size_t i = 0; i < windows_.size() / 2; ++i) {
    Window joined = windows_[2 * i + 1];
    joined.samples += windows_[2 * i].samples;
    joined.sum_seconds += windows_[2 * i].sum_seconds;
    windows_[i] = joined;
  }
  windows_.resize(windows_.size() / 2);
  length_ *= 2;
}

CurvePoint Curve::point(const Window& window) {
  CurvePoint point{window.end.evaluations, window.end.wall_seconds, std::nullopt, window.best_ps};
  if (window.samples > 0) {
    point.mean_seconds = window.sum_seconds / static_cast<double>(window.samples);
  }
  return point;
}

std::vector<CurvePoint> Curve::points(Instant now, const Score& best) const {
  std::vector<CurvePoint> points;
  for (const Window& window : windows_) points.push_back(point(window));
  if (in_open_ == 0) return points;
  Window last = open_;
  last.end = now;
  if (best.fits()) last.best_ps = best.step_ps;
  points.push_back(point(last));
  return points;
}

void Curve::save(const std::string& prefix, Policy& policy) const {
  NamedCounters counters{prefix + "windows", {length_, in_open_}};
  NamedMatrix sums{prefix + "sums", 1, 0, {}};
  const auto add = [&](const Window& window) {
    counters.values.insert(counters.values.end(),
                           {window.end.evaluations, window.samples, window.best_ps.value_or(-1)});
    sums.values.push_back(window.sum_seconds);
  };
  for (const Window& window : windows_) add(window);
  add(open_);
  sums.columns = sums.values.size();
  policy.counters.push_back(std::move(counters));
  policy.state.push_back(std::move(sums));
}

void Curve::load(const std::string& prefix, const Policy& policy) {
  const auto at = std::ranges::find(policy.state, prefix + "sums", &NamedMatrix::name);
  const std::size_t count = at == policy.state.end() ? 0 : at->values.size();
  const std::vector<std::int64_t>& counters =
      find_counters(policy.counters, prefix + "windows", 2 + kCountersEach * count).values;
  if (count == 0 || count > kMostWindows || counters[0] < 1 || counters[1] < 0 ||
      counters[1] >= counters[0]) {
    throw Error("policy: counters '" + prefix + "windows': expected windows of a curve");
  }
  length_ = counters[0];
  in_open_ = counters[1];
  windows_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t* each = &counters[2 + kCountersEach * i];
    Window window{{each[0], std::nullopt}, each[1], at->values[i], std::nullopt};
    if (each[2] >= 0) window.best_ps = each[2];
    windows_.push_back(window);
  }
  open_ = windows_.back();
  windows_.pop_back();
}

}  // namespace placer
