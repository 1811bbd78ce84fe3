#include "search/exact/pipeline_search.hpp"

#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "search/groups/pipeline_units.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::request_for;

Score best_of_all(const Problem& problem) {
  return run_search(problem, request_for("exhaustive", 10'000'000)).score;
}

Problem small_pipeline(Rng& rng, Contiguity contiguity) {
  return testing::random_problem(rng, {.most_ops = 7, .most_devices = 3})
      .with_goal({.objective = Objective::kThroughput, .contiguity = contiguity});
}

/// On gpu:0, a host with room for all, and accelerators with less, under call-latency.
Problem with_host(Graph graph, std::size_t devices, std::int64_t memory_bytes) {
  const Topology alike = testing::alike({.devices = devices, .memory_bytes = memory_bytes});
  std::vector<Device> all = alike.devices();
  all.front().host = true;
  all.front().memory_bytes = 1'000'000;
  return Problem(std::move(graph), Topology(std::move(all), alike.links()))
      .with_goal({.objective = Objective::kCallLatency});
}

struct Layers {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
};

/// Seven in a line, of 1 to 5 seconds and 1 to 4 bytes, over tensors of 1 to 3 bytes.
Layers line_of_layers(Rng& rng) {
  Layers line;
  for (std::size_t i = 0; i < 7; ++i) {
    line.ops.push_back(
        testing::timed_op("op" + std::to_string(i), static_cast<double>(1 + rng.below(5))));
    line.ops.back().params_bytes = 1 + static_cast<std::int64_t>(rng.below(4));
    const auto bytes = 1 + static_cast<std::int64_t>(rng.below(3));
    if (i > 0) line.tensors.push_back(testing::tensor(i - 1, {i}, bytes));
  }
  return line;
}

TEST_CASE("The best pipeline over down-sets is the best of all placements in stages") {
  Rng rng(11);
  int proven = 0;
  for (int round = 0; round < 150; ++round) {
    INFO(round);
    const Problem problem = small_pipeline(rng, Contiguity::kStages);
    const SearchResult found = run_search(problem, request_for("dp", 100));
    const Score best = best_of_all(problem);
    CHECK_FALSE(found.score < best);
    if (!found.proven) continue;
    ++proven;
    CHECK(found.score == best);
  }
  CHECK(proven > 40);
}

TEST_CASE("Intervals of a line of layers are the best of all contiguous placements") {
  Rng rng(12);
  for (int round = 0; round < 60; ++round) {
    INFO(round);
    const Layers line = line_of_layers(rng);
    const Problem problem = Problem(testing::graph_of(line.ops, line.tensors),
                                    testing::alike({.devices = 3, .memory_bytes = 16}))
                                .with_goal({.objective = Objective::kThroughput,
                                            .contiguity = Contiguity::kContiguous});
    const SearchResult found = run_search(problem, request_for("interval-dp", 100));
    CHECK(found.score == best_of_all(problem));
    if (found.score.fits()) CHECK(found.proven);
  }
}

TEST_CASE("Intervals of a line of layers are the best of all calls") {
  Rng rng(14);
  int parted = 0;  // in which an accelerator and a host both have layers
  for (int round = 0; round < 60; ++round) {
    INFO(round);
    Layers line = line_of_layers(rng);
    for (Op& op : line.ops) {
      const double seconds = op.seconds.front().second;
      op.seconds = {{"gpu:0", 3 * seconds}, {"gpu", seconds}};
    }
    const Problem problem = with_host(testing::graph_of(line.ops, line.tensors), 3, 14);
    const SearchResult found = run_search(problem, request_for("interval-dp", 100));
    CHECK(found.score == best_of_all(problem));
    const auto on_host = std::ranges::count(found.placement.devices, DeviceId(0));
    parted += on_host > 0 && on_host < 7 ? 1 : 0;
  }
  CHECK(parted > 10);
}

