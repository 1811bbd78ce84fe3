// Each list scheduler's own claim.
#include <catch2/catch.hpp>

#include "search/lists/ranks.hpp"
#include "search/lists/rules.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

using Next = ListRule::Next;
using By = ListRule::Device;

/// Figure 1 of Arabnejad, Barbosa 2014.
Problem optimistic_example() {
  return costed({{22, 21, 36},
                 {22, 18, 18},
                 {32, 27, 43},
                 {7, 10, 4},
                 {29, 27, 35},
                 {26, 17, 24},
                 {14, 25, 30},
                 {29, 23, 36},
                 {15, 21, 8},
                 {13, 16, 33}},
                {tensor(0, {1}, 17), tensor(0, {2}, 31), tensor(0, {3}, 29), tensor(0, {4}, 13),
                 tensor(0, {5}, 7), tensor(1, {7}, 3), tensor(1, {8}, 30), tensor(2, {6}, 16),
                 tensor(3, {7}, 11), tensor(3, {8}, 7), tensor(4, {8}, 57), tensor(5, {7}, 5),
                 tensor(6, {9}, 9), tensor(7, {9}, 42), tensor(8, {9}, 7)});
}

TEST_CASE("the optimistic costs are those that the paper of PEFT prints") {
  const Problem problem = optimistic_example();
  const std::vector<double> table = optimistic_costs(problem, mean_costs(problem));
  const std::vector<double> printed = {64, 68, 86, 42, 39, 42, 27, 41, 43, 42, 39, 50, 28, 37, 28,
                                       42, 39, 44, 13, 16, 22, 13, 16, 33, 13, 16, 20, 0,  0,  0};
  REQUIRE(table.size() == printed.size());
  for (std::size_t i = 0; i < table.size(); ++i) CHECK(table[i] == printed[i] * 1e12);
}

TEST_CASE("PEFT gives the schedule of 122 that its paper prints where HEFT needs 133") {
  const Problem problem = optimistic_example();
  const SearchResult result = run_optimizer(problem, "peft");
  CHECK(result.schedule_ps == to_picoseconds(122));
  CHECK(result.placement == on_devices({0, 0, 0, 0, 2, 1, 0, 1, 2, 1}));
  const ListSchedule schedule =
      list_schedule(problem, {.next = Next::kOptimisticCost, .device = By::kOptimisticCost});
  CHECK(schedule.runs()[4] == OpRun{OpId(4), DeviceId(2), to_picoseconds(35), to_picoseconds(70)});
  CHECK(schedule.runs()[7] == OpRun{OpId(7), DeviceId(1), to_picoseconds(54), to_picoseconds(77)});
  CHECK(heft_schedule(problem, {}).makespan_ps() == to_picoseconds(133));
}

TEST_CASE("a consumer that may run on one device only draws its producer there by lookahead") {
  // a takes 1 s on gpu:0 and 2 s on gpu:1, where b must run; 5 bytes lie between them. HEFT: a 0-1,
  // transfer 1-6, b 6-7. With lookahead: a 0-2, b 2-3.
  std::vector<Op> ops{timed_apart("a", 1, 2), timed_op("b", 1)};
  ops[1].devices = {"gpu:1"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 5)}), alike());
  CHECK(run_optimizer(problem, "heft").schedule_ps == to_picoseconds(7));
  const SearchResult result = run_optimizer(problem, "lookahead");
  CHECK(result.schedule_ps == to_picoseconds(3));
  CHECK(result.placement == on_devices({1, 1}));
}

TEST_CASE("ETF takes what can start first though a longer path waits") {
  // At 0 only a is ready; after it b (1 s, no bytes) can start at 1, c (path of 6 s, 2 bytes) at 1
  // on gpu:0 or at 3 on gpu:1. The tie at 1 goes to c's longer path, b goes to gpu:1 at 1.
  const Problem problem = costed({{1, 1}, {1, 1}, {6, 6}, {1, 1}},
                                 {tensor(0, {1}, 0), tensor(0, {2}, 2), tensor(1, {3}, 0)});
  const ListSchedule schedule =
      list_schedule(problem, {.next = Next::kEarliestStart, .schedule = {.insertion = false}});
  CHECK(schedule.placement() == on_devices({0, 1, 0, 1}));
  CHECK(schedule.runs()[1].start_ps == to_picoseconds(1));
  CHECK(schedule.runs()[2].start_ps == to_picoseconds(1));
  CHECK(run_optimizer(problem, "etf").schedule_ps == to_picoseconds(7));
}

