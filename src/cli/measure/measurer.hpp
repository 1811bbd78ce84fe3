#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/shared/command.hpp"
#include "cli/shared/interrupt.hpp"
#include "placer/io/measurements_file.hpp"
#include "placer/search/race.hpp"
#include "placer/search/search.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// How placements are measured.
struct MeasureRules {
  std::string command;               // with {placement}
  std::optional<std::string> cache;  // a file
  std::int64_t warmups = 1;          // runs that do not count, before the first of a placement
  double timeout_seconds = 60;       // of a run
  double budget_seconds = 600;       // of all runs
};

/// Runs a command that measures placements, and keeps what it said. The command gets the path of a
/// placement file in a folder that goes away with the object.
class Measurer {
 public:
  /// Reads the cache, where it is there. Throws Error for a file that is no cache. All references
  /// outlive the object; once `interrupt`, which may be null, is set, nothing runs.
  Measurer(const MeasureRules& rules, const Problem& problem, Order order,
           const std::atomic<bool>* interrupt);
  ~Measurer();
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  /// Run number `run`, from 0, of a placement: from the cache, else by the command; empty where the
  /// budget is spent or an interrupt came. A placement that failed once is not run again. Throws
  /// Error where the command cannot run or prints no result.
  std::optional<RaceRun> run(const Candidate& candidate, std::size_t run);
  /// What is known of a placement.
  const MeasuredRuns& known(const Candidate& candidate);

  /// Takes what others measured: runs of that number of these placements, none where there are no
  /// seconds and no failure.
  void learn(std::span<const Candidate> candidates, std::size_t run,
             const std::vector<MeasuredRuns>& found);
  /// Counts what others took as time of its own.
  void spend(double seconds) { measuring_seconds_ += seconds; }
  /// Whether nothing more may run.
  bool is_spent() const;

  double measuring_seconds() const { return measuring_seconds_; }

 private:
  struct Outcome {
    std::optional<double> seconds;
    std::string failure;
  };

  MeasuredRuns& entry_of(const Candidate& candidate);
  std::string placement_file(const Candidate& candidate);
  /// Empty where it was cut short.
  std::optional<Outcome> run_once(const std::string& file, MeasuredRuns& runs);
  std::optional<Outcome> measure(const Candidate& candidate, MeasuredRuns& runs);
  void keep();

  const MeasureRules& rules_;
  const Problem& problem_;
  const Order order_;
  const std::atomic<bool>* const interrupt_;
  const std::string of_;  // the hash of what is measured
  Measurements measurements_;
  std::string folder_;  // empty until the first run
  std::optional<FolderEndsWithProgram> folder_ends_;
  std::map<std::string, std::string> files_;  // of warm placements, by their hash
  double measuring_seconds_ = 0;
};

}  // namespace placer
