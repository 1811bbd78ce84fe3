#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/measure/measurer.hpp"
#include "cli/ranks/hand_out.hpp"

namespace placer {

/// A rank's own part of a race, for one thread: it measures rounds, in which each of some
/// placements runs once.
class RoundMeasurer {
 public:
  /// Once `interrupt` is set, nothing more is measured. `problem` outlives the object.
  RoundMeasurer(const MeasureRules& rules, const Problem& problem, Order order,
                const std::atomic<bool>* interrupt);

  /// The answer to a unit: what its runs gave, as far as they were made.
  std::string answer_to(const std::string& text);

 private:
  const MeasureRules rules_;
  Simulator simulator_;
  Measurer measurer_;
};

/// Rank 0's part: hands rounds out to all ranks. One rank measures all of a round, so that the runs
/// that a race holds against each other are of one machine.
class RankRounds {
 public:
  /// All references outlive the object.
  RankRounds(Transport& transport, const MeasureRules& rules, const Problem& problem, Order order,
             const Observer& observer, const std::atomic<bool>* interrupt,
             const RankRules& rank_rules = {});
  ~RankRounds();
  RankRounds(const RankRounds&) = delete;
  RankRounds& operator=(const RankRounds&) = delete;

  /// How many ranks could measure now, this one included.
  std::size_t at_once() { return hand_out_.ready(); }
  /// What `rounds` rounds of `racers`, the first of which is number `first`, gave until `stop` said
  /// so: by round and racer, without runs for what was not measured. Rounds that are then under way
  /// end with the runs they have; the others are told so and have a second to answer.
  std::vector<std::vector<MeasuredRuns>> run(std::span<const Candidate> racers, std::size_t first,
                                             std::size_t rounds, const std::function<bool()>& stop);

 private:
  const std::atomic<bool>* const interrupt_;
  std::atomic<bool> stop_ = false;  // for the thread of `hand_out_`
  RoundMeasurer own_;               // of it
  HandOut hand_out_;
};

/// Another rank's part: measures the rounds that rank 0 hands out, until there are no more.
void serve_rounds(Transport& transport, const MeasureRules& rules, const Problem& problem,
                  Order order, const RankRules& rank_rules = {});

}  // namespace placer
