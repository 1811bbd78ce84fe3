#include "search/bounds/path_branches.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "search/joins/join_time.hpp"

namespace placer {
namespace {

/// Times of a branch, by kind of the device that the path is on: on this device, and elsewhere.
struct Branch {
  std::vector<Picoseconds> here_ps, away_ps;
};

/// Places of the path between which branches run.
struct Span {
  std::size_t begin, end;
  std::vector<Picoseconds> delay_ps;
};

class BranchesOfPath {
 public:
  BranchesOfPath(const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds,
                 const GroupChain& chain, const std::vector<std::vector<PathSide>>& sides)
      : problem_(problem),
        graph_(problem.graph()),
        fit_(fit),
        kinds_(kinds),
        chain_(chain),
        sides_(sides),
        along_(chain.along),
        least_ps_(fastest_ps(problem, fit)),
        on_path_(chain.groups),
        up_ps_(problem.op_count(), 0),
        down_ps_(problem.op_count(), 0),
        position_(problem.op_count(), 0) {
    std::ranges::sort(on_path_);
  }

  std::vector<std::vector<PathBranches>> find() {
    std::vector<std::vector<PathBranches>> found(chain_.groups.size());
    const auto links = chain_.links.begin();
    for (Span& span : apart(spans())) {
      const auto [lowest, highest] =
          std::minmax_element(links + static_cast<std::ptrdiff_t>(span.begin),
                              links + static_cast<std::ptrdiff_t>(span.end) + 1);
      found[*highest].push_back({*lowest, std::move(span.delay_ps)});
    }
    return found;
  }

 private:
  using Ops = std::vector<OpId>;

  bool is_between(OpId op, const Span& span) const {
    return is_beside(op) && along_.from[op.index()] == static_cast<std::int64_t>(span.begin) &&
           along_.to[op.index()] == static_cast<std::int64_t>(span.end);
  }
  bool is_beside(OpId op) const {
    return !std::ranges::binary_search(on_path_, problem_.groups().of(op));
  }

  /// All spans with branches, each with what they delay the path by.
  std::vector<Span> spans() {
    std::map<std::pair<std::int64_t, std::int64_t>, Ops> between;
    for (const OpId op : graph_.program_order()) {
      const std::int64_t from = along_.from[op.index()], to = along_.to[op.index()];
      if (from < 0 || to >= along_.length() || !is_beside(op)) continue;
      between[{from, to}].push_back(op);
    }
    std::vector<Work> works;
    for (const DeviceId device : kinds_.firsts()) works.push_back(work_on(device));
    std::vector<Span> spans;
    Watch watch(problem_.deadline());
    for (const auto& [places, ops] : between) {
      watch.check(ops.size() * kinds_.firsts().size());
      Span& span = spans.emplace_back(Span{
          static_cast<std::size_t>(places.first), static_cast<std::size_t>(places.second), {}});
      std::vector<Branch> branches;
      for (const Ops& branch : branches_of(ops, span)) branches.push_back(times_of(branch, span));
      for (std::size_t kind = 0; kind < kinds_.firsts().size(); ++kind) {
        span.delay_ps.push_back(delay_ps(branches, busy_ps(span, works[kind]), kind));
      }
    }
    return spans;
  }

  /// Those of a span that share a group or a tensor are one.
  std::vector<Ops> branches_of(const Ops& ops, const Span& span) {
    std::vector<std::size_t> joined(ops.size());  // to an earlier one of `ops`, or to itself
    const auto first_of = [&](std::size_t at) {
      while (joined[at] != at) at = joined[at] = joined[joined[at]];
      return at;
    };
    std::map<GroupId, std::size_t> of_group;
    for (std::size_t at = 0; at < ops.size(); ++at) {
      joined[at] = at;
      position_[ops[at].index()] = at;
      std::vector<std::size_t> others = {
          of_group.try_emplace(problem_.groups().of(ops[at]), at).first->second};
      for (const TensorId input : graph_.inputs(ops[at])) {
        const OpId producer = graph_.tensor(input).producer;
        if (is_between(producer, span)) others.push_back(position_[producer.index()]);
      }
      for (const std::size_t other : others) {
        const auto [lower, upper] = std::minmax({first_of(at), first_of(other)});
        joined[upper] = lower;
      }
    }
    std::map<std::size_t, Ops> branches;
    for (std::size_t at = 0; at < ops.size(); ++at) branches[first_of(at)].push_back(ops[at]);
    std::vector<Ops> found;
    for (auto& [first, branch] : branches) found.push_back(std::move(branch));
    return found;
  }

