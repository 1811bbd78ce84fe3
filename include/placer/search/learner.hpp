#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "placer/search/policy.hpp"
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

/// One of these figures: its name in tables, in words, and its unit in words.
struct UpdateFigure {
  const char *column, *words, *unit;
  std::optional<double> UpdateFigures::*value;
};
inline constexpr std::array<UpdateFigure, 8> kUpdateFigures = {{
    {"mean_cost_seconds", "mean cost", " s", &UpdateFigures::mean_cost_seconds},
    {"reward", "reward", "", &UpdateFigures::reward},
    {"loss", "loss", "", &UpdateFigures::loss},
    {"entropy", "entropy", "", &UpdateFigures::entropy},
    {"kl", "KL", "", &UpdateFigures::kl},
    {"learning_rate", "learning rate", "", &UpdateFigures::learning_rate},
    {"beta", "beta", "", &UpdateFigures::beta},
    {"gradient_norm", "gradient norm", "", &UpdateFigures::gradient_norm},
}};

/// An update of a learner, counted from 0, after so many evaluations of the run.
struct LearnerUpdate {
  std::int64_t number = 0, evaluations = 0;
  UpdateFigures figures;
};

/// One update's place in a training.
struct Turn {
  std::size_t graph = 0;    // which of the problems that the learner was made for
  std::int64_t number = 0;  // of the update, from 0, over all graphs
  double progress = 0;      // share of the whole budget that is spent, 0 to 1
  Rng rng;                  // this update's own stream: resuming needs no generator's state
};

/// A policy that learns, one update at a time, on one graph or on several in turn. All that an
/// update depends on is its turn, what the searches found, and what `save` writes.
class Learner {
 public:
  virtual ~Learner() = default;

  /// Makes one update: draws placements, has them scored (at least one, unless the budget is spent)
  /// and learns from them. `search` is over the problem `turn.graph`. An update that the end of the
  /// budget cuts short may be left out.
  virtual void update(Search& search, Turn turn) = 0;

  /// Places `search`'s graph, problem number 0, by the policy as it stands: its most probable
  /// placement first, then a few samples.
  virtual void apply(Search& search, Rng rng) = 0;

  /// Writes what was learnt into the policy's weights, state and counters.
  virtual void save(Policy& policy) const = 0;
  /// Takes the policy's weights and, where it has any, its state. Throws Error where their shapes
  /// are not those of this learner.
  virtual void load(const Policy& policy) = 0;
};

}  // namespace placer
