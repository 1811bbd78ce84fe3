#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "sim/commits.hpp"
#include "sim/fast_path.hpp"
#include "sim/rank_keys.hpp"
#include "sim/ready_queue.hpp"

namespace placer {

/// The fast path for orders in which a device takes the first of its ready ops by `kOrder`: fifo,
/// priority or pct. Gives up where a key would be too large or an instant has too many rounds.
template <Order kOrder, Rounds kRounds, Channels kChannels = Channels::kSole>
class MomentsPath : public FastPath {
 public:
  /// For layouts in which everything takes time, or with rounds where no step is longer than
  /// Moments::kLongestStep.
  explicit MomentsPath(const CompactLayout& layout);
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences,
                                Picoseconds most_ps) override;

 private:
  using Clock = Moments<kRounds>;
  using ByTime = std::uint64_t;  // ready time << tie bits | id
  struct Pair {
    std::uint64_t first;
    ByTime by_time;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  using Key = std::conditional_t<kOrder == Order::kPct, Pair, std::uint64_t>;
  using Coming = std::conditional_t<kRounds == Rounds::kTold, Pair, ByTime>;

  struct DeviceState {
    ReadyQueue<Key> ready;      // by the moment at which it takes its next op
    ReadyQueue<Coming> coming;  // later than that, by the moment at which they are ready
    std::size_t op_count = 0;
  };

  void reset();
  void serve();
  void enqueue(std::uint32_t op, Moment ready);
  void take_next(std::uint32_t device);
  Moment next_take(std::uint32_t device) const;

  Key key(ByTime by_time) const;
  Coming coming(Moment ready, ByTime by_time) const;
  Moment moment(const Coming& coming) const;
  std::uint32_t op_in(std::uint64_t key) const { return layout_.op_of[key & ranks_.tie_mask()]; }
  std::uint32_t op_in(const Pair& key) const { return op_in(key.by_time); }

  const CompactLayout& layout_;
  Commits<kRounds, kChannels> commits_;
  RankKeys ranks_;
  std::vector<DeviceState> devices_;
  std::vector<Moment> next_take_;  // by device
  std::vector<Key> keys_;
  std::vector<Coming> coming_;
};

}  // namespace placer