TEST_CASE("Intervals under call-latency run branches on a host side by side") {
  // a(1) -> b(4), c(4), d(4) -> e(1), twice as fast on gpu:1, which has no room for two of them and
  // copies for 1 s: all on the host in 6 s, where one after the other would take 14.
  std::vector<Op> ops = testing::seconds_each({1, 4, 4, 4, 1});
  for (Op& op : ops) {
    const double seconds = op.seconds.front().second;
    op.seconds = {{"gpu:0", seconds}, {"gpu:1", seconds / 2}};
    op.params_bytes = 10;
  }
  std::vector<Tensor> tensors = {testing::tensor(0, {1, 2, 3}, 1)};
  for (std::size_t branch = 1; branch < 4; ++branch) {
    tensors.push_back(testing::tensor(branch, {4}, 1));
  }
  const Problem problem = with_host(testing::graph_of(ops, tensors), 2, 15);
  const SearchResult found = run_search(problem, request_for("interval-dp", 100));
  CHECK(found.score == Score{0, to_picoseconds(6)});
  CHECK(found.score == best_of_all(problem));
}

TEST_CASE("Stages in a given order use devices in that order") {
  // Four layers of 1 second over 1 byte; three devices, the second is the fastest.
  std::vector<Op> ops = testing::seconds_each({1, 1, 1, 1});
  for (Op& op : ops) op.seconds = {{"gpu:0", 4}, {"gpu:1", 1}, {"gpu:2", 4}};
  const Problem problem =
      Problem(testing::graph_of(ops, {testing::tensor(0, {1}, 1), testing::tensor(1, {2}, 1),
                                      testing::tensor(2, {3}, 1)}),
              testing::alike({.devices = 3}))
          .with_goal({.objective = Objective::kThroughput,
                      .contiguity = Contiguity::kStages,
                      .stages = {DeviceId(2), DeviceId(0), DeviceId(1)}});
  const SearchResult found = run_search(problem, request_for("dp", 100));
  // All four on gpu:1, or one of 4 s before it: both take 4 s.
  CHECK(found.score == Score{0, to_picoseconds(4)});
  CHECK(found.proven);
  CHECK(found.score == best_of_all(problem));
}

