#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/ranks/hand_out.hpp"
#include "placer/sim/simulator.hpp"
#include "search/core/evaluators.hpp"

namespace placer {

/// What is scored: placements of these problems, which outlive the job, in this order of ops.
struct ScoreJob {
  std::span<const Problem> problems;
  Order order = Order::kFifo;
  int threads = 1;                               // of each rank
  const std::atomic<bool>* interrupt = nullptr;  // set: what is not yet scored stays so
};

/// How batches are shared out. A batch of which two ranks cannot get `least_ops` each is scored
/// where it is.
struct ShareRules {
  // Ops x placements of a share, which take from 20 to 120 ns each; more only of one placement.
  std::size_t least_ops = std::size_t{1} << 15, most_ops = std::size_t{1} << 19;
};

/// How many of `placements`, each of `ops`, are in a share where `ranks` are ready; 0: all stay.
std::size_t share_of_batch(std::size_t placements, std::size_t ops, std::size_t ranks,
                           const ShareRules& rules);

/// A rank's own part of a job, for one thread: the simulators that it needs.
class ShareScorer {
 public:
  explicit ShareScorer(const ScoreJob& job);
  ~ShareScorer();

  /// The answer to a unit: scores as text; of the first placements alone after an interrupt.
  std::string answer_to(const std::string& text);

 private:
  /// Of a problem, with the groups that were asked for last.
  struct Placed {
    std::string groups;
    std::unique_ptr<const Problem> problem;
    std::unique_ptr<Evaluators> evaluators;
  };
  Evaluators& evaluators_for(std::size_t graph, const std::string& groups);

  const ScoreJob job_;
  std::vector<Placed> placed_;  // by problem
};

/// Rank 0's part of searches that score in batches: hands out shares of each batch to all ranks.
class RankScores {
 public:
  /// All references outlive the object.
  RankScores(Transport& transport, const ScoreJob& job, const Observer& observer,
             RankRules rules = {}, ShareRules shares = {});
  /// Tells the observer how much was shared out.
  ~RankScores();
  RankScores(const RankScores&) = delete;
  RankScores& operator=(const RankScores&) = delete;

  /// For the searches of one of the job's problems, of which one may score at a time.
  BatchScorer& of(std::size_t problem) { return scorers_[problem]; }

 private:
  class Scorer : public BatchScorer {
   public:
    Scorer(RankScores& ranks, std::size_t graph) : ranks_(ranks), graph_(graph) {}
    std::vector<Score> scores(const Problem& placed, std::span<const Placement> placements,
                              std::span<const OpOrder> orders,
                              const std::function<bool()>& stop) override;

   private:
    const std::string& groups_of(const Problem& placed);

    RankScores& ranks_;
    const std::size_t graph_;
    std::optional<Problem> known_;  // keeps its groups alive, so that no others have their address
    std::string known_groups_;      // of it, as text
  };

  const ScoreJob job_;
  const Observer& observer_;
  const ShareRules rules_;
  std::size_t batches_ = 0, shares_ = 0;  // so far
  ShareScorer own_;                       // of the thread of `hand_out_`
  HandOut hand_out_;
  std::deque<Scorer> scorers_;
};

/// Another rank's part: scores what rank 0 hands out, until there is no more. Returns whether
/// rank 0 may hand out something else after that.
bool serve_scores(Transport& transport, ScoreJob job, RankRules rules = {});

}  // namespace placer
