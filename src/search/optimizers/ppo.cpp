// Post without its cross-entropy rounds: Gao, Chen, Li 2018, section 3.3.
#include "placer/search/optimizer.hpp"
#include "search/learned/marginal_options.hpp"
#include "search/learned/marginal_start.hpp"
#include "search/learned/marginal_updates.hpp"

namespace placer {
namespace {

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t batch = 12;
  ProximalStep ppo_step = ProximalStep::kSgd;
  std::int64_t inner_steps = 10;
  AdvantageUnit advantage = AdvantageUnit::kSecond;
  double learning_rate = 1;
  double beta = 1;
  double target_kl = 0.03;
  double clip = 0.2;
  MarginalInit init = MarginalInit::kUniform;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    batch_row(&Options::batch),
    option<&Options::ppo_step>(
        "ppo-step",
        "bounded or plain gradient steps or the closed form under a KL penalty, or clipped ratios "
        "without one"),
    inner_steps_row(&Options::inner_steps),
    advantage_row<&Options::advantage>(),
    learning_rate_row(&Options::learning_rate),
    beta_row(&Options::beta),
    target_kl_row(&Options::target_kl),
    option("clip", &Options::clip, 1e-6, 1, "how far a ratio may leave 1 under ppo-step clip"),
    init_row<&Options::init>(),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  Marginals marginals = first_marginals(search, options.init);
  ProximalUpdate proximal({.step = options.ppo_step,
                           .advantage = options.advantage,
                           .inner_steps = options.inner_steps,
                           .learning_rate = options.learning_rate,
                           .target_kl = options.target_kl,
                           .clip = options.clip},
                          options.beta);
  learn_by_batches(
      search, marginals,
      {.name = "ppo",
       .samples = static_cast<std::size_t>(options.batch),
       .learn = [&](std::span<const Sample> batch) { proximal.apply(marginals, batch); },
       .describe = [&](const DrawnBatch& batch,
                       UpdateFigures& figures) { proximal.describe(marginals, batch, figures); }});
}

}  // namespace

Optimizer ppo() {
  return make_optimizer(
      {.summary = "proximal policy optimization of one device distribution for each group",
       .unfit_for = "small budgets: it moves carefully and forgets every batch",
       .source = "Schulman et al.: Proximal Policy Optimization Algorithms, arXiv 1707.06347, 2017",
       .departs = "Penalty, steps and advantages are those of post, whose ablation it is; with "
                  "ppo-step clip ratios are clipped and nothing is penalized.",
       .learns = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, Options{.advantage = AdvantageUnit::kDeviation, .learning_rate = 0.3}, run);
}

}  // namespace placer
