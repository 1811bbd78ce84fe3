#include "placer/search/bounds.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/exhaustive.hpp"
#include "support/fuzz_bounds.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

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
  const Problem problem(graph_of({timed_apart("a", 2, 99), timed_apart("b", 99, 1),
                                  timed_apart("c", 6, 3), timed_op("instant", 1e-12)},
                                 {}),
                        alike());
  const double bound = to_seconds(lower_bounds(problem).load_ps);
  CHECK(bound <= 10.0 / 3 + 1e-12);
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

TEST_CASE("a step is a multiple of what divides every time") {
  const LowerBounds bounds = lower_bounds(Problem(graph_of(seconds_each({3, 3, 3}), {}), alike()));
  CHECK(bounds.load_ps == to_picoseconds(6));  // 9 s on two devices are 4.5 s each
}

TEST_CASE("four ops between a first and a last one take half of their time between the two") {
  const Problem problem(graph_of(seconds_each({2, 1, 1, 1, 1, 2}),
                                 {tensor(0, {1, 2, 3, 4}, 0), tensor(1, {5}, 0), tensor(2, {5}, 0),
                                  tensor(3, {5}, 0), tensor(4, {5}, 0)}),
                        alike());
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.fork_join_ps == to_picoseconds(5));
  CHECK(bounds.load_ps == to_picoseconds(4));
  CHECK(bounds.staged_load_ps == to_picoseconds(6));
  CHECK(best_bound(bounds).name == "B5");
}

TEST_CASE("a long op leaves no time in the middle of the step for one that must run there") {
  // On gpu:1: 'middle' (2 s), 2 s after the start and 2 s before the end, and 'long' (5 s). In a
  // step of 8 s 'middle' runs within [2, 6], where 'long' needs at least 3 of the 4 s.
  const Problem problem(
      graph_of({on(timed_op("first", 0), {"gpu:0"}), on(timed_op("middle", 2), {"gpu:1"}),
                on(timed_op("last", 0), {"gpu:0"}), on(timed_op("long", 5), {"gpu:1"})},
               {tensor(0, {1}, 2), tensor(1, {2}, 2)}),
      alike());
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.fork_join_ps == to_picoseconds(6));
  CHECK(bounds.load_ps == to_picoseconds(7));
  CHECK(bounds.staged_load_ps == to_picoseconds(7));
  CHECK(bounds.interval_ps == to_picoseconds(9));
  CHECK(best_bound(bounds).name == "B6");
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(9));
}

TEST_CASE("work that full memories push to a slow device counts there") {
  // Each of four layers holds 10 bytes; gpu:0 has room for two, so two take 5 s each on gpu:1.
  std::vector<Op> ops;
  for (int i = 0; i < 4; ++i) {
    ops.push_back(timed_apart("layer" + std::to_string(i), 1, 5));
    ops.back().params_bytes = 10;
  }
  const LowerBounds roomy = lower_bounds(Problem(graph_of(ops, {}), alike({.memory_bytes = 1000})));
  const LowerBounds tight = lower_bounds(Problem(graph_of(ops, {}), alike({.memory_bytes = 20})));
  CHECK(roomy.load_ps == to_picoseconds(4));  // 3 1/3 s and whole seconds
  CHECK(tight.load_ps == to_picoseconds(10));
  CHECK(tight.infeasible == "");
}

TEST_CASE("an op goes only where its parameters, inputs and outputs fit") {
  // gpu:1 has 25 bytes: b's 10 of parameters, 10 of input and 10 of output do not fit there.
  std::vector<Op> ops{timed_apart("a", 1, 1), timed_apart("b", 9, 1)};
  ops[1].params_bytes = 10;
  std::vector<Device> devices = alike().devices();
  devices[1].memory_bytes = 25;
  const auto bounds_with_output = [&](std::int64_t bytes) {
    return lower_bounds(Problem(graph_of(ops, {tensor(0, {1}, 10), tensor(1, {}, bytes)}),
                                Topology(devices, alike().links())));
  };
  CHECK(bounds_with_output(5).path_ps == to_picoseconds(2));
  CHECK(bounds_with_output(10).path_ps == to_picoseconds(10));
}

TEST_CASE("what an op keeps does not take room before it runs") {
  // 'first' holds 5 + 5 bytes, then 'second' 5 + 3, of which 3 stay.
  std::vector<Op> ops = seconds_each({1, 1}, "g");
  ops[0].temp_bytes = 5;
  Tensor kept = tensor(1, {}, 3);
  kept.keep = true;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 5), kept}),
                        alike({.devices = 1, .memory_bytes = 10}));
  CHECK(exhaustive_best(problem).score.fits());
  CHECK(lower_bounds(problem).infeasible == "");
}

