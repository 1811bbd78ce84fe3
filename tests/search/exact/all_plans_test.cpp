#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/search/pipelines.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// A line of layers, each a group, and a machine of two kinds.
struct Drawn {
  Problem problem;
  PipelineRequest request;
  std::size_t layers;
};

/// The forward pass, and in `trains` the backward pass, of `layers` layers: few bytes in between,
/// up to 19 of parameters in each, and up to 19 from a layer's forward to its backward op.
Graph drawn_layers(std::size_t layers, bool trains, Rng& rng) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  const auto add_op = [&](const std::string& name, std::size_t layer, double seconds) {
    Op& op = ops.emplace_back();
    op.name = name + std::to_string(layer);
    op.group = "layer" + std::to_string(layer);
    op.seconds = {{"fast", seconds}, {"slow", 2 * seconds}};
    op.backward = name == "b";
  };
  for (std::size_t i = 0; i < layers; ++i) {
    add_op("f", i, static_cast<double>(1 + rng.below(6)));
    ops.back().params_bytes = static_cast<std::int64_t>(rng.below(20));
    if (i > 0) tensors.push_back(tensor(i - 1, {i}, static_cast<std::int64_t>(1 + rng.below(4))));
  }
  for (std::size_t i = layers; trains && i-- > 0;) {
    add_op("b", i, 2 * ops[i].seconds.front().second);
    const std::size_t own = ops.size() - 1;
    if (i + 1 < layers) tensors.push_back(tensor(own - 1, {own}, 2));
    tensors.push_back(tensor(i, {own}, static_cast<std::int64_t>(rng.below(20))));
  }
  return graph_of(std::move(ops), std::move(tensors));
}

Drawn draw(std::uint64_t seed) {
  Rng rng(seed);
  const std::size_t layers = 3 + rng.below(3);
  const bool trains = rng.below(3) > 0;
  Graph graph = drawn_layers(layers, trains, rng);
  std::int64_t bytes = 0;
  for (const Op& op : graph.ops()) bytes += op.params_bytes;
  for (const Tensor& each : graph.tensors()) bytes += each.bytes;
  std::vector<Device> devices(2 + rng.below(2));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].name = "d" + std::to_string(i);
    devices[i].type = rng.below(2) == 0 ? "fast" : "slow";
    const auto share = static_cast<std::int64_t>(2 + rng.below(4));
    devices[i].memory_bytes = share * bytes / 3 / static_cast<std::int64_t>(devices.size()) + 4;
  }
  PipelineRequest request = {.graphs = static_cast<std::int64_t>(1 + rng.below(4))};
  if (trains && rng.below(2) == 0) request.schedule = PipelineSchedule::k1F1B;
  return {Problem(std::move(graph), Topology(std::move(devices), {{"*", "*", 4, 0, {}}})), request,
          layers};
}

/// Every plan of a problem, one stage after the other of consecutive layers on any set of devices
/// that is not used yet.
class AllPlans {
 public:
  explicit AllPlans(const Drawn& drawn)
      : drawn_(drawn), placement_{std::vector<DeviceId>(drawn.layers)} {}

  std::optional<Score> best() {
    for (std::int64_t merged = 1; merged <= drawn_.request.graphs; ++merged) {
      if (drawn_.request.graphs % merged != 0) continue;
      problem_ = with_merged(drawn_.problem, merged);
      batches_ = {.count = drawn_.request.graphs / merged,
                  .schedule = drawn_.request.schedule,
                  .replicas = Replicas(drawn_.problem.device_count())};
      put_from(0, 0);
    }
    return best_;
  }

 private:
  void put_from(std::size_t layer, std::size_t used) {
    if (layer == drawn_.layers) return score();
    const std::size_t sets = std::size_t{1} << drawn_.problem.device_count();
    for (std::size_t team = 1; team < sets; ++team) {
      if ((team & used) != 0) continue;
      std::vector<DeviceId> members;
      for (const DeviceId device : IdRange<DeviceId>(drawn_.problem.device_count())) {
        if ((team >> device.index() & 1) != 0) members.push_back(device);
      }
      const DeviceId first = members.front();
      batches_.replicas[first.index()].assign(members.begin() + 1, members.end());
      for (std::size_t end = layer; end < drawn_.layers; ++end) {
        placement_[problem_->groups().of(OpId(end))] = first;  // of the layer's forward op
        put_from(end + 1, used | team);
      }
      batches_.replicas[first.index()].clear();
    }
  }

  void score() {
    try {
      const MicroBatchPipeline pipeline = pipelined(*problem_, placement_, batches_);
      const Score score = Simulator(pipeline.problem, Order::kGiven)
                              .evaluate(pipeline.placement, &pipeline.sequences);
      if (!best_ || score < *best_) best_ = score;
    } catch (const Error&) {
      // Replicas without a micro-batch.
    }
  }

  const Drawn& drawn_;
  std::optional<Problem> problem_;
  Placement placement_;
  MicroBatches batches_;
  std::optional<Score> best_;
};

TEST_CASE("Stages that fit are found where any do, mostly the best of all plans") {
  int found = 0;
  double excess = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Drawn drawn = draw(seed);
    const std::optional<Score> best = AllPlans(drawn).best();
    if (!best || !best->fits()) continue;
    INFO(seed);
    const auto chosen = best_pipeline(drawn.problem, drawn.request);
    REQUIRE(chosen);
    CHECK(chosen->score.fits());
    excess += static_cast<double>(chosen->score.step_ps) / static_cast<double>(best->step_ps) - 1;
    ++found;
  }
  CHECK(found > 40);
  CHECK(excess / found < 0.0005);
}

}  // namespace
}  // namespace placer::testing
