#include "cli/ranks/own_thread.hpp"

#include <utility>

namespace placer {

OwnThread::OwnThread(Work work) : work_(std::move(work)), thread_([this] { run(); }) {}

OwnThread::~OwnThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool OwnThread::is_free() const {
  const std::lock_guard lock(mutex_);
  return !unit_ && !is_busy_ && !answer_;
}

void OwnThread::begin(RankWord unit) {
  {
    const std::lock_guard lock(mutex_);
    unit_ = std::move(unit);
  }
  wake_.notify_one();
}

std::optional<RankWord> OwnThread::take_answer() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void OwnThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return unit_ || ends_; });
    if (ends_) return;
    const RankWord unit = *std::exchange(unit_, std::nullopt);
    is_busy_ = true;
    lock.unlock();
    std::string answer = work_(unit.text);
    lock.lock();
    is_busy_ = false;
    answer_ = {RankWord::Kind::kAnswer, unit.unit, std::move(answer)};
  }
}

}  // namespace placer
