#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "search/lists/linear_program.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

/// Four ops of 10 bytes and two of 3, each 1 s on two small GPUs and 10 s on a roomy one.
Problem large_and_small() {
  std::vector<Op> ops = testing::seconds_each({1, 1, 1, 1, 1, 1});
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].params_bytes = i < 4 ? 10 : 3;
    ops[i].seconds = {{"gpu:0", 1}, {"gpu:1", 1}, {"gpu:2", 10}};
  }
  const Topology alike = testing::alike({.devices = 3, .memory_bytes = 15});
  std::vector<Device> devices = alike.devices();
  devices[2].memory_bytes = 1'000;
  return Problem(testing::graph_of(ops, {}), Topology(devices, alike.links()));
}

TEST_CASE("Items of more than half a memory count one by one, whatever else has room") {
  if (!LinearProgram::solvable()) return;
  const Problem step = large_and_small();
  // In bytes 2.6 of the large ones would fit on the small GPUs; two do, and the others take 20 s.
  CHECK(lower_bounds(step).load_ps == Approx(20e12).epsilon(1e-6));
  CHECK(testing::exhaustive_best(step).score == Score{0, to_picoseconds(20)});
  const Problem pipeline = step.with_goal({.objective = Objective::kThroughput});
  CHECK(lower_bounds(pipeline).load_ps == Approx(20e12).epsilon(1e-6));
}

}  // namespace
}  // namespace placer
