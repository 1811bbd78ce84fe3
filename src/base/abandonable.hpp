#pragma once

#include <pthread.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "placer/base/deadline.hpp"

namespace placer {

/// What `work` returns, which may take long and asks no deadline, as a library's does. Throws
/// Stopped when `deadline` passes first: then the work is left to end by itself, where nothing else
/// wants the processor, so that it has to own all that it touches.
template <class Work>
auto run_abandonable(Work work, const Deadline& deadline) {
  constexpr std::chrono::milliseconds kBetweenLooks(5);
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  std::thread thread(std::move(task));
  while (result.wait_for(kBetweenLooks) != std::future_status::ready) {
    if (!deadline.passed()) continue;
    const sched_param lowest = {};
    pthread_setschedparam(thread.native_handle(), SCHED_IDLE, &lowest);
    thread.detach();
    throw Stopped();
  }
  thread.join();
  return result.get();
}

}  // namespace placer
