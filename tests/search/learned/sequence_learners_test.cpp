// Claims of the learners with a network over a sequence of groups.
#include <tbb/task_arena.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "nn/gradients.hpp"
#include "search/learned/group_sequence.hpp"
#include "search/learned/moving_baseline.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

TEST_CASE("features of a diamond: types, adjacency, shares of the time, one device to begin with") {
  Graph graph = diamond();
  const Problem problem(graph, alike({.devices = 3}));
  const GroupFeatures features(problem);
  REQUIRE(features.size() == 4);
  CHECK(features.types.size() == 1);
  CHECK(features.type_shares == Matrix::Ones(4, 1));
  REQUIRE(features.numbers.cols() == 8 + 8);
  CHECK(features.numbers(2, 7) == Approx(1));        // c, 3 s of 7, is the longest
  CHECK(features.numbers(1, 7) == Approx(2.0 / 3));  // b, 2 s
  Matrix from = Matrix::Zero(4, 4);
  from(1, 0) = from(2, 0) = from(3, 1) = from(3, 2) = 1;
  CHECK(Matrix(features.numbers.middleCols(8, 4)) == from);
  CHECK(Matrix(features.numbers.rightCols(4)) == Matrix(from.transpose()));
  Matrix barred = Matrix::Zero(4, 3);
  barred(2, 1) = barred(2, 2) = GroupFeatures::kBarred;  // the heaviest: alike devices have no name
  CHECK(features.barred == barred);
}

struct SmallPolicy {
  explicit SmallPolicy(bool bidirectional, Index hidden = 3, Index count = 4)
      : policy(parameters,
               {.inputs = 3,
                .devices = 2,
                .hidden = hidden,
                .attention = 2,
                .device_embedding = 2,
                .bidirectional = bidirectional,
                .temperature = 2,
                .bound = bidirectional ? 3.0 : 0.0},
               Rng(4)),
        items(random_matrix(count, 3, 1)),
        added(Matrix::Zero(count, 2)) {}
  nn::Parameters parameters;
  SequencePolicy policy;
  Matrix items, added;
};

TEST_CASE("the gradient of the sequence policy is that of finite differences") {
  const Index many = 14;  // so that the attended items are summed up
  for (const auto& [bidirectional, items] :
       {std::pair(false, Index{4}), {true, 4}, {false, many}}) {
    SmallPolicy small(bidirectional, 3, items);
    std::vector<Index> choices(static_cast<std::size_t>(2 * items));
    for (std::size_t i = 0; i < choices.size(); ++i) choices[i] = static_cast<Index>(i * i / 3 % 2);
    CHECK(gradient_error(small.parameters, [&](Tape& tape) {
            const Rollout rollout =
                small.policy.repeat(tape.constant(small.items), small.added, 2, choices);
            return log_softmax_pick(rollout.logits, rollout.choices);
          }) < 1e-6);
  }
}

TEST_CASE("a repeated rollout has the logits that it was drawn with, and barred devices none") {
  SmallPolicy small(false);
  small.added(2, 1) = GroupFeatures::kBarred;
  Rng rng(8);
  Tape tape;
  const Rollout drawn = small.policy.draw(tape.constant(small.items), small.added, 5, &rng);
  const Matrix logits = drawn.logits.value();
  for (std::size_t row = 0; row < 5; ++row) CHECK(drawn.choices[2 * 5 + row] == 0);
  const Rollout again =
      small.policy.repeat(tape.constant(small.items), small.added, 5, drawn.choices);
  CHECK(again.logits.value() == logits);
}

TEST_CASE("a sequence policy draws and learns the same bits on one thread and on three") {
  for (const bool bidirectional : {false, true}) {
    const auto learnt = [&](int threads) {
      SmallPolicy small(bidirectional, 64, 64);  // large enough for parts
      Rng rng(9);
      Rollout drawn;
      std::vector<Matrix> bits;
      tbb::task_arena(threads).execute([&] {
        Tape tape;
        drawn = small.policy.draw(tape.constant(small.items), small.added, 13, &rng);
        bits.push_back(drawn.logits.value());
        tape.backward(drawn.logits, random_matrix(64 * 13, 2, 4));
      });
      for (const nn::Parameter& parameter : small.parameters.all()) {
        bits.push_back(parameter.gradient);
      }
      return std::pair(drawn.choices, bits);
    };
    CHECK(learnt(1) == learnt(3));
  }
}

