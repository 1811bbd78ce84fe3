#include "base/team.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <latch>
#include <system_error>
#include <thread>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace placer {
namespace {

// The thread sanitizer does not see into oneTBB, which distributions build without it, so that it
// is told where one thread leaves to another what it has done. An address stands for what is left.
#ifdef __SANITIZE_THREAD__
char batch;
void leave(void* what) { __tsan_release(what); }
void take(void* what) { __tsan_acquire(what); }
void leave_batch() { leave(&batch); }
void take_batch() { take(&batch); }
#else
void leave(void*) {}
void take(void*) {}
void leave_batch() {}
void take_batch() {}
#endif

}  // namespace

int threads_that_begin(int wanted) {
  std::latch all_began(1);
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < wanted; ++i) others.emplace_back([&] { all_began.wait(); });
  } catch (const std::system_error&) {
    // Those that began are as many as there can be.
  }
  all_began.count_down();
  for (std::thread& other : others) other.join();
  return static_cast<int>(others.size()) + 1;
}

struct Team::Arena {
  tbb::task_arena threads;
};

Team::Team(int threads)
    : marks_(static_cast<std::size_t>(std::max(threads, 1))),
      arena_(threads > 1 ? std::make_unique<Arena>(Arena{tbb::task_arena(threads)}) : nullptr) {}

Team::~Team() = default;

void Team::each(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  if (!arena_) {
    for (std::size_t index = 0; index < count; ++index) work(index, 0);
    return;
  }
  const auto work_here = [&](const tbb::blocked_range<std::size_t>& indices) {
    take_batch();
    const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    take(&marks_[thread]);
    for (std::size_t index = indices.begin(); index < indices.end(); ++index) work(index, thread);
    leave(&marks_[thread]);
  };
  leave_batch();
  arena_->threads.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), work_here,
                      tbb::simple_partitioner());
  });
  for (char& mark : marks_) take(&mark);
}

}  // namespace placer
