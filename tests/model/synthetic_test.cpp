#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "placer/base/errors.hpp"
#include "placer/model/problem.hpp"
#include "placer/model/zoo.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

/// The score of the planted placement under order `given`.
Score planted_score(const GeneratedGraph& generated, const Topology& topology) {
  const Problem problem(generated.graph, topology);
  Placement placement{generated.optimum->devices};
  return Simulator(problem, Order::kGiven).evaluate(placement, &generated.optimum->sequences);
}

Topology with_contention(const Topology& topology, Contention contention) {
  return Topology(topology.devices(), topology.links(), contention);
}

TEST_CASE("A planted placement with its sequences takes exactly the known step time and fits") {
  for (const int devices : {1, 2, 4, 7}) {
    for (const int ops : {7, 60, 700}) {
      for (const double ccr : {0.0, 0.5, 3.0}) {
        CAPTURE(devices, ops, ccr);
        const GeneratedGraph made =
            generate("planted", {{"ops", ops}, {"devices", devices}, {"ccr", ccr}, {"seed", ops}});
        CHECK(made.graph.ops().size() == static_cast<std::size_t>(ops));
        for (const Contention contention : {Contention::kLink, Contention::kPorts}) {
          const Score score = planted_score(made, with_contention(*made.devices, contention));
          CHECK(score.step_ps == made.optimum->step_ps);
          CHECK(score.fits());
        }
      }
    }
  }
}

TEST_CASE("No placement of a small planted graph beats the known step time in any order") {
  const GeneratedGraph made =
      generate("planted", {{"ops", 8}, {"devices", 2}, {"heterogeneity", 0.6}, {"slack", 0.05}});
  const Problem problem(made.graph, *made.devices);
  for (const Order order : {Order::kFifo, Order::kPriority, Order::kProgram}) {
    Simulator simulator(problem, order);
    for (std::size_t bits = 0; bits < 256; ++bits) {
      Placement placement{std::vector<DeviceId>(8)};
      for (std::size_t op = 0; op < 8; ++op) placement.devices[op] = DeviceId(bits >> op & 1);
      CHECK(simulator.evaluate(placement).step_ps >= made.optimum->step_ps);
    }
  }
}

TEST_CASE("A planted graph has transfers, ops that another device would slow down, and a seed") {
  const GeneratedGraph made = generate("planted", {{"ops", 300}, {"seed", 3}});
  const Problem problem(made.graph, *made.devices);
  std::size_t transfers = 0, slower = 0;
  for (const Tensor& tensor : made.graph.tensors()) {
    for (const OpId consumer : tensor.consumers) {
      transfers +=
          made.optimum->devices[tensor.producer.index()] != made.optimum->devices[consumer.index()];
    }
  }
  for (const OpId op : IdRange<OpId>(300)) {
    slower += problem.costs().op_ps(op, made.optimum->devices[op.index()]) > problem.fastest_ps(op);
  }
  CHECK(transfers > 100);
  CHECK(slower > 10);  // the fastest device is not always the best
  const Graph other = generate_model("planted", {{"ops", 300}, {"seed", 4}});
  CHECK(made.graph.op(OpId(0)).seconds != other.op(OpId(0)).seconds);
}

TEST_CASE("A planted graph needs an op for each device") {
  CHECK_THROWS_WITH(generate("planted", {{"ops", 3}}),
                    "option ops: expected at least one for each of the 4 devices, found 3");
}

TEST_CASE("A layered graph has the ops, width and ratio that were asked for") {
  const Graph graph =
      generate_model("layered", {{"ops", 2000}, {"width", 20}, {"degree", 3.0}, {"ccr", 2.0}});
  CHECK(graph.ops().size() == 2000);
  std::vector<std::size_t> depth(2000, 0);
  std::size_t sources = 0, depths = 0;
  double bytes = 0, flops = 0;
  for (const OpId op : graph.program_order()) {
    for (const TensorId input : graph.inputs(op)) {
      depth[op.index()] =
          std::max(depth[op.index()], depth[graph.tensor(input).producer.index()] + 1);
    }
    sources += graph.inputs(op).empty();
    depths = std::max(depths, depth[op.index()]);
    flops += *graph.op(op).flops;
  }
  for (const Tensor& tensor : graph.tensors()) bytes += static_cast<double>(tensor.bytes);
  CHECK(sources == Approx(20).margin(10));
  CHECK(depths == Approx(100).margin(5));
  CHECK(static_cast<double>(graph.edge_count()) == Approx(3 * 1980).epsilon(0.06));
  const double transfer_seconds = bytes / static_cast<double>(graph.tensors().size()) / 1e10;
  CHECK(transfer_seconds / (flops / 2000 / 1e13) == Approx(2).epsilon(0.05));
}

TEST_CASE("A layered graph of one op has no tensors, and its seed decides its costs") {
  CHECK(generate_model("layered", {{"ops", 1}}).tensors().empty());
  const auto flops = [](int seed) {
    return *generate_model("layered", {{"ops", 1}, {"seed", seed}}).op(OpId(0)).flops;
  };
  CHECK(flops(1) == flops(1));
  CHECK(flops(1) != flops(2));
}

}  // namespace
}  // namespace placer
