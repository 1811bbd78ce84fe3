#include "placer/search/run.hpp"

#include <catch2/catch.hpp>

#include "placer/search/grouping.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Scores `tries` placements and notes what it was given.
struct Probe {
  std::vector<std::size_t> batch_sizes;
  std::vector<double> progress;
  Optimizer optimizer;

  explicit Probe(std::size_t batch) {
    optimizer.name = "probe";
    optimizer.run = [this, batch](const OptionValues&, Search& search) {
      const std::vector<Placement> placements(batch, *search.problem().all_on(DeviceId(0)));
      do {
        progress.push_back(search.progress());
        batch_sizes.push_back(search.evaluate_all(placements).size());
      } while (batch_sizes.back() == batch);
    };
  }
};

TEST_CASE("the recent mean is that of the last 100 evaluations: of 60 of 2 s and 100 of 1 s, 1 s") {
  const auto slow_then_fast = [](Search& search) {
    for (int i = 0; i < 60; ++i) search.evaluate(on_devices({1}));
    for (int i = 0; i < 100; ++i) search.evaluate(on_devices({0}));
  };
  CHECK(search_with(fast_and_slow(), slow_then_fast, 160).recent_mean_seconds == 1);
}

TEST_CASE("a budget of 10 cuts the third batch of 4 to 2") {
  Probe probe(4);
  SearchRequest request = request_for("random", 10);
  request.optimizer = &probe.optimizer;
  const SearchResult result = run_search(Problem(chain(3), alike()), request);
  REQUIRE(probe.batch_sizes == std::vector<std::size_t>{4, 4, 2});
  REQUIRE(probe.progress == std::vector<double>{0, 0.4, 0.8});
  REQUIRE(result.evaluations == 10);
  REQUIRE(result.stopped == Stop::kEvaluations);
  REQUIRE(result.recent_mean_seconds == Approx(3));
}

TEST_CASE("a start counts as one evaluation and is never lost") {
  const Problem problem(chain(4, 100), alike());  // 4 s on one device, far more on two
  SearchRequest request = request_for("round-robin", 1);
  request.start = *problem.all_on(DeviceId(1));
  const SearchResult result = run_search(problem, request);
  REQUIRE(result.evaluations == 1);
  REQUIRE(result.placement == *problem.all_on(DeviceId(1)));
  REQUIRE(to_seconds(result.score.step_ps) == 4);
  request.budget.evaluations = 50;
  REQUIRE(run_search(problem, request).score == result.score);
}

TEST_CASE("a start survives merging even where it splits merged groups") {
  const Problem problem(chain(8, 1), alike());
  SearchRequest request = request_for("post", 30);
  request.grouping = {Grouping::Kind::kCount, 2};
  request.start = on_devices({0, 1, 0, 1, 0, 1, 0, 1});
  REQUIRE(run_search(problem, request).groups > 2);
  request.budget.evaluations = 1;
  REQUIRE(run_search(problem, request).placement == *request.start);
}

TEST_CASE("a reached target stops the search and says so") {
  SearchRequest request = request_for("random", 1000);
  request.budget.target_ps = to_picoseconds(2);
  const SearchResult result = run_search(fast_and_slow(2), request);  // 2 s: both on gpu:0 or apart
  REQUIRE(result.stopped == Stop::kTarget);
  REQUIRE(result.evaluations < 1000);
}

TEST_CASE("a target that the first placement of a batch reaches ends the batch there") {
  Probe probe(100);
  SearchRequest request = request_for("random", 1000);
  request.optimizer = &probe.optimizer;
  request.budget.target_ps = to_picoseconds(3);
  const SearchResult result = run_search(Problem(chain(3), alike()), request);
  REQUIRE(probe.batch_sizes == std::vector<std::size_t>{1});
  REQUIRE(result.evaluations == 1);
}

TEST_CASE("the cost of an overflow does not depend on the memory of a device without ops") {
  const auto cost_seconds = [](std::int64_t idle_memory_bytes) {
    std::vector<Op> ops = {timed_op("a", 1)};
    ops[0].params_bytes = 110;
    std::vector<Device> devices = alike({.memory_bytes = 100}).devices();
    devices[1].memory_bytes = idle_memory_bytes;
    double cost = 0;
    Optimizer probe;
    probe.run = [&](const OptionValues&, Search& search) {
      cost = search.cost_seconds(*search.evaluate(on_devices({0})));
    };
    SearchRequest request = request_for("random", 1);
    request.optimizer = &probe;
    run_search(Problem(graph_of(ops, {}), Topology(devices, {{"*", "*", 1}})), request);
    return cost;
  };
  REQUIRE(cost_seconds(100) == Approx(2));  // 10 % too much doubles 1 s
  REQUIRE(cost_seconds(1'000'000) == Approx(2));
}