TEST_CASE(
    "a sequence policy is fed its choices: another device of item 1 changes what comes later") {
  SmallPolicy small(true);
  const auto logits = [&](const std::vector<Index>& choices) {
    Tape tape;
    const Rollout rollout =
        small.policy.repeat(tape.constant(small.items), small.added, 1, choices);
    return Matrix(rollout.logits.value());
  };
  const Matrix one = logits({0, 0, 0, 0}), other = logits({0, 1, 0, 0});
  CHECK(one.topRows(2) == other.topRows(2));
  CHECK((one.row(2) - other.row(2)).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("draws follow the softmax: of logits 0 and log 3 the second three times as often") {
  Matrix logits = Matrix::Zero(4000, 2);
  logits.col(1).setConstant(std::log(3));
  std::vector<Index> choices(4000);
  Rng rng(5);
  draw_choices(logits, &rng, choices);
  CHECK(std::accumulate(choices.begin(), choices.end(), Index{0}) == Approx(3000).margin(90));
  draw_choices(logits, nullptr, choices);
  CHECK(std::accumulate(choices.begin(), choices.end(), Index{0}) == 4000);
}

TEST_CASE(
    "the baseline of square roots: costs 1 and 9 give 1 and -1, and leave a trace of a tenth") {
  MovingBaseline baseline(0.9);
  const std::array<double, 2> first = {1, 9}, second = {16, 16};
  CHECK(baseline.advantages(first) == std::vector<double>{1, -1});
  CHECK(baseline.baseline() == Approx(2));
  CHECK(baseline.advantages(second) == std::vector<double>{-1, -1});
  CHECK(baseline.baseline() == Approx(0.9 * 2 + 0.1 * 4));
  MovingBaseline same(0.5);
  CHECK(same.advantages(second) == std::vector<double>{0, 0});
}

/// The mean step time of the first and of the last window of the curve.
std::pair<double, double> first_and_last(const SearchResult& result) {
  return {*result.curve[1].mean_seconds, result.recent_mean_seconds};
}

TEST_CASE("four pairs joined by slow transfers: sequence learners learn to keep each together") {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 8; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  for (std::size_t i = 0; i < 8; i += 2) tensors.push_back(tensor(i, {i + 1}, 3));
  const Problem problem(graph_of(ops, tensors), alike());
  for (const char* name : {"seq2seq", "spotlight"}) {
    INFO(name);
    const SearchResult result = run_search(problem, request_for(name, 1500));
    const auto [first, last] = first_and_last(result);
    CHECK(result.score.step_ps == 4'000'000'000'000);  // two pairs on each device
    CHECK(first > 6);
    CHECK(last < 4.7);
  }
}

TEST_CASE("the preset gives defaults only: what is asked for stands") {
  const Optimizer& optimizer = find_optimizer("seq2seq");
  const OptionValues paper = checked_options(optimizer.options, {{"preset", std::string("paper")}});
  const OptionValues tuned = checked_options(optimizer.options, {});
  CHECK(std::get<std::int64_t>(paper.at("hidden")) == 256);
  CHECK(std::get<std::int64_t>(tuned.at("hidden")) != 256);
  CHECK(std::get<std::string>(tuned.at("preset")) == "tuned");
  const OptionValues mixed = checked_options(
      optimizer.options, {{"preset", std::string("tuned")}, {"hidden", std::int64_t{256}}});
  CHECK(std::get<std::int64_t>(mixed.at("hidden")) == 256);
  CHECK(mixed.at("learning-rate") == tuned.at("learning-rate"));
}

TEST_CASE("the gradient of each row's entropy moves from its likely choice to the other") {
  // -p (ln p + entropy), which is -0.8 ln 0.8 - 0.2 ln 0.2.
  Matrix probabilities(2, 2);
  probabilities << 0.8, 0.2, 0.2, 0.8;
  const double entropy = -0.8 * std::log(0.8) - 0.2 * std::log(0.2);
  const double likely = -0.8 * (std::log(0.8) + entropy);
  const Matrix gradient = entropy_gradient(probabilities);
  for (const Index row : {0, 1}) {
    CHECK(gradient(row, row) == Approx(likely));
    CHECK(gradient(row, 1 - row) == Approx(-likely));
  }
}

}  // namespace
}  // namespace placer::testing
