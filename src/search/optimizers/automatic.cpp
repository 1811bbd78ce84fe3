// What to run when nothing speaks for another algorithm: list schedulers, branch and bound where it
// is cheap, annealing level by level where there are many groups, then on the problem's own groups.
// Stops at a proven optimum. Unfit for comparing algorithms, since it is several.

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "placer/search/optimizer.hpp"
#include "search/anneal.hpp"
#include "search/branch_and_bound.hpp"
#include "search/levels.hpp"
#include "search/list_rules.hpp"
#include "search/multilevel.hpp"
#include "search/starts.hpp"

namespace placer {
namespace {

struct Options {
  double level_share = 0.5;
  double temperature = 0.1;
  double second = 0.3;
  double third = 0.03;
  double first_share = 0.3;
  double second_share = 0.8;
  std::int64_t coarsest = 40;
  std::int64_t many = 300;
  std::int64_t nodes = 50000;
  double exact_share = 0.2;
  double tied_share = 0.1;
};
constexpr std::array kRows = {
    option("level_share", &Options::level_share, 0, 1, "x"),
    option("temperature", &Options::temperature, 0, 10, "x"),
    option("second", &Options::second, 0, 10, "x"),
    option("third", &Options::third, 0, 10, "x"),
    option("first_share", &Options::first_share, 0, 1, "x"),
    option("second_share", &Options::second_share, 0, 1, "x"),
    option("coarsest", &Options::coarsest, 1, 10000, "x"),
    option("many", &Options::many, 1, 1000000000, "x"),
    option("nodes", &Options::nodes, 0, 1000000000, "x"),
    option("exact_share", &Options::exact_share, 0, 1, "x"),
    option("tied_share", &Options::tied_share, 0, 1, "x"),
};
static_assert(kRows.size() == member_count<Options>);

constexpr double kListShare = 0.1;             // of the budget
constexpr std::size_t kMostForPairs = 3'000;   // ops: beyond, slow list schedulers are left out

class Automatic {
 public:
  Automatic(const Options& o, Search& search) : o(o), search_(search), problem_(search.problem()) {}

  void run() {
    first_answers();
    if (search_.spent()) return;
    lower_ps_ = lower_bounds(problem_).best_ps();
    if (proven()) return;
    lists();
    if (over() || exact() || over()) return;
    tied();
    if (over()) return;
    levels();
    if (over()) return;
    anneal(o.first_share, o.temperature);
    if (over()) return;
    anneal(o.second_share, o.second);
    if (over()) return;
    anneal(1, o.third);
    over();
  }

 private:
  bool proven() {
    const Score best = search_.best_score();
    if (!best.fits() || best.step_ps > lower_ps_) return false;
    search_.claim_optimal();
    return true;
  }
  bool over() { return search_.spent() || proven(); }

  void first_answers() {
    const ListSchedule heft = heft_schedule(problem_, {});
    search_.evaluate(heft.placement(), heft.order());
    if (!search_.spent()) try_single_devices(search_);
  }

  void lists() {
    Search part = search_.part(kListShare);
    ListScheduler lists(problem_);
    for (const ListRule& rule : portfolio_rules(problem_.op_count())) {
      if (rule.pairwise() && problem_.op_count() > kMostForPairs) continue;
      if (part.spent()) return;
      const ListSchedule schedule = lists.run(rule);
      part.evaluate(schedule.placement(), schedule.order());
    }
  }

  bool exact() {
    if (o.nodes == 0) return false;
    Search part = search_.part(o.exact_share);
    return branch_and_bound(part, o.nodes);
  }

  void tied() {
    if (o.tied_share == 0) return;
    const std::optional<Problem> tied = tie_repeats(problem_);
    if (!tied) return;
    Search part = search_.part(o.tied_share, *tied);
    search_levels(part, coarse(*tied), std::nullopt, {});
  }

  void levels() {
    if (problem_.groups().size() < std::size_t(o.many)) return;
    Search part = search_.part(o.level_share);
    search_levels(part, coarse(problem_), std::nullopt, {});
  }

  std::vector<Problem> coarse(const Problem& problem) const {
    return coarse_levels(problem, std::size_t(o.coarsest), 3, nullptr, [&] { return search_.spent(); });
  }

  void anneal(double share, double temperature) {
    Search part = search_.part(share);
    anneal_from(part, *search_.best(), search_.best_order(), {.temperature = temperature});
  }

  const Options& o;
  Search& search_;
  const Problem& problem_;
  Picoseconds lower_ps_ = 0;
};

void run(const Options& options, Search& search) { Automatic(options, search).run(); }

}  // namespace

Optimizer automatic() {
  return make_optimizer({.summary = "list schedulers, then annealing from few groups to all",
                         .unfit_for = "comparing algorithms, as it is several",
                         .source = ""},
                        kRows, run);
}

}  // namespace placer
