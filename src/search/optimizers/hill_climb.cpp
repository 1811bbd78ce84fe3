// It starts again when nothing has been gained for long.
#include <array>

#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"
#include "search/local/starts.hpp"

namespace placer {
namespace {

enum class Init { kSingle, kRandom, kHeuristic };
constexpr Names<3> names_of(Init) { return {"single", "random", "heuristic"}; }

struct Options {
  Init init = Init::kSingle;
  std::int64_t patience = 20;
};

constexpr std::array kRows = {
    option<&Options::init>("init", "where the first climb starts; later ones start at random"),
    option("patience", &Options::patience, 1, 1000000,
           "rejected moves per group after which a climb starts again"),
};
static_assert(kRows.size() == member_count<Options>);

std::optional<Placement> first_start(const Options& options, Search& search) {
  if (search.start() != nullptr) return *search.start();
  if (options.init == Init::kRandom) return random_placement(search.problem(), search.rng());
  if (options.init == Init::kHeuristic) return list_scheduled_placement(search.problem());
  if (search.begins_with_single_devices()) return try_single_devices(search);
  return random_placement(search.problem(), search.rng());
}

/// Groups with a choice; a climb moves no other.
std::vector<GroupId> movable_groups(const Groups& groups) {
  std::vector<GroupId> movable;
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    if (groups.allowed(group).size() > 1) movable.push_back(group);
  }
  return movable;
}

Move random_move(const Groups& groups, const std::vector<GroupId>& movable, const Placement& from,
                 Rng& rng) {
  const GroupId group = rng.pick(std::span(movable));
  const auto allowed = groups.allowed(group);
  const DeviceId drawn = allowed[rng.below(allowed.size() - 1)];
  return {group,
          drawn == from[group] ? allowed.back() : drawn};  // each other device equally likely
}

void climb(Walk walk, std::int64_t patience, const std::vector<GroupId>& movable, Search& search) {
  const Groups& groups = search.problem().groups();
  std::int64_t rejected = 0;
  while (rejected < patience) {
    const std::array<Move, 1> move = {random_move(groups, movable, walk.placement(), search.rng())};
    const std::optional<Score> score = walk.propose(move, {}, walk.score().longest_as_good());
    if (!score) return;
    rejected = *score < walk.score() ? 0 : rejected + 1;
    if (*score <= walk.score()) walk.accept();
  }
}

void run(const Options& options, Search& search) {
  const std::vector<GroupId> movable = movable_groups(search.problem().groups());
  std::optional<Placement> start = first_start(options, search);
  while (start) {
    std::optional<Walk> walk = search.contiguous_walk(std::move(*start));
    if (!walk || movable.empty()) return;
    climb(std::move(*walk), options.patience * static_cast<std::int64_t>(movable.size()), movable,
          search);
    start = random_placement(search.problem(), search.rng());
  }
}

}  // namespace

Optimizer hill_climb() {
  return make_optimizer(
      {.summary = "one random group to a random other device, kept unless worse, with restarts",
       .unfit_for = "graphs where several groups must move together to gain anything",
       .source = "",
       .anytime = true},
      kRows, run);
}

}  // namespace placer
