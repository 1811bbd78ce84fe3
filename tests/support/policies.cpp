#include "support/policies.hpp"

#include <cmath>

namespace placer::testing {
namespace {

struct Options {
  double rate = 0.5;
};
constexpr std::array kRows = {option("rate", &Options::rate, 0, 10, "of learning")};
static_assert(kRows.size() == member_count<Options>);

class TinyLearner : public Learner {
 public:
  TinyLearner(const Options& options, std::span<const Problem> problems)
      : rate_(options.rate), logits_(problems[0].device_count()) {}

  void update(Search& search, Turn turn) override {
    const std::size_t drawn = draw(turn.rng.uniform());
    const auto placement = search.problem().all_on(DeviceId(drawn));
    const auto score = search.evaluate(*placement);
    if (!score) return;
    const double cost = search.cost_seconds(*score);
    const double advantage = seen_ == 0 ? 0 : baseline_ - cost;
    baseline_ = seen_ == 0 ? cost : 0.9 * baseline_ + 0.1 * cost;
    ++seen_;
    const std::vector<double> chances = probabilities();
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      logits_[i] += rate_ * advantage * ((i == drawn ? 1 : 0) - chances[i]);
    }
  }

  void apply(Search& search, Rng) override {
    const auto best = std::max_element(logits_.begin(), logits_.end()) - logits_.begin();
    search.evaluate(*search.problem().all_on(DeviceId(static_cast<std::size_t>(best))));
  }

  void save(Policy& policy) const override {
    policy.weights = {{"logits", 1, logits_.size(), logits_}};
    policy.state = {{"baseline", 1, 1, {baseline_}}};
    policy.counters = {{"seen", {seen_}}};
  }

  void load(const Policy& policy) override {
    logits_ = find_matrix(policy.weights, "logits", 1, logits_.size()).values;
    if (policy.state.empty()) return;
    baseline_ = find_matrix(policy.state, "baseline", 1, 1).values[0];
    seen_ = find_counters(policy.counters, "seen", 1).values[0];
  }

 private:
  std::vector<double> probabilities() const {
    std::vector<double> chances;
    double sum = 0;
    for (const double logit : logits_) sum += std::exp(logit);
    for (const double logit : logits_) chances.push_back(std::exp(logit) / sum);
    return chances;
  }
  std::size_t draw(double uniform) const {
    const std::vector<double> chances = probabilities();
    std::size_t drawn = 0;
    while (drawn + 1 < chances.size() && uniform >= chances[drawn]) uniform -= chances[drawn++];
    return drawn;
  }

  double rate_, baseline_ = 0;
  std::int64_t seen_ = 0;
  std::vector<double> logits_;
};

std::unique_ptr<Learner> make(const Options& options, std::span<const Problem> problems, Rng) {
  return std::make_unique<TinyLearner>(options, problems);
}

}  // namespace

Optimizer tiny_learner() {
  Optimizer optimizer = make_learning_optimizer({.summary = "for tests"}, kRows, make);
  optimizer.name = "tiny";
  return optimizer;
}

Policy small_policy(const std::string& algorithm, std::size_t devices) {
  return {algorithm,
          devices,
          {},
          {"conv2d", "avg pool"},
          {{"first", 2, 3, {0.0, -0.0, 1.5, -2.25, 1e-300, 3}}, {"second", 0, 4, {}}},
          {{"moments", 1, 2, {0.1, 0.2}}},
          {{"counts", {0, -5, 4'000'000'000'000'000'001}}}};
}

}  // namespace placer::testing
