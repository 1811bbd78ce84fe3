// Each list scheduler's own claim.
#include <algorithm>
#include <catch2/catch.hpp>

#include "search/favourites.hpp"
#include "search/linear_program.hpp"
#include "search/list_ranks.hpp"
#include "search/list_rules.hpp"
#include "search/scheduling_data.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Next = ListRule::Next;
using By = ListRule::Device;

/// On devices "gpu:0", "gpu:1", ... without contention, links of 1 byte/s.
Problem costed(const std::vector<std::vector<double>>& seconds, std::vector<Tensor> tensors) {
  std::vector<Op> ops;
  for (const std::vector<double>& times : seconds) {
    ops.push_back(timed_op("t" + std::to_string(ops.size() + 1), 0));
    ops.back().seconds.clear();
    for (std::size_t d = 0; d < times.size(); ++d) {
      ops.back().seconds.emplace_back("gpu:" + std::to_string(d), times[d]);
    }
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)),
                 alike({.devices = seconds.front().size(), .contention = Contention::kNone}));
}

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

Problem sized(const std::vector<std::int64_t>& params_bytes, std::int64_t memory_bytes) {
  std::vector<Op> ops;
  for (const std::int64_t bytes : params_bytes) {
    ops.push_back(timed_op("op" + std::to_string(ops.size()), 1));
    ops.back().params_bytes = bytes;
  }
  return Problem(graph_of(ops, {}), alike({.memory_bytes = memory_bytes}));
}

TEST_CASE("static bytes that the rule's own order would overflow are packed by a search") {
  // In order of ids (equal ranks) 5 and 5 go apart, 4 and 4 too, and 2 has no room. 5 + 5 and
  // 4 + 4 + 2 fit; with 3 instead of 2 nothing does.
  CHECK_FALSE(list_schedule(sized({5, 5, 4, 4, 2}, 10), {}).overflows());
  CHECK(run_optimizer(sized({5, 5, 4, 4, 2}, 10), "heft").score.overflow_bytes == 0);
  CHECK(list_schedule(sized({5, 5, 4, 4, 3}, 10), {}).overflows());
}

TEST_CASE("no list schedule overflows with static bytes where any placement would fit") {
  const Rng rng(11);
  int tight = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    Rng draws = rng.stream("packing", i);
    std::vector<std::int64_t> bytes(7);
    std::int64_t all_bytes = 0;
    for (std::int64_t& size : bytes) all_bytes += size = static_cast<std::int64_t>(draws.below(9));
    const std::int64_t memory_bytes = (all_bytes + 1) / 2 + static_cast<std::int64_t>(i % 2);
    bool fit = false;
    for (std::size_t first = 0; first < 128; ++first) {  // the ops on gpu:0, as bits
      std::int64_t held = 0;
      for (std::size_t op = 0; op < 7; ++op) held += (first >> op & 1) != 0 ? bytes[op] : 0;
      fit = fit || (held <= memory_bytes && all_bytes - held <= memory_bytes);
    }
    tight += fit ? 1 : 0;
    const Problem problem = sized(bytes, memory_bytes);
    for (const ListRule& rule : portfolio_rules()) {
      REQUIRE(list_schedule(problem, rule).overflows() == !fit);
    }
    REQUIRE(run_optimizer(problem, "m-sct").score.fits() == fit);
  }
  CHECK(tight > 40);
  CHECK(tight < 60);
}

TEST_CASE("m-topo gives each device an even share of the bytes, in program order") {
  // 4 ops of 2 bytes: an even share is 4 bytes, plus the largest group 6: a, b, c and then d.
  CHECK(run_optimizer(sized({2, 2, 2, 2}, 100), "m-topo").placement == on_devices({0, 0, 0, 1}));
}

TEST_CASE("m-topo moves on when a device is full and packs anew what has no room at the end") {
  // 4 + 4 leave no room for the first 5 on gpu:0, so 5 + 5 fill gpu:1 and 1, 1 have no room there.
  CHECK(run_optimizer(sized({4, 4, 5, 5, 1, 1}, 10), "m-topo").placement ==
        on_devices({0, 0, 1, 1, 0, 0}));
}

TEST_CASE("m-topo leaves a device out that is more than twice as slow as the fastest") {
  const Problem problem = costed({{1, 3, 2}, {1, 3, 2}}, {});
  const Placement placement = run_optimizer(problem, "m-topo").placement;
  CHECK(std::ranges::count(placement.devices, DeviceId(1)) == 0);
}

