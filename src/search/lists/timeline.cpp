#include "search/lists/timeline.hpp"

#include <algorithm>

namespace placer {

Picoseconds Timeline::first_fit(Picoseconds ready_ps, Picoseconds duration_ps) const {
  if (end_ps() <= ready_ps) return ready_ps;
  auto next = std::ranges::partition_point(
      busy_, [&](const Stretch& stretch) { return stretch.end_ps <= ready_ps; });
  for (; next != busy_.end() && ready_ps + duration_ps > next->begin_ps; ++next) {
    ready_ps = std::max(ready_ps, next->end_ps);
  }
  return ready_ps;
}

Picoseconds Timeline::last_fit(Picoseconds due_ps, Picoseconds duration_ps) const {
  auto next = std::ranges::partition_point(
      busy_, [&](const Stretch& stretch) { return stretch.begin_ps < due_ps; });
  for (; next != busy_.begin() && due_ps - duration_ps < std::prev(next)->end_ps; --next) {
    due_ps = std::min(due_ps, std::prev(next)->begin_ps);
  }
  return due_ps;
}

Timeline::Change Timeline::occupy(Picoseconds start_ps, Picoseconds duration_ps) {
  const Picoseconds stop_ps = start_ps + duration_ps;
  auto next = busy_.end();
  if (end_ps() > start_ps) {
    next = std::ranges::partition_point(
        busy_, [&](const Stretch& stretch) { return stretch.end_ps <= start_ps; });
  }
  const bool joins_last = next != busy_.begin() && std::prev(next)->end_ps == start_ps;
  const bool joins_next = next != busy_.end() && next->begin_ps == stop_ps;
  const auto first = joins_last ? std::prev(next) : next;
  Change change{.at = static_cast<std::size_t>(first - busy_.begin())};
  if (joins_last) change.before[change.replaced++] = *first;
  if (joins_next) change.before[change.replaced++] = *next;
  const Stretch joined{joins_last ? first->begin_ps : start_ps,
                       joins_next ? next->end_ps : stop_ps};
  if (change.replaced == 0) {
    busy_.insert(next, joined);
    return change;
  }
  *first = joined;
  if (change.replaced == 2) busy_.erase(next);
  return change;
}

void Timeline::take_back(const Change& change) {
  const auto at = busy_.begin() + static_cast<std::ptrdiff_t>(change.at);
  if (change.replaced == 0) {
    busy_.erase(at);
    return;
  }
  *at = change.before[0];
  if (change.replaced == 2) busy_.insert(std::next(at), change.before[1]);
}

void Timeline::reserve(const Stretch& stretch) {
  busy_.insert(std::ranges::upper_bound(busy_, stretch), stretch);
}

}  // namespace placer
