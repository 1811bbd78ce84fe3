#include "placer/sim/incremental.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/held_bytes.hpp"
#include "sim/patience.hpp"
#include "sim/replay.hpp"

namespace placer {
namespace {

// Measured: a step of a replay takes as long as four of a full evaluation, a step of a log five.
constexpr std::int64_t kStepCost = 4, kLogCost = 5;
constexpr std::size_t kMostShare = 6;     // a replay may take a sixth of all steps
constexpr std::size_t kMostChanged = 16;  // and begin with a sixteenth of the ops changed

}  // namespace

class Incremental::Engine {
 public:
  Engine(Simulator& simulator, Use use)
      : simulator_(simulator),
        always_(use == Use::kAlways),
        problem_(simulator.problem()),
        layout_(simulator.layout()),
        served_(serves(simulator.order()) && layout_.one_slot_each() && layout_.sole_senders() &&
                layout_.all_takes_time()),
        memory_may_be_short_(layout_.memory_may_be_short()),
        device_of_(layout_.op_count()),
        changed_set_(layout_.op_count()),
        trace_(layout_),
        replay_(trace_, device_of_, changed_set_),
        current_bytes_(layout_, device_of_),
        bytes_(layout_, device_of_),
        patience_(static_cast<std::int64_t>(layout_.op_count())),
        most_steps_(layout_.op_count() / (always_ ? 1 : kMostShare) + 1),
        most_changed_(layout_.op_count() / (always_ ? 1 : kMostChanged) + 1) {
    undo_.reserve(layout_.op_count());
    changed_.reserve(layout_.op_count());
    changed_steps_.reserve(layout_.op_count());
  }

  void restart() { logged_ = replayed_ = false; }

  Score propose(const Placement& current, const Placement& proposed, std::span<const Move> moves,
                Picoseconds most_ps) {
    ++work_.proposals;
    replayed_ = false;
    if (served_ && (always_ || patience_.tries())) {
      const std::int64_t cost_before = cost();
      const std::optional<Score> score = try_replay(current, moves, most_ps);
      if (!score) ++work_.full_evaluations;
      patience_.tried(cost() - cost_before);
      if (score) return *score;
    } else {
      ++work_.full_evaluations;
    }
    return simulator_.evaluate_within(most_ps, proposed, {});
  }

  void accept() {
    logged_ = logged_ && replayed_;
    if (!logged_) return;
    replay_.write_to(trace_);
    replay_.clear();
    undo_.clear();
    current_bytes_ = bytes_;
    step_ps_ = proposed_step_ps_;
  }

  const Work& work() const { return work_; }

 private:
  struct Undo {
    std::uint32_t op, device;
  };

  /// In steps of a full evaluation.
  std::int64_t cost() const {
    const auto ops = static_cast<std::int64_t>(layout_.op_count());
    return (work_.full_evaluations + work_.logs * kLogCost) * ops + work_.steps * kStepCost;
  }

  /// Empty where only the simulator can tell; where memory is in doubt, of steps up to `most_ps`.
  std::optional<Score> try_replay(const Placement& current, std::span<const Move> moves,
                                  Picoseconds most_ps) {
    if (!logged_) log(current);
    take_back();
    if (!apply(moves)) return std::nullopt;
    const bool fits = bytes_.surely_fits();
    if ((!fits && most_ps == kAnyTime) || !replay()) return std::nullopt;
    replayed_ = true;
    if (fits) return Score{0, proposed_step_ps_};
    if (proposed_step_ps_ > most_ps) return Score::too_long(proposed_step_ps_);
    return std::nullopt;
  }

  void log(const Placement& current) {
    ++work_.logs;
    undo_.clear();
    for (std::uint32_t op = 0; op < layout_.op_count(); ++op) {
      const DeviceId device = current[GroupId(layout_.group_of[op])];
      device_of_[op] = static_cast<std::uint32_t>(device.index());
    }
    current_bytes_.clear();
    for (std::uint32_t op = 0; memory_may_be_short_ && op < layout_.op_count(); ++op) {
      current_bytes_.add(op);
    }
    trace_.clear();
    step_ps_ = replay_.run_all(problem_.deadline()).step_ps;
    replay_.write_to(trace_);
    logged_ = true;
  }

