#include "search/local/priced_lists.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "search/lists/rules.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Four ops that take 3 s on gpu:0 and 6 s on gpu:1, and eight that take 2 s on either: in the 14 s
/// of the bound by work, the four are on gpu:0, and one of the others.
Problem torn() {
  std::vector<Op> ops;
  for (const char* name : {"a", "b", "c", "d"}) ops.push_back(timed_apart(name, 3, 6));
  for (const char* name : {"e", "f", "g", "h", "i", "j", "k", "l"}) {
    ops.push_back(timed_apart(name, 2, 2));
  }
  return Problem(graph_of(ops, {}), alike());
}

std::vector<double> surcharges_of(const Problem& problem) {
  const MemoryFit fit(problem);
  return surcharges(problem, fit, best_prices(problem, fit, true).loads());
}

TEST_CASE("a group pays for a device what it costs more there than where it costs least") {
  const std::vector<double> charges = surcharges_of(torn());
  for (std::size_t op = 0; op < 4; ++op) {
    CHECK(charges[op * 2] == 0);  // gpu:0
    CHECK(charges[op * 2 + 1] == Approx(3e12).epsilon(0.02));
  }
  for (std::size_t op = 4; op < 12; ++op) {
    CHECK(std::abs(charges[op * 2] - charges[op * 2 + 1]) < 0.05e12);
  }
}

TEST_CASE("no device is dearer among alike ones, and one where a group may not go is never paid") {
  for (const double ps : surcharges_of(Problem(chain(3), alike()))) CHECK(ps == 0);
  const Problem pinned(graph_of({on(timed_op("a", 1), {"gpu:1"})}, {}), alike());
  const std::vector<double> charges = surcharges_of(pinned);
  CHECK(std::isinf(charges[0]));
  CHECK(charges[1] == 0);
}

Optimizer lists_by_price() {
  Optimizer optimizer;
  optimizer.run = [](const OptionValues&, Search& search) {
    search.evaluate(Placement{std::vector<DeviceId>(search.problem().groups().size())});
    const MemoryFit fit(search.problem());
    ListScheduler lists(search.problem());
    try_priced_lists(search, lists, fit, best_prices(search.problem(), fit, true).loads(), 0);
  };
  return optimizer;
}

TEST_CASE("at the bound's prices lists leave a device to what loses most without it") {
  const Optimizer optimizer = lists_by_price();
  SearchRequest request = request_for("random", 100);
  request.optimizer = &optimizer;
  CHECK(heft_schedule(torn(), {}).makespan_ps() == to_picoseconds(16));
  CHECK(run_search(torn(), request).score.step_ps == to_picoseconds(14));
}

TEST_CASE("where all devices are alike there are no prices to list by") {
  const Optimizer optimizer = lists_by_price();
  SearchRequest request = request_for("random", 100);
  request.optimizer = &optimizer;
  CHECK(run_search(Problem(chain(3), alike()), request).evaluations == 1);
}

}  // namespace
}  // namespace placer::testing
