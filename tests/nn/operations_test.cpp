// Every operation of the tape against finite differences, and values worked out by hand.
#include "nn/operations.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "nn/functions.hpp"
#include "nn/gradients.hpp"
#include "support/allocations.hpp"
#include "support/skipped.hpp"

namespace placer::testing {
namespace {

using Vars = std::vector<Var>;

struct Case {
  const char* name;
  std::vector<Matrix> inputs;
  std::function<Var(const Vars&)> function;
};

const std::array<Index, 4> kOffsets = {0, 2, 2, 5};  // three segments, the second empty
const std::array<Index, 5> kColumns = {1, 3, 0, 3, 2};
const std::array<double, 5> kWeights = {0.5, -1, 2, 3, 0.25};
const nn::Sparse kSparse = {kOffsets, kColumns, kWeights};
const std::array<Index, 4> kChoices = {2, 0, 1, 2};

std::vector<Case> arithmetic_cases() {
  const Matrix a = random_matrix(4, 3, 1), b = random_matrix(4, 3, 2), row = random_matrix(1, 3, 3),
               column = random_matrix(4, 1, 4);
  return {
      {"matmul", {a, random_matrix(3, 5, 6)}, [](const Vars& x) { return matmul(x[0], x[1]); }},
      {"matmul twice",
       {a, random_matrix(3, 3, 6)},
       [](const Vars& x) { return matmul(matmul(x[0], x[1]), x[1]); }},
      {"matmul_transposed",
       {a, random_matrix(5, 3, 6)},
       [](const Vars& x) { return matmul_transposed(x[0], x[1]); }},
      {"linear",
       {a, random_matrix(3, 5, 6), random_matrix(1, 5, 7)},
       [](const Vars& x) { return linear(x[0], x[1], x[2]); }},
      {"linear_relu twice",
       {a, random_matrix(3, 3, 6), random_matrix(1, 3, 7)},
       [](const Vars& x) { return linear_relu(linear_relu(x[0], x[1], x[2]), x[1], x[2]); }},
      {"add", {a, b}, [](const Vars& x) { return add(x[0], x[1]); }},
      {"add a row", {a, row}, [](const Vars& x) { return add(x[0], x[1]); }},
      {"add a column", {a, column}, [](const Vars& x) { return add(x[0], x[1]); }},
      {"multiply", {a, b}, [](const Vars& x) { return multiply(x[0], x[1]); }},
      {"multiply by itself", {a}, [](const Vars& x) { return multiply(x[0], x[0]); }},
      {"multiply by a row", {a, row}, [](const Vars& x) { return multiply(x[0], x[1]); }},
      {"multiply by a column", {a, column}, [](const Vars& x) { return multiply(x[0], x[1]); }},
      {"scale", {a}, [](const Vars& x) { return scale(x[0], -2.5); }},
      {"sum", {a}, [](const Vars& x) { return sum(x[0]); }},
      {"mean", {a}, [](const Vars& x) { return mean(x[0]); }},
      {"sum_rows", {a}, [](const Vars& x) { return sum_rows(x[0]); }},
  };
}

std::vector<Case> function_cases() {
  const Matrix a = random_matrix(4, 3, 1), gates = random_matrix(4, 12, 7);
  return {
      {"relu", {a}, [](const Vars& x) { return relu(x[0]); }},
      {"tanh", {a}, [](const Vars& x) { return nn::tanh(x[0]); }},
      {"sigmoid", {a}, [](const Vars& x) { return sigmoid(x[0]); }},
      {"softmax", {a}, [](const Vars& x) { return softmax(x[0]); }},
      {"log_softmax", {a}, [](const Vars& x) { return log_softmax(x[0]); }},
      {"log_softmax_pick", {a}, [](const Vars& x) { return log_softmax_pick(x[0], kChoices); }},
      {"softmax_entropy", {a}, [](const Vars& x) { return softmax_entropy(x[0]); }},
      {"layer_norm",
       {random_matrix(3, 6, 1), random_matrix(1, 6, 2), random_matrix(1, 6, 3)},
       [](const Vars& x) { return layer_norm(x[0], x[1], x[2]); }},
      {"normalize_rows", {a}, [](const Vars& x) { return normalize_rows(x[0]); }},
      {"lstm_gates",
       {a, random_matrix(3, 8, 6), random_matrix(1, 8, 7)},
       [](const Vars& x) { return lstm_gates(x[0], x[1], x[2]); }},
      {"lstm_gates with a bias for each row",
       {a, random_matrix(3, 8, 6), random_matrix(4, 8, 7)},
       [](const Vars& x) { return lstm_gates(x[0], x[1], x[2]); }},
      {"lstm_cell", {gates, a}, [](const Vars& x) { return lstm_cell(x[0], x[1]); }},
      {"lstm_output", {gates, a}, [](const Vars& x) { return lstm_output(x[0], x[1]); }},
      {"additive_scores",
       {random_matrix(2, 13, 1), random_matrix(5, 13, 2), random_matrix(1, 13, 3)},
       [](const Vars& x) { return additive_scores(x[0], x[1], nn::exp_twice(x[1]), x[2]); }},
      {"relative_shift",
       {random_matrix(3, 6, 1)},
       [](const Vars& x) { return relative_shift(x[0], 4); }},
  };
}

std::vector<Case> row_cases() {
  const Matrix a = random_matrix(4, 3, 1), b = random_matrix(4, 2, 2), c = random_matrix(2, 3, 3);
  return {
      {"concat_columns",
       {a, b},
       [](const Vars& x) {
         return nn::concat_columns({x[0], x[1]});
       }},
      {"concat_rows",
       {a, c},
       [](const Vars& x) {
         return nn::concat_rows({x[0], x[1]});
       }},
      {"slice_columns", {a}, [](const Vars& x) { return slice_columns(x[0], 1, 2); }},
      {"slice_rows", {a}, [](const Vars& x) { return slice_rows(x[0], 1, 2); }},
      {"gather_rows", {a}, [](const Vars& x) { return gather_rows(x[0], kColumns); }},
      {"add_rows",
       {a, random_matrix(4, 3, 8)},
       [](const Vars& x) { return add_rows(x[0], x[1], std::span(kChoices).last(2)); }},
      {"reshape", {a}, [](const Vars& x) { return reshape(x[0], 2, 6); }},
      {"sparse_matmul", {a}, [](const Vars& x) { return sparse_matmul(kSparse, x[0]); }},
      {"segment_sum", {a}, [](const Vars& x) { return segment_sum(kSparse, x[0]); }},
      {"segment_mean", {a}, [](const Vars& x) { return segment_mean(kSparse, x[0]); }},
      {"segment_max", {a}, [](const Vars& x) { return segment_max(kSparse, x[0]); }},
  };
}

TEST_CASE("the gradient of every operation is that of finite differences", "[nn]") {
  for (const auto& cases : {arithmetic_cases(), function_cases(), row_cases()}) {
    for (const Case& one : cases) {
      INFO(one.name);
      CHECK(gradient_error(one.inputs, one.function) < 1e-6);
    }
  }
}

TEST_CASE("a gradient that is wrong shows in finite differences", "[nn]") {
  const auto half = [](const Vars& x) { return add(x[0], nn::stop_gradient(x[0])); };
  CHECK(gradient_error({random_matrix(2, 2, 1)}, half) > 0.1);
}

TEST_CASE("segments of rows 1 2, none and 3 4 sum, average and take maxima by hand", "[nn]") {
  Matrix a(3, 2);
  a << 1, 2, 3, 4, 5, -6;
  const std::array<Index, 4> offsets = {0, 2, 2, 3};
  const std::array<Index, 3> columns = {0, 2, 1};
  const std::array<double, 3> weights = {10, 1, -1};
  Tape tape;
  const Var x = tape.constant(a);
  const nn::Sparse sparse = {offsets, columns, weights};
  Matrix expected(3, 2);
  expected << 15, 14, 0, 0, -3, -4;
  CHECK(sparse_matmul(sparse, x).value() == expected);
  expected << 6, -4, 0, 0, 3, 4;
  CHECK(segment_sum(sparse, x).value() == expected);
  expected << 3, -2, 0, 0, 3, 4;
  CHECK(segment_mean(sparse, x).value() == expected);
  expected << 5, 2, 0, 0, 3, 4;
  CHECK(segment_max(sparse, x).value() == expected);
}

TEST_CASE("relative shift lines each key up with its distance to the query", "[nn]") {
  Matrix a(2, 4);
  a << 1, 2, 3, 4, 5, 6, 7, 8;
  Tape tape;
  Matrix expected(2, 3);
  expected << 2, 3, 4, 5, 6, 7;
  CHECK(relative_shift(tape.constant(a), 3).value() == expected);
}

TEST_CASE("two parameters with thirds: a used twice has the sum of both gradients", "[nn]") {
  nn::Parameters parameters;
  nn::Parameter& a = parameters.constants("a", 1, 1, 3);
  Tape tape;
  const Var x = tape.parameter(a);
  tape.backward(add(multiply(x, x), scale(x, 4)));
  CHECK(a.gradient(0, 0) == 10);  // 2 * 3 + 4
  tape.clear();
  tape.backward(tape.parameter(a));
  CHECK(a.gradient(0, 0) == 11);  // adds up until cleared
}

TEST_CASE("a variable that the result does not hang on has gradient 0, on a used tape too",
          "[nn]") {
  Tape tape;
  for (int use = 0; use < 2; ++use) {
    tape.clear();
    const Var x = tape.variable(Matrix::Constant(1, 1, 3));
    const Var y = tape.variable(Matrix::Constant(1, 1, 5));
    const Var aside = multiply(x, y);
    tape.backward(scale(use == 0 ? aside : x, 2));
    CHECK(x.gradient()(0, 0) == (use == 0 ? 10 : 2));
    CHECK(y.gradient()(0, 0) == (use == 0 ? 6 : 0));
  }
}

TEST_CASE("the second of two equal rounds on a tape allocates nothing", "[nn]") {
  if (!allocation_count()) {
    skip("the sanitizer has an allocator of its own");
    return;
  }
  nn::Parameters parameters;
  Rng rng(1);
  nn::Parameter& w = parameters.glorot("w", 30, 30, rng);
  const Matrix input = random_matrix(8, 30, 1);
  Tape tape;
  std::size_t counts[3];
  for (std::size_t& count : counts) {
    const std::size_t before = *allocation_count();
    tape.clear();
    Var x = tape.constant(input);
    const Var weights = tape.parameter(w);
    for (int i = 0; i < 50; ++i) x = nn::tanh(matmul(x, weights));
    const std::array<Index, 8> choices = {0, 1, 2, 3, 4, 5, 6, 7};
    tape.backward(mean(log_softmax_pick(x, choices)));
    count = *allocation_count() - before;
  }
  CHECK(counts[0] > 0);
  CHECK(counts[1] == 0);
  CHECK(counts[2] == 0);
}

TEST_CASE("operations on a tape and their gradients stop at its deadline", "[nn]") {
  const Matrix wide = random_matrix(64, 64, 1);
  Tape tape;
  const Var x = tape.variable(wide), product = matmul(x, x);
  tape.within(Deadline({}, 0));
  CHECK_THROWS_AS(matmul(x, x), Stopped);
  CHECK_THROWS_AS(tape.backward(product, wide), Stopped);
  tape.within({});
  tape.clear();
  CHECK(matmul(tape.variable(wide), tape.constant(wide)).rows() == 64);
}

}  // namespace
}  // namespace placer::testing