TEST_CASE("a walk from the best so far costs no evaluation") {
  Optimizer probe;
  std::int64_t left = 0;
  probe.run = [&](const OptionValues&, Search& search) {
    search.evaluate(on_devices({1, 1, 1}));
    search.walk(on_devices({1, 1, 1}));
    left = search.evaluations_left();
  };
  SearchRequest request = request_for("random", 10);
  request.optimizer = &probe;
  run_search(Problem(chain(3), alike()), request);
  REQUIRE(left == 9);
}

TEST_CASE("an interrupt that came first still leaves one scored placement") {
  const std::atomic<bool> interrupt{true};
  for (const char* name : {"random", "post", "heft", "genetic"}) {
    SearchRequest request = request_for(name, 1000);
    request.interrupt = &interrupt;
    const SearchResult result = run_search(fast_and_slow(3), request);
    REQUIRE(result.stopped == Stop::kInterrupt);
    REQUIRE(result.evaluations == 1);
  }
}

TEST_CASE("progress reports never go back and end at the budget") {
  SearchRequest request = request_for("random", 500);
  std::vector<SearchProgress> reports;
  request.on_progress = [&](const SearchProgress& report) { reports.push_back(report); };
  run_search(fast_and_slow(3), request);
  REQUIRE(reports.back().share == 1);
  for (std::size_t i = 1; i < reports.size(); ++i) {
    REQUIRE(reports[i].evaluations > reports[i - 1].evaluations);
    REQUIRE(reports[i].best <= reports[i - 1].best);
  }
}

TEST_CASE("refinement after merging undoes a merge that costs time") {
  // Two independent chains of 4 x 1 s that one merged group would run one after the other.
  std::vector<Op> ops;
  for (int i = 0; i < 8; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  std::vector<Tensor> tensors;
  for (std::size_t i : {0, 1, 2, 4, 5, 6}) tensors.push_back(tensor(i, {i + 1}, 1));
  const Problem problem(graph_of(ops, tensors), alike());
  SearchRequest request = request_for("single-device", 2000);
  request.grouping = {Grouping::Kind::kCount, 1};
  const SearchResult result = run_search(problem, request);
  REQUIRE(result.groups == 1);
  REQUIRE(result.evaluations <= 1 + 1000);  // refinement has half of the budget
  REQUIRE(to_seconds(result.score.step_ps) < 8);
}

TEST_CASE("a learner leaves half of the budget to refinement, whether groups are merged or not") {
  Probe probe(10);
  probe.optimizer.info.learns = true;
  SearchRequest request = request_for("random", 100);
  request.optimizer = &probe.optimizer;
  request.grouping.kind = Grouping::Kind::kAuto;
  const Problem problem(chain(4, 3), alike());
  CHECK(run_search(problem, request).samples == 50);
  request.grouping.kind = Grouping::Kind::kNone;
  CHECK(run_search(problem, request).samples == 100);
  request.grouping.kind = Grouping::Kind::kAuto;
  probe.optimizer.info.learns = false;
  CHECK(run_search(problem, request).evaluations == 100);
}

TEST_CASE("merging joins what exchanges most and keeps branches apart") {
  // a -> b over 8 bytes and c -> d over 8 bytes, b -> d over 1 byte; two groups: {a, b} and {c, d}.
  std::vector<Op> ops;
  for (const char* name : {"a", "b", "c", "d"}) ops.push_back(timed_op(name, 1));
  const Problem problem(graph_of(ops, {tensor(0, {1}, 8), tensor(2, {3}, 8), tensor(1, {3}, 1)}),
                        alike());
  const std::vector<GroupId> group_of = merge_groups(problem, 2);
  REQUIRE(group_of == std::vector<GroupId>{GroupId(0), GroupId(0), GroupId(1), GroupId(1)});
}

TEST_CASE("merged groups keep to one set of allowed devices") {
  Rng rng(31);
  for (int round = 0; round < 50; ++round) {
    const Problem problem = random_problem(rng, {.most_ops = 40});
    const Problem merged = problem.with_groups(merge_groups(problem, 3));
    REQUIRE(merged.groups().size() <= problem.groups().size());
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      const auto before = problem.groups().allowed(problem.groups().of(op));
      const auto after = merged.groups().allowed(merged.groups().of(op));
      REQUIRE(std::equal(before.begin(), before.end(), after.begin(), after.end()));
      for (const OpId other : problem.groups().ops(problem.groups().of(op))) {
        REQUIRE(merged.groups().of(other) == merged.groups().of(op));
      }
    }
  }
}

