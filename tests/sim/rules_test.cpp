// One small situation for each rule, with the numbers worked out by hand; the referee agrees each
// time.
#include <catch2/catch.hpp>
#include <vector>

#include "placer/base/units.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Seconds = std::vector<double>;
using Bytes = std::vector<std::int64_t>;

Seconds starts(const Schedule& schedule) {
  Seconds seconds;
  for (const OpRun& run : schedule.ops) seconds.push_back(to_seconds(run.start_ps));
  return seconds;
}

Seconds begins(const Schedule& schedule) {
  Seconds seconds;
  for (const TransferRun& run : schedule.transfers) seconds.push_back(to_seconds(run.begin_ps));
  return seconds;
}

//   device 0: a -> device 1: x      b on device 2 -> device 1: y      each transfer 2 s from 1 on
Schedule two_senders_one_receiver(Contention contention) {
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("x", 1), timed_op("y", 1)},
               {tensor(0, {2}, 2), tensor(1, {3}, 2)}),
      alike({.devices = 3, .contention = contention}));
  return agreed_schedule(problem, Order::kFifo, on_devices({0, 2, 1, 1}));
}

TEST_CASE("Two senders to one receiver share its port under 'ports' and 'half-duplex'", "[sim]") {
  CHECK(begins(two_senders_one_receiver(Contention::kLink)) == Seconds{1, 1});
  CHECK(begins(two_senders_one_receiver(Contention::kEgress)) == Seconds{1, 1});
  CHECK(begins(two_senders_one_receiver(Contention::kPorts)) == Seconds{1, 3});
  CHECK(begins(two_senders_one_receiver(Contention::kHalfDuplex)) == Seconds{1, 3});
  CHECK(begins(two_senders_one_receiver(Contention::kNone)) == Seconds{1, 1});
}

//   device 0: a sends one tensor of 2 bytes to devices 1 and 2
Schedule one_sender_two_receivers(Contention contention) {
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("x", 1), timed_op("y", 1)}, {tensor(0, {1, 2}, 2)}),
      alike({.devices = 3, .contention = contention}));
  return agreed_schedule(problem, Order::kFifo, on_devices({0, 2, 1}));
}

TEST_CASE("One sender takes its receivers by device id under all but 'link' and 'none'", "[sim]") {
  for (const Contention contention : {Contention::kLink, Contention::kNone}) {
    CHECK(begins(one_sender_two_receivers(contention)) == Seconds{1, 1});
  }
  for (const Contention contention :
       {Contention::kEgress, Contention::kPorts, Contention::kHalfDuplex}) {
    const Schedule schedule = one_sender_two_receivers(contention);
    CHECK(begins(schedule) == Seconds{1, 3});
    CHECK(schedule.transfers[0].to == DeviceId(1));
    CHECK(schedule.bytes_moved == 4);
  }
}

TEST_CASE("Opposite directions block each other under 'half-duplex' only", "[sim]") {
  for (const Contention contention :
       {Contention::kLink, Contention::kEgress, Contention::kPorts, Contention::kHalfDuplex}) {
    const Problem problem(
        graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("x", 1), timed_op("y", 1)},
                 {tensor(0, {2}, 2), tensor(1, {3}, 2)}),
        alike({.contention = contention}));
    const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1, 0}));
    CHECK(begins(schedule) ==
          (contention == Contention::kHalfDuplex ? Seconds{1, 3} : Seconds{1, 1}));
  }
}

TEST_CASE("Links that name one channel share it whatever the contention", "[sim]") {
  Topology plain = alike({.devices = 4});
  Link link = plain.links()[0];
  link.channels = {"switch"};
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("x", 1), timed_op("y", 1)},
               {tensor(0, {2}, 2), tensor(1, {3}, 2)}),
      Topology(plain.devices(), {link}, Contention::kNone));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 2, 3}));
  CHECK(begins(schedule) == Seconds{1, 3});
}

