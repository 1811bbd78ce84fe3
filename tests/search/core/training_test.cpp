// How learners are run, trained, stopped and resumed.
#include "placer/search/training.hpp"

#include <catch2/catch.hpp>

#include "support/policies.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

SearchRequest tiny_request(const Optimizer& optimizer, std::int64_t evaluations) {
  SearchRequest request;
  request.optimizer = &optimizer;
  request.budget.evaluations = evaluations;
  return request;
}

TrainingRequest training_of(const Optimizer& optimizer, std::int64_t evaluations) {
  TrainingRequest request;
  request.optimizer = &optimizer;
  request.evaluations = evaluations;
  return request;
}

bool same(const TrainingResult& a, const TrainingResult& b) {
  const auto equal = [](const SearchResult& x, const SearchResult& y) {
    return x.placement == y.placement && x.score == y.score && x.evaluations == y.evaluations &&
           x.recent_mean_seconds == y.recent_mean_seconds;
  };
  return a.policy == b.policy && a.updates == b.updates &&
         std::ranges::equal(a.graphs, b.graphs, equal);
}

TEST_CASE("a learner on one graph leaves a policy, and its policy alone places at once") {
  const Optimizer tiny = tiny_learner();
  const SearchResult learnt = run_search(fast_and_slow(3), tiny_request(tiny, 300));
  REQUIRE(learnt.policy);
  CHECK(learnt.policy->algorithm == "tiny");
  CHECK(learnt.policy->devices == 2);
  CHECK(learnt.policy->state.empty());
  CHECK(learnt.policy->weights[0].values[0] > learnt.policy->weights[0].values[1] + 3);

  SearchRequest zero_shot = tiny_request(tiny, 1);
  zero_shot.policy_in = &*learnt.policy;
  const SearchResult placed = run_search(fast_and_slow(7), zero_shot);
  CHECK(placed.evaluations == 1);
  CHECK(placed.score.step_ps == to_picoseconds(7));  // all seven on the fast device, one by one
}

TEST_CASE("options of a policy lie beneath those of the request and over the defaults") {
  const Optimizer tiny = tiny_learner();
  Policy policy;
  policy.algorithm = "tiny";
  policy.options = {{"rate", 0.25}};
  SearchRequest request = tiny_request(tiny, 1);
  CHECK(std::get<double>(completed_options(request).at("rate")) == 0.5);
  request.policy_in = &policy;
  CHECK(std::get<double>(completed_options(request).at("rate")) == 0.25);
  request.options = {{"rate", 2.0}};
  CHECK(std::get<double>(completed_options(request).at("rate")) == 2.0);
}

TEST_CASE("a policy for another algorithm, device count or shape is refused in one line") {
  const Optimizer tiny = tiny_learner();
  const Problem problem = fast_and_slow();
  const auto refused = [&](const Policy& policy, const Optimizer& optimizer, const char* message) {
    SearchRequest request = tiny_request(optimizer, 5);
    request.policy_in = &policy;
    CHECK_THROWS_WITH(run_search(problem, request), message);
  };
  refused(small_policy("gdp"), tiny, "policy: expected one of tiny, found one of gdp");
  refused(small_policy("tiny", 4), tiny, "policy: expected one for 2 devices, found one for 4");
  refused(small_policy("tiny"), tiny, "policy: weights 'logits': expected 1 x 2, found none");
  Policy wide = small_policy("tiny");
  wide.weights[0].name = "logits";
  refused(wide, tiny, "policy: weights 'logits': expected 1 x 2, found 2 x 3");
  SearchRequest request = request_for("random", 5);
  request.policy_in = &wide;
  CHECK_THROWS_WITH(run_search(problem, request),
                    Catch::StartsWith("policy: expected an algorithm whose policies serve other"));
}

TEST_CASE("training takes graphs in turn and shares the evaluations evenly") {
  const Optimizer tiny = tiny_learner();
  const std::vector<Problem> problems = {fast_and_slow(1), fast_and_slow(2), fast_and_slow(5)};
  const TrainingResult result = train(problems, training_of(tiny, 200));
  REQUIRE(result.graphs.size() == 3);
  CHECK(result.graphs[0].evaluations == 67);
  CHECK(result.graphs[1].evaluations == 67);
  CHECK(result.graphs[2].evaluations == 66);
  CHECK(result.evaluations == 200);
  CHECK(result.updates == 200);
  CHECK(result.graphs[2].score.step_ps == to_picoseconds(5));
}

