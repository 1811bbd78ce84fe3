#pragma once

#include <optional>
#include <span>
#include <string>

#include "nn/matrix.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// What one update of a learner was like; a figure that it does not have stays empty. Entropy and
/// divergence are in nats, means over the distributions of single groups.
struct UpdateFigures {
  std::optional<double> mean_cost_seconds = {};  // of the placements that were drawn
  std::optional<double> reward = {};             // of an episode
  std::optional<double> loss = {};
  std::optional<double> entropy = {};  // of the policy before the update
  std::optional<double> kl = {};       // of the policy before the update from the one after it
  std::optional<double> learning_rate = {}, beta = {};
  std::optional<double> gradient_norm = {};  // before clipping
};

/// "update 3: mean cost 0.0123 s, loss 0.2, ..."
std::string update_text(std::int64_t number, const UpdateFigures& figures);

/// Tells the search's observer (debug) of update `number`, counted from 0; `figures()` is asked
/// only where somebody listens.
template <class Figures>
void tell_update(const Search& search, std::string_view learner, std::int64_t number,
                 const Figures& figures) {
  search.observer().tell(EventLevel::kDebug, learner,
                         [&] { return update_text(number, figures()); });
}

double mean_cost_seconds(const Search& search, std::span<const Score> scores);

// Means over the rows of matrices of probabilities, which have a row for each distribution.
double mean_entropy(const nn::Matrix& probabilities);
double mean_kl(const nn::Matrix& before, const nn::Matrix& after);
/// The loss of REINFORCE: mean over rows of -advantage[row % advantages] log p(choice).
double reinforce_loss(const nn::Matrix& probabilities, std::span<const nn::Index> choices,
                      std::span<const double> advantage);

}  // namespace placer