  Branch times_of(const Ops& branch, const Span& span) {
    Branch times;
    const Picoseconds through_ps = through(branch, span);
    for (const DeviceId device : kinds_.firsts()) {
      const Picoseconds sent_ps = sent_away_ps(branch, span, device);
      times.away_ps.push_back(sent_ps == kNeverPs ? kNeverPs : through_ps + sent_ps);
      Picoseconds here_ps = 0;
      for (const OpId op : branch) {
        if (!fit_.may_go(problem_.groups().of(op), device)) here_ps = kNeverPs;
        if (here_ps != kNeverPs) here_ps += problem_.costs().op_ps(op, device);
      }
      times.here_ps.push_back(here_ps);
    }
    return times;
  }

  /// What the branch takes at least on its longest way through a group, for the group where this is
  /// least: one of them is away.
  Picoseconds through(const Ops& branch, const Span& span) {
    const auto longest_ps = [&](Picoseconds ps, OpId other, const std::vector<Picoseconds>& ways) {
      return is_between(other, span) ? std::max(ps, ways[other.index()]) : ps;
    };
    for (const OpId op : branch) {
      Picoseconds before_ps = 0;
      for (const TensorId input : graph_.inputs(op)) {
        before_ps = longest_ps(before_ps, graph_.tensor(input).producer, up_ps_);
      }
      up_ps_[op.index()] = before_ps + least_ps_[op.index()];
    }
    std::map<GroupId, Picoseconds> through_ps;
    for (auto op = branch.rbegin(); op != branch.rend(); ++op) {
      Picoseconds after_ps = 0;
      for (const TensorId output : graph_.outputs(*op)) {
        for (const OpId consumer : graph_.tensor(output).consumers) {
          after_ps = longest_ps(after_ps, consumer, down_ps_);
        }
      }
      down_ps_[op->index()] = after_ps + least_ps_[op->index()];
      Picoseconds& most_ps = through_ps[problem_.groups().of(*op)];
      most_ps = std::max(most_ps, up_ps_[op->index()] + after_ps);
    }
    Picoseconds least_ps = kNeverPs;
    for (const auto& [group, ps] : through_ps) least_ps = std::min(least_ps, ps);
    return least_ps;
  }

  /// To another device and back, by the tensors that take least; kNeverPs where there is none.
  Picoseconds sent_away_ps(const Ops& branch, const Span& span, DeviceId here) const {
    Picoseconds there_ps = kNeverPs, back_ps = kNeverPs;
    const std::vector<DeviceId> places = kinds_.places(here);
    const auto send = [&](Picoseconds& least_ps, TensorId tensor, bool is_back) {
      for (const DeviceId away : places) {
        if (away == here) continue;
        least_ps = std::min(least_ps, is_back ? problem_.costs().transfer_ps(tensor, away, here)
                                              : problem_.costs().transfer_ps(tensor, here, away));
      }
    };
    for (const OpId op : branch) {
      for (const TensorId input : graph_.inputs(op)) {
        const std::int64_t from = along_.from[graph_.tensor(input).producer.index()];
        if (from == static_cast<std::int64_t>(span.begin)) send(there_ps, input, false);
      }
      for (const TensorId output : graph_.outputs(op)) {
        const bool leads_on =
            std::ranges::any_of(graph_.tensor(output).consumers, [&](OpId consumer) {
              return along_.to[consumer.index()] == static_cast<std::int64_t>(span.end);
            });
        if (leads_on) send(back_ps, output, true);
      }
    }
    return there_ps == kNeverPs || back_ps == kNeverPs ? kNeverPs : there_ps + back_ps;
  }