TEST_CASE("what is worse than the best so far is not kept") {
  const auto fast_then_slow = [](Search& search) {
    search.evaluate(on_devices({0}));
    search.evaluate(on_devices({1}));
    CHECK(search.own_best()->placement == on_devices({0}));
  };
  CHECK(search_with(fast_and_slow(), fast_then_slow, 2).placement == on_devices({0}));
}

TEST_CASE("under order given the result has the order of its score") {
  // Two ops of one device, the second in the file first.
  const Problem problem(graph_of(seconds_each({1, 1}), {}), alike({.devices = 1}));
  SearchRequest request = request_for("random", 1);
  request.order = Order::kGiven;
  Optimizer optimizer;
  optimizer.name = "probe";
  optimizer.run = [](const OptionValues&, Search& search) {
    search.evaluate(on_devices({0, 0}), {OpId(1), OpId(0)});
  };
  request.optimizer = &optimizer;
  CHECK(run_search(problem, request).order == OpOrder{OpId(1), OpId(0)});
}

TEST_CASE("progress is reported after each evaluation, whichever way it was asked for") {
  std::vector<std::int64_t> reports;
  Optimizer optimizer;
  optimizer.run = [](const OptionValues&, Search& search) {
    search.evaluate(on_devices({0}));
    search.schedule_of(on_devices({0}), {});
    search.walk(on_devices({0}))->propose(std::array{Move{GroupId(0), DeviceId(1)}});
    search.evaluate_all(std::vector<Placement>(2, on_devices({1})));
  };
  SearchRequest request = request_for("random", 100);
  request.optimizer = &optimizer;
  request.on_progress = [&](const SearchProgress& report) {
    reports.push_back(report.evaluations);
  };
  run_search(fast_and_slow(), request);
  CHECK(reports == std::vector<std::int64_t>{1, 2, 3, 5});
}

TEST_CASE("a part that has all of the time that is left ends no later than the whole") {
  Optimizer optimizer;
  optimizer.run = [](const OptionValues&, Search& search) {
    while (search.progress() < 0.5) search.evaluate(on_devices({0}));
    Search part = search.part(1);
    while (!search.spent()) search.evaluate(on_devices({0}));
    CHECK(part.spent());
  };
  SearchRequest request = request_for("random", 1);
  request.optimizer = &optimizer;
  request.budget = {.seconds = 0.02};
  CHECK(run_search(fast_and_slow(), request).stopped == Stop::kTime);
}

TEST_CASE("a schedule that is kept is the best's, and what is found does not depend on it") {
  int kept = 0;
  for (const Optimizer& optimizer : runnable_optimizers()) {
    for (const Order order : {Order::kFifo, Order::kGiven}) {
      CAPTURE(optimizer.name, name_of(order));
      Rng rng = Rng(43).stream(optimizer.name);
      const Problem problem = random_problem(rng, {.most_ops = 40});
      if (!serves(optimizer.info, problem.goal())) continue;
      SearchRequest request = request_for(optimizer.name, 60);
      request.order = order;
      const SearchResult plain = run_search(problem, request);
      request.keeps_schedule = true;
      const SearchResult found = run_search(problem, request);
      CHECK(!plain.schedule);
      CHECK(found.placement == plain.placement);
      CHECK(found.order == plain.order);
      CHECK(found.score == plain.score);
      if (!found.schedule) continue;
      ++kept;
      Schedule again;
      Simulator(problem, order).evaluate(found.placement, found.order, &again);
      CHECK(*found.schedule == again);
    }
  }
  CHECK(kept > 40);
}

}  // namespace
}  // namespace placer::testing