TEST_CASE("ETF puts an op on a slow device that is idle, where it may use that, min-min does not") {
  // Two ops of 1 s on gpu:0 and 10 s on gpu:1.
  const Problem problem = costed({{1, 10}, {1, 10}}, {});
  CHECK(run_optimizer(problem, "etf", {{"eligible", std::string("all")}}).schedule_ps ==
        to_picoseconds(10));
  CHECK(run_optimizer(problem, "etf").schedule_ps == to_picoseconds(2));
  CHECK(run_optimizer(problem, "min-min").schedule_ps == to_picoseconds(2));
}

TEST_CASE("of devices that are idle at once ETF takes the one that ends first") {
  const Problem problem = costed({{3, 2}}, {});
  CHECK(run_optimizer(problem, "etf").placement == on_devices({1}));
}

TEST_CASE("slow devices are used where the fast ones have no room") {
  std::vector<Op> ops{timed_apart("a", 1, 10), timed_apart("b", 1, 10)};
  for (Op& op : ops) op.params_bytes = 6;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  CHECK(run_optimizer(problem, "m-etf").placement == on_devices({0, 1}));
}

TEST_CASE("DLS weighs a device's speed for the op against an earlier start") {
  // Levels (medians) 5.5 and 5.5. a: gpu:0 0-1, level 5.5 - 0 + 4.5 = 10. Then b: gpu:0 at 1,
  // 5.5 - 1 + 4.5 = 9; gpu:1 at 0, 5.5 - 0 - 4.5 = 1.
  const Problem problem = costed({{1, 10}, {1, 10}}, {});
  const SearchResult result = run_optimizer(problem, "dls");
  CHECK(result.schedule_ps == to_picoseconds(2));
  CHECK(result.placement == on_devices({0, 0}));
}

TEST_CASE("min-min leaves the long op to the end, max-min and sufferage do not") {
  // 1, 1, 2 s on two devices alike. min-min: a 0-1, b 0-1, c 1-3. max-min: c 0-2, a 0-1, b 1-2.
  const Problem problem = costed({{1, 1}, {1, 1}, {2, 2}}, {});
  CHECK(run_optimizer(problem, "min-min").schedule_ps == to_picoseconds(3));
  CHECK(run_optimizer(problem, "max-min").schedule_ps == to_picoseconds(2));
}

TEST_CASE("sufferage gives the fast device to the op that needs it most") {
  // a: 2 or 3 s, b: 3 or 9 s. min-min: a on gpu:0 0-2, then b there 2-5. max-min and sufferage: b
  // on gpu:0 0-3, a on gpu:1 0-3.
  const Problem problem = costed({{2, 3}, {3, 9}}, {});
  CHECK(run_optimizer(problem, "min-min").schedule_ps == to_picoseconds(5));
  CHECK(run_optimizer(problem, "sufferage").schedule_ps == to_picoseconds(3));
  // a: 4 or 5 s, b: 3 or 9 s. The latest finish is a's: on gpu:0 0-4, b there 4-7. Sufferage: b
  // 0-3, a on gpu:1 0-5.
  const Problem other = costed({{4, 5}, {3, 9}}, {});
  CHECK(run_optimizer(other, "max-min").schedule_ps == to_picoseconds(7));
  CHECK(run_optimizer(other, "sufferage").schedule_ps == to_picoseconds(5));
}

TEST_CASE("FCP looks at the device of the last input and at the first idle one only") {
  // a on gpu:0 0-2 (all idle, the first of them). b, after a by 1 byte: gpu:0 at 2 or idle gpu:1 at
  // 3, so 2-4 on gpu:0, though gpu:2 would run it 3-3.5.
  const Problem problem = costed({{2, 2, 2}, {2, 2, 0.5}}, {tensor(0, {1}, 1)});
  const SearchResult result = run_optimizer(problem, "fcp");
  CHECK(result.schedule_ps == to_picoseconds(4));
  CHECK(run_optimizer(problem, "heft").schedule_ps == to_picoseconds(3.5));
}

TEST_CASE("the portfolio is never worse than a list scheduler of its own, and draws improve it") {
  const Rng rng(7);
  for (std::size_t i = 0; i < 5; ++i) {
    Rng draws = rng.stream("portfolio", i);
    const Problem problem = random_problem(draws, {.limits = false});
    const SearchResult once = run_optimizer(problem, "list-portfolio");
    for (const char* name : {"heft", "cpop", "peft", "lookahead", "dls", "min-min", "m-etf"}) {
      CAPTURE(i, name);
      CHECK(once.score <= run_optimizer(problem, name).score);
    }
    const SearchResult drawn = run_optimizer(problem, "list-portfolio", {{"randomize", true}});
    CHECK(drawn.evaluations == 100);
    CHECK(drawn.score <= once.score);
  }
}

