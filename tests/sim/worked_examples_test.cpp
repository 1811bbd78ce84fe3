// The worked examples of the simulator's description, against the simulator and the referee. Two
// alike devices, links of 1 byte/s each way without latency.
#include <catch2/catch.hpp>
#include <vector>

#include "placer/base/units.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

struct Span {
  double start_seconds, end_seconds;
  friend bool operator==(const Span&, const Span&) = default;
};

Span ran(const Schedule& schedule, std::size_t op) {
  return {to_seconds(schedule.ops[op].start_ps), to_seconds(schedule.ops[op].end_ps)};
}

std::vector<Span> moved(const Schedule& schedule) {
  std::vector<Span> spans;
  for (const TransferRun& run : schedule.transfers) {
    spans.push_back({to_seconds(run.begin_ps), to_seconds(run.end_ps)});
  }
  return spans;
}

double step_seconds(const Schedule& schedule) { return to_seconds(schedule.score.step_ps); }

Sequences sequences_of(const std::vector<std::vector<std::size_t>>& devices) {
  Sequences sequences;
  for (const std::vector<std::size_t>& ops : devices) {
    sequences.emplace_back();
    for (const std::size_t op : ops) sequences.back().emplace_back(op);
  }
  return sequences;
}

//   0: a(2) -5-> b(1) :1        0: c(1) -1-> d(1) :1       ids a 0, b 1, c 2, d 3
Graph two_pairs() {
  return graph_of({timed_op("a", 2), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)},
                  {tensor(0, {1}, 5), tensor(2, {3}, 1)});
}

const Placement kTwoPairsApart = on_devices({0, 1, 0, 1});

TEST_CASE("A cut chain waits for its transfer: 2 s, 1 s over the link, 3 s", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 2), timed_op("b", 3)}, {tensor(0, {1}, 1)}),
                        alike());
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1}));
  CHECK((ran(schedule, 0) == Span{0, 2}));
  CHECK((moved(schedule) == std::vector<Span>{{2, 3}}));
  CHECK((ran(schedule, 1) == Span{3, 6}));
  CHECK(step_seconds(schedule) == 6);
  CHECK(schedule.bytes_moved == 1);
}

TEST_CASE("A tensor with two consumers on one device is sent once", "[sim]") {
  const Problem problem(
      graph_of({timed_op("a", 2), timed_op("b", 3), timed_op("c", 4)}, {tensor(0, {1, 2}, 1)}),
      alike());
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1}));
  CHECK((moved(schedule) == std::vector<Span>{{2, 3}}));
  CHECK((ran(schedule, 1) == Span{3, 6}));
  CHECK((ran(schedule, 2) == Span{6, 10}));
  CHECK(step_seconds(schedule) == 10);
}

TEST_CASE("Two tensors of one op take their turns on the link", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 2), timed_op("b", 3), timed_op("c", 4)},
                                 {tensor(0, {1}, 1), tensor(0, {2}, 1)}),
                        alike());
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1}));
  CHECK((moved(schedule) == std::vector<Span>{{2, 3}, {3, 4}}));
  CHECK((ran(schedule, 2) == Span{6, 10}));
  CHECK(step_seconds(schedule) == 10);
}

TEST_CASE("A short transfer queues behind a long one under contention 'link'", "[sim]") {
  const Schedule schedule =
      agreed_schedule(Problem(two_pairs(), alike()), Order::kFifo, kTwoPairsApart);
  CHECK((ran(schedule, 0) == Span{0, 2}));
  CHECK((ran(schedule, 2) == Span{2, 3}));
  CHECK((moved(schedule) == std::vector<Span>{{2, 7}, {7, 8}}));
  CHECK((ran(schedule, 1) == Span{7, 8}));
  CHECK((ran(schedule, 3) == Span{8, 9}));
  CHECK(step_seconds(schedule) == 9);
}

