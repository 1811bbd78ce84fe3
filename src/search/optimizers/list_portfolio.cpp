// All list schedulers, one evaluation each, the most promising first; with `randomize`, then the
// rules that came out best again and again with priorities stretched at random, until the budget is
// spent. Unfit where every list schedule is far off: no placement is improved by moves. The rules
// are those of the optimizers named heft to m-sct with the group costs of list_rules.hpp.

#include <algorithm>

#include "search/list_scheduler_options.hpp"

namespace placer {
namespace {

struct Options {
  bool memory = true;
  bool randomize = false;
  double noise = 0.3;
};

constexpr std::array<OptionRow<Options>, 3> kRows = {
    memory_row<Options>(),
    option("randomize", &Options::randomize,
           "go on with priorities stretched at random until the budget is spent"),
    option("noise", &Options::noise, 0, 10, "the most by which a priority is stretched"),
};
static_assert(kRows.size() == member_count<Options>);

struct Tried {
  ListRule rule;
  Score score;
};

/// Empty once the budget is spent.
std::optional<Score> try_rule(const ListRule& rule, ListScheduler& scheduler, Search& search) {
  const ListSchedule schedule = scheduler.run(rule, &search.rng());
  const bool first = search.best() == nullptr;
  const Score before = first ? Score::deadlock() : search.best_score();
  const std::optional<Score> score = search.evaluate(schedule.placement(), schedule.order());
  if (score && (first || *score < before)) search.claim_schedule(schedule.makespan_ps());
  return score;
}

void run(const Options& options, Search& search) {
  constexpr std::size_t kKept = 6;
  ListScheduler scheduler(search.problem());
  std::vector<Tried> tried;
  for (ListRule rule : portfolio_rules()) {
    rule.schedule.memory = options.memory;
    const std::optional<Score> score = try_rule(rule, scheduler, search);
    if (!score) return;
    tried.push_back({rule, *score});
  }
  if (!options.randomize) return;
  std::ranges::stable_sort(tried, {}, &Tried::score);
  if (tried.size() > kKept) tried.resize(kKept);
  while (true) {
    ListRule rule = tried[search.rng().below(tried.size())].rule;
    rule.noise = options.noise * search.rng().uniform();
    if (!try_rule(rule, scheduler, search)) return;
  }
}

}  // namespace

Optimizer list_portfolio() {
  return make_optimizer({.summary = "every list scheduler once, then the best of them at random",
                         .unfit_for = "graphs on which every list schedule is far from the best",
                         .source = "",
                         .anytime = true},
                        kRows, run);
}

}  // namespace placer
