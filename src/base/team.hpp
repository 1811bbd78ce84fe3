#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace placer {

/// How many of the `wanted` threads, this one among them, can begin; at least 1.
int threads_that_begin(int wanted);

/// Threads that share out numbered work.
class Team {
 public:
  explicit Team(int threads);
  ~Team();

  std::size_t size() const { return marks_.size(); }
  /// Calls `work(index, thread)` once for each index below `count`, in any order, and returns when
  /// all are done. Calls with the same `thread`, which is below `size()`, do not overlap.
  void each(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work);

 private:
  struct Arena;

  std::vector<char> marks_;       // by thread: stand for what it has done
  std::unique_ptr<Arena> arena_;  // null for one thread
};

}  // namespace placer
