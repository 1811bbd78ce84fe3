#include "search/learned/marginals.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "search/learned/marginal_updates.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

Sample sample_of(std::vector<std::uint32_t> choices, double cost_seconds) {
  return {{}, std::move(choices), cost_seconds};
}

const std::vector<Sample> kSamples = {sample_of({0, 3, 6}, 1.0), sample_of({1, 4, 6}, 2.0),
                                      sample_of({0, 5, 7}, 4.0), sample_of({2, 3, 8}, 7.0)};

/// sum over entries of W q / p - beta KL(p || q): what a proximal update maximizes.
double proximal_objective(const Marginals& marginals, const std::vector<double>& old, double beta) {
  const std::vector<double> weights = advantage_weights(marginals, kSamples);
  double sum = 0;
  for (std::size_t e = 0; e < old.size(); ++e) {
    const double q = marginals.probabilities()[e];
    sum += weights[e] * q / old[e] - beta * old[e] * std::log(old[e] / q);
  }
  return sum;
}

TEST_CASE("marginals start uniform and draw every device of a group equally often") {
  const Problem problem = three_speeds(3);
  const Marginals marginals(problem);
  Rng rng(3);
  std::array<int, 3> drawn{};
  for (int i = 0; i < 9000; ++i) ++drawn[marginals.draw(rng).placement.devices[1].index()];
  for (const int count : drawn) REQUIRE(std::abs(count - 3000) < 200);  // 4.5 standard deviations
}

TEST_CASE("the heaviest group goes to the first of identical devices only") {
  const Problem problem(diamond(), alike({.devices = 3}));  // c is the heaviest, with 3 seconds
  const Marginals marginals(problem);
  REQUIRE(marginals.end(2) - marginals.first(2) == 1);
  REQUIRE(marginals.end(1) - marginals.first(1) == 3);
}

TEST_CASE("advantages have mean 0 and deviation 1, and are 0 for equal costs") {
  const std::vector<double> advantage = advantages(kSamples);  // costs 1, 2, 4, 7: mean 3.5
  double sum = 0, squares = 0;
  for (const double a : advantage) {
    sum += a;
    squares += a * a;
  }
  REQUIRE(sum == Approx(0).margin(1e-12));
  REQUIRE(squares / 4 == Approx(1));
  REQUIRE(advantage[0] == Approx(2.5 / std::sqrt(5.25)));
  const std::vector<Sample> equal = {sample_of({0}, 3.1), sample_of({1}, 3.1)};
  REQUIRE(advantages(equal) == std::vector<double>{0.0, 0.0});
}

TEST_CASE("a policy-gradient step follows the finite differences of the expected advantage") {
  const Problem problem = three_speeds(3);
  Marginals marginals(problem);
  for (std::size_t e = 0; e < 9; ++e) marginals.logits()[e] = 0.1 * static_cast<double>(e % 4);
  marginals.refresh();
  // mean over samples of advantage x log-probability
  const auto objective = [&](const Marginals& at) {
    const std::vector<double> advantage = advantages(kSamples);
    double sum = 0;
    for (std::size_t n = 0; n < kSamples.size(); ++n) {
      for (const std::uint32_t e : kSamples[n].choices) {
        sum += advantage[n] * std::log(at.probabilities()[e]) / 4;
      }
    }
    return sum;
  };
  Marginals stepped = marginals;
  policy_gradient_update(stepped, kSamples, 1.0);
  for (std::size_t e = 0; e < 9; ++e) {
    Marginals up = marginals, down = marginals;
    up.logits()[e] += 1e-6;
    down.logits()[e] -= 1e-6;
    up.refresh();
    down.refresh();
    const double slope = (objective(up) - objective(down)) / 2e-6;
    REQUIRE(stepped.logits()[e] - marginals.logits()[e] ==
            Approx(slope).epsilon(1e-6).margin(1e-8));
  }
}

TEST_CASE("a proximal gradient step follows the finite differences of its objective") {
  const Problem problem = three_speeds(3);
  Marginals marginals(problem);
  const std::vector<double> old(marginals.probabilities().begin(), marginals.probabilities().end());
  // Two small inner steps: the second one starts off the old policy.
  constexpr double kRate = 1e-3, kBeta = 0.7;
  ProximalUpdate one({.inner_steps = 1, .learning_rate = kRate}, kBeta);
  ProximalUpdate two({.inner_steps = 2, .learning_rate = kRate}, kBeta);
  Marginals first = marginals, second = marginals;
  one.apply(first, kSamples);
  two.apply(second, kSamples);
  for (std::size_t e = 0; e < 9; ++e) {
    Marginals up = first, down = first;
    up.logits()[e] += 1e-5;
    down.logits()[e] -= 1e-5;
    up.refresh();
    down.refresh();
    const double slope =
        (proximal_objective(up, old, kBeta) - proximal_objective(down, old, kBeta)) / 2e-5;
    constexpr double kLength = kRate / (1 + kRate * kBeta / 2);
    REQUIRE((second.logits()[e] - first.logits()[e]) / kLength ==
            Approx(slope).epsilon(1e-6).margin(1e-8));
  }
}

