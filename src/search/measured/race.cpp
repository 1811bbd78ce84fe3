#include "placer/search/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace placer {
namespace {

constexpr double kDeviationsOfMedian = 1.4826;  // standard deviation over median distance

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Race {
 public:
  Race(std::size_t racers, const RunRacer& run, const RaceRules& rules, const BeginRound& begin)
      : run_(run), rules_(rules), begin_(begin), left_(racers) {
    result_.racers.resize(racers);
    std::iota(left_.begin(), left_.end(), 0);
  }

  RaceResult run() {
    for (std::size_t round = 0; round < rules_.most_runs && is_open(round); ++round) {
      if (!run_round(round)) break;
      take_out_slower();
    }
    finish();
    return std::move(result_);
  }

 private:
  /// Everyone runs once, so that it is known that it can.
  bool is_open(std::size_t round) const {
    return left_.size() > 1 || (round == 0 && !left_.empty());
  }

  bool run_round(std::size_t round) {
    if (begin_) begin_(round, left_);
    std::vector<std::size_t> order = left_;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(round % order.size());
    std::rotate(order.begin(), first, order.end());
    bool is_whole = true;
    for (const std::size_t racer : order) {
      const std::optional<RaceRun> done = run_(racer, round);
      if (!done) {
        is_whole = false;  // others may be known
        continue;
      }
      if (done->seconds) {
        result_.racers[racer].seconds.push_back(*done->seconds);
      } else {
        result_.racers[racer].fate = RaceFate::kFailed;
        std::erase(left_, racer);
      }
    }
    return is_whole;
  }

  /// Those that were taken out come back where one that ran, and may be who took them out, cannot
  /// run after all.
  void bring_back() {
    const bool is_needed = std::ranges::any_of(result_.racers, [](const Racer& racer) {
      return racer.fate == RaceFate::kFailed && !racer.seconds.empty();
    });
    for (std::size_t at = 0; is_needed && at < result_.racers.size(); ++at) {
      Racer& racer = result_.racers[at];
      if (racer.fate != RaceFate::kSlower) continue;
      racer.p_value.reset();
      left_.push_back(at);
    }
    std::ranges::sort(left_);
  }

  /// Of those that are left and ran; empty where nobody did.
  std::optional<std::size_t> first() const {
    std::optional<std::size_t> found;
    for (const std::size_t racer : left_) {
      if (result_.racers[racer].seconds.empty()) continue;
      if (!found ||
          result_.racers[racer].median_seconds() < result_.racers[*found].median_seconds()) {
        found = racer;
      }
    }
    return found;
  }

  void take_out_slower() {
    const std::optional<std::size_t> best = first();
    std::erase_if(left_, [&](std::size_t at) {
      if (at == *best) return false;
      Racer& racer = result_.racers[at];
      racer.p_value = signed_rank_p_value(racer.seconds, result_.racers[*best].seconds);
      if (*racer.p_value > rules_.significance) return false;
      racer.fate = RaceFate::kSlower;
      return true;
    });
  }

  void finish() {
    bring_back();
    result_.first = first();
    for (const std::size_t at : left_) {
      Racer& racer = result_.racers[at];
      if (!racer.seconds.empty()) racer.fate = RaceFate::kLeft;
    }
    if (result_.first) {
      result_.racers[*result_.first].fate = RaceFate::kFirst;
      result_.racers[*result_.first].p_value.reset();
    }
    result_.is_decided = result_.first && left_.size() == 1;
    result_.noise = noise_floor(result_.racers);
  }

  const RunRacer& run_;
  const RaceRules rules_;
  const BeginRound& begin_;
  std::vector<std::size_t> left_;  // in ascending order
  RaceResult result_;
};

/// Twice the ranks of the distances from 0, from the least; equal ones share the mean of theirs.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& distances) {
  std::vector<std::size_t> ranks;
  for (const double own : distances) {
    const auto less = std::ranges::count_if(distances, [&](double d) { return d < own; });
    const auto equal = std::ranges::count(distances, own);
    ranks.push_back(static_cast<std::size_t>(2 * less + equal + 1));
  }
  return ranks;
}

}  // namespace

double Racer::median_seconds() const { return median_of(seconds); }

RaceResult race(std::size_t racers, const RunRacer& run, const RaceRules& rules,
                const BeginRound& begin) {
  return Race(racers, run, rules, begin).run();
}

double signed_rank_p_value(const std::vector<double>& slow, const std::vector<double>& fast) {
  std::vector<double> distances;
  std::vector<bool> is_below;
  for (std::size_t i = 0; i < std::min(slow.size(), fast.size()); ++i) {
    if (slow[i] == fast[i]) continue;
    distances.push_back(std::max(slow[i], fast[i]) / std::min(slow[i], fast[i]));
    is_below.push_back(slow[i] < fast[i]);
  }
  const std::vector<std::size_t> ranks = doubled_ranks(distances);
  std::size_t below = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) below += is_below[i] ? ranks[i] : 0;
  // The distribution of the sum of the ranks below 1, up to what was found.
  std::vector<double> likely(below + 1, 0.0);
  likely[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = below + 1; sum-- > 0;) {
      likely[sum] = (likely[sum] + (sum >= rank ? likely[sum - rank] : 0.0)) / 2;
    }
  }
  return std::accumulate(likely.begin(), likely.end(), 0.0);
}

double noise_floor(const std::vector<Racer>& racers) {
  std::vector<double> distances;
  for (const Racer& racer : racers) {
    if (racer.seconds.size() < 2) continue;
    const double median = racer.median_seconds();
    for (const double seconds : racer.seconds) distances.push_back(std::abs(seconds / median - 1));
  }
  return distances.empty() ? 0 : kDeviationsOfMedian * median_of(std::move(distances));
}

}  // namespace placer
