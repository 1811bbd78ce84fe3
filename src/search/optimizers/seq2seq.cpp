// Known as ColocRL, too.
#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"
#include "search/learned/group_sequence.hpp"
#include "search/learned/moving_baseline.hpp"
#include "search/learned/sequence_options.hpp"
#include "search/learned/update_figures.hpp"

namespace placer {
namespace {

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t batch = 12;
  std::int64_t hidden = 256;
  std::int64_t attention = 64;
  std::int64_t type_embedding = 20;
  double learning_rate = 1e-3;
  double clip_norm = 1;
  double baseline_decay = 0.9;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    sequence_batch_row(&Options::batch),
    hidden_row(&Options::hidden),
    attention_row(&Options::attention),
    type_embedding_row(&Options::type_embedding),
    adam_row(&Options::learning_rate),
    clip_norm_row(&Options::clip_norm),
    baseline_decay_row(&Options::baseline_decay),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  begin_with_single_devices(search);
  if (search.spent()) return;
  const Rng rng = search.rng().stream("seq2seq");
  GroupSequence network(search.problem(),
                        {options.hidden, options.attention, options.type_embedding},
                        rng.stream("weights"));
  nn::Adam adam{.learning_rate = options.learning_rate};
  MovingBaseline baseline(options.baseline_decay);
  Rng draws = rng.stream("draws");
  for (std::int64_t update = 0; !search.spent(); ++update) {
    const Rollout& rollout = network.draw(static_cast<std::size_t>(options.batch), draws);
    const std::vector<Placement> placements = network.placements();
    const std::vector<Score> scores = search.evaluate_all(placements);
    if (scores.size() < placements.size()) return;
    std::vector<double> costs_seconds;
    for (const Score& score : scores) costs_seconds.push_back(search.cost_seconds(score));
    const std::vector<double> advantage = baseline.advantages(costs_seconds);
    const double norm =
        network.learn(reinforce_gradient(network.probabilities(), rollout.choices, advantage), adam,
                      options.clip_norm);
    tell_update(search, "seq2seq", update, [&] {
      const nn::Matrix before = network.probabilities();
      network.repeat();
      return UpdateFigures{.mean_cost_seconds = mean_cost_seconds(search, scores),
                           .loss = reinforce_loss(before, rollout.choices, advantage),
                           .entropy = mean_entropy(before),
                           .kl = mean_kl(before, network.probabilities()),
                           .learning_rate = adam.learning_rate,
                           .gradient_norm = norm};
    });
  }
}

}  // namespace

Optimizer seq2seq() {
  return make_optimizer(
      {.summary = "REINFORCE on an attentional LSTM that places one group after the other",
       .unfit_for = "small budgets, and sequences of more than about 300 groups: merge them first",
       .source = "Mirhoseini et al.: Device Placement Optimization with Reinforcement Learning, "
                 "ICML 2017",
       .departs = "The paper leaves widths, rates, clipping and the decay of the baseline open: "
                  "they were chosen here, and by default smaller and faster ones.",
       .learns = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, Options{.hidden = 64, .attention = 32, .learning_rate = 1e-3, .baseline_decay = 0.5},
      run);
}

}  // namespace placer
