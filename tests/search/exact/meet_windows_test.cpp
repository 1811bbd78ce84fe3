#include "search/exact/meet_windows.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Two ops of 1 s from one device towards a step of `seconds`.
SearchResult aimed_at(double seconds) {
  Optimizer optimizer;
  optimizer.run = [&](const OptionValues&, Search& search) {
    const MemoryFit fit(search.problem());
    search.evaluate(on_devices({0, 0}), {OpId(0), OpId(1)});
    meet_windows(search, fit, windows_within(search.problem(), fit, to_picoseconds(seconds)));
  };
  SearchRequest request = request_for("random", 50);
  request.optimizer = &optimizer;
  request.order = Order::kGiven;
  return run_search(Problem(graph_of(seconds_each({1, 1}), {}), alike()), request);
}

TEST_CASE("what is in time is scored once more and left as it is") {
  // The first evaluation, the schedule to begin with, and the one in which nothing is late.
  const SearchResult result = aimed_at(2);
  CHECK(result.evaluations == 3);
  CHECK(result.placement == on_devices({0, 0}));
}

TEST_CASE("two ops late for a step of 1 s end on two devices") {
  const SearchResult result = aimed_at(1);
  CHECK(result.score.step_ps == to_picoseconds(1));
  CHECK(result.evaluations < 50);
}

}  // namespace
}  // namespace placer::testing
