// Every block against finite differences, and LSTM steps worked out by hand.
#include "nn/layers.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "nn/gradients.hpp"

namespace placer::testing {
namespace {

TEST_CASE("the gradient of every block is that of finite differences", "[nn]") {
  Rng rng(3);
  nn::Parameters parameters;
  const nn::Linear linear(parameters, "linear", 3, 4, rng);
  const nn::LayerNorm norm(parameters, "norm", 4);
  const nn::Lstm lstm(parameters, "lstm", 4, 2, rng);
  const nn::BiLstm both(parameters, "both", 2, 2, rng);
  const nn::AdditiveAttention attention(parameters, "attention", 2, 4, 3, rng);
  const Matrix inputs = random_matrix(4, 3, 4);
  const auto network = [&](Tape& tape) {
    const Var x = norm(linear(tape.constant(inputs)));
    const nn::Lstm::Run run = lstm.run(x);
    const nn::Lstm::Run ends = both.run(run.outputs);
    const Var shares = attention.shares(run.outputs, attention.keys(ends.outputs));
    return nn::concat_rows({matmul(shares, ends.outputs), ends.last.cell});
  };
  CHECK(gradient_error(parameters, network) < 1e-6);
}

TEST_CASE(
    "a layer norm adds a millionth to the variance: rows of 1e-3 and -1e-3 halve their square",
    "[nn]") {
  nn::Parameters parameters;
  const nn::LayerNorm norm(parameters, "norm", 2);
  Matrix rows(2, 2);
  rows << 1e-3, -1e-3, 5, 5;  // variances 1e-6 and 0
  Tape tape;
  const Matrix made = norm(tape.constant(rows)).value();
  CHECK(made(0, 0) == Approx(std::sqrt(0.5)));
  CHECK(made(0, 1) == Approx(-std::sqrt(0.5)));
  CHECK(made.row(1).isZero());
}

TEST_CASE("an LSTM without weights opens its gates by half and forgets by sigmoid of 1", "[nn]") {
  Rng rng(3);
  nn::Parameters parameters;
  const nn::Lstm lstm(parameters, "lstm", 1, 1, rng);
  parameters.all()[0].value.setZero();
  parameters.all()[1].value.setZero();
  Tape tape;
  const Var cell = tape.constant(Matrix::Constant(1, 1, 2));
  const auto next = lstm.step(lstm.project(tape.zeros(1, 1)), {tape.zeros(1, 1), cell});
  const double expected = 2 / (1 + std::exp(-1.0));  // f c, for g = tanh(0) = 0
  CHECK(next.cell.value()(0, 0) == Approx(expected));
  CHECK(next.output.value()(0, 0) == Approx(0.5 * std::tanh(expected)));
}

TEST_CASE("an LSTM run in reverse is the run of the reversed sequence", "[nn]") {
  Rng rng(3);
  nn::Parameters parameters;
  const nn::Lstm lstm(parameters, "lstm", 2, 3, rng);
  const Matrix inputs = random_matrix(5, 2, 1), turned = inputs.colwise().reverse();
  Tape tape;
  const Matrix outputs = lstm.run(tape.constant(inputs), true).outputs.value();
  CHECK(outputs == Matrix(lstm.run(tape.constant(turned)).outputs.value().colwise().reverse()));
}

TEST_CASE("rows of a batch do not see each other in an LSTM step", "[nn]") {
  Rng rng(3);
  nn::Parameters parameters;
  const nn::Lstm lstm(parameters, "lstm", 2, 3, rng);
  const Matrix inputs = random_matrix(7, 2, 1);
  Tape tape;
  const Matrix all =
      lstm.step(lstm.project(tape.constant(inputs)), lstm.start(tape, 7)).output.value();
  for (Index i = 0; i < 7; ++i) {
    const Var alone = lstm.project(tape.constant(inputs.row(i)));
    CHECK(lstm.step(alone, lstm.start(tape, 1)).output.value() == Matrix(all.row(i)));
  }
}

TEST_CASE("attention over three items gives shares that sum to 1", "[nn]") {
  Rng rng(3);
  nn::Parameters parameters;
  const nn::AdditiveAttention attention(parameters, "attention", 2, 4, 5, rng);
  Tape tape;
  const auto keys = attention.keys(tape.constant(random_matrix(3, 4, 1)));
  const Var shares = attention.shares(tape.constant(random_matrix(2, 2, 2)), keys);
  CHECK(shares.rows() == 2);
  CHECK(shares.value().row(1).sum() == Approx(1));
  CHECK(shares.value().minCoeff() > 0);
}

}  // namespace
}  // namespace placer::testing
