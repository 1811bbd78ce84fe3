#pragma once

#include <pthread.h>

#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "placer/base/deadline.hpp"

namespace placer {

/// Does the task in a thread of its own or, where none can begin, before it returns.
template <class Result>
std::thread begin_or_do(std::packaged_task<Result()> task) {
  const auto shared = std::make_shared<std::packaged_task<Result()>>(std::move(task));
  try {
    return std::thread([shared] { (*shared)(); });
  } catch (const std::system_error&) {
    (*shared)();
    return {};
  }
}

/// What `work` returns, which may take long and asks no deadline, as a library's does. Throws
/// Stopped when `deadline` passes first: then the work is left to end by itself, where nothing else
/// wants the processor, so that it has to own all that it touches.
template <class Work>
auto run_abandonable(Work work, const Deadline& deadline) {
  constexpr std::chrono::milliseconds kBetweenLooks(5);
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  std::thread thread = begin_or_do(std::move(task));
  while (result.wait_for(kBetweenLooks) != std::future_status::ready) {
    if (!deadline.passed()) continue;
    const sched_param lowest = {};
    pthread_setschedparam(thread.native_handle(), SCHED_IDLE, &lowest);
    thread.detach();
    throw Stopped();
  }
  if (thread.joinable()) thread.join();
  return result.get();
}

}  // namespace placer