TEST_CASE("parameters larger than all memory are a proof that nothing fits") {
  std::vector<Op> ops = seconds_each({1, 1, 1});
  for (Op& op : ops) op.params_bytes = 10;
  const auto reason = [&](std::int64_t memory_bytes) {
    return lower_bounds(Problem(graph_of(ops, {}), alike({.memory_bytes = memory_bytes})))
        .infeasible;
  };
  CHECK(reason(9) ==
        "the group of op 'op0' needs at least 10 bytes at once, more than any device where it may "
        "go has");
  ops[0].name = std::string(300, 'x');
  CHECK_THAT(reason(9), Catch::Contains("of op '" + std::string(200, 'x') + "...' needs"));
  CHECK(reason(14) ==
        "parameters and kept tensors take 30 bytes, more than the 28 bytes of all devices "
        "together");
  // 30 bytes of 30, but a device with room for 15 holds one op only.
  CHECK_THAT(reason(15), Catch::Contains("not even in fractions"));
  CHECK(reason(20) == "");
}

TEST_CASE("groups for which their devices have too little memory together fit nowhere") {
  // a, b and c may only go to gpu:0 and gpu:1, with 40 bytes between them; gpu:2 stays empty.
  std::vector<Op> ops = seconds_each({1, 1, 1});
  for (Op& op : ops) {
    op.params_bytes = 15;
    op.devices = {"gpu:0", "gpu:1"};
  }
  const Problem problem(graph_of(ops, {}), alike({.devices = 3, .memory_bytes = 20}));
  CHECK_THAT(lower_bounds(problem).infeasible, Catch::Contains("not even in fractions"));
}

TEST_CASE("ops of no time have a bound of nothing") {
  CHECK(lower_bounds(Problem(graph_of(seconds_each({0, 0}), {}), alike())).best_ps() == 0);
}

TEST_CASE("no placement of small random problems that fits beats a bound, and exact searches end") {
  BoundFigures figures;  // scripts/fuzz.sh bounds tries more
  const std::size_t count = kSanitized ? 30 : 150;
  for (std::size_t i = 0; i < count; ++i) REQUIRE(fuzz_bounds(20, i, figures) == "");
  CHECK(figures.met > figures.fit * 3 / 5);
  CHECK(figures.impossible > (figures.problems - figures.fit) / 2);
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
        const Score score = simulator.evaluate(random_placement(problem, draws));
        if (score.fits()) CHECK(bound_ps <= score.step_ps);
      }
    }
  }
}

void check_bounds_meet(const std::vector<KnownOptimum>& optima) {
  for (const KnownOptimum& known : optima) {
    CAPTURE(known.name);
    const LowerBounds bounds = lower_bounds(known.problem);
    CHECK(bounds.best_ps() == known.optimum_ps);
    CHECK(bounds.infeasible == "");
  }
}

TEST_CASE("bounds meet planted optima") { check_bounds_meet(planted_optima()); }

TEST_CASE("bounds meet the planted optima of the shared instances") {
  check_bounds_meet(shared_planted_optima());
}

TEST_CASE("bounds meet the optima of standard task graphs") { check_bounds_meet(task_graphs()); }

TEST_CASE("bounds meet the best known schedules of the whole Standard Task Graph Set") {
  check_bounds_meet(shared_task_graphs());
}

TEST_CASE("On a hundred alike devices the work of two hundred ops is shared out evenly") {
  const std::vector<double> seconds(200, 1.0);
  const LowerBounds bounds =
      lower_bounds(Problem(graph_of(seconds_each(seconds), {}), alike({.devices = 100})));
  CHECK(bounds.load_ps == 2 * to_picoseconds(1));
  CHECK(bounds.best_ps() == 2 * to_picoseconds(1));
}

TEST_CASE("On many devices a chain may stay on one or pay for a change") {
  // 3 s on one device; a link takes 2 s.
  const Problem problem(chain(3, 2), alike({.devices = 80}));
  CHECK(lower_bounds(problem).device_path_ps == to_picoseconds(3));
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(3));
}

TEST_CASE("the work of very many ops is priced by a sample of them") {
  // 50,000 ops of 1 ms on gpu:0 and 3 ms on gpu:1, and 20,000 of 4 ms and 1 ms: gpu:1 does all of
  // these in 20 s and 7,500 of the others in 22.5 s, as long as gpu:0 takes for the rest.
  std::vector<Op> ops;
  for (int i = 0; i < 70'000; ++i) {
    const bool is_slow = i % 7 < 2;
    ops.push_back(
        timed_apart("op" + std::to_string(i), is_slow ? 0.004 : 0.001, is_slow ? 0.001 : 0.003));
  }
  const double bound = to_seconds(lower_bounds(Problem(graph_of(ops, {}), alike())).load_ps);
  CHECK(bound <= 42.5);
  CHECK(bound == Approx(42.5).epsilon(0.001));
}

}  // namespace
}  // namespace placer::testing