TEST_CASE("a training stopped and resumed anywhere ends with the same policy and books") {
  const Optimizer tiny = tiny_learner();
  const std::vector<Problem> problems = {fast_and_slow(1), fast_and_slow(2), fast_and_slow(5)};
  const TrainingResult whole = train(problems, training_of(tiny, 250));
  std::vector<Policy> checkpoints;
  TrainingRequest request = training_of(tiny, 250);
  request.checkpoint_evaluations = 40;
  request.on_checkpoint = [&](const Policy& policy) { checkpoints.push_back(policy); };
  CHECK(same(train(problems, request), whole));
  REQUIRE(checkpoints.size() == 6);
  for (const Policy& checkpoint : checkpoints) {
    TrainingRequest again = training_of(tiny, 250);
    again.resume = &checkpoint;
    CHECK(same(train(problems, again), whole));
  }
  TrainingRequest finished = training_of(tiny, 250);
  finished.resume = &whole.policy;
  CHECK(same(train(problems, finished), whole));
}

TEST_CASE("an interrupt ends a training between two updates, ready to be resumed") {
  const Optimizer tiny = tiny_learner();
  const std::vector<Problem> problems = {fast_and_slow(2), fast_and_slow(3)};
  const TrainingResult whole = train(problems, training_of(tiny, 100));
  std::atomic<bool> interrupt = false;
  TrainingRequest request = training_of(tiny, 100);
  request.interrupt = &interrupt;
  request.on_progress = [&](const TrainingProgress& now) { interrupt = now.updates == 31; };
  const TrainingResult stopped = train(problems, request);
  CHECK(stopped.interrupted);
  CHECK(stopped.updates == 31);
  TrainingRequest again = training_of(tiny, 100);
  again.resume = &stopped.policy;
  CHECK(same(train(problems, again), whole));
}

TEST_CASE("a checkpoint of another training is refused") {
  const Optimizer tiny = tiny_learner();
  const std::vector<Problem> problems = {fast_and_slow(2), fast_and_slow(3)};
  const Policy checkpoint = train(problems, training_of(tiny, 100)).policy;
  const std::string other = "policy: expected a checkpoint of this training, found one with ";
  TrainingRequest request = training_of(tiny, 100);
  request.resume = &checkpoint;
  request.seed = 2;
  request.evaluations = 101;
  CHECK_THROWS_WITH(train(problems, request),
                    other + "evaluations 100 instead of 101, seed 1 instead of 2");
  request.seed = 1;
  request.evaluations = 100;
  const std::vector<Problem> others = {fast_and_slow(2), fast_and_slow(4)};
  CHECK_THROWS_WITH(train(others, request),
                    other + "another graph 2 with its devices and grouping");
  CHECK_THROWS_WITH(train(std::span(problems).first(1), request), other + "graphs 2 instead of 1");
  const Policy policy = checkpoint.without_state();
  request.resume = &policy;
  CHECK_THROWS_WITH(train(problems, request),
                    "policy: expected a checkpoint of a training, found a policy without one");
  request.resume = &checkpoint;
  request.options = {{"rate", 0.125}};
  CHECK_THROWS_WITH(train(problems, request), other + "option rate 0.5 instead of 0.125");
}

TEST_CASE("training wants a learner that transfers and graphs with equally many devices") {
  const Optimizer tiny = tiny_learner();
  const std::vector<Problem> problems = {fast_and_slow(2),
                                         Problem(chain(2), alike({.devices = 3}))};
  CHECK_THROWS_WITH(train(problems, training_of(tiny, 10)),
                    "train: expected graphs with equally many devices, found 2 and 3");
  const std::vector<Problem> one = {fast_and_slow(2)};
  CHECK_THROWS_WITH(train(one, training_of(find_optimizer("random"), 10)),
                    Catch::StartsWith("train: expected an algorithm whose policies serve other"));
}

}  // namespace
}  // namespace placer::testing
