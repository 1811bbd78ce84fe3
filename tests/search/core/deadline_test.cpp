// What a time limit and an interrupt stop, and what then is the answer.
#include <catch2/catch.hpp>
#include <future>
#include <new>
#include <system_error>

#include "base/abandonable.hpp"
#include "placer/base/errors.hpp"
#include "placer/search/bounds.hpp"
#include "placer/search/grouping.hpp"
#include "placer/search/run.hpp"
#include "placer/sim/simulator.hpp"
#include "search/core/plain_placements.hpp"
#include "search/groups/group_graph.hpp"
#include "search/lists/rules.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// So many ops, one after the other, that long work on them asks its deadline.
Problem long_chain() { return Problem(chain(5000), alike()); }

Problem too_late(const Problem& problem) {
  return problem.within(Deadline(Deadline::Clock::now() - std::chrono::seconds(2), 1));
}

TEST_CASE("a run that is interrupted before it has an answer gives everything on one device") {
  std::atomic<bool> interrupt = true;
  const Problem problem = long_chain();
  for (const std::string name : {"heft", "m-sct", "critical-path", "beam", "multilevel", "auto"}) {
    CAPTURE(name);
    SearchRequest request = request_for(name, 1000);
    request.interrupt = &interrupt;
    const SearchResult found = run_search(problem, request);
    CHECK(found.evaluations == 1);
    CHECK(found.placement == *problem.all_on(DeviceId(0)));
    CHECK(found.score.step_ps == to_picoseconds(5000));
    CHECK(found.stopped == Stop::kInterrupt);
  }
}

TEST_CASE("a run without time has its start for an answer") {
  const Problem problem = long_chain();
  SearchRequest request = request_for("heft", 1000);
  request.budget.seconds = 1e-9;
  request.start = *problem.all_on(DeviceId(1));
  const SearchResult found = run_search(problem, request);
  CHECK(found.placement == *request.start);
  CHECK(found.stopped == Stop::kTime);
}

TEST_CASE("a run without time has the answer at hand that it was given") {
  std::atomic<bool> interrupt = true;
  const Problem problem = long_chain();
  SearchRequest request = request_for("heft", 1000);
  request.interrupt = &interrupt;
  request.at_hand = *problem.all_on(DeviceId(1));
  const SearchResult found = run_search(problem, request);
  CHECK(found.evaluations == 1);
  CHECK(found.placement == *request.at_hand);
}

TEST_CASE("a run without time simulates nothing where an answer is at hand") {
  const Problem problem = long_chain();
  for (const char* algorithm : {"single-device", "hash", "heft", "cross-entropy"}) {
    CAPTURE(algorithm);
    SearchRequest request = request_for(algorithm, 1000);
    request.budget.seconds = 1e-9;
    request.at_hand = *problem.all_on(DeviceId(1));
    request.at_hand_score = Score{0, 7};
    const SearchResult found = run_search(problem, request);
    CHECK(found.score == Score{0, 7});
    CHECK(found.evaluations == 1);
  }
}

TEST_CASE("an answer at hand whose score is known is not simulated again") {
  std::atomic<bool> interrupt = true;
  SearchRequest request = request_for("heft", 1000);
  request.interrupt = &interrupt;
  const Problem problem = long_chain();
  request.at_hand = *problem.all_on(DeviceId(1));
  request.at_hand_score = Score{0, 7};
  CHECK(run_search(problem, request).score == Score{0, 7});
}

TEST_CASE("the answer at hand takes the place of one that does not fit when the time is up") {
  // Two ops of 60 bytes each on devices of 100: together they are too much.
  std::vector<Op> ops = seconds_each({1, 1});
  for (Op& op : ops) op.params_bytes = 60;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 100}));
  SearchRequest request = request_for("single-device", 1000);
  request.budget.seconds = 1e-9;
  request.start = on_devices({0, 0});
  request.at_hand = on_devices({0, 1});
  const SearchResult found = run_search(problem, request);
  CHECK(found.placement == on_devices({0, 1}));
  CHECK(found.score.fits());
  CHECK(found.evaluations == 2);
  request.budget.evaluations = 1;
  CHECK(run_search(problem, request).evaluations == 1);
}

