#include <tbb/task_arena.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "nn/function_kernels.hpp"
#include "nn/functions.hpp"
#include "nn/gradients.hpp"
#include "nn/layers.hpp"
#include "nn/product_kernel.hpp"
#include "nn/shared_out.hpp"
#include "placer/base/rng.hpp"

namespace placer::testing {
namespace {

using namespace nn;

/// What a kernel makes by vectors of this width. Those that the processor has no registers for are
/// compiled as several.
template <class Vector, class Kernel, class... Arguments>
void run_as(const Arguments&... arguments) {
  Kernel::template run<Vector>(arguments...);
}

template <class Vector>
Matrix product_by(const Matrix& a, const Packed& b, const Matrix& onto, bool add) {
  Matrix c = onto;
  run_as<Vector, ProductKernel>(c.data(), plain(a.data(), a.cols()), b, a.rows(),
                                Columns{0, b.columns}, add);
  return c;
}

template <class Vector, class Function>
std::vector<double> function_by(const std::vector<double>& x) {
  std::vector<double> y(x.size());
  run_as<Vector, FunctionKernel<Function>>(x.data(), y.data(), x.size());
  return y;
}

struct Attention {
  Matrix queries, keys, weights, above;
  AdditiveScores of() const {
    return {static_cast<std::size_t>(queries.rows()),
            static_cast<std::size_t>(keys.rows()),
            static_cast<std::size_t>(keys.cols()),
            queries.data(),
            keys.data(),
            weights.data()};
  }
};

/// The scores, then all derivatives; those of the queries by themselves if `apart`.
template <class Vector>
Matrix attention_by(const Attention& given, bool apart = false) {
  const Index width = given.keys.cols();
  Matrix all = Matrix::Ones(given.queries.rows() + given.keys.rows() + 1, width);
  Matrix scores(given.queries.rows(), given.keys.rows());
  const AdditiveScores of = given.of();
  run_as<Vector, ScoresKernel>(of, std::size_t{0}, of.query_count, scores.data());
  const ScoreDerivatives wanted = {of, given.above.data(), all.data(),
                                   all.row(given.queries.rows()).data(), all.bottomRows(1).data()};
  const ScoreDerivatives queries = {of, wanted.above, wanted.queries, nullptr, nullptr};
  const ScoreDerivatives others = {of, wanted.above, nullptr, wanted.keys, wanted.weights};
  for (const ScoreDerivatives& each : apart ? std::vector{others, queries} : std::vector{wanted}) {
    run_as<Vector, ScoresBackwardKernel>(each, std::size_t{0}, of.width);
  }
  Matrix result(1, scores.size() + all.size());
  result << scores.reshaped<Eigen::RowMajor>().transpose(),
      all.reshaped<Eigen::RowMajor>().transpose();
  return result;
}

}  // namespace

TEST_CASE("products of any shape are those of the definition", "[nn]") {
  for (const Index rows : {1, 4, 7, 65}) {
    for (const Index columns : {1, 4, 9, 24}) {
      for (const Index depth : {1, 3, 256, 300}) {
        const Matrix a = random_matrix(rows, depth, 1), b = random_matrix(depth, columns, 2);
        const Matrix at = a.transpose(), bt = b.transpose();
        Matrix c = Matrix::Zero(rows, columns), ct = c;
        std::vector<double> room(Packed::size(depth, columns));
        const Packed packed = {room.data(), depth, columns};
        pack_rows(plain(b.data(), columns), 0, depth, packed);
        add_product(c.data(), plain(a.data(), depth), packed, rows);
        pack_rows(transposed(bt.data(), depth), 0, depth, packed);
        add_product(ct.data(), transposed(at.data(), rows), packed, rows);
        CHECK(c == ct);
        CHECK((c - a * b).cwiseAbs().maxCoeff() < 1e-12);
        double first = 0, second = 0;  // blocks of 256 in depth
        for (Index k = 0; k < std::min<Index>(depth, 256); ++k) first += a(0, k) * b(k, 0);
        for (Index k = 256; k < depth; ++k) second += a(0, k) * b(k, 0);
        CHECK(c(0, 0) == (depth > 256 ? first + second : first));
      }
    }
  }
}

TEST_CASE("a large product has the same bits on one thread and on three", "[nn]") {
  const Matrix a = random_matrix(40, 300, 1), b = random_matrix(300, 203, 2);
  std::vector<double> room(Packed::size(300, 203));
  const Packed packed = {room.data(), 300, 203};
  pack_rows(plain(b.data(), 203), 0, 300, packed);
  const auto product = [&](int threads) {
    Matrix c = Matrix::Zero(40, 203);
    tbb::task_arena(threads).execute(
        [&] { add_product(c.data(), plain(a.data(), 300), packed, 40); });
    return c;
  };
  const Matrix one = product(1);
  CHECK(one.isApprox(a * b, 1e-12));
  CHECK(one == product(3));
}

TEST_CASE("exp, tanh and sigmoid of many numbers agree with the C library's", "[nn]") {
  std::vector<double> x, y(4003);
  for (int i = 0; i < 4003; ++i) x.push_back(-40 + 0.02 * i);
  exp_all(x.data(), y.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(std::abs(y[i] / std::exp(x[i]) - 1) < 4e-16);
  }
  tanh_all(x.data(), y.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(std::abs(y[i] - std::tanh(x[i])) < 4e-16);
  sigmoid_all(x.data(), y.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(std::abs(y[i] - 1 / (1 + std::exp(-x[i]))) < 4e-16);
  }
  const double wild[] = {-1e300, -750, 750, 1e300};
  exp_all(wild, y.data(), 4);
  CHECK((y[0] > 0 && y[0] < 1e-300 && y[1] == y[0] && y[2] > 1e300 && std::isfinite(y[3])));
  tanh_all(wild, y.data(), 4);
  CHECK((y[0] == -1 && y[3] == 1));
}

TEST_CASE("products have the same bits by vectors of 2, 4 and 8", "[nn]") {
  for (const Index rows : {1, 5, 13, 19, 26}) {
    for (const Index columns : {3, 4, 8, 13, 24, 37}) {
      const Index depth = 300;
      const Matrix a = random_matrix(rows, depth, 1), b = random_matrix(depth, columns, 2);
      const Matrix onto = random_matrix(rows, columns, 3);
      std::vector<double> room(Packed::size(depth, columns));
      const Packed packed = {room.data(), depth, columns};
      pack_rows(plain(b.data(), columns), 0, depth, packed);
      Matrix native = onto, fresh = onto;
      add_product(native.data(), plain(a.data(), depth), packed, rows);
      set_product(fresh.data(), plain(a.data(), depth), packed, rows);
      CHECK(fresh.isApprox(a * b, 1e-12));
      for (const bool add : {true, false}) {
        const Matrix& expected = add ? native : fresh;
        CHECK(product_by<Two>(a, packed, onto, add) == expected);
        CHECK(product_by<Four>(a, packed, onto, add) == expected);
        CHECK(product_by<Eight>(a, packed, onto, add) == expected);
      }
    }
  }
}

TEST_CASE("functions and attention have the same bits by vectors of 2, 4 and 8", "[nn]") {
  std::vector<double> x, y(1003);
  for (int i = 0; i < 1003; ++i) x.push_back(-40 + 0.08 * i);
  exp_all(x.data(), y.data(), x.size());
  CHECK((function_by<Two, Exp>(x) == y && function_by<Eight, Exp>(x) == y));
  tanh_all(x.data(), y.data(), x.size());
  CHECK((function_by<Two, Tanh>(x) == y && function_by<Eight, Tanh>(x) == y));
  sigmoid_all(x.data(), y.data(), x.size());
  CHECK((function_by<Two, Sigmoid>(x) == y && function_by<Eight, Sigmoid>(x) == y));
  for (const Index width : {3, 8, 21, 64}) {
    const Attention given = {random_matrix(5, width, 1).array().exp().matrix(),
                             random_matrix(7, width, 2).array().exp().matrix(),
                             random_matrix(1, width, 3), random_matrix(5, 7, 4)};
    const Matrix two = attention_by<Two>(given);
    CHECK(attention_by<Four>(given) == two);
    CHECK(attention_by<Eight>(given) == two);
    CHECK(attention_by<Two>(given, true) == two);
    CHECK(attention_by<Eight>(given, true) == two);
  }
}

TEST_CASE("what is shared out is each item once", "[nn]") {
  for (const Index count : {0, 1, 7, 1000}) {
    for (const Index cost : {Index{0}, Index{1}, kPart / 100, kPart, 100 * kPart}) {
      std::vector<int> times(static_cast<std::size_t>(count), 0);
      tbb::task_arena(3).execute([&] {
        share_out(count, cost, [&](Index first, Index last) {
          for (Index i = first; i < last; ++i) ++times[static_cast<std::size_t>(i)];
        });
      });
      CHECK(times == std::vector<int>(times.size(), 1));
    }
  }
}

TEST_CASE("a wide recurrent network learns the same bits on one thread and on three", "[nn]") {
  const auto learnt = [](int threads) {
    Parameters parameters;
    Rng rng(5);
    const Lstm lstm(parameters, "lstm", 96, 96, rng);
    const AdditiveAttention attention(parameters, "attention", 96, 96, 80, rng);
    const Matrix inputs = random_matrix(64, 96, 1), items = random_matrix(90, 96, 2);
    Adam adam;
    tbb::task_arena(threads).execute([&] {
      Tape tape;
      for (int update = 0; update < 3; ++update) {
        tape.clear();
        parameters.clear_gradients();
        const AdditiveAttention::Keys keys = attention.keys(tape.constant(items));
        Lstm::State state = lstm.start(tape, inputs.rows());
        for (int step = 0; step < 6; ++step) {
          state = lstm.step(lstm.project(tape.constant(inputs)), state);
          state.output =
              add(state.output, matmul(attention.shares(state.output, keys), tape.constant(items)));
        }
        tape.backward(mean(state.output));
        adam.step(parameters);
      }
    });
    std::vector<Matrix> values;
    for (const Parameter& parameter : parameters.all()) {
      values.push_back(parameter.value);
      values.push_back(parameter.gradient);
    }
    return values;
  };
  const std::vector<Matrix> one = learnt(1), three = learnt(3);
  REQUIRE(one.size() == three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].cwiseAbs().maxCoeff() > 0);
    CHECK(one[i] == three[i]);
  }
}

}  // namespace placer::testing
