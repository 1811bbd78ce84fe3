// The bound of paths through calls, in examples worked out by hand.
#include "search/bounds/call_bound.hpp"

#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Each op takes 10 s on gpu:0, a host with room for all, else 1 s, and holds 10 bytes.
Problem with_host(std::size_t ops, std::vector<Tensor> tensors, std::size_t accelerators,
                  std::int64_t room_bytes) {
  const Topology machine = alike({.devices = accelerators + 1, .memory_bytes = room_bytes});
  std::vector<Device> devices = machine.devices();
  devices.front().host = true;
  devices.front().memory_bytes = 1000;
  std::vector<Op> all = seconds_each(std::vector<double>(ops, 1));
  for (Op& op : all) {
    op.seconds = {{"gpu:0", 10}, {"gpu", 1}};
    op.params_bytes = 10;
  }
  return Problem(graph_of(std::move(all), std::move(tensors)),
                 Topology(std::move(devices), machine.links()))
      .with_goal({.objective = Objective::kCallLatency});
}

Picoseconds best_ps(const Problem& problem) {
  return run_search(problem, request_for("exhaustive", 10'000)).score.step_ps;
}

TEST_CASE("A path falls into ops on hosts and calls that have room and pay for copies") {
  // a -> b -> c over 2 s; an accelerator holds two ops and what it copies out or in, not three.
  const std::vector<Tensor> line = {tensor(0, {1}, 2), tensor(1, {2}, 2)};
  const Problem one = with_host(3, line, 1, 25);
  // Two of them in a call, with a copy: 2 + 2 s, and 10 s on the host.
  CHECK(lower_bounds(one).call_path_ps == to_picoseconds(14));
  CHECK(best_ps(one) == to_picoseconds(14));
  CHECK(best_bound(lower_bounds(one)).name == "calls");
  // Two calls: 2 + 2 s, and 2 + 1 s.
  const Problem two = with_host(3, line, 2, 25);
  CHECK(lower_bounds(two).call_path_ps == to_picoseconds(7));
  CHECK(best_ps(two) == to_picoseconds(7));
}

TEST_CASE("A call with both ends of branches has all ops between them") {
  // Six ops of 10 bytes, and 1 byte while one of them runs.
  const std::size_t width = 4;
  std::vector<Tensor> tensors = {tensor(0, {1, 2, 3, 4}, 1)};
  for (std::size_t branch = 1; branch <= width; ++branch) {
    tensors.push_back(tensor(branch, {width + 1}, 1));
  }
  CHECK(lower_bounds(with_host(width + 2, tensors, 1, 61)).call_path_ps == to_picoseconds(6));
  const Problem tight = with_host(width + 2, tensors, 1, 60);
  CHECK(lower_bounds(tight).call_path_ps > to_picoseconds(10));
  CHECK(lower_bounds(tight).call_path_ps <= best_ps(tight));
}

TEST_CASE("What joins a call from beside the path is copied, or has all of its way in the call") {
  // a -> b -> c -> d over 1 s, and beside it a -> x -> d, over 5 s each. b may not be in a call. So
  // c and d in a call wait for x's tensor, or a's for x: 1 + 2 + 5 s and 10 + 10 s on the host.
  std::vector<Tensor> tensors = {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {3}, 1),
                                 tensor(0, {4}, 5), tensor(4, {3}, 5)};
  const Problem free = with_host(5, tensors, 1, 1000);
  std::vector<Op> ops = free.graph().ops();
  ops[1].devices = {"gpu:0"};
  const Problem problem =
      Problem(Graph("g", std::move(ops), tensors), free.topology()).with_goal(free.goal());
  CHECK(lower_bounds(problem).call_path_ps == to_picoseconds(28));
  CHECK(best_ps(problem) == to_picoseconds(28));
}

TEST_CASE("Paths through calls are never longer than the best step") {
  Rng rng(21);
  int larger = 0;  // than the critical path
  for (int round = 0; round < 150; ++round) {
    INFO("problem " << round);
    const Problem drawn = random_problem(rng, {.most_ops = 8, .most_devices = 3});
    std::vector<Device> devices = drawn.topology().devices();
    devices.front().host = true;
    const Problem problem =
        Problem(drawn.graph(), Topology(std::move(devices), drawn.topology().links(),
                                        drawn.topology().contention()))
            .with_goal({.objective = Objective::kCallLatency});
    const Score best = run_search(problem, request_for("exhaustive", 10'000)).score;
    if (!best.fits()) continue;
    const LowerBounds bounds = lower_bounds(problem);
    CHECK(bounds.call_path_ps <= best.step_ps);
    larger += bounds.call_path_ps > bounds.path_ps ? 1 : 0;
  }
  CHECK(larger > 20);
}

}  // namespace
}  // namespace placer::testing
