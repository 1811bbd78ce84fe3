#include "search/measured/left_out.hpp"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer {
namespace {

using namespace testing;

TEST_CASE("Placements that share most groups are alike, and a set of them counts as one step") {
  const std::vector<MeasuredStep> steps = {{on_devices({0, 0, 0, 0}), {}, 1},
                                           {on_devices({0, 0, 0, 1}), {}, 1},
                                           {on_devices({0, 0, 1, 1}), {}, 1},
                                           {on_devices({1, 0, 0, 0}), {}, 1}};
  const AlikeSteps sets = alike_steps(steps);  // three of four groups are 75 %
  CHECK(sets == AlikeSteps{{0, 1, 3}, {2}});
  const Eigen::VectorXd shares = shares_of(sets);
  CHECK(shares[0] == Approx(1 / std::sqrt(3.0)));
  CHECK(shares[2] == 1);
  CHECK(shares.squaredNorm() == Approx(2));
  CHECK(alike_steps({}).empty());
}

TEST_CASE("Errors left out are those of regressions to the other sets") {
  Rng rng(7);
  const auto drawn = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd all(rows, columns);
    for (double& own : all.reshaped()) own = rng.uniform() - 0.5;
    return all;
  };
  const auto regressed = [](const Eigen::MatrixXd& slopes, const Eigen::VectorXd& values,
                            double weight) -> Eigen::VectorXd {
    return ridge_curvature(slopes, weight).ldlt().solve(slopes.transpose() * values);
  };
  for (const double weight : {1.0, 0.01}) {
    const Eigen::MatrixXd slopes = drawn(9, 4);
    const Eigen::VectorXd values = drawn(9, 1);
    const AlikeSteps sets = {{0, 3, 4, 8}, {1}, {2, 7}, {5, 6}};
    const Eigen::VectorXd errors = values - slopes * regressed(slopes, values, weight);
    const Eigen::VectorXd left_out = errors_left_out(errors, slopes, weight, sets);
    for (const auto& set : sets) {
      std::vector<Eigen::Index> others;
      for (const auto& other : sets) {
        if (other != set) others.insert(others.end(), other.begin(), other.end());
      }
      const Eigen::VectorXd at = regressed(slopes(others, Eigen::all), values(others), weight);
      const Eigen::VectorXd wanted = values(set) - slopes(set, Eigen::all) * at;
      const Eigen::VectorXd found = left_out(set);
      CHECK((found - wanted).norm() < 1e-6);
    }
  }
}

}  // namespace
}  // namespace placer
