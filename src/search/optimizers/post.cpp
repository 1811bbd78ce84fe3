// Among thousands of groups 2,400 samples cannot tell their marginals apart.
#include "placer/search/optimizer.hpp"
#include "search/learned/marginal_options.hpp"
#include "search/learned/marginal_start.hpp"
#include "search/learned/marginal_updates.hpp"

namespace placer {
namespace {

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t batch = 12;
  std::int64_t round = 60;
  double elite_share = 0.1;
  double epsilon = 0.1;
  ProximalStep ppo_step = ProximalStep::kSgd;
  std::int64_t inner_steps = 10;
  AdvantageUnit advantage = AdvantageUnit::kSecond;
  double learning_rate = 1;
  double beta = 1;
  double target_kl = 0.03;
  MarginalInit init = MarginalInit::kUniform;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    batch_row(&Options::batch),
    option("round", &Options::round, 2, 1000000,
           "samples of each cross-entropy update (the paper's N), rounded up to whole batches"),
    elite_share_row(&Options::elite_share),
    epsilon_row(&Options::epsilon),
    option<&Options::ppo_step>(
        "ppo-step",
        "how a proximal update is solved: by gradient steps that never overshoot, by steps of the "
        "plain rate, which diverge under a large beta, or in closed form",
        ProximalStep::kExact),
    inner_steps_row(&Options::inner_steps),
    advantage_row<&Options::advantage>(),
    learning_rate_row(&Options::learning_rate),
    beta_row(&Options::beta),
    target_kl_row(&Options::target_kl),
    init_row<&Options::init>(),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  Marginals marginals = first_marginals(search, options.init);
  ProximalUpdate proximal({.step = options.ppo_step,
                           .advantage = options.advantage,
                           .inner_steps = options.inner_steps,
                           .learning_rate = options.learning_rate,
                           .target_kl = options.target_kl},
                          options.beta);
  std::vector<Sample> round;
  const auto learn = [&](std::span<const Sample> batch) {
    round.insert(round.end(), batch.begin(), batch.end());
    if (round.size() < static_cast<std::size_t>(options.round)) {
      proximal.apply(marginals, batch);
      return;
    }
    cross_entropy_update(marginals, round, options.elite_share,
                         options.epsilon * (1 - search.progress()));
    round.clear();
  };
  const auto describe = [&](const DrawnBatch& batch, UpdateFigures& figures) {
    const bool was_proximal = !round.empty();
    if (was_proximal) proximal.describe(marginals, batch, figures);
  };
  learn_by_batches(search, marginals,
                   {.name = "post",
                    .samples = static_cast<std::size_t>(options.batch),
                    .learn = learn,
                    .describe = describe});
}

}  // namespace

Optimizer post() {
  return make_optimizer(
      {.summary = "cross-entropy minimization with proximal policy updates between its rounds",
       .unfit_for = "graphs left in thousands of groups; merge them first",
       .source =
           "Gao, Chen, Li: Post: Device Placement with Cross-Entropy Minimization and Proximal "
           "Policy Optimization, NeurIPS 2018",
       .departs = "A proximal step is rate / (1 + rate beta / 2) long: at the plain rate it "
                  "diverges once beta passes 4 / rate, and beta then doubles without end. By "
                  "default advantages are in deviations of their batch, not in seconds, so that "
                  "the unit of time does not matter. Of the constants the paper gives elite-share "
                  "0.1, rate 1 and about 10 inner steps; the others were chosen here.",
       .learns = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, Options{.advantage = AdvantageUnit::kDeviation, .learning_rate = 0.3}, run);
}

}  // namespace placer
