// The decision process has one stage for each group.

#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"
#include "search/learned/adaptive_beta.hpp"
#include "search/learned/group_sequence.hpp"
#include "search/learned/marginals.hpp"
#include "search/learned/sequence_options.hpp"
#include "search/learned/update_figures.hpp"

namespace placer {
namespace {

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t batch = 12;
  std::int64_t epochs = 4;
  std::int64_t hidden = 256;
  std::int64_t attention = 64;
  std::int64_t type_embedding = 20;
  double learning_rate = 1e-3;
  double clip_norm = 1;
  double beta = 1;
  double target_kl = 0.03;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    sequence_batch_row(&Options::batch),
    option("epochs", &Options::epochs, 1, 1000, "gradient steps on each batch (the paper's S)"),
    hidden_row(&Options::hidden),
    attention_row(&Options::attention),
    type_embedding_row(&Options::type_embedding),
    adam_row(&Options::learning_rate),
    clip_norm_row(&Options::clip_norm),
    option("beta", &Options::beta, 1e-3, 1e3, "first weight of the KL penalty; adapts"),
    option("target-kl", &Options::target_kl, 1e-6, 10,
           "mean KL divergence of a stage that beta steers to"),
};
static_assert(kRows.size() == member_count<Options>);

/// The stages of a batch: rows are stages of samples, columns devices.
struct Stages {
  const std::vector<nn::Index>& choices;
  nn::Matrix old;  // probabilities that the batch was drawn with
  std::vector<double> advantage;

  /// d loss / d logits: (beta (pi - pi_old) - A r (1{chosen} - pi)) / samples, r = pi / pi_old of
  /// the choice.
  nn::Matrix gradient(const nn::Matrix& now, double beta) const {
    const std::size_t samples = advantage.size();
    nn::Matrix result = beta * (now - old);
    for (nn::Index i = 0; i < now.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const nn::Index chosen = choices[at];
      const double pull = advantage[at % samples] * now(i, chosen) / old(i, chosen);
      result.row(i) += pull * now.row(i);
      result(i, chosen) -= pull;
    }
    return result / static_cast<double>(samples);
  }

  /// What the gradient is of, mean over stages.
  double loss(const nn::Matrix& now, double beta) const {
    double gain = 0;
    for (nn::Index i = 0; i < now.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      gain += advantage[at % advantage.size()] * now(i, choices[at]) / old(i, choices[at]);
    }
    return beta * mean_kl(old, now) - gain / static_cast<double>(now.rows());
  }
};

std::vector<double> advantages_of(const Search& search, std::span<const Score> scores) {
  std::vector<Sample> samples;
  for (const Score& score : scores) samples.push_back({{}, {}, search.cost_seconds(score)});
  return advantages(samples);
}

void run(const Options& options, Search& search) {
  begin_with_single_devices(search);
  if (search.spent()) return;
  const Rng rng = search.rng().stream("spotlight");
  GroupSequence network(search.problem(),
                        {options.hidden, options.attention, options.type_embedding},
                        rng.stream("weights"));
  nn::Adam adam{.learning_rate = options.learning_rate};
  AdaptiveBeta beta(options.beta, options.target_kl);
  Rng draws = rng.stream("draws");
  for (std::int64_t update = 0; !search.spent(); ++update) {
    const std::vector<nn::Index> choices =
        network.draw(static_cast<std::size_t>(options.batch), draws).choices;
    const std::vector<Placement> placements = network.placements();
    const std::vector<Score> scores = search.evaluate_all(placements);
    if (scores.size() < placements.size() || search.spent()) return;
    const Stages stages{choices, network.probabilities(), advantages_of(search, scores)};
    double kl = 0, norm = 0;
    for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
      if (epoch > 0) network.repeat();
      const nn::Matrix now = network.probabilities();
      // That of the last step would cost another pass.
      if (epoch > 0) kl = mean_kl(stages.old, now);
      if (beta.too_far(kl)) break;
      norm = network.learn(stages.gradient(now, beta.value()), adam, options.clip_norm);
    }
    const double used_beta = beta.value();
    beta.adapt(kl);
    tell_update(search, "spotlight", update, [&] {
      return UpdateFigures{.mean_cost_seconds = mean_cost_seconds(search, scores),
                           .loss = stages.loss(network.probabilities(), used_beta),
                           .entropy = mean_entropy(stages.old),
                           .kl = kl,
                           .learning_rate = adam.learning_rate,
                           .beta = used_beta,
                           .gradient_norm = norm};
    });
  }
}

}  // namespace

Optimizer spotlight() {
  return make_optimizer(
      {.summary = "proximal policy optimization of an attentional LSTM that places group by group",
       .unfit_for = "small budgets, and sequences of more than about 300 groups: merge them first",
       .source = "Gao, Chen, Li: Spotlight: Optimizing Device Placement for Training Deep Neural "
                 "Networks, ICML 2018",
       .departs = "The network is that of seq2seq; its widths, rates and the target of the "
                  "divergence, which the paper leaves open, were chosen here; an update ends early "
                  "where it has moved too far.",
       .learns = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, Options{.hidden = 64, .attention = 32, .learning_rate = 5e-3}, run);
}

}  // namespace placer