TEST_CASE("a schedule that does not fit is followed by one that counts activations") {
  // a writes 6 bytes for b, which writes 6 for c; memory 11; moving 6 bytes takes 6 s. All on one
  // device holds 12. Counted: a on one device, b and c on the other, 1 + 6 + 2 s, 6 and 6 bytes and
  // the copy of a's output, which makes 12 while b runs.
  const auto problem = [](std::int64_t memory_bytes) {
    return Problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)},
                            {tensor(0, {1}, 6), tensor(1, {2}, 6)}),
                   alike({.memory_bytes = memory_bytes}));
  };
  CHECK(run_optimizer(problem(12), "peft").evaluations == 1);
  const SearchResult retried = run_optimizer(problem(11), "peft");
  CHECK(retried.evaluations == 2);
  CHECK(retried.score.overflow_bytes == 1);
  CHECK(run_optimizer(problem(11), "peft", {{"activations", std::string("never")}}).evaluations ==
        1);
}

TEST_CASE("devices for merged groups keep a pipeline together that ops alone would scatter") {
  // Two chains of four ops without tensors between them, merged to two groups: one device each.
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 8; ++i) {
    ops.push_back(timed_op("op" + std::to_string(i), 1));
    if (i >= 2) tensors.push_back(tensor(i - 2, {i}, 2));
  }
  const Problem problem(graph_of(ops, tensors), alike());
  const ListSchedule schedule =
      list_schedule(problem, {.group = ListRule::Group::kPromises, .clusters = 2});
  CHECK(schedule.makespan_ps() == to_picoseconds(4));
  CHECK(schedule.placement() == on_devices({0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST_CASE("planned transfers wait for their channel where the schedule is told so") {
  // Two tensors of 2 bytes from gpu:0, where a and b are held, to c on gpu:1: 1-3, 3-5 on one link.
  std::vector<Op> ops{timed_op("a", 1), timed_op("c", 1)};
  ops[0].devices = {"gpu:0"};
  ops[1].devices = {"gpu:1"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 2), tensor(0, {1}, 2)}), alike());
  CHECK(list_schedule(problem, {}).makespan_ps() == to_picoseconds(4));
  CHECK(list_schedule(problem, {.schedule = {.contention = true}}).makespan_ps() ==
        to_picoseconds(6));
}

TEST_CASE("quick lists are all on 100 ops and 1,000 devices, neither pairs nor lookahead on 400") {
  const auto quick = [](std::size_t ops) {
    return quick_rules(Problem(chain(ops), alike({.devices = 1000})));
  };
  CHECK(quick(100).size() == portfolio_rules().size());  // 99 edges on a million pairs of devices
  const std::vector<ListRule> few = quick(400);
  CHECK_FALSE(few.empty());
  for (const ListRule& rule : few) {
    CHECK_FALSE(rule.pairwise());
    CHECK(rule.device != By::kLookahead);
  }
}

TEST_CASE("list schedulers say that no seed changes them") {
  for (const char* name : {"heft", "cpop", "peft", "lookahead", "etf", "dls", "min-min", "fcp"}) {
    CAPTURE(name);
    CHECK(find_optimizer(name).info.deterministic);
  }
}

TEST_CASE("with activations counted what fills the fast device goes to the slow one, and fits") {
  // a writes 6 bytes for b, c writes 6 for d: 1 s each on gpu:0 and 10 s on gpu:1, memory 11. All
  // on gpu:0 hold 12 bytes. Counted: a on gpu:0, c on gpu:1 0-10, its output 10-16, d on gpu:0
  // 16-17.
  const Problem problem(graph_of({timed_apart("a", 1, 10), timed_apart("c", 1, 10),
                                  timed_apart("b", 1, 10), timed_apart("d", 1, 10)},
                                 {tensor(0, {2}, 6), tensor(1, {3}, 6)}),
                        alike({.memory_bytes = 11}));
  CHECK_FALSE(run_optimizer(problem, "peft", {{"activations", std::string("never")}}).score.fits());
  const SearchResult retried = run_optimizer(problem, "peft");
  CHECK(retried.score == Score{0, to_picoseconds(17)});
  CHECK(retried.placement == on_devices({0, 1, 0, 0}));
}

}  // namespace
}  // namespace placer::testing
