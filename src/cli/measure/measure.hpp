#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/measure/measurer.hpp"
#include "cli/measure/rank_rounds.hpp"
#include "cli/report/measured_report.hpp"
#include "cli/report/result_report.hpp"
#include "cli/shared/outputs.hpp"

namespace placer {

struct MeasureFlags {
  std::optional<std::string> measure, cache, fit;
  std::optional<std::int64_t> best, repeats, warmups, fit_placements;
  std::optional<double> timeout, seconds;
};
inline constexpr std::array<FlagRow<MeasureFlags>, 9> kMeasureFlags = {
    text_flag("measure", 0, &MeasureFlags::measure, "COMMAND",
              "race the best placements on the real machine: the shell runs COMMAND with the path "
              "of a placement file for {placement}; it prints the seconds of a step last"),
    text_flag("measure-cache", 0, &MeasureFlags::cache, "FILE",
              "keep what was measured here, and do not measure that again"),
    flag("measure-best", &MeasureFlags::best, 1,
         "how many of the best placements race, besides one device alone; 16 by default"),
    flag("measure-repeats", &MeasureFlags::repeats, 1,
         "at most this many runs of each count; 15 by default", 100),
    flag("measure-warmups", &MeasureFlags::warmups, 0,
         "runs of each before those that count; 1 by default"),
    flag("measure-timeout", &MeasureFlags::timeout, 0.001, "SECONDS",
         "a run that takes longer is killed and its placement counts as one that cannot run; 60 by "
         "default"),
    flag("measure-seconds", &MeasureFlags::seconds, 0.001, "SECONDS",
         "of wall time for all runs, apart from --time-limit; 600 by default"),
    text_flag("fit", 0, &MeasureFlags::fit, "FILE",
              "write the devices here with efficiencies, launch times, bandwidths and latencies "
              "that fit what was measured"),
    flag("fit-placements", &MeasureFlags::fit_placements, 0,
         "how many placements that differ are measured for --fit besides those that raced, three "
         "runs each; 16 by default"),
};

/// --cache and --fit, for the checks of files.
std::vector<NamedFile> measure_files(const MeasureFlags& flags);

MeasureRules measure_rules(const MeasureFlags& flags);

/// What `optimize --measure` does besides the search. Does nothing where that was not asked for.
class Measuring {
 public:
  /// Throws Error for flags of it without --measure, and for what they cannot be.
  Measuring(const MeasureFlags& flags, Console& console);

  bool is_asked() const { return flags_.measure.has_value(); }
  /// Before the search: asks `request` for the placements that will race, and runs the fastest
  /// single device once, so that a command that cannot work is told before a long search. `loaded`
  /// outlives the object. Throws Error.
  void prepare(const LoadedProblem& loaded, const std::optional<SingleDevice>& single,
               SearchRequest& request);
  /// What keeps the best so far, in case the rest does not come to its end.
  using Keep = std::function<void(const SearchResult& found)>;
  /// After it: races the best that it found and the fastest single device, and puts the winner in
  /// the place of `found`'s placement. `keep` is told before the race and before the measuring for
  /// a fit. Throws Error where nothing can run.
  std::optional<MeasuredReport> race(SearchResult& found, const Keep& keep);
  /// Writes the devices of --fit; the file's name, where that was possible.
  std::vector<std::string> write_fit(const std::optional<MeasuredReport>& report);

 private:
  void share();
  void measure_ahead(std::span<const Candidate> racers, std::size_t round, std::size_t most_rounds,
                     std::span<const std::size_t> left);
  void run_single_device();
  void choose(const Candidate& winner, SearchResult& found) const;
  std::optional<RaceRun> run_one(std::span<const Candidate> placements, std::size_t at,
                                 std::size_t number);
  std::vector<Candidate> racers_of(const SearchResult& found) const;
  void add_calibration(std::vector<Candidate>& racers, MeasuredReport& report);
  MeasuredRow row_of(std::string name, const Candidate& candidate, Racer racer);
  MeasuredReport report_of(const std::vector<Candidate>& racers, RaceResult result);
  std::string name_of(const Candidate& candidate, std::size_t number) const;
  void fit(std::vector<Candidate> racers, MeasuredReport& report);
  void warn(std::string_view text) const;
  bool is_interrupted() const;

  const MeasureFlags flags_;
  MeasureRules rules_;
  Console& console_;
  const LoadedProblem* loaded_ = nullptr;
  Order order_ = Order::kFifo;
  std::optional<SingleDevice> single_;
  std::unique_ptr<Measurer> measurer_;
  std::unique_ptr<RankRounds> rounds_;  // where there are several ranks
};

}  // namespace placer
