#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/base/deadline.hpp"
#include "sim/op_set.hpp"
#include "sim/trace.hpp"

namespace placer {

/// Simulates stretches of a trace anew after some ops have changed devices; replay.cpp says why the
/// rest of the trace need not be. The trace stays as it is until `write_to`.
class Replay {
 public:
  /// Steps `first` .. `end` were replayed, and from `end` on all happens `later_ps` later than in
  /// the trace; where `end` is the end of the trace, `step_ps` is the step time instead.
  struct Stretch {
    std::size_t first = 0, end = 0;
    Picoseconds later_ps = 0, step_ps = 0;
  };

  /// `device_of` has the device of each op. `changed` has the ops whose own device or whose
  /// consumers' devices have changed since the trace. All three have to outlive this object.
  Replay(const Trace& trace, const std::vector<std::uint32_t>& device_of, const OpSet& changed);

  /// Forgets all stretches.
  void clear();
  /// Replays from `first` until the rest can only happen as in the trace. Stretches come one after
  /// the other, from the first step of a changed op on that no stretch has covered. Times are
  /// counted as if the stretches before had changed nothing. Empty when `most_steps` did not
  /// suffice.
  std::optional<Stretch> run(std::size_t first, std::size_t most_steps);
  /// Replays all of a cleared trace. Throws Stopped when `deadline` has passed.
  Stretch run_all(const Deadline& deadline);
  /// Puts the stretches into the trace.
  void write_to(Trace& trace) const;

 private:
  struct OpState {
    Picoseconds ready_ps = 0;   // the last arrival so far
    std::uint32_t stretch = 0;  // that the state is of
    std::uint32_t missing : 30 = 0;
    std::uint32_t early : 1 = 0;  // ready before the stretch began
    std::uint32_t done : 1 = 0;   // had its step in the stretch
  };
  struct Ready {
    Picoseconds ready_ps;
    std::uint64_t id_and_op;  // the id above
    std::uint32_t op() const { return static_cast<std::uint32_t>(id_and_op); }
    friend auto operator<=>(const Ready&, const Ready&) = default;
  };

  void begin(std::size_t first);
  void recall_occupied(std::size_t first);
  OpState& state(std::uint32_t op);
  Ready ready(Picoseconds ready_ps, std::uint32_t op) const {
    return {ready_ps, std::uint64_t{layout_.id_of[op]} << 32 | op};
  }
  Ready next();
  void take(const Ready& next);
  void commit(const Ready& next);
  Picoseconds send(std::uint32_t tensor, std::uint32_t from, Picoseconds now_ps);
  Picoseconds transfer(std::uint32_t tensor, std::uint32_t from, std::uint32_t to,
                       Picoseconds now_ps);
  void deliver(std::uint32_t op, Picoseconds at_ps);
  void compare_done(std::size_t step, std::uint32_t op);
  bool rest_is_known(std::size_t step, const Ready& next);
  bool is_past(std::size_t made, Picoseconds now_ps, Picoseconds then_ps) const;
  bool is_moved_only(std::size_t made, Picoseconds now_ps, Picoseconds then_ps) const;
  /// `whole` is asked by a replay of all, which does not end early; else null.
  std::optional<Stretch> run(std::size_t first, std::size_t most_steps, Watch* whole);

  const Trace& trace_;
  const CompactLayout& layout_;
  const std::vector<std::uint32_t>& device_of_;
  const OpSet& changed_;

  std::vector<Stretch> stretches_;
  std::vector<Trace::Step> made_;             // of all stretches, one after the other
  std::vector<std::uint32_t> first_arrival_;  // by made step
  std::vector<Picoseconds> arrivals_;

  // The state of the stretch at hand.
  std::vector<OpState> ops_;
  std::uint32_t stretch_ = 0;
  std::size_t first_ = 0;
  std::size_t cursor_ = 0;        // of the trace: no early op that is not done stands before
  std::uint32_t early_left_ = 0;  // early ops that are not done
  std::size_t first_made_ = 0;    // no step of the stretch before this one matters any more
  std::size_t suspect_ = 0;       // the step that spoke against an end last
  std::int64_t apart_ = 0;        // ops done here or in the trace, but not in both
  Picoseconds latest_ps_ = 0;
  std::vector<Ready> ready_;  // a heap
  std::vector<Picoseconds> free_at_, channel_free_at_, present_at_;
};

}  // namespace placer
