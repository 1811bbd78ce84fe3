// HEFT comes first, then those that add most (list_rules.hpp); with `randomize`, then the six that
// came out best again and again with priorities stretched at random, until the budget is spent.
// Schedules that came out before are not scored again.

#include <fmt/format.h>

#include <algorithm>

#include "search/lists/scheduler_options.hpp"

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

class Portfolio {
 public:
  Portfolio(const Options& options, Search& search)
      : options_(options), search_(search), scheduler_(search.problem(), search.observer()) {}

  void run() {
    const std::vector<ListRule> rules = portfolio_rules(search_.problem().op_count());
    if (const std::size_t all = portfolio_rules().size(); rules.size() < all) {
      search_.observer().tell(EventLevel::kWarn, "list-portfolio", [&] {
        return fmt::format("{} of {} rules are left out, as they take seconds each on {} ops",
                           all - rules.size(), all, search_.problem().op_count());
      });
    }
    for (ListRule rule : rules) {
      if (search_.spent()) return;
      rule.schedule.memory = options_.memory;
      try_rule(rule);
    }
    if (options_.randomize) draw();
  }

 private:
  struct Tried {
    ListRule rule;
    Score score;
    Placement placement;
    OpOrder order;
  };

  /// What another rule found already is not scored again.
  void try_rule(const ListRule& rule) {
    const ListSchedule schedule = scheduler_.run(rule);
    Tried tried{rule, {}, schedule.placement(), schedule.order()};
    const bool known = std::ranges::any_of(tried_, [&](const Tried& before) {
      return before.placement == tried.placement &&
             (!search_.searches_orders() || before.order == tried.order);
    });
    if (known) return;
    if (const std::optional<Score> score = scored(schedule)) {
      tried.score = *score;
      tried_.push_back(std::move(tried));
    }
  }

  void draw() {
    constexpr std::size_t kKept = 6;
    std::ranges::stable_sort(tried_, {}, &Tried::score);
    if (tried_.size() > kKept) tried_.resize(kKept);
    while (!search_.spent()) {
      ListRule rule = tried_[search_.rng().below(tried_.size())].rule;
      rule.noise = options_.noise * search_.rng().uniform();
      scored(scheduler_.run(rule, &search_.rng()));
    }
  }

  /// The best placement's schedule makes the claim.
  std::optional<Score> scored(const ListSchedule& schedule) {
    const std::optional<Score> score = search_.evaluate(schedule.placement(), schedule.order());
    if (!score || (best_ && *best_ <= *score)) return score;
    best_ = score;
    search_.claim_schedule(schedule.makespan_ps());
    return score;
  }

  const Options& options_;
  Search& search_;
  ListScheduler scheduler_;
  std::vector<Tried> tried_;
  std::optional<Score> best_;
};

void run(const Options& options, Search& search) { Portfolio(options, search).run(); }

}  // namespace

Optimizer list_portfolio() {
  return make_optimizer({.summary = "every list scheduler once, then the best of them at random",
                         .unfit_for = "graphs on which every list schedule is far from the best",
                         .source = "",
                         .anytime = true},
                        kRows, run);
}

}  // namespace placer