TEST_CASE("the exact proximal step is where the gradient steps converge to") {
  const Problem problem = three_speeds(3);
  Marginals exact(problem), steps(problem);
  const std::vector<double> old(exact.probabilities().begin(), exact.probabilities().end());
  ProximalUpdate({.step = ProximalStep::kExact}, 2.0).apply(exact, kSamples);
  ProximalUpdate({.inner_steps = 20000, .learning_rate = 0.1}, 2.0).apply(steps, kSamples);
  for (std::size_t e = 0; e < 9; ++e) {
    REQUIRE(exact.probabilities()[e] == Approx(steps.probabilities()[e]).epsilon(1e-6));
  }
  const double best = proximal_objective(exact, old, 2.0);
  Rng rng(11);
  for (int trial = 0; trial < 100; ++trial) {
    Marginals other = exact;
    for (double& logit : other.logits()) logit += rng.uniform() - 0.5;
    other.refresh();
    REQUIRE(proximal_objective(other, old, 2.0) <= best + 1e-12);
  }
}

/// Mean over groups of KL(old || now).
double divergence(const std::vector<double>& old, const Marginals& now) {
  double sum = 0;
  for (std::size_t e = 0; e < old.size(); ++e) {
    sum += old[e] * std::log(old[e] / now.probabilities()[e]);
  }
  return sum / static_cast<double>(now.group_count());
}

TEST_CASE("the weight of the penalty doubles after too long a step and halves after too short") {
  const Problem problem = three_speeds(3);
  const Marginals before(problem);
  const std::vector<double> old(before.probabilities().begin(), before.probabilities().end());
  const auto beta_after = [&](double target_kl, double* kl) {
    Marginals marginals = before;
    ProximalUpdate update({.inner_steps = 3, .learning_rate = 0.5, .target_kl = target_kl}, 4);
    update.apply(marginals, kSamples);
    if (kl != nullptr) *kl = divergence(old, marginals);
    return update.beta();
  };
  double kl = 0;
  beta_after(1, &kl);
  REQUIRE(kl > 1e-4);
  CHECK(beta_after(kl / 1.6, nullptr) == 8);
  CHECK(beta_after(kl / 1.4, nullptr) == 4);
  CHECK(beta_after(kl * 1.4, nullptr) == 4);
  CHECK(beta_after(kl * 1.6, nullptr) == 2);
}

TEST_CASE("clipped steps end where the ratios of the drawn devices leave 0.8 to 1.2") {
  const Problem problem = three_speeds(3);
  Marginals marginals(problem);
  // For group 0, the first device did better than the mean and the second worse.
  const std::vector<Sample> two = {sample_of({0, 3, 6}, 1), sample_of({1, 3, 6}, 3)};
  ProximalUpdate(
      {.step = ProximalStep::kClip, .inner_steps = 2000, .learning_rate = 0.01, .clip = 0.2}, 1)
      .apply(marginals, two);
  CHECK(marginals.probabilities()[0] * 3 == Approx(1.2).margin(0.03));
  CHECK(marginals.probabilities()[1] * 3 == Approx(0.8).margin(0.03));
  // For group 1, both samples drew the same device: there is nothing to learn.
  CHECK(marginals.probabilities()[3] * 3 == Approx(1).margin(0.01));
}

TEST_CASE("cross-entropy sets the frequencies of the elite, mixed with the uniform distribution") {
  const Problem problem = three_speeds(3);
  Marginals marginals(problem);
  // The elite half: costs 1 and 2. Group 0 drew entries 0 and 1, group 2 entry 6 twice.
  cross_entropy_update(marginals, kSamples, 0.5, 0.3);
  REQUIRE(marginals.probabilities()[0] == Approx(0.7 * 0.5 + 0.1));
  REQUIRE(marginals.probabilities()[2] == Approx(0.1));
  REQUIRE(marginals.probabilities()[6] == Approx(0.7 + 0.1));
}

TEST_CASE("a unanimous elite without smoothing gives probabilities, not NaN, and still learns") {
  const Problem problem = three_speeds(3);
  Marginals marginals(problem);
  cross_entropy_update(marginals, kSamples, 0.01, 0.0);  // one elite: the first sample
  REQUIRE(marginals.probabilities()[0] == Approx(1));
  ProximalUpdate({}, 1.0).apply(marginals, kSamples);
  ProximalUpdate({.step = ProximalStep::kExact}, 1.0).apply(marginals, kSamples);
  ProximalUpdate({.step = ProximalStep::kClip}, 1.0).apply(marginals, kSamples);
  for (const double p : marginals.probabilities()) REQUIRE((p >= 0 && p <= 1));
}

TEST_CASE("leaning renames identical devices so that the heaviest group stands on the first") {
  const Problem problem(diamond(), alike({.devices = 3}));  // c is the heaviest
  Marginals marginals(problem);
  marginals.lean_towards(on_devices({2, 0, 2, 1}), 1.0);  // the same step as {0, 2, 0, 1}
  Rng rng(1);
  REQUIRE(marginals.draw(rng).placement == on_devices({0, 2, 0, 1}));
}

TEST_CASE("leaning towards a placement moves its share of every group's probability there") {
  const Problem problem = three_speeds(3);
  Marginals marginals(problem);
  marginals.lean_towards(on_devices({2, 2, 2}), 0.5);
  REQUIRE(marginals.probabilities()[2] == Approx(0.5 + 0.5 / 3));
  REQUIRE(marginals.probabilities()[0] == Approx(0.5 / 3));
}

}  // namespace
}  // namespace placer::testing
