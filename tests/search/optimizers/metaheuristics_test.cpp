// The rule that makes each metaheuristic what it is, in a situation that nothing else masters.
#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Three ops in a chain of 1 s each on gpu:0 and 2 s on gpu:1, 5 s from op to op where they are
/// apart. From 6 s on gpu:1 the way to 3 s on gpu:0 leads over 10 and 9 s.
Problem barrier() {
  return Problem(graph_of({timed_apart("a", 1, 2), timed_apart("b", 1, 2), timed_apart("c", 1, 2)},
                          {tensor(0, {1}, 5), tensor(1, {2}, 5)}),
                 alike());
}

/// Two pairs of ops of 1 s, 3 s apart where they are cut: 4 s on one device, 2 s with a pair on
/// each, and 5 s at least after any one op has left the others.
Problem two_pairs() {
  return Problem(graph_of(seconds_each({1, 1, 1, 1}), {tensor(0, {1}, 3), tensor(2, {3}, 3)}),
                 alike());
}

/// A sequence of so many ops that take 1 s on one device and 2 s on the other, by turns from turn
/// to turn: `turn` ops in a row want the same. The step is the sum; at best 1 s for each.
Problem by_turns(std::size_t ops, std::size_t turn = 1) {
  std::vector<Op> made;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < ops; ++i) {
    const bool first = i / turn % 2 == 0;
    made.push_back(timed_apart("op" + std::to_string(i), first ? 1 : 2, first ? 2 : 1));
    if (i > 0) tensors.push_back(tensor(i - 1, {i}, 0));
  }
  return Problem(graph_of(std::move(made), std::move(tensors)), alike());
}

/// Step seconds of what is found within `evaluations`.
double found(const Problem& problem, SearchRequest request, const OptionValues& options) {
  for (const auto& [name, value] : options) request.options[name] = value;
  return to_seconds(run_search(problem, request).score.step_ps);
}

/// From all on gpu:1, with orders.
SearchRequest from_the_slow_side(const char* name) {
  SearchRequest request = request_for(name, 300);
  request.order = Order::kGiven;
  request.start = on_devices({1, 1, 1});
  return request;
}

TEST_CASE("tabu search crosses a barrier as what has moved may not go back, and else does not") {
  // Under tenure 0 nothing is tabu: of 10 s and the way back to 6 s it takes the way back.
  CHECK(found(barrier(), from_the_slow_side("tabu"), {{"tenure", std::int64_t{0}}}) == 6);
  CHECK(found(barrier(), from_the_slow_side("tabu"), {{"tenure", std::int64_t{10}}}) == 3);
}

TEST_CASE("annealing takes what is worse while it is hot and stays before a barrier while cold") {
  CHECK(found(barrier(), from_the_slow_side("anneal"), {{"temperature", 1e-6}}) == 6);
  CHECK(found(barrier(), from_the_slow_side("anneal"), {{"temperature", 2.0}}) == 3);
}

TEST_CASE("annealing that cools ends at the optimum, and at one hot temperature it does not") {
  SearchRequest request = request_for("anneal", 2000);
  request.start = Placement{std::vector<DeviceId>(24, DeviceId(0))};
  const Problem problem = by_turns(24);
  CHECK(found(problem, request, {{"temperature", 10.0}, {"final_temperature", 0.01}}) == 24);
  CHECK(found(problem, request, {{"temperature", 10.0}, {"final_temperature", 10.0}}) > 24);
}

TEST_CASE("hill climbing leaves a place where no one move gains by starting again only") {
  const SearchRequest request = request_for("hill-climb", 500);
  CHECK(found(two_pairs(), request, {{"patience", std::int64_t{1'000'000}}}) == 4);
  CHECK(found(two_pairs(), request, {{"patience", std::int64_t{1}}}) == 2);
}

TEST_CASE("large neighbourhoods move a pair at once, which neighbourhoods of one group do not") {
  SearchRequest request = request_for("lns", 3000);
  request.start = on_devices({0, 0, 0, 0});
  const auto with_windows = [&](std::int64_t groups, std::int64_t patience) {
    return found(two_pairs(), request, {{"window", groups}, {"patience", patience}});
  };
  CHECK(with_windows(1, 1'000'000) == 4);
  CHECK(with_windows(4, 600) == 2);
}

TEST_CASE("large neighbourhoods at their largest that gain nothing are followed by random moves") {
  SearchRequest request = request_for("lns", 3000);
  request.start = on_devices({0, 0, 0, 0});
  CHECK(found(two_pairs(), request,
              {{"window", std::int64_t{1}}, {"patience", std::int64_t{20}}}) == 2);
}

TEST_CASE("an elite is kept until a child beats it: of two members 40 ops find their devices") {
  // One elite and its child: each step forward is kept. Without an elite it is lost again.
  const auto with_elites = [](std::int64_t elites) {
    return found(by_turns(40), request_for("genetic", 2500),
                 {{"population", std::int64_t{2}},
                  {"elites", elites},
                  {"tournament", std::int64_t{20}},
                  {"crossover", 0.0}});
  };
  CHECK(with_elites(1) == 40);
  CHECK(with_elites(0) > 40);
}

TEST_CASE("a child has a stretch of its other parent: two halves that are right make a whole") {
  // The start is right in the first half, the single device that is tried in the second.
  const auto with_crossover = [](double crossover) {
    SearchRequest request = request_for("genetic", 400);
    request.start = on_devices({0, 0, 0, 0, 0, 0, 0, 0});
    return found(by_turns(8, 4), request,
                 {{"population", std::int64_t{20}}, {"mutation", 0.0}, {"crossover", crossover}});
  };
  CHECK(with_crossover(1) == 8);
  CHECK(with_crossover(0) > 8);
}

TEST_CASE("a child of random keys has most of them from the elite, else it learns nothing") {
  const auto with_bias = [](double bias) {
    SearchRequest request = request_for("brkga", 4000);
    request.start = Placement{std::vector<DeviceId>(30, DeviceId(0))};
    return found(by_turns(30), request,
                 {{"population", std::int64_t{10}},
                  {"elite_share", 0.1},
                  {"mutant_share", 0.5},
                  {"bias", bias}});
  };
  CHECK(with_bias(0.95) == 30);
  CHECK(with_bias(0.05) > 30);
}

TEST_CASE("without mutants and with all keys of a child from the elite nothing new is tried") {
  const auto last_gain = [](double bias) {
    SearchRequest request = request_for("brkga", 1000);
    request.start = Placement{std::vector<DeviceId>(30, DeviceId(0))};
    request.options = {{"population", std::int64_t{20}}, {"mutant_share", 0.0}, {"bias", bias}};
    const SearchResult result = run_search(by_turns(30), request);
    CHECK(result.evaluations == 1000);
    return result.history.back().evaluations;
  };
  CHECK(last_gain(1) <= 21);  // the start and the first population
  CHECK(last_gain(0.7) > 21);
}

}  // namespace
}  // namespace placer::testing
