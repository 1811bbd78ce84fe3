#include "search/local/estimated_step.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/sim/simulator.hpp"
#include "search/core/group_changes.hpp"
#include "search/local/estimated_search.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

Schedule schedule_of(const Problem& problem, const Placement& placement) {
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule);
  return schedule;
}

double seconds(double ps) { return ps / kPicosecondsPerSecond; }

TEST_CASE("a band takes the 8-norm of what devices and channels have to do in it") {
  const Problem problem(graph_of(seconds_each({2, 2}), {tensor(0, {1}, 1)}), alike());
  EstimatedStep estimate(problem);
  const Placement together = on_devices({0, 0});
  estimate.stand_at(schedule_of(problem, together), 0);
  CHECK(seconds(estimate.cost_ps()) == Approx(4));
  // 2 s on each device and 1 s on the channel between them, instead of 4 s on one.
  const double apart = std::pow(std::pow(2, 8) + std::pow(2, 8) + 1, 0.125);
  CHECK(seconds(estimate.change_ps(GroupId(1), DeviceId(1))) == Approx(apart - 4));
  estimate.move();
  CHECK(estimate.placement() == on_devices({0, 1}));
  CHECK(seconds(estimate.cost_ps()) == Approx(apart));
}

TEST_CASE("all times together count as much as the step they come from") {
  const Problem problem(graph_of(seconds_each({2, 2}), {tensor(0, {1}, 1)}), alike());
  EstimatedStep estimate(problem);
  const Placement together = on_devices({0, 0});
  estimate.stand_at(schedule_of(problem, together), 3);
  CHECK(seconds(estimate.cost_ps()) == Approx(4 + 3 * 4));
  const double apart = std::pow(std::pow(2, 8) + std::pow(2, 8) + 1, 0.125);
  // 5 s of ops and transfers instead of 4 s.
  CHECK(seconds(estimate.change_ps(GroupId(1), DeviceId(1))) == Approx(apart - 4 + 3 * 1));
}

TEST_CASE("bytes beyond the memory cost twenty steps for a capacity of them") {
  std::vector<Op> ops = seconds_each({2, 2});
  for (Op& op : ops) op.params_bytes = 60;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 100}));
  EstimatedStep estimate(problem);
  const Placement together = on_devices({0, 0});
  estimate.stand_at(schedule_of(problem, together), 0);
  // 120 bytes, where 97 are counted on.
  CHECK(seconds(estimate.cost_ps()) == Approx(4 + 20 * 4 * 0.23));
  estimate.change_ps(GroupId(1), DeviceId(1));
  estimate.move();
  CHECK(seconds(estimate.cost_ps()) == Approx(2 * std::pow(2, 0.125)));
}

TEST_CASE("changes add up to the cost of where they lead, and moving back undoes them") {
  Rng rng(3);
  for (int round = 0; round < 40; ++round) {
    const Problem problem = random_problem(rng);
    if (!EstimatedStep::serves(problem)) continue;
    const Placement first = testing::random_placement(problem, rng);
    EstimatedStep estimate(problem);
    estimate.stand_at(schedule_of(problem, first), 1);
    const double at_first_ps = estimate.cost_ps();
    double cost_ps = at_first_ps;
    for (int i = 0; i < 30; ++i) {
      const GroupId group(rng.below(problem.groups().size()));
      const DeviceId to = rng.pick(problem.groups().allowed(group));
      if (to == estimate.placement()[group]) continue;
      cost_ps += estimate.change_ps(group, to);
      estimate.move();
      CAPTURE(round, i);
      REQUIRE(estimate.cost_ps() == Approx(cost_ps).epsilon(1e-6).margin(1));
    }
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      if (estimate.placement()[group] == first[group]) continue;
      estimate.change_ps(group, first[group]);
      estimate.move();
    }
    CHECK(estimate.placement() == first);
    CHECK(estimate.cost_ps() == Approx(at_first_ps).epsilon(1e-6).margin(1));
  }
}

void begin(Search& search) {
  search.evaluate(testing::random_placement(search.problem(), search.rng()));
}

TEST_CASE("annealings in an estimate go further than moves in the simulator where these are few") {
  const Graph graph = generate_model("layered", {{"ops", 1500}, {"ccr", 5.0}});
  const Problem problem(graph, find_devices("4gpu"));
  const auto by_estimate = [](Search& search) {
    begin(search);
    search_by_estimate(search);
  };
  const auto by_simulator = [](Search& search) {
    begin(search);
    refine(search);
  };
  constexpr std::int64_t kEvaluations = 1'000;
  const SearchResult estimated = search_with(problem, by_estimate, kEvaluations);
  const SearchResult simulated = search_with(problem, by_simulator, kEvaluations);
  CHECK(to_seconds(estimated.score.step_ps) < 0.9 * to_seconds(simulated.score.step_ps));
  CHECK(estimated.evaluations <= kEvaluations);
  CHECK(search_with(problem, by_estimate, kEvaluations).placement == estimated.placement);
}

}  // namespace
}  // namespace placer::testing
