#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace placer {

/// One run of what races.
struct RaceRun {
  std::optional<double> seconds;  // empty: it cannot run
};

/// Run number `run`, from 0, of racer `racer`, from 0; empty where nothing more may be measured.
/// The race then ends with that round, in which others, whose run is known already, still count.
using RunRacer = std::function<std::optional<RaceRun>(std::size_t racer, std::size_t run)>;

/// Told before round `run` of the racers that are left, whose runs may be made side by side then.
using BeginRound = std::function<void(std::size_t run, std::span<const std::size_t> left)>;

struct RaceRules {
  std::size_t most_runs = 15;  // of each racer, from 1
  double significance = 0.05;  // of a test that takes a racer out, above 0
};

/// What became of a racer.
enum class RaceFate {
  kFirst,       // the least median of those that were left
  kLeft,        // not slower for certain
  kSlower,      // taken out by a test
  kFailed,      // it cannot run
  kUnmeasured,  // nothing more could be measured before its first run
};

struct Racer {
  std::vector<double> seconds;  // of its runs, in their order
  RaceFate fate = RaceFate::kUnmeasured;
  std::optional<double> p_value;  // of the last test against the first at that time
  /// Not a number without a run.
  double median_seconds() const;
};

struct RaceResult {
  std::vector<Racer> racers;
  std::optional<std::size_t> first;  // empty where nobody ran
  bool is_decided = false;           // all others are slower or cannot run
  double noise = 0;                  // `noise_floor` of the racers
};

/// A race by successive elimination, as F-Race (Birattari, Stuetzle, Paquete, Varrentrapp, "A
/// Racing Algorithm for Configuring Metaheuristics", 2002). In each round every racer that is left
/// runs once, each round beginning with another one, and then all are tested against the one of the
/// least median: those whose runs are slower in the signed-rank test, run by run, are taken out.
/// The tests are not corrected for their number: who is taken out by mistake is about as fast as
/// the first. Ends when one is left, when all ran as often as the rules say, or when nothing more
/// may be measured; where one that ran cannot run any more, all that were taken out come back for
/// the choice. Of equal medians the lower number is first.
RaceResult race(std::size_t racers, const RunRacer& run, const RaceRules& rules = {},
                const BeginRound& begin = {});

/// How likely the ratios `slow[i] / fast[i]` of pairs, all above 0, are at least so far above 1 if
/// above and below are equally likely: the exact one-sided signed-rank test (Wilcoxon 1945) of
/// their logarithms. Pairs of equal numbers are left out; equal distances share their ranks. 1
/// without pairs. O(n^3) of n pairs.
double signed_rank_p_value(const std::vector<double>& slow, const std::vector<double>& fast);

/// How far one run lies from the median of its racer's runs, as a share of it: 1.4826 times the
/// median of these distances over all runs of racers with several runs, which is the standard
/// deviation where they are normal. 0 without such racers.
double noise_floor(const std::vector<Racer>& racers);

}  // namespace placer