//   Channels are reserved while waiting: t0 holds 0 out and 1 in from 1 to 5; t1 (2 -> 1) waits to
//   5 with 2 out reserved to 6; t2 (2 -> 3), requested at 2, must wait to 6 though 2 out is idle.
TEST_CASE("A waiting transfer reserves its channels and leaves a gap", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1),
                                  timed_op("x", 1), timed_op("y", 1), timed_op("z", 1)},
                                 {tensor(0, {3}, 4), tensor(1, {4}, 1), tensor(2, {5}, 1)}),
                        alike({.devices = 4, .contention = Contention::kPorts}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 2, 2, 1, 1, 3}));
  CHECK(begins(schedule) == Seconds{1, 5, 6});
  CHECK(to_seconds(schedule.transfers[2].requested_ps) == 2);
}

TEST_CASE("Latency of 0.5 s counts in the transfer and keeps the channel", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 1), timed_op("x", 1), timed_op("y", 1)},
                                 {tensor(0, {1}, 1), tensor(0, {2}, 1)}),
                        alike({.latency_seconds = 0.5}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1}));
  CHECK(begins(schedule) == Seconds{1, 2.5});
  CHECK(starts(schedule) == Seconds{0, 2.5, 4});
}

TEST_CASE("A control dependency crosses devices at once and is no transfer", "[sim]") {
  const Problem problem(chain(2, 0), alike({.latency_seconds = 9}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1}));
  CHECK(starts(schedule) == Seconds{0, 1});
  CHECK(schedule.transfers.empty());
}

TEST_CASE("A fixed transfer time of 3 s replaces latency and bandwidth", "[sim]") {
  Tensor fixed = tensor(0, {1}, 100);
  fixed.transfer_seconds = 3;
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1)}, {fixed}),
                        alike({.latency_seconds = 9}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1}));
  CHECK(starts(schedule) == Seconds{0, 4});
  CHECK(schedule.bytes_moved == 100);
}

//   a(1) -2-> x and a -zero length-> y: the second waits for the first to leave the link at 3
TEST_CASE("A transfer of no length waits for its channel", "[sim]") {
  Tensor instant = tensor(0, {2}, 5);
  instant.transfer_seconds = 0;
  const Problem problem(graph_of({timed_op("a", 1), timed_op("x", 1), timed_op("y", 1)},
                                 {tensor(0, {1}, 2), instant}),
                        alike());
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1}));
  CHECK(begins(schedule) == Seconds{1, 3});
  CHECK(starts(schedule) == Seconds{0, 3, 4});
}

//   The queued y arrives in the first round of instant 3, together with x: the smaller id runs
//   first.
TEST_CASE("A queued transfer of no length arrives in the first round of its instant", "[sim]") {
  Tensor instant = tensor(0, {1}, 5);
  instant.transfer_seconds = 0;
  const Problem problem(graph_of({timed_op("a", 1), timed_op("y", 1), timed_op("x", 1)},
                                 {tensor(0, {2}, 2), instant}),
                        alike());
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1}));
  CHECK(starts(schedule) == Seconds{0, 3, 4});
}

//   b (2 s) and c (1 s) are ready at 0, in this order of ids; c has the longer way to go.
TEST_CASE("'priority' takes the larger rank first, 'fifo' the smaller id", "[sim]") {
  const Problem problem(
      graph_of({timed_op("b", 2), timed_op("c", 1), timed_op("d", 4)}, {tensor(1, {2}, 1)}),
      alike());
  const Placement placement = on_devices({0, 0, 1});
  CHECK(starts(agreed_schedule(problem, Order::kFifo, placement)) == Seconds{0, 2, 4});
  CHECK(starts(agreed_schedule(problem, Order::kPriority, placement)) == Seconds{1, 0, 2});
  CHECK(starts(agreed_schedule(problem, Order::kProgram, placement)) == Seconds{0, 2, 4});
  CHECK(starts(agreed_schedule(problem, Order::kGiven, placement)) == Seconds{1, 0, 2});
}

