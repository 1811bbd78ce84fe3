// Placements that balance the work of all devices at every stage of a step.
#include "search/local/stage_balance.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "search/core/plain_placements.hpp"
#include "search/local/sent_tensors.hpp"
#include "search/local/stage_loads.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

double never_ends() { return 0; }

std::int64_t all_transfers_ps(const Problem& problem, const Placement& placement) {
  std::int64_t sum_ps = 0;
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    const DeviceId from = placement[problem.groups().of(tensor.producer)];
    std::set<DeviceId> receivers;
    for (const OpId op : tensor.consumers) receivers.insert(placement[problem.groups().of(op)]);
    for (const DeviceId to : receivers) sum_ps += problem.costs().transfer_ps(id, from, to);
  }
  return sum_ps;
}

TEST_CASE("transfers after moves are those of the placement that results") {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    const Problem problem = random_problem(rng);
    Placement placement = placer::random_placement(problem, rng);
    std::int64_t sum_ps = all_transfers_ps(problem, placement);
    SentTensors sent(problem, placement);
    for (int i = 0; i < 30; ++i) {
      const GroupId group(rng.below(problem.groups().size()));
      const DeviceId from = placement[group], to = rng.pick(problem.groups().allowed(group));
      if (from == to) continue;
      sum_ps += sent.move(group, from, to);
      placement.devices[group.index()] = to;
      CAPTURE(round, i);
      REQUIRE(sum_ps == all_transfers_ps(problem, placement));
    }
  }
}

TEST_CASE("a band costs the square of what a device has above its share") {
  // Two bands of two ops of 2 s: 2 s for each device are ideal. The cut half a band later has one
  // op, two ops and one op: 1, 2 and 1 s.
  const Problem problem(graph_of(seconds_each({2, 2, 2, 2}), {}), alike());
  StageLoads loads(problem, 2);
  CHECK(to_seconds(static_cast<Picoseconds>(loads.ideal_step_ps())) == Approx(4));
  const auto cost_s = [](double cost_ps) { return cost_ps / kPicosecondsPerSecond; };
  CHECK(cost_s(loads.add(GroupId(0), DeviceId(0))) == Approx(0.5));  // half of 1 s too much
  CHECK(cost_s(loads.add(GroupId(1), DeviceId(0))) == Approx(1));    // half of 2 s in a band
  CHECK(cost_s(loads.add(GroupId(2), DeviceId(1))) == Approx(0).margin(1e-9));
  CHECK(cost_s(loads.remove(GroupId(1), DeviceId(0))) == Approx(-1));
  CHECK(cost_s(loads.add(GroupId(1), DeviceId(1))) == Approx(1));  // with op2, half a band on
}

TEST_CASE("every stage of a wide graph is shared out as devices are fast") {
  // 20 levels of 24 ops, 1 s on gpu:0 and 2 s on gpu:1, each after the op above it.
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  constexpr std::size_t kWidth = 24, kLevels = 20;
  for (std::size_t op = 0; op < kWidth * kLevels; ++op) {
    ops.push_back(timed_apart("op" + std::to_string(op), 1, 2));
    if (op >= kWidth) tensors.push_back(tensor(op - kWidth, {op}, 1));
  }
  const Problem problem(graph_of(std::move(ops), std::move(tensors)), alike());
  Rng rng(2);
  const Placement placement = balance_stages(problem, {}, rng, never_ends);
  for (std::size_t level = 0; level < kLevels; ++level) {
    std::size_t slow = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      slow += placement[GroupId(level * kWidth + i)] == DeviceId(1) ? 1 : 0;
    }
    CAPTURE(level);
    CHECK(slow >= kWidth / 3 - 3);
    CHECK(slow <= kWidth / 3 + 3);
  }
  Rng again(2);
  CHECK(balance_stages(problem, {}, again, never_ends) == placement);
}

TEST_CASE("of a layered graph on unlike devices no list schedule is as short as balanced bands") {
  const Problem problem(generate_model("layered"), find_devices("mixed-v100-t4"));
  const SearchResult lists = run_search(problem, request_for("list-portfolio", 1000));
  Rng rng(3);
  Simulator simulator(problem, Order::kFifo);
  const Score score = simulator.evaluate(balance_stages(problem, {}, rng, never_ends));
  CHECK(static_cast<double>(score.step_ps) < 0.97 * static_cast<double>(lists.score.step_ps));
}

TEST_CASE("what has no time to balance stays where it was drawn") {
  const Problem problem(graph_of(seconds_each({2, 2, 2, 2}), {}), alike());
  Rng rng(4), drawn(4);
  const Placement placement = balance_stages(problem, {.proposals = 0}, rng, never_ends);
  CHECK(placement == placer::random_placement(problem, drawn));
}

TEST_CASE("groups of many ops stand in line once, at their first op") {
  std::vector<Op> ops = seconds_each(std::vector<double>(600, 1), "g");
  ops.push_back(timed_op("last", 1));
  const Problem problem(graph_of(std::move(ops), {}), alike());
  CHECK(StageLoads(problem, 3).groups_in_line() == std::vector<GroupId>{GroupId(0), GroupId(1)});
}

TEST_CASE("ops are lined up by depth before their order in the program") {
  // b waits for a, c for none.
  const Problem problem(graph_of(seconds_each({1, 1, 1}), {tensor(0, {1}, 1)}), alike());
  CHECK(StageLoads(problem, 1).groups_in_line() ==
        std::vector<GroupId>{GroupId(0), GroupId(2), GroupId(1)});
}

}  // namespace
}  // namespace placer::testing