  /// By kind: sums over what stands before a place on the path.
  struct Work {
    std::vector<Picoseconds> path_ps, begun_ps, due_ps;
  };

  Work work_on(DeviceId device) const {
    const std::vector<Picoseconds> none(along_.ops.size() + 1, 0);
    Work work{none, none, none};
    for (std::size_t place = 0; place < along_.ops.size(); ++place) {
      work.path_ps[place + 1] = problem_.costs().op_ps(along_.ops[place], device);
    }
    for (const auto& of_link : sides_) {
      for (const PathSide& side : of_link) {
        work.begun_ps[side.begin + 1] += problem_.costs().op_ps(side.op, device);
        work.due_ps[side.due + 1] += problem_.costs().op_ps(side.op, device);
      }
    }
    for (std::vector<Picoseconds>* sums : {&work.path_ps, &work.begun_ps, &work.due_ps}) {
      std::partial_sum(sums->begin(), sums->end(), sums->begin());
    }
    return work;
  }

  /// Of the device, with the path's own ops between the places and what `sides_` has run there.
  Picoseconds busy_ps(const Span& span, const Work& work) const {
    return work.path_ps[span.end] - work.path_ps[span.begin + 1] + work.begun_ps[span.end + 1] -
           work.due_ps[span.begin + 1];
  }

  /// With those branches away that take least there, as many as is best.
  Picoseconds delay_ps(std::vector<Branch>& branches, Picoseconds busy_ps, std::size_t kind) const {
    if (problem_.topology().device(kinds_.firsts()[kind]).slots > 1) return 0;
    std::ranges::stable_sort(branches, {},
                             [kind](const Branch& branch) { return branch.away_ps[kind]; });
    const auto sum = [](Picoseconds left, Picoseconds right) {
      return left == kNeverPs || right == kNeverPs ? kNeverPs : left + right;
    };
    Picoseconds least_ps = kNeverPs, here_ps = 0;
    for (std::size_t away = branches.size(); away > 0; --away) {
      const Picoseconds away_ps = branches[away - 1].away_ps[kind];
      if (away_ps != kNeverPs) {
        least_ps = std::min(least_ps, std::max(here_ps, away_ps - busy_ps));
      }
      here_ps = sum(here_ps, branches[away - 1].here_ps[kind]);
    }
    least_ps = std::min(least_ps, here_ps);
    return least_ps == kNeverPs ? 0 : std::max<Picoseconds>(0, least_ps);
  }

  /// Spans that have no stretch of the path in common, those of the longest delays.
  static std::vector<Span> apart(std::vector<Span> spans) {
    std::ranges::stable_sort(spans, std::ranges::greater(), [](const Span& span) {
      return *std::ranges::max_element(span.delay_ps);
    });
    std::vector<Span> chosen;
    std::map<std::size_t, std::size_t> taken;  // end by begin
    for (Span& span : spans) {
      const auto next = taken.upper_bound(span.begin);
      if (next != taken.end() && next->first < span.end) continue;
      if (next != taken.begin() && std::prev(next)->second > span.begin) continue;
      taken[span.begin] = span.end;
      chosen.push_back(std::move(span));
    }
    return chosen;
  }

  const Problem& problem_;
  const Graph& graph_;
  const MemoryFit& fit_;
  const DeviceKinds& kinds_;
  const GroupChain& chain_;
  const std::vector<std::vector<PathSide>>& sides_;
  const PathPlaces& along_;
  const std::vector<Picoseconds> least_ps_;   // by op
  std::vector<GroupId> on_path_;              // sorted
  std::vector<Picoseconds> up_ps_, down_ps_;  // by op: its longest ways in its branch, with itself
  std::vector<std::size_t> position_;         // by op, among those of its span
};

}  // namespace

std::vector<std::vector<PathBranches>> branches_of_path(
    const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds, const GroupChain& chain,
    const std::vector<std::vector<PathSide>>& sides) {
  return BranchesOfPath(problem, fit, kinds, chain, sides).find();
}

}  // namespace placer
