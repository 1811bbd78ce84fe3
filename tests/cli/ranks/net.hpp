#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/ranks/messages.hpp"
#include "cli/ranks/transport.hpp"

namespace placer {

/// Ranks of one process. A message of which `loses` says so is lost; `cuts` one that no longer
/// hears nor is heard.
class Net {
 public:
  explicit Net(int size) : size_(size), inboxes_(static_cast<std::size_t>(size)) {}

  class End : public Transport {
   public:
    End(Net& net, int rank) : net_(net), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return net_.size_; }
    void send(int to, const std::string& bytes) override { net_.put(rank_, to, bytes); }
    std::optional<RankMessage> poll() override { return net_.take(rank_); }
    void part() override { has_parted = true; }
    bool has_parted = false;

   private:
    Net& net_;
    int rank_;
  };

  End end(int rank) { return {*this, rank}; }
  std::function<bool(int from, int to, const RankWord&)> loses = [](int, int, const RankWord&) {
    return false;
  };
  /// Of how many ranks `rank` has not read a message.
  std::size_t waiting(int rank) {
    const std::lock_guard lock(mutex_);
    std::set<int> senders;
    for (const RankMessage& message : inboxes_[static_cast<std::size_t>(rank)]) {
      senders.insert(message.from);
    }
    return senders.size();
  }
  void cut(int rank) {
    const std::lock_guard lock(mutex_);
    cut_[rank] = true;
  }

 private:
  void put(int from, int to, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    if (cut_[from] || cut_[to] || loses(from, to, *decoded(bytes))) return;
    inboxes_[static_cast<std::size_t>(to)].push_back({from, bytes});
  }
  std::optional<RankMessage> take(int rank) {
    const std::lock_guard lock(mutex_);
    auto& inbox = inboxes_[static_cast<std::size_t>(rank)];
    if (inbox.empty()) return std::nullopt;
    RankMessage message = std::move(inbox.front());
    inbox.pop_front();
    return message;
  }

  const int size_;
  std::mutex mutex_;
  std::vector<std::deque<RankMessage>> inboxes_;
  std::map<int, bool> cut_;
};

}  // namespace placer