TEST_CASE("A short transfer overtakes a long one under contention 'none'", "[sim]") {
  const Schedule schedule = agreed_schedule(
      Problem(two_pairs(), alike({.contention = Contention::kNone})), Order::kFifo, kTwoPairsApart);
  CHECK((moved(schedule) == std::vector<Span>{{2, 7}, {3, 4}}));
  CHECK((ran(schedule, 3) == Span{4, 5}));
  CHECK((ran(schedule, 1) == Span{7, 8}));
  CHECK(step_seconds(schedule) == 8);
}

TEST_CASE("Given sequences (c, a) and (d, b) end at 9", "[sim]") {
  const Sequences sequences = sequences_of({{2, 0}, {3, 1}});
  const Schedule schedule =
      agreed_schedule(Problem(two_pairs(), alike()), Order::kGiven, kTwoPairsApart, &sequences);
  CHECK((ran(schedule, 2) == Span{0, 1}));
  CHECK((ran(schedule, 0) == Span{1, 3}));
  CHECK((moved(schedule) == std::vector<Span>{{1, 2}, {3, 8}}));
  CHECK((ran(schedule, 3) == Span{2, 3}));
  CHECK((ran(schedule, 1) == Span{8, 9}));
  CHECK(step_seconds(schedule) == 9);
}

TEST_CASE("Given sequences (c, a) and (b, d) hold d back behind b, to 10", "[sim]") {
  const Sequences sequences = sequences_of({{2, 0}, {1, 3}});
  const Schedule schedule =
      agreed_schedule(Problem(two_pairs(), alike()), Order::kGiven, kTwoPairsApart, &sequences);
  CHECK((ran(schedule, 1) == Span{8, 9}));
  CHECK((ran(schedule, 3) == Span{9, 10}));
  CHECK(step_seconds(schedule) == 10);
}

TEST_CASE("Two ops of 3 s share a device of two slots and end at 3", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 3), timed_op("b", 3)}, {}), alike({.slots = 2}));
  for (const Order order :
       {Order::kFifo, Order::kPriority, Order::kPct, Order::kMsr, Order::kProgram, Order::kGiven}) {
    const Schedule schedule = agreed_schedule(problem, order, on_devices({0, 0}));
    CHECK((ran(schedule, 0) == Span{0, 3}));
    CHECK((ran(schedule, 1) == Span{0, 3}));
    CHECK(schedule.busy_ps[0] == to_picoseconds(6));
  }
}

TEST_CASE("A byte that moves counts on both devices: peaks 1 and 1", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 2), timed_op("b", 3)}, {tensor(0, {1}, 1)}),
                        alike({.memory_bytes = 0}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1}));
  CHECK(schedule.peak_bytes == std::vector<std::int64_t>{1, 1});
  CHECK(schedule.score.overflow_bytes == 2);
}

TEST_CASE("Ready at one instant but in different rounds, the smaller id goes first", "[sim]") {
  const Problem b_first(
      graph_of({timed_op("a", 0), timed_op("b", 2), timed_op("c", 2)}, {tensor(0, {1}, 0)}),
      alike());
  // Only a is younger than c: it takes the device in the first round, b before c in the second.
  const Schedule early = agreed_schedule(b_first, Order::kFifo, on_devices({0, 0, 0}));
  CHECK((ran(early, 0) == Span{0, 0}));
  CHECK((ran(early, 1) == Span{0, 2}));
  CHECK((ran(early, 2) == Span{2, 4}));

  const Problem c_first(
      graph_of({timed_op("a", 0), timed_op("c", 2), timed_op("b", 2)}, {tensor(0, {2}, 0)}),
      alike());
  const Schedule late = agreed_schedule(c_first, Order::kFifo, on_devices({0, 0, 0}));
  CHECK((ran(late, 1) == Span{0, 2}));
  CHECK((ran(late, 2) == Span{2, 4}));
}

}  // namespace
}  // namespace placer::testing
