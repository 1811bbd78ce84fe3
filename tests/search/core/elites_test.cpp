#include "search/core/elites.hpp"

#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using namespace testing;

Candidate of_score(Picoseconds step_ps, std::int64_t overflow_bytes = 0) {
  return {on_devices({static_cast<std::size_t>(step_ps)}), {}, {overflow_bytes, step_ps, 0}};
}

std::vector<Picoseconds> steps_of(const std::vector<Candidate>& candidates) {
  std::vector<Picoseconds> steps;
  for (const Candidate& candidate : candidates) steps.push_back(candidate.score.step_ps);
  return steps;
}

TEST_CASE("The best two that fit are kept, the best first, and each score once") {
  Elites elites(2);
  for (const Picoseconds step : {5, 7, 5, 3, 9}) elites.offer(of_score(step));
  elites.offer(of_score(1, 100));
  CHECK(steps_of(elites.all()) == std::vector<Picoseconds>{3, 5});
}

TEST_CASE("Of no elites nothing is kept") {
  Elites elites(0);
  elites.offer(of_score(5));
  CHECK(elites.all().empty());
}

TEST_CASE("A search gives the best that it has scored where it is asked for them") {
  // A chain of two ops of a second and a byte at a byte a second: 2 s on one device, 3 s on two.
  const Problem problem(chain(2), alike());
  SearchRequest request;
  request.optimizer = &find_optimizer("random");
  request.budget.evaluations = 50;
  request.keeps_elites = 16;
  const SearchResult result = run_search(problem, request);
  REQUIRE(result.elites.size() == 2);
  CHECK(to_seconds(result.elites[0].score.step_ps) == 2);
  CHECK(to_seconds(result.elites[1].score.step_ps) == 3);
  CHECK(result.elites[0].placement[GroupId(0)] == result.elites[0].placement[GroupId(1)]);
  CHECK(result.elites[1].placement[GroupId(0)] != result.elites[1].placement[GroupId(1)]);
  request.keeps_elites = 0;
  CHECK(run_search(problem, request).elites.empty());
}

}  // namespace
}  // namespace placer
