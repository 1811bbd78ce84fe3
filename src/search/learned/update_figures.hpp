#pragma once

#include <span>
#include <string>

#include "nn/matrix.hpp"
#include "placer/search/learner.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// "update 3: mean cost 0.0123 s, loss 0.2, ..."
std::string update_text(std::int64_t number, const UpdateFigures& figures);

/// Tells the search of update `number` of its learner, counted from 0; `figures()` is asked only
/// where somebody listens.
template <class Figures>
void tell_update(Search& search, std::string_view learner, std::int64_t number,
                 const Figures& figures) {
  if (!search.hears_updates()) return;
  const LearnerUpdate update = {number, search.evaluations(), figures()};
  search.keep_update(update);
  search.observer().tell(EventLevel::kDebug, learner,
                         [&] { return update_text(number, update.figures); });
}

double mean_cost_seconds(const Search& search, std::span<const Score> scores);

// Means over the rows of matrices of probabilities, which have a row for each distribution.
double mean_entropy(const nn::Matrix& probabilities);
double mean_kl(const nn::Matrix& before, const nn::Matrix& after);
/// The loss of REINFORCE: mean over rows of -advantage[row % advantages] log p(choice).
double reinforce_loss(const nn::Matrix& probabilities, std::span<const nn::Index> choices,
                      std::span<const double> advantage);

}  // namespace placer
