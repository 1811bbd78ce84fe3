// Bounds on the bottleneck of a pipeline that see copies and whole groups.
#include "search/bounds/bottleneck_bound.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "placer/search/bounds.hpp"
#include "search/bounds/least_copies.hpp"
#include "search/bounds/least_cut.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// On devices that are alike and either compute or copy.
Problem serial(Graph graph, std::size_t devices) {
  const Topology machine = alike({.devices = devices});
  return Problem(std::move(graph), Topology(machine.devices(), machine.links(),
                                            machine.contention(), Transfers::kSerial))
      .with_goal({.objective = Objective::kThroughput});
}

double bound_seconds(const Problem& problem) { return to_seconds(lower_bounds(problem).best_ps()); }

TEST_CASE("Groups that cannot be cut make one of two devices take three of five") {
  const double bound = bound_seconds(serial(graph_of(seconds_each({1, 1, 1, 1, 1}), {}), 2));
  CHECK(bound > 2.99);
  CHECK(bound <= 3);
}

TEST_CASE("What is around a group costs copies, or work that it would share its device with") {
  // Two ops of 1 s with 10 s of copies between: together they take 2 s, and a device that has one
  // has at least half a second for each second of both, or the copy: T >= w + (1 - w / 2), w = 1.
  const double bound = bound_seconds(serial(chain(2, 10), 2));
  CHECK(bound > 1.49);
  CHECK(bound <= 2);
}

TEST_CASE("An op whose copies take longer than the bottleneck goes to the host") {
  // a -> b -> c over 50 s, each 1 s on two accelerators and 30 s on the host, which pays no copies.
  std::vector<Op> ops = seconds_each({1, 1, 1});
  for (Op& op : ops) op.seconds = {{"gpu:0", 30}, {"gpu", 1}};
  ops[1].devices = {"gpu:0"};
  const Graph graph = graph_of(std::move(ops), {tensor(0, {1}, 50), tensor(1, {2}, 50)});
  const Problem apart = serial(graph, 3);
  std::vector<Device> devices = apart.topology().devices();
  devices.front().host = true;
  const Problem problem = Problem(graph, Topology(devices, apart.topology().links(),
                                                  Contention::kLink, Transfers::kSerial))
                              .with_goal(apart.goal());
  // a and c would copy for 50 s: with b on the host, as it has to be, 51 s or 60 s there.
  const double bound = bound_seconds(problem);
  CHECK(bound > 50);
  CHECK(bound <= 51);
}

TEST_CASE("The least cut around a group is the least of all sets that have it") {
  Rng rng(8);
  for (int round = 0; round < 60; ++round) {
    const Problem problem = random_problem(rng, {.most_ops = 8});
    const std::vector<Picoseconds> copies_ps = least_copies_ps(problem);
    const std::size_t count = problem.groups().size();
    std::vector<Picoseconds> prices_ps;
    for (std::size_t group = 0; group < count; ++group) {
      prices_ps.push_back(static_cast<Picoseconds>(rng.below(4)) * to_picoseconds(1));
    }
    std::vector<Picoseconds> least_ps(count, LeastCut::kMostPs);
    for (std::uint32_t set = 1; set < (1U << count); ++set) {
      const auto has = [&](OpId op) { return (set >> problem.groups().of(op).index() & 1) != 0; };
      Picoseconds cost_ps = 0;
      for (std::size_t group = 0; group < count; ++group) {
        cost_ps += (set >> group & 1) != 0 ? prices_ps[group] : 0;
      }
      for (std::size_t tensor = 0; tensor < copies_ps.size(); ++tensor) {
        const Tensor& made = problem.graph().tensor(TensorId(tensor));
        std::set<bool> sides = {has(made.producer)};
        for (const OpId consumer : made.consumers) sides.insert(has(consumer));
        cost_ps += sides.size() > 1 ? copies_ps[tensor] : 0;
      }
      for (std::size_t group = 0; group < count; ++group) {
        if ((set >> group & 1) != 0) least_ps[group] = std::min(least_ps[group], cost_ps);
      }
    }
    LeastCut least(problem, copies_ps);
    least.set_prices(prices_ps);
    for (std::size_t group = 0; group < count; ++group) {
      std::int64_t steps = 1'000'000, few = 60;
      CHECK(least.with(GroupId(group), steps) == least_ps[group]);
      CHECK(least.with(GroupId(group), few) <= least_ps[group]);
    }
  }
}

}  // namespace
}  // namespace placer::testing