TEST_CASE("m-etf counts activations where ETF counts parameters only") {
  // a -> b -> c in 3 s, outputs of 6 bytes, 12 in all; moving one costs 6 s. ETF stays on gpu:0.
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)},
                                 {tensor(0, {1}, 6), tensor(1, {2}, 6)}),
                        alike({.memory_bytes = 11}));
  CHECK(run_optimizer(problem, "etf").placement == on_devices({0, 0, 0}));
  CHECK(run_optimizer(problem, "m-etf").placement == on_devices({0, 1, 1}));
}

TEST_CASE("favourite children along paths make the longest path short, one for each op") {
  // a -> b (transfer 5), a -> c (3), b -> d (2), c -> d (4), 1 s each. Longest: a b d with 10; its
  // edges are chosen. Then a c d has 10 and no free edge: a and d are taken.
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)},
               {tensor(0, {1}, 5), tensor(0, {2}, 3), tensor(1, {3}, 2), tensor(2, {3}, 4)}),
      alike());
  CHECK(favourites_along_paths(problem, mean_costs(problem)) ==
        std::vector<std::optional<OpId>>{OpId(1), OpId(3), {}, {}});
}

TEST_CASE("the linear program saves the transfer that the longest path takes another way round") {
  // s -> x (6 s), x -> z (1), y -> z (5), 1 s each. Along paths: s x z with 10 is the longest, so z
  // follows x, and y z keeps 7. The program: s -> x is saved whole, a + b = 1 of the two into z
  // cost 3 + a and 2 + 5 b, least at a = 2/3 and b = 1/3, which is rounded to saved.
  const Problem problem(
      graph_of({timed_op("s", 1), timed_op("x", 1), timed_op("y", 1), timed_op("z", 1)},
               {tensor(0, {1}, 6), tensor(1, {3}, 1), tensor(2, {3}, 5)}),
      alike());
  const MeanCosts costs = mean_costs(problem);
  CHECK(favourites_along_paths(problem, costs) == Favourites{OpId(1), OpId(3), {}, {}});
  const std::optional<Favourites> found = favourites_by_program(problem, costs);
  if (!LinearProgram::solvable()) {
    CHECK(!found);
    CHECK_THROWS_AS(run_optimizer(problem, "m-sct", {{"favourites", "linear-program"}}), Error);
    WARN("skipped: this build is without CLP");
    return;
  }
  CHECK(found == Favourites{OpId(1), {}, OpId(3), {}});
}

TEST_CASE("a linear program that takes more steps than allowed has no answer") {
  // x + y at least 3, x at most 1: y is 2, which takes a step.
  LinearProgram program;
  const int x = program.add_variable(1, 0, 1), y = program.add_variable(2, 0, 9);
  program.add_row(std::vector<LinearProgram::Term>{{x, 1}, {y, 1}}, 3);
  CHECK(!program.solve(0));
  if (!LinearProgram::solvable()) return;
  const std::optional<std::vector<double>> values = program.solve(10);
  REQUIRE(values);
  CHECK((*values)[0] == Approx(1));
  CHECK((*values)[1] == Approx(2));
}

TEST_CASE("m-sct keeps a device free for the favourite child of its last op, m-etf does not") {
  // a (1 s, gpu:0) sends 10 bytes to f (1 s) and to o (4 s); f also waits for x (2 s, gpu:1) and is
  // followed by g (5 s, gpu:1). The longest path is a f g. m-etf: o 1-5 on gpu:0, f 5-6, g 6-11.
  // m-sct: gpu:0 waits, f 2-3, g 3-8, o 3-7.
  std::vector<Op> ops{timed_op("a", 1), timed_op("x", 2), timed_op("f", 1), timed_op("o", 4),
                      timed_op("g", 5)};
  ops[0].devices = {"gpu:0"};
  ops[1].devices = ops[4].devices = {"gpu:1"};
  const Problem problem(
      graph_of(ops, {tensor(0, {2}, 10), tensor(0, {3}, 10), tensor(1, {2}, 0), tensor(2, {4}, 0)}),
      alike());
  CHECK(run_optimizer(problem, "m-etf").schedule_ps == to_picoseconds(11));
  CHECK(run_optimizer(problem, "m-sct").schedule_ps == to_picoseconds(8));
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

}  // namespace
}  // namespace placer::testing
