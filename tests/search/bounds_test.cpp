#include "placer/search/bounds.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "search/scheduling_data.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

Op on(Op op, std::vector<std::string> devices) {
  op.devices = std::move(devices);
  return op;
}

std::vector<Op> seconds_each(std::vector<double> seconds, const std::string& group = "") {
  std::vector<Op> ops;
  for (const double time : seconds) {
    ops.push_back(timed_op("op" + std::to_string(ops.size()), time));
    ops.back().group = group;
  }
  return ops;
}

TEST_CASE("a chain that must change devices is bound by its ops and the transfer") {
  const Problem problem(graph_of({on(timed_op("a", 1), {"gpu:0"}), on(timed_op("b", 1), {"gpu:1"})},
                                 {tensor(0, {1}, 5)}),
                        alike());
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.path_ps == to_picoseconds(2));
  CHECK(bounds.device_path_ps == to_picoseconds(7));
  CHECK(bounds.best_ps() == to_picoseconds(7));
}

TEST_CASE("where moving costs more than a slow device the device path stays on one") {
  const Problem problem(
      graph_of({timed_apart("a", 1, 3), timed_apart("b", 4, 1)}, {tensor(0, {1}, 10)}), alike());
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.path_ps == to_picoseconds(2));
  CHECK(bounds.device_path_ps == to_picoseconds(4));  // both on gpu:1
}

TEST_CASE("a group on the path runs all of its ops on one device") {
  std::vector<Op> ops{timed_apart("a", 1, 3), timed_apart("b", 4, 1)};
  for (Op& op : ops) op.group = "g";
  const LowerBounds bounds =
      lower_bounds(Problem(graph_of(std::move(ops), {tensor(0, {1}, 0)}), alike()));
  CHECK(bounds.path_ps == to_picoseconds(2));
  CHECK(bounds.device_path_ps == to_picoseconds(4));
}

TEST_CASE("four seconds of independent work on two alike devices take two seconds") {
  const LowerBounds bounds =
      lower_bounds(Problem(graph_of(seconds_each({1, 1, 1, 1}), {}), alike()));
  CHECK(bounds.path_ps == to_picoseconds(1));
  CHECK(bounds.load_ps == to_picoseconds(2));
}

TEST_CASE("the load bound is the linear program's value where devices differ") {
  // a and b are fast on gpu:0 and gpu:1; c is split: x on gpu:0 in 6x, the rest on gpu:1 in 3(1-x):
  // 2 + 6x = 1 + 3(1 - x) gives x = 2/9 and 3 1/3 seconds.
  const Problem problem(
      graph_of({timed_apart("a", 2, 99), timed_apart("b", 99, 1), timed_apart("c", 6, 3)}, {}),
      alike());
  const double bound = to_seconds(lower_bounds(problem).load_ps);
  CHECK(bound <= 10.0 / 3);
  CHECK(bound == Approx(10.0 / 3).epsilon(1e-4));
}

TEST_CASE("slots share a device's load") {
  const Machine machine{.devices = 1, .slots = 2};
  const LowerBounds bounds =
      lower_bounds(Problem(graph_of(seconds_each({3, 3, 3, 3}), {}), alike(machine)));
  CHECK(bounds.load_ps == to_picoseconds(6));
}

TEST_CASE("a group of six seconds is not cut in halves") {
  const LowerBounds bounds =
      lower_bounds(Problem(graph_of(seconds_each({3, 3}, "g"), {}), alike()));
  CHECK(bounds.load_ps == to_picoseconds(6));
}

TEST_CASE("half a picosecond rounds up") {
  const LowerBounds bounds =
      lower_bounds(Problem(graph_of(seconds_each({1e-12, 1e-12, 1e-12}), {}), alike()));
  CHECK(bounds.load_ps == 2);
}

TEST_CASE("ops of no time have a bound of nothing") {
  CHECK(lower_bounds(Problem(graph_of(seconds_each({0, 0}), {}), alike())).best_ps() == 0);
}

TEST_CASE("no placement of small random problems beats a bound") {
  RandomProblem small;
  small.most_ops = 6;
  small.most_devices = 3;
  small.limits = false;  // so that the best placement is the fastest
  const Rng rng(20);
  for (std::size_t i = 0; i < 300; ++i) {
    Rng draws = rng.stream("bounds", i);
    const Problem problem = random_problem(draws, small);
    CAPTURE(i);
    for (const Order order : {Order::kFifo, Order::kPriority}) {
      const Best best = exhaustive_best(problem, order);
      CHECK(lower_bounds(problem).best_ps() <= best.score.step_ps);
    }
  }
}

TEST_CASE("no random placement of larger problems beats a bound under any order") {
  const Rng rng(21);
  for (std::size_t i = 0; i < 400; ++i) {
    Rng draws = rng.stream("bounds", i);
    const Problem problem = random_problem(draws);
    const Picoseconds bound_ps = lower_bounds(problem).best_ps();
    CAPTURE(i, bound_ps);
    for (const Order order : kAllOrders) {
      Simulator simulator(problem, order);
      for (int k = 0; k < 20; ++k) {
        CHECK(bound_ps <= simulator.evaluate(random_placement(problem, draws)).step_ps);
      }
    }
  }
}

TEST_CASE("bounds stay below planted optima and within a hundredth where the devices are packed") {
  for (const KnownOptimum& known : planted_optima()) {
    CAPTURE(known.name);
    const LowerBounds bounds = lower_bounds(known.problem);
    CHECK(bounds.best_ps() <= known.optimum_ps);
    if (known.name.starts_with("packed_")) {
      CHECK(to_seconds(bounds.load_ps) >= 0.99 * to_seconds(known.optimum_ps));
    }
  }
}

TEST_CASE(
    "bounds stay below the optima of the Standard Task Graph Set, on average within a tenth") {
  const std::vector<KnownOptimum> set = task_graph_set();
  double shares = 0;
  for (const KnownOptimum& known : set) {
    CAPTURE(known.name);
    const Picoseconds bound_ps = lower_bounds(known.problem).best_ps();
    CHECK(bound_ps <= known.optimum_ps);
    shares += to_seconds(bound_ps) / to_seconds(known.optimum_ps);
  }
  if (!set.empty()) CHECK(shares / static_cast<double>(set.size()) > 0.9);
}

}  // namespace
}  // namespace placer::testing
