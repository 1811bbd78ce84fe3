// The proximal penalty: that it holds, that beta goes the right way, and where it settles.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "search/learned/marginal_updates.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Samples whose costs have nothing to do with what was drawn.
std::vector<Sample> noise(const Marginals& marginals, Rng& rng) {
  std::vector<Sample> samples;
  for (int i = 0; i < 12; ++i) {
    samples.push_back(marginals.draw(rng));
    samples.back().cost_seconds = 1 + rng.uniform();
  }
  return samples;
}

/// The divergence of one update, mean over groups, in nats.
double kl_of_update(Marginals& marginals, ProximalUpdate& update,
                    const std::vector<Sample>& samples) {
  const std::vector<double> old(marginals.probabilities().begin(), marginals.probabilities().end());
  update.apply(marginals, samples);
  double sum = 0;
  for (std::size_t e = 0; e < old.size(); ++e) {
    sum += old[e] * std::log(old[e] / marginals.probabilities()[e]);
  }
  return sum / static_cast<double>(marginals.group_count());
}

TEST_CASE("the larger beta is, the less a proximal update moves, up to the largest beta") {
  const Problem problem = three_speeds(30);
  for (const double rate : {0.1, 1.0, 10.0}) {
    double last = 10;
    for (const double beta : {0.1, 1.0, 10.0, 100.0, 1000.0}) {
      INFO("rate " << rate << ", beta " << beta);
      Rng rng(7);
      Marginals marginals(problem);
      ProximalUpdate update({.learning_rate = rate}, beta);
      const double kl = kl_of_update(marginals, update, noise(marginals, rng));
      CHECK(kl < last);
      last = kl;
    }
    CHECK(last < 1e-6);
  }
}

TEST_CASE(
    "beta doubles after an update that moved too far, halves after one too near, else stays") {
  const Problem problem = three_speeds(30);
  Rng rng(7);
  Marginals start(problem);
  const std::vector<Sample> samples = noise(start, rng);
  Marginals tried = start;
  ProximalUpdate trial({}, 1);
  const double kl = kl_of_update(tried, trial, samples);
  const auto beta_after = [&](double target) {
    Marginals marginals = start;
    ProximalUpdate update({.target_kl = target}, 1);
    update.apply(marginals, samples);
    return update.beta();
  };
  CHECK(beta_after(kl / 1.6) == 2);
  CHECK(beta_after(kl / 1.4) == 1);
  CHECK(beta_after(kl) == 1);
  CHECK(beta_after(kl * 1.4) == 1);
  CHECK(beta_after(kl * 1.6) == 0.5);
}

TEST_CASE("steps of the plain rate diverge under a large beta, and ours do not") {
  const Problem problem = three_speeds(30);
  const auto kl_under = [&](ProximalStep step, double beta) {
    Rng rng(7);
    Marginals marginals(problem);
    ProximalUpdate update({.step = step, .learning_rate = 1}, beta);
    return kl_of_update(marginals, update, noise(marginals, rng));
  };
  // The penalty's curvature is beta / 3 where three devices are equally likely.
  CHECK(kl_under(ProximalStep::kPlain, 1) < 0.1);
  CHECK(kl_under(ProximalStep::kPlain, 64) > 1);
  CHECK(kl_under(ProximalStep::kSgd, 64) < 1e-3);
}

TEST_CASE("the first step of the plain rate and ours are the same but for their length") {
  const Problem problem = three_speeds(30);
  Rng rng(7);
  const Marginals start(problem);
  const std::vector<Sample> samples = noise(start, rng);
  const auto logits_after = [&](ProximalStep step, double rate) {
    Marginals marginals = start;
    ProximalUpdate({.step = step, .inner_steps = 1, .learning_rate = rate}, 2)
        .apply(marginals, samples);
    return std::vector<double>(marginals.logits().begin(), marginals.logits().end());
  };
  // 1 / (1 + 1 x 2 / 2) = 0.5
  CHECK(logits_after(ProximalStep::kSgd, 1) == logits_after(ProximalStep::kPlain, 0.5));
}

TEST_CASE("on noise alone beta settles where an update's divergence is near its target") {
  const Problem problem = three_speeds(30);
  for (const double rate : {0.3, 1.0, 3.0}) {
    for (const double target : {0.003, 0.03}) {
      INFO("rate " << rate << ", target " << target);
      Rng rng(11);
      std::vector<double> divergences;
      ProximalUpdate update({.learning_rate = rate, .target_kl = target}, 1);
      for (int number = 0; number < 60; ++number) {
        Marginals marginals(problem);  // each from the uniform policy: the same task again
        divergences.push_back(kl_of_update(marginals, update, noise(marginals, rng)));
      }
      std::sort(divergences.begin() + 20, divergences.end());
      CHECK(divergences[40] > target / 2);
      CHECK(divergences[40] < target * 2);
    }
  }
}

TEST_CASE("post and ppo never end with samples that cost more than random ones") {
  const Problem problem(generate_model("inception_v3", {}), find_devices("4gpu"));
  for (const std::uint64_t seed : {1, 2}) {
    const auto mean_seconds = [&](const char* name) {
      SearchRequest request = request_for(name, 1200);  // 829 ops in 123 groups, none merged
      request.seed = seed;
      return run_search(problem, request).recent_mean_seconds;
    };
    const double random = mean_seconds("random");
    CHECK(mean_seconds("post") < 0.9 * random);
    CHECK(mean_seconds("ppo") < 0.9 * random);
  }
}

}  // namespace
}  // namespace placer::testing
