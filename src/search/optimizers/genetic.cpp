// A chromosome is the groups in topological order.
#include <algorithm>
#include <utility>

#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"
#include "search/groups/contiguity_repair.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t population = 60;
  std::int64_t elites = 2;
  std::int64_t tournament = 3;
  double crossover = 0.8;
  double mutation = 1;
};

constexpr std::array kRows = {
    option("population", &Options::population, 2, 100000, "placements of one generation"),
    option("elites", &Options::elites, 0, 1000,
           "best placements copied to the next generation (at most all but one)"),
    option("tournament", &Options::tournament, 1, 1000, "placements of which the best is a parent"),
    option("crossover", &Options::crossover, 0, 1, "chance that a child has two parents"),
    option("mutation", &Options::mutation, 0, 1000, "groups of a child that move, on average"),
};
static_assert(kRows.size() == member_count<Options>);

struct Member {
  Placement placement;
  Score score;
};

class Population {
 public:
  Population(const Options& options, Search& search)
      : options_(options),
        search_(search),
        problem_(search.problem()),
        order_(topological_groups(problem_)) {
    if (problem_.goal().contiguity != Contiguity::kNone) repair_.emplace(problem_);
  }

  /// False once the budget is spent.
  bool begin() {
    std::vector<Placement> placements;
    if (search_.start() != nullptr) placements.push_back(*search_.start());
    if (search_.begins_with_single_devices()) {
      std::optional<Placement> single = try_single_devices(search_);
      if (!single) return false;
      placements.push_back(std::move(*single));
    }
    while (placements.size() < size()) {
      placements.push_back(random_placement(problem_, search_.rng()));
    }
    return take(std::move(placements));
  }

  bool next_generation() {
    std::ranges::stable_sort(members_, std::less<>(), &Member::score);
    const std::size_t elites = std::min(static_cast<std::size_t>(options_.elites), size() - 1);
    std::vector<Placement> children;
    while (children.size() < size() - elites) children.push_back(child());
    members_.resize(elites);
    return take(std::move(children));
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(options_.population); }

  bool take(std::vector<Placement> placements) {
    const std::vector<Score> scores = search_.evaluate_all(placements);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      members_.push_back({std::move(placements[i]), scores[i]});
    }
    return scores.size() == placements.size();
  }

  Placement child() {
    const Placement& first = parent().placement;
    Placement made = first;
    if (search_.rng().chance(options_.crossover)) cross(made, parent().placement);
    mutate(made);
    return repair_ ? repair_->repaired(first, made) : made;
  }

  const Member& parent() {
    std::size_t best = search_.rng().below(members_.size());
    for (std::int64_t more = 1; more < options_.tournament; ++more) {
      best = std::min(best, search_.rng().below(members_.size()));  // members are in order of score
    }
    return members_[best];
  }

  /// A stretch of the topological order from the other parent.
  void cross(Placement& made, const Placement& other) {
    std::size_t first = search_.rng().below(order_.size() + 1);
    std::size_t last = search_.rng().below(order_.size() + 1);
    if (first > last) std::swap(first, last);
    for (std::size_t at = first; at < last; ++at) made[order_[at]] = other[order_[at]];
  }

  void mutate(Placement& made) {
    const double chance = options_.mutation / static_cast<double>(order_.size());
    for (const GroupId group : IdRange<GroupId>(order_.size())) {
      if (search_.rng().chance(chance)) {
        made[group] = search_.rng().pick(problem_.groups().allowed(group));
      }
    }
  }

  const Options& options_;
  Search& search_;
  const Problem& problem_;
  const std::vector<GroupId> order_;
  std::optional<ContiguityRepair> repair_;  // where the goal asks for it
  std::vector<Member> members_;
};

void run(const Options& options, Search& search) {
  Population population(options, search);
  bool more = population.begin();
  while (more) more = population.next_generation();
}

}  // namespace

Optimizer genetic() {
  return make_optimizer(
      {.summary = "a genetic algorithm with tournaments, two-point crossover and elites",
       .unfit_for = "very small budgets: a population has to be scored before anything is learnt",
       .source = "Holland: Adaptation in Natural and Artificial Systems, 1975",
       .anytime = true,
       .max_groups = 40,
       .in_batches = true},
      kRows, run);
}

}  // namespace placer
