#include "placer/search/calibration.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer {
namespace {

using namespace testing;

/// How many neighbours of a chain lie apart.
std::size_t cuts_of(const Placement& placement) {
  std::size_t cuts = 0;
  for (std::size_t i = 1; i < placement.devices.size(); ++i) {
    cuts += placement.devices[i] != placement.devices[i - 1] ? 1 : 0;
  }
  return cuts;
}

TEST_CASE("Calibration placements go from one device to runs of single groups") {
  const Problem problem(chain(60), alike());
  const auto found = calibration_placements(problem, Order::kFifo, 16, 1);
  REQUIRE(found.size() == 16);
  CHECK(cuts_of(found.front().placement) == 0);
  CHECK(cuts_of(found[7].placement) < 8);
  CHECK(cuts_of(found.back().placement) > 15);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(found[i].placement == found[j].placement);
  }
  const auto again = calibration_placements(problem, Order::kFifo, 16, 1);
  CHECK(again.back().placement == found.back().placement);
  const auto other = calibration_placements(problem, Order::kFifo, 16, 2);
  CHECK_FALSE(other.back().placement == found.back().placement);
}

TEST_CASE("Calibration placements fit, and are on allowed devices") {
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(rng);
    Simulator simulator(problem, Order::kGiven);
    for (const Candidate& own : calibration_placements(problem, Order::kGiven, 5, 1)) {
      CHECK(own.score.fits());
      CHECK(simulator.evaluate(own.placement, {}) == own.score);
      for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
        CHECK(problem.groups().is_allowed(group, own.placement[group]));
      }
    }
  }
}

TEST_CASE("There are no more calibration placements than placements") {
  const Problem problem(chain(2), alike());
  CHECK(calibration_placements(problem, Order::kFifo, 16, 1).size() <= 4);
  CHECK(calibration_placements(problem, Order::kFifo, 1, 1).size() == 1);
  CHECK(calibration_placements(problem, Order::kFifo, 0, 1).empty());
  Machine narrow;
  narrow.memory_bytes = 0;
  CHECK(calibration_placements(Problem(chain(5), alike(narrow)), Order::kFifo, 4, 1).empty());
}

}  // namespace
}  // namespace placer
