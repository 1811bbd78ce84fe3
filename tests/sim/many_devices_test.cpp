#include <catch2/catch.hpp>

#include "placer/base/units.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("A step on three hundred devices, a channel for each pair, is the referee's", "[sim]") {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 99; ++i) tensors.push_back(tensor(i, {i + 1, 99 + i % 3}, 2));
  const Problem problem(graph_of(seconds_each(std::vector<double>(102, 1.0)), std::move(tensors)),
                        alike({.devices = 300}));
  Rng rng(1);
  Simulator simulator(problem, Order::kFifo);
  for (int i = 0; i < 5; ++i) agreed_schedule(simulator, random_placement(problem, rng));
  for (const Order order : kAllOrders) {
    agreed_schedule(problem, order, random_placement(problem, rng));
  }
}

}  // namespace
}  // namespace placer::testing
