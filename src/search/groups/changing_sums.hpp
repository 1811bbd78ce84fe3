#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace placer {

/// Sums, of which a change adds something to a few.
class ChangingSums {
 public:
  explicit ChangingSums(std::size_t size) : sums_(size), more_(size), is_touched_(size) {}

  double operator[](std::size_t at) const { return sums_[at]; }
  std::span<const double> all() const { return sums_; }
  double changed(std::size_t at) const { return sums_[at] + more_[at]; }
  /// What the change adds to; others stay as they are.
  std::span<const std::size_t> touched() const { return touched_; }
  void add(std::size_t at, double more) {
    if (is_touched_[at] == 0) touched_.push_back(at);
    is_touched_[at] = 1;
    more_[at] += more;
  }
  /// Forgets the change.
  void drop() {
    for (const std::size_t at : touched_) {
      more_[at] = 0;
      is_touched_[at] = 0;
    }
    touched_.clear();
  }
  /// From now on `go_back` forgets what has been added since.
  void mark() {
    marked_.clear();
    for (const std::size_t at : touched_) marked_.push_back(more_[at]);
  }
  void go_back() {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const bool is_older = i < marked_.size();
      more_[touched_[i]] = is_older ? marked_[i] : 0;
      is_touched_[touched_[i]] = is_older ? 1 : 0;
    }
    touched_.resize(marked_.size());
  }
  /// Makes the change.
  void take() {
    for (const std::size_t at : touched_) sums_[at] += more_[at];
    drop();
  }
  /// Sets all sums to 0.
  void clear() {
    drop();
    std::ranges::fill(sums_, 0);
  }

 private:
  std::vector<double> sums_, more_;
  std::vector<char> is_touched_;
  std::vector<std::size_t> touched_;
  std::vector<double> marked_;  // of more_, by place in touched_
};

}  // namespace placer