TEST_CASE("the answer at hand is the fastest device that holds all parameters") {
  const auto answer = [](std::int64_t fast_memory_bytes) {
    Op op = timed_op("op0", 1);
    op.seconds = {{"gpu:0", 3.0}, {"gpu:1", 2.0}};
    op.params_bytes = 100;
    std::vector<Device> devices = alike().devices();
    devices[1].memory_bytes = fast_memory_bytes;
    return answer_at_hand(Problem(graph_of({op}, {}), Topology(devices, {{"*", "*", 1}})));
  };
  CHECK(answer(100) == on_devices({1}));
  CHECK(answer(99) == on_devices({0}));
}

TEST_CASE("the answer at hand has each op on its fastest device where none may take all") {
  const std::vector<Op> ops = {on(timed_op("op0", 1), {"gpu:0"}),
                               on(timed_op("op1", 1), {"gpu:1"})};
  CHECK(answer_at_hand(Problem(graph_of(ops, {}), alike())) == on_devices({0, 1}));
}

TEST_CASE("bounds without time are 0, and those in time are not") {
  CHECK(lower_bounds(too_late(long_chain())).best_ps() == 0);
  CHECK(lower_bounds(long_chain()).best_ps() == to_picoseconds(5000));
}

TEST_CASE("a simulation that takes long is left at its deadline") {
  const Problem chained = long_chain();
  CHECK_THROWS_AS(Simulator(too_late(chained), Order::kMsr).evaluate(*chained.all_on(DeviceId(0))),
                  Stopped);
}

TEST_CASE("under msr, 100,000 ops that are ready at once take no longer than in a chain") {
  const std::size_t count = 100'000;
  const Problem side_by_side(graph_of(seconds_each(std::vector<double>(count, 1)), {}), alike());
  const Problem soon = side_by_side.within(Deadline(Deadline::Clock::now(), 10));
  CHECK(Simulator(soon, Order::kMsr).evaluate(*soon.all_on(DeviceId(0))).step_ps ==
        to_picoseconds(count));
}

TEST_CASE("a search that runs out of memory ends with its best so far where an answer is at hand") {
  const Problem problem = fast_and_slow(2);
  const Optimizer optimizer = make_optimizer({}, [](Search& search) {
    search.evaluate(on_devices({1, 0}));
    throw std::bad_alloc();
  });
  SearchRequest request;
  request.optimizer = &optimizer;
  CHECK_THROWS_AS(run_search(problem, request), std::bad_alloc);
  request.at_hand = on_devices({1, 1});
  const SearchResult found = run_search(problem, request);
  CHECK(found.placement == on_devices({1, 0}));
  CHECK(found.stopped == Stop::kMemory);
}

TEST_CASE("a search in which no further thread can begin ends with its best so far, too") {
  const Problem problem = fast_and_slow(2);
  const Optimizer optimizer = make_optimizer({}, [](Search& search) {
    search.evaluate(on_devices({1, 0}));
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  SearchRequest request;
  request.optimizer = &optimizer;
  request.at_hand = on_devices({1, 1});
  CHECK(run_search(problem, request).placement == on_devices({1, 0}));
}

TEST_CASE("merging, list schedules and reachability stop at their deadline") {
  const Problem problem = long_chain(), late = too_late(problem);
  CHECK_THROWS_AS(merge_groups(late, 10), Stopped);
  CHECK_THROWS_AS(heft_schedule(late, {}), Stopped);
  CHECK_THROWS_AS(reachable(GroupGraph(problem).children, late.deadline()), Stopped);
  CHECK_NOTHROW(heft_schedule(problem, {}));
}

TEST_CASE("work that asks no deadline is left behind when it passes") {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  const auto wait = [open] {
    open.wait();
    return 7;
  };
  CHECK_THROWS_AS(run_abandonable(wait, too_late(long_chain()).deadline()), Stopped);
  gate.set_value();
  CHECK(run_abandonable(wait, Deadline()) == 7);
}

TEST_CASE("an Error of work that asks no deadline comes through") {
  const auto fail = []() -> int { throw Error("no"); };
  CHECK_THROWS_AS(run_abandonable(fail, Deadline()), Error);
}

}  // namespace
}  // namespace placer::testing
