// Rows of a batch in parts: the same bits as on one tape.
#include "nn/row_parts.hpp"

#include <tbb/task_arena.h>

#include <atomic>
#include <catch2/catch.hpp>

#include "nn/gradients.hpp"
#include "nn/layers.hpp"

namespace placer::testing {
namespace {

struct Learnt {
  Matrix value;
  std::vector<Matrix> gradients;
  int bodies = 0;  // how often the body was run
};

/// Three steps of an LSTM with attention over `rows` rows, whose weights, keys and biases all rows
/// share, and its gradients.
Learnt learnt(int threads, nn::Index rows, nn::Index cost = 1 << 24) {
  nn::Parameters parameters;
  Rng rng(5);
  const nn::Lstm lstm(parameters, "lstm", 7, 9, rng);
  const nn::AdditiveAttention attention(parameters, "attention", 9, 7, 11, rng);
  const nn::Linear output(parameters, "output", 9, 3, rng);
  const Matrix items = random_matrix(13, 7, 1), start = random_matrix(rows, 9, 2);
  Learnt learnt;
  std::atomic<int> bodies = 0;
  tbb::task_arena(threads).execute([&] {
    Tape tape;
    for (int round = 0; round < 2; ++round) {
      tape.clear();
      parameters.clear_gradients();
      const Var given = tape.constant(items), begin = tape.variable(start);
      const nn::AdditiveAttention::Keys keys = attention.keys(given);
      const Var weight = output.weight(tape), recurrent = lstm.recurrent(tape);
      const Var projected = lstm.project(slice_rows(given, 0, 1)), bias = output.bias(tape);
      tape.lay_out(recurrent);
      tape.lay_out(keys.query);
      const Var all = nn::in_row_parts(tape, rows, cost, [&](Tape& part, nn::RowRange range) {
        ++bodies;
        const auto keys_here = keys.on(part);
        const Var weights = part.borrow(weight), biases = part.borrow(bias);
        const Var gates = part.borrow(projected), again = part.borrow(recurrent);
        nn::Lstm::State state = {part.borrow_rows(begin, range.first, range.count),
                                 part.zeros(range.count, 9)};
        std::vector<Var> steps;
        for (int step = 0; step < 3; ++step) {
          const Var seen = nn::AdditiveAttention::shares(state.output, keys_here);
          state = nn::Lstm::step_of(nn::lstm_gates(state.output, again, gates), state.cell);
          steps.push_back(add(linear(state.output, weights, biases),
                              slice_columns(matmul(seen, keys_here.values), 0, 3)));
        }
        return nn::concat_rows(steps);
      });
      tape.backward(all, random_matrix(3 * rows, 3, 3));
      tape.backward(all, random_matrix(3 * rows, 3, 4));
      learnt.value = all.value();
      learnt.gradients = {begin.gradient()};
    }
  });
  for (const nn::Parameter& parameter : parameters.all()) {
    learnt.gradients.push_back(parameter.gradient);
  }
  learnt.bodies = bodies;
  return learnt;
}

TEST_CASE("rows in parts give the bits that they give together, forward and backward", "[nn]") {
  for (const nn::Index rows : {7, 12, 13}) {
    const Learnt one = learnt(1, rows);
    CHECK(one.bodies == 2);
    for (const int threads : {2, 3, 8}) {
      const Learnt parts = learnt(threads, rows);
      CHECK(parts.bodies == 2 * std::min<nn::Index>(threads, std::max<nn::Index>(rows / 4, 1)));
      CHECK(parts.value == one.value);
      REQUIRE(parts.gradients.size() == one.gradients.size());
      for (std::size_t i = 0; i < one.gradients.size(); ++i) {
        CAPTURE(rows, threads, i);
        CHECK(one.gradients[i].cwiseAbs().maxCoeff() > 0);
        CHECK(parts.gradients[i] == one.gradients[i]);
      }
    }
  }
}

TEST_CASE("rows with little to do stay together", "[nn]") {
  CHECK(learnt(3, 12, 100).bodies == 2);
  CHECK(learnt(3, 12, (1 << 22) / 6 + 1).bodies == 4);
}

}  // namespace
}  // namespace placer::testing