//   device 1: 'busy' until 3; by then 'early', ready at 0, and 'late', ready at 1, both have 1 s to
//   go.
TEST_CASE("Of equal ranks 'pct' takes the earlier ready one, 'priority' the smaller id", "[sim]") {
  const Problem problem(graph_of({timed_op("late", 1), timed_op("early", 1), timed_op("busy", 3),
                                  timed_op("before late", 1)},
                                 {tensor(3, {0}, 0)}),
                        alike());
  const Placement placement = on_devices({1, 1, 1, 0});
  CHECK(starts(agreed_schedule(problem, Order::kPct, placement)) == Seconds{4, 3, 0, 0});
  CHECK(starts(agreed_schedule(problem, Order::kPriority, placement)) == Seconds{3, 4, 0, 0});
}

//   device 0: a -> 4 consumers there, b and c -> x on device 1; at 0 a, b, c are ready.
//   Successor ranks at 0: a 4; b 8 where x has no other input (1 + 1 + 1 + 5), else 2.
Schedule under_msr(bool x_needs_c, bool other_work) {
  std::vector<Tensor> tensors = {tensor(0, {4, 5, 6, 7}, 0), tensor(1, {3}, 0)};
  if (x_needs_c) tensors.push_back(tensor(2, {3}, 0));
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1),
                                  timed_op("x", 1), timed_op("a1", 1), timed_op("a2", 1),
                                  timed_op("a3", 1), timed_op("a4", 1), timed_op("other", 1)},
                                 tensors),
                        alike());
  const std::size_t other = other_work ? 1 : 0;
  return agreed_schedule(problem, Order::kMsr, on_devices({0, 0, 0, 1, 0, 0, 0, 0, other}));
}

TEST_CASE("'msr' takes first the op that makes another, idle device ready", "[sim]") {
  const Seconds found = starts(under_msr(false, false));
  CHECK(Seconds(found.begin(), found.begin() + 4) == Seconds{1, 0, 2, 1});
}

//   b is worth 3 as long as 'other' waits on device 1, at 0; from 1 on that device is idle.
TEST_CASE("Under 'msr' a device with a ready op of its own is not idle", "[sim]") {
  const Seconds found = starts(under_msr(false, true));
  CHECK(Seconds(found.begin(), found.begin() + 2) == Seconds{0, 1});
}

//   At 0 neither b nor c (2 each) makes x ready alone. From 1 on a1 to a4 (0) wait as well; b, of
//   the same rank as c and the smaller id, goes before it; then c alone makes x ready.
TEST_CASE("Under 'msr' an op that lacks other inputs too is worth no more than its device",
          "[sim]") {
  const Seconds found = starts(under_msr(true, false));
  CHECK(Seconds(found.begin(), found.begin() + 4) == Seconds{0, 1, 2, 3});
}

//   b waits for a's transfer to 3; c is ready at 0 on b's device but comes after b in the program.
TEST_CASE("'program' holds a ready op back behind an earlier one that waits", "[sim]") {
  const Problem problem(
      graph_of({timed_op("a", 2), timed_op("b", 1), timed_op("c", 1)}, {tensor(0, {1}, 1)}),
      alike());
  const Placement placement = on_devices({0, 1, 1});
  CHECK(starts(agreed_schedule(problem, Order::kProgram, placement)) == Seconds{0, 3, 4});
  CHECK(starts(agreed_schedule(problem, Order::kFifo, placement)) == Seconds{0, 3, 0});
}

TEST_CASE("A strict sequence fills two slots with the next ops that have not started", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 3), timed_op("b", 1), timed_op("c", 1)}, {}),
                        alike({.slots = 2}));
  const Schedule schedule = agreed_schedule(problem, Order::kProgram, on_devices({0, 0, 0}));
  CHECK(starts(schedule) == Seconds{0, 0, 1});
}

