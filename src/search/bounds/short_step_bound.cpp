#include <algorithm>

#include "search/bounds/window_bounds.hpp"

namespace placer {
namespace {

constexpr Picoseconds kNever = HeadsAndTails::kNever;
constexpr std::size_t kMostChoices = 200'000;
constexpr std::size_t kChoicesOfPaths = 60'000;  // choices times paths
constexpr std::size_t kWorkOfRound = 2'000'000;  // choices times steps of looking for prices
constexpr std::size_t kMostOfProgram = 5'000;    // choices
constexpr int kStepsOfProgram = 20'000;
constexpr std::size_t kFewestSteps = 20, kMostSteps = 100;
constexpr std::size_t kFewestPaths = 3, kMostPaths = 16;
constexpr double kLonger = 1.001;      // times the bound: a path that is worth a price
constexpr double kFirstStride = 0.01;  // of the bound: how far the first guess is beyond it
constexpr double kFine = 0.001;        // of the bound: where the bisection ends

class ShortStep {
 public:
  explicit ShortStep(const BoundBasis& basis)
      : basis_(basis), problem_(basis.problem), prices_(basis.in_memory) {
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      for (const DeviceId device : basis.fit.devices(group)) {
        if (prices_.counts(device)) choices_.push_back({group, device, kNever});
      }
    }
    steps_ = static_cast<int>(std::clamp(kWorkOfRound / choices_.size(), kFewestSteps, kMostSteps));
    most_paths_ = std::clamp(kChoicesOfPaths / choices_.size(), kFewestPaths, kMostPaths);
  }

  Picoseconds bound(Picoseconds known_ps) {
    if (choices_.size() > kMostChoices || prices_.shares().empty()) return known_ps;
    Picoseconds proven_ps = std::max(known_ps, price_paths());
    find_least_steps();
    double stride = kFirstStride;
    Picoseconds possible_ps = kNever;
    for (Picoseconds step_ps = proven_ps; !problem_.deadline().passed();) {
      if (is_too_short(step_ps)) {
        proven_ps = step_ps + 1;
      } else {
        possible_ps = step_ps;
      }
      const auto fine_ps = static_cast<Picoseconds>(kFine * static_cast<double>(proven_ps));
      if (possible_ps - proven_ps <= fine_ps) break;
      if (possible_ps < kNever) {
        step_ps = proven_ps + (possible_ps - proven_ps) / 2;
      } else {
        step_ps = static_cast<Picoseconds>((1 + stride) * static_cast<double>(proven_ps));
        stride *= 2;
      }
    }
    return proven_ps;
  }

 private:
  struct Choice {
    GroupId group;
    DeviceId device;
    Picoseconds least_step_ps;
  };

  void find_least_steps() {
    for (Choice& choice : choices_) {
      choice.least_step_ps = least_step_ps(problem_, basis_.times, choice.group, choice.device);
    }
  }

  /// Adds paths for as long as they are longer than the bound; returns the bound. With the first
  /// path, the program's prices, as memory may make others hard to find; with more, those that the
  /// steps find, as the shares they lead to are no corners, of which each would want its own path.
  Picoseconds price_paths() {
    Picoseconds bound_ps = 0;
    while (paths_.size() < most_paths_ && !problem_.deadline().passed()) {
      std::vector<char> path = longest_path(bound_ps);
      if (path.empty()) break;
      prices_.add_path(times_on(path, choices_));
      paths_.push_back(std::move(path));
      const bool in_memory = basis_.fit.may_bind();
      if (in_memory && paths_.size() == 1 && choices_.size() <= kMostOfProgram) {
        bound_ps = prices_.bound_by_program(kStepsOfProgram, in_memory).value_or(0);
      }
      bound_ps = prices_.bound_with_paths(steps_, bound_ps, in_memory);
    }
    return bound_ps;
  }

  /// The ops of the path that takes longest where every group is shared out as the prices would
  /// have it; empty where that is not longer than the bound.
  std::vector<char> longest_path(Picoseconds bound_ps) const {
    const std::vector<double> ops_ps = shared_times();
    const Graph& graph = problem_.graph();
    std::vector<double> tails_ps(ops_ps.size(), 0);
    std::vector<OpId> next(ops_ps.size());
    OpId first = graph.program_order().front();
    for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
      next[op->index()] = *op;
      for (const TensorId tensor : graph.outputs(*op)) {
        for (const OpId consumer : graph.tensor(tensor).consumers) {
          if (tails_ps[consumer.index()] <= tails_ps[op->index()]) continue;
          tails_ps[op->index()] = tails_ps[consumer.index()];
          next[op->index()] = consumer;
        }
      }
      tails_ps[op->index()] += ops_ps[op->index()];
      if (tails_ps[op->index()] >= tails_ps[first.index()]) first = *op;
    }
    if (tails_ps[first.index()] <= kLonger * static_cast<double>(bound_ps)) return {};
    std::vector<char> path(ops_ps.size(), 0);
    for (OpId op = first; path[op.index()] == 0; op = next[op.index()]) path[op.index()] = 1;
    return path;
  }

  /// By op: the mean over devices.
  std::vector<double> shared_times() const {
    const std::vector<double>& shares = prices_.shares();
    std::vector<double> ops_ps(problem_.op_count(), 0);
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      if (shares[c] == 0) continue;
      for (const OpId op : problem_.groups().ops(choices_[c].group)) {
        ops_ps[op.index()] +=
            shares[c] * static_cast<double>(problem_.costs().op_ps(op, choices_[c].device));
      }
    }
    return ops_ps;
  }

  /// By choice: the time of the group's ops on the path.
  std::vector<Picoseconds> times_on(const std::vector<char>& path,
                                    const std::vector<Choice>& choices) const {
    std::vector<Picoseconds> times_ps;
    for (const Choice& choice : choices) {
      times_ps.push_back(0);
      for (const OpId op : problem_.groups().ops(choice.group)) {
        if (path[op.index()] != 0) times_ps.back() += problem_.costs().op_ps(op, choice.device);
      }
    }
    return times_ps;
  }

  /// Whether more than `step_ps` is needed where every group is on devices that this leaves it.
  bool is_too_short(Picoseconds step_ps) const {
    std::vector<Choice> left;
    std::ranges::copy_if(choices_, std::back_inserter(left),
                         [&](const Choice& choice) { return choice.least_step_ps <= step_ps; });
    if (left.size() == choices_.size()) return false;  // the bound with paths says no more
    LoadBound load(problem_);
    std::size_t next = 0;
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      const std::size_t first = next;
      for (; next < left.size() && left[next].group == group; ++next) {
        const DeviceId device = left[next].device;
        load.add_choice(device, problem_.group_ps(group, device),
                        basis_.fit.memory(group, device).kept_bytes);
      }
      if (next == first) return true;
      load.end_item();
    }
    for (const std::vector<char>& path : paths_) load.add_path(times_on(path, left));
    load.continue_from(prices_);
    return load.bound_with_paths(steps_, 0, basis_.fit.may_bind()) > step_ps;
  }

  const BoundBasis& basis_;
  const Problem& problem_;
  LoadBound prices_;             // of all choices
  std::vector<Choice> choices_;  // in the order of prices_
  std::vector<std::vector<char>> paths_;
  int steps_;
  std::size_t most_paths_;
};

}  // namespace

Picoseconds short_step_bound(const BoundBasis& basis, Picoseconds known_ps) {
  return ShortStep(basis).bound(known_ps);
}

}  // namespace placer