TEST_CASE("Devices of too many kinds to look at all their sets are used by their speed") {
  // 40 layers on eight devices of each of eight kinds, on which one takes 1 to 8 s: three for each
  // of the fastest, and one for each of the next two kinds.
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 40; ++i) {
    ops.push_back(testing::timed_op("op" + std::to_string(i), 1));
    ops.back().seconds.clear();
    for (int kind = 0; kind < 8; ++kind) {
      ops.back().seconds.emplace_back("kind" + std::to_string(kind), kind + 1);
    }
    if (i > 0) tensors.push_back(testing::tensor(i - 1, {i}, 0));
  }
  const Topology alike = testing::alike({.devices = 64});
  std::vector<Device> devices = alike.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].type = "kind" + std::to_string(i * 5 % 8);
  }
  for (const Contiguity contiguity : {Contiguity::kContiguous, Contiguity::kStages}) {
    const Problem problem =
        Problem(testing::graph_of(ops, tensors), Topology(devices, alike.links()))
            .with_goal({.objective = Objective::kThroughput, .contiguity = contiguity});
    for (const char* algorithm : {"dp", "interval-dp"}) {
      const SearchResult found = run_search(problem, request_for(algorithm, 100'000));
      CHECK(found.score == Score{0, to_picoseconds(3)});
      CHECK_FALSE(found.proven);
    }
  }
}

TEST_CASE("Where no pipeline keeps the backward pass in stages, a device that has all is tried") {
  std::vector<Op> ops;
  const std::vector<double> seconds{17, 17, 20, 14};
  const std::vector<std::int64_t> params{11, 4, 28, 7};
  for (const bool backward : {false, true}) {
    for (std::size_t i = 0; i < 4; ++i) {
      ops.push_back(testing::timed_op((backward ? "b" : "f") + std::to_string(i),
                                      seconds[i] * (backward ? 2 : 1)));
      ops.back().group = "g" + std::to_string(i);
      ops.back().backward = backward;
      if (!backward) ops.back().params_bytes = params[i];
    }
  }
  ops[2].temp_bytes = 10;
  const std::vector<Tensor> tensors{testing::tensor(0, {4, 3}, 0), testing::tensor(1, {5, 3}, 0),
                                    testing::tensor(1, {2}, 1),    testing::tensor(2, {6}, 10),
                                    testing::tensor(6, {5}, 1),    testing::tensor(7, {4, 5}, 0)};
  const Topology alike = testing::alike({.devices = 3, .memory_bytes = 60});
  std::vector<Device> devices = alike.devices();
  devices.back().memory_bytes = 100;
  const Problem problem =
      Problem(testing::graph_of(ops, tensors), Topology(devices, alike.links()))
          .with_goal({.objective = Objective::kCallLatency, .contiguity = Contiguity::kStages});
  const Score best = best_of_all(problem);
  CHECK(best.fits());
  for (const char* algorithm : {"dp", "interval-dp"}) {
    CHECK(run_search(problem, request_for(algorithm, 100)).score == best);
  }
}

TEST_CASE("No bound of a pipeline or of calls is above the best of all placements") {
  Rng rng(13);
  for (int round = 0; round < 150; ++round) {
    INFO(round);
    const Objective objective = round % 2 == 0 ? Objective::kThroughput : Objective::kCallLatency;
    const Problem problem = testing::random_problem(rng, {.most_ops = 7, .most_devices = 3})
                                .with_goal({.objective = objective});
    const LowerBounds bounds = lower_bounds(problem);
    const Score best = best_of_all(problem);
    if (!bounds.infeasible.empty()) CHECK_FALSE(best.fits());
    if (best.fits()) CHECK(bounds.best_ps() <= best.step_ps);
  }
}

TEST_CASE("The groups of a pipeline's units: circles as one, idle leaves with their neighbours") {
  // a -> b -> c where a and c are one group; d takes no time and reads b.
  std::vector<Op> ops = testing::seconds_each({1, 1, 1, 0, 1});
  ops[0].group = ops[2].group = "circle";
  const Problem problem(
      testing::graph_of(ops, {testing::tensor(0, {1}, 1), testing::tensor(1, {2, 3}, 1),
                              testing::tensor(2, {4}, 1)}),
      testing::alike());
  const std::vector<PipelineUnit> units = pipeline_units(problem);
  REQUIRE(units.size() == 2);
  CHECK(units[0].groups.size() == 3);
  CHECK(units[1].groups.size() == 1);
  CHECK(units[1].before == std::vector<std::uint32_t>{0});
}

TEST_CASE("Groups in a row are no proof where no path of ops goes through them") {
  // op1 -> op3 and op0 -> op2, with op0 and op3 in one group: 1 s, 4 s, 1 s. Both ends may share a
  // device, as nothing comes back from the group between them: 4 s instead of 5.
  std::vector<Op> ops = testing::seconds_each({3, 1, 1, 1});
  ops[0].group = ops[3].group = "both";
  const Graph graph =
      testing::graph_of(std::move(ops), {testing::tensor(0, {2}, 0), testing::tensor(1, {3}, 0)});
  const Problem problem =
      Problem(graph, testing::alike({}))
          .with_goal({.objective = Objective::kThroughput, .contiguity = Contiguity::kContiguous});
  const SearchResult found = run_search(problem, request_for("dp", 1'000));
  CHECK(best_of_all(problem).step_ps == 4'000'000'000'000);
  CHECK((!found.proven || found.score.step_ps == 4'000'000'000'000));
  const SearchResult automatic = run_search(problem, request_for("auto", 1'000));
  CHECK((!automatic.proven || automatic.score.step_ps == 4'000'000'000'000));
}

}  // namespace
}  // namespace placer
