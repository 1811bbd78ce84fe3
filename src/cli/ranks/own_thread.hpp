#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/ranks/messages.hpp"

namespace placer {

/// A thread that does one unit after another, so that another thread can go on talking.
class OwnThread {
 public:
  using Work = std::function<std::string(const std::string& unit)>;

  /// `work` is called by the thread; it throws nothing.
  explicit OwnThread(Work work);
  /// Waits for the unit that it is at.
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  /// Whether it has neither a unit nor an answer.
  bool is_free() const;
  /// May be called only while it is free.
  void begin(RankWord unit);
  /// The answer to the unit, once.
  std::optional<RankWord> take_answer();

 private:
  void run();

  const Work work_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<RankWord> unit_, answer_;
  bool is_busy_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace placer