  /// Back to the current placement.
  void take_back() {
    for (; !undo_.empty(); undo_.pop_back()) device_of_[undo_.back().op] = undo_.back().device;
    bytes_ = current_bytes_;
  }

  /// False where so much changes that a replay is not worth its while.
  bool apply(std::span<const Move> moves) {
    changed_set_.clear();
    changed_.clear();
    for (const Move& move : moves) {
      for (const OpId id : problem_.groups().ops(move.group)) {
        const std::uint32_t op = layout_.op_of[id.index()];
        if (device_of_[op] == move.device.index()) continue;
        mark_changed(op);
        if (changed_.size() > most_changed_) return false;
      }
    }
    if (memory_may_be_short_) {
      for (const std::uint32_t op : changed_) bytes_.remove(op);
    }
    for (const Move& move : moves) {
      for (const OpId id : problem_.groups().ops(move.group)) {
        const std::uint32_t op = layout_.op_of[id.index()];
        undo_.push_back({op, device_of_[op]});
        device_of_[op] = static_cast<std::uint32_t>(move.device.index());
      }
    }
    if (memory_may_be_short_) {
      for (const std::uint32_t op : changed_) bytes_.add(op);
    }
    return true;
  }

  void mark_changed(std::uint32_t op) {
    if (changed_set_.add(op)) changed_.push_back(op);
    for (const Trace::Input& input : trace_.inputs(op)) {
      if (changed_set_.add(input.producer)) changed_.push_back(input.producer);
    }
  }

  bool replay() {
    changed_steps_.clear();
    for (const std::uint32_t op : changed_) changed_steps_.push_back(trace_.step_of(op));
    std::ranges::sort(changed_steps_);
    replay_.clear();
    proposed_step_ps_ = step_ps_;
    std::size_t steps = 0, end = 0;
    Picoseconds later_ps = 0;
    for (const std::uint32_t first : changed_steps_) {
      if (first < end) continue;
      const std::optional<Replay::Stretch> stretch = replay_.run(first, most_steps_ - steps);
      if (!stretch) {
        work_.steps += static_cast<std::int64_t>(most_steps_);
        return false;
      }
      end = stretch->end;
      steps += end - first;
      later_ps += stretch->later_ps;
      proposed_step_ps_ = end < trace_.size() ? step_ps_ + later_ps : stretch->step_ps + later_ps;
    }
    work_.steps += static_cast<std::int64_t>(steps);
    return true;
  }

  Simulator& simulator_;
  const bool always_;
  const Problem& problem_;
  const CompactLayout& layout_;
  const bool served_, memory_may_be_short_;

  std::vector<std::uint32_t> device_of_;  // of the last proposal, by op
  std::vector<Undo> undo_;                // to get back to the current placement
  std::vector<std::uint32_t> changed_, changed_steps_;
  OpSet changed_set_;
  Trace trace_;  // of the current placement, if `logged_`
  Replay replay_;
  HeldBytes current_bytes_, bytes_;  // nothing if memory cannot be short
  Patience patience_;
  const std::size_t most_steps_, most_changed_;  // of a replay
  Picoseconds step_ps_ = 0, proposed_step_ps_ = 0;
  bool logged_ = false;
  bool replayed_ = false;  // the last proposal was
  Work work_;
};

Incremental::Incremental(Simulator& simulator, Use use)
    : engine_(std::make_unique<Engine>(simulator, use)) {}
Incremental::~Incremental() = default;
void Incremental::restart() { engine_->restart(); }
Score Incremental::propose(const Placement& current, const Placement& proposed,
                           std::span<const Move> moves, Picoseconds most_ps) {
  return engine_->propose(current, proposed, moves, most_ps);
}
void Incremental::accept() { engine_->accept(); }
const Incremental::Work& Incremental::work() const { return engine_->work(); }

}  // namespace placer
