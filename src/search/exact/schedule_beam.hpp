#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "search/exact/schedule_model.hpp"

namespace placer {

/// When and where an op runs in a schedule of a ScheduleModel.
struct ModelRun {
  std::size_t op, machine;
  ScheduleModel::Ticks start;
};

/// Looks for schedules of at most a given length, op by op in the order of
/// their starts, level by level: the states with the same number of ops are
/// told apart by what lies before them, those that cannot end in time or are no
/// better than another with the same ops are dropped, and the best `width` of
/// the others go on. Where none had to be left behind, finding nothing is a
/// proof.
class ScheduleBeam {
 public:
  using Ticks = ScheduleModel::Ticks;
  static constexpr Ticks kEndless =
      std::numeric_limits<Ticks>::max() / 4;  // no schedule is as long

  struct Rules {
    /// Whether a state that is nowhere later than another with the same ops is no worse than it.
    /// That is so where transfers do not wait and memory is ample.
    bool dominance = true;
    /// What each group holds throughout, group * machines + machine, and each
    /// machine's room; empty: ample.
    std::vector<std::int64_t> kept_bytes, room_bytes;
  };
  struct Limits {
    Ticks longest = 0;                // of the schedules
    std::size_t width = 1;            // states of a level that go on
    std::size_t schedules = 1;        // to return
    std::int64_t nodes = 0;           // states to look at; each hundred compares of one counts, too
    bool lossy = false;               // compares states even where that may lose the best
    std::function<bool()> stop = {};  // asked now and then
  };
  struct Found {
    std::vector<std::vector<ModelRun>> schedules;  // by length; runs in the order of their starts
    bool complete = true;                          // nothing was left behind
    std::int64_t nodes = 0;                        // states looked at, and for comparing them
  };

  ScheduleBeam(const ScheduleModel& model, Rules rules);

  Found find(const Limits& limits);

 private:
  static constexpr std::uint8_t kNowhere = 255;

  struct State {
    std::vector<Ticks> end;                // by op, of those that have run
    std::vector<std::uint8_t> machine;     // by op; kNowhere before it runs
    std::vector<Ticks> free_at;            // of the slots, machine after machine, each sorted
    std::vector<std::int64_t> kept_bytes;  // by machine; where bytes have a price
    Ticks floor = 0;                       // the last start; no op starts earlier from now on
    std::uint64_t key = 0;                 // of the set of ops
    std::uint32_t link = 0;                // its place in links_
  };
  struct Link {  // the way back to the start
    std::uint32_t before;
    ModelRun run;
  };
  struct Child {
    std::uint32_t parent;
    std::uint32_t op, machine;
    Ticks start;
    double merit;  // larger first
  };

  State empty_state() const;
  void expand(const State& state, std::uint32_t parent, Ticks longest);
  void thin_children(std::size_t count);
  bool is_ready(const State& state, std::size_t op) const;
  bool may_go(const State& state, std::size_t op, std::size_t machine) const;
  bool has_room(const State& state, std::size_t op, std::size_t machine) const;
  std::optional<Ticks> start(const State& state, std::size_t op, std::size_t machine) const;
  void rate(const State& state, Child child, Ticks longest);
  double room(const State& state, const Child& child, Ticks until, ScheduleModel::Cost costs) const;
  State child_state(const State& parent, const Child& child);
  bool ends_in_time(const State& state, Ticks longest);
  bool is_dominated(const std::vector<State>& level, const State& state);
  std::vector<Ticks> signature(const State& state) const;
  std::vector<ModelRun> runs_of(const State& state) const;
  std::vector<State> next_level(const std::vector<State>& level, const Limits& limits,
                                Found& found);
  void finish(std::vector<State>& level, const Limits& limits, Found& found) const;

  struct Seen {
    std::uint64_t key;
    std::size_t state;  // of the level
    std::vector<Ticks> signature;
  };

  /// The states of the next level that may have run the same ops.
  std::vector<Seen>& alike(const State& state) { return seen_[state.key % seen_.size()]; }

  const ScheduleModel& model_;
  const Rules rules_;
  double slot_price_ = 0;                // of one tick of all slots
  std::vector<std::size_t> first_slot_;  // by machine
  std::vector<std::uint64_t> op_keys_;
  bool compares_ = true;  // states with the same ops
  std::vector<Link> links_;
  std::vector<Child> children_;          // of the level at hand
  std::vector<std::vector<Seen>> seen_;  // of the next level, by key
  std::vector<char> used_;               // machines of the state at hand
  std::vector<Ticks> ends_;              // scratch: op * machines + machine
};

}  // namespace placer