TEST_CASE("Parameters count for the whole step, even for one that takes no time", "[sim]") {
  Op op = timed_op("a", 0);
  op.params_bytes = 7;
  op.temp_bytes = 5;
  const Problem problem(graph_of({op}, {tensor(0, {}, 3)}), alike({.memory_bytes = 4}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0}));
  CHECK(schedule.peak_bytes == Bytes{7, 0});
  CHECK((schedule.score == Score{3, 0}));
}

//   a writes 4 bytes with 8 of scratch, b reads them and writes 2 with 1 of scratch, c reads those
TEST_CASE("Outputs live from their op's start to their last reader's end, scratch with its op",
          "[sim]") {
  Op a = timed_op("a", 1), b = timed_op("b", 1);
  a.temp_bytes = 8;
  b.temp_bytes = 1;
  b.params_bytes = 100;
  const Graph graph = graph_of({a, b, timed_op("c", 1)}, {tensor(0, {1}, 4), tensor(1, {2}, 2)});
  const Problem problem(graph, alike());
  CHECK(agreed_schedule(problem, Order::kFifo, on_devices({0, 0, 0})).peak_bytes ==
        Bytes{112, 0});  // 100 + 4 + 8; later 100 + 4 + 2 + 1, then 100 + 2
  CHECK(agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1})).peak_bytes == Bytes{12, 107});
}

//   a -> b -> c -> d, 10 bytes each: two at a time; a's kept output stays beside b's and c's
TEST_CASE("A kept tensor stays to the end of the step, a freed one makes room", "[sim]") {
  CHECK(agreed_schedule(Problem(chain(4, 10), alike()), Order::kFifo, on_devices({0, 0, 0, 0}))
            .peak_bytes == Bytes{20, 0});
  Graph plain = chain(4, 10);
  std::vector<Tensor> tensors = plain.tensors();
  tensors[0].keep = true;
  const Problem kept(graph_of(plain.ops(), tensors), alike());
  CHECK(agreed_schedule(kept, Order::kFifo, on_devices({0, 0, 0, 0})).peak_bytes == Bytes{30, 0});
  // Its copy is freed as usual: device 1 holds 10 received and 10 of b, then 10 and 10 of c.
  CHECK(agreed_schedule(kept, Order::kFifo, on_devices({0, 1, 1, 1})).peak_bytes == Bytes{10, 20});
}

//   a's two outputs of 6 bytes both go to device 1, one after the other over [1,7) and [7,13)
TEST_CASE("A copy is held from the begin of its transfer, an output until its last one", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 1), timed_op("x", 1), timed_op("y", 1)},
                                 {tensor(0, {1}, 6), tensor(0, {2}, 6)}),
                        alike({.memory_bytes = 10}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 1}));
  CHECK(schedule.peak_bytes == Bytes{12, 12});  // x reads over [7,8) while y's copy arrives
  CHECK((schedule.score == Score{4, to_picoseconds(14)}));
}

TEST_CASE("Overflow is summed over the devices that lack room", "[sim]") {
  Op a = timed_op("a", 1), b = timed_op("b", 1), c = timed_op("c", 1);
  a.params_bytes = 13;
  b.params_bytes = 4;
  c.params_bytes = 15;
  const Problem problem(graph_of({a, b, c}, {}), alike({.devices = 3, .memory_bytes = 10}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 2}));
  CHECK(schedule.score.overflow_bytes == 8);
  CHECK(schedule.score.step_ps == to_picoseconds(1));
}

TEST_CASE("What fits beats what does not, and a deadlock loses to all", "[sim]") {
  CHECK(Score{0, 100} < Score{1, 1});
  CHECK(Score{1, 1} < Score{1, 2});
  CHECK(Score{1'000'000'000, 1'000'000'000} < Score::deadlock());
  CHECK(Score{0, 5}.fits());
  CHECK_FALSE(Score{1, 5}.fits());
}

}  // namespace
}  // namespace placer::testing
