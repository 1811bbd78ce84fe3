#include "search/local/portfolio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "search/core/events.hpp"

namespace placer {
namespace {

constexpr double kHalvingShare = 0.6;  // of the budget
// Evaluations of a slice of halving or that improves: for each group, and at least so many.
constexpr double kHalvingEvaluations = 40, kFewestHalving = 2000;
constexpr double kImprovingEvaluations = 10, kFewestImproving = 500;
constexpr double kMostHalving = 16;  // slices of a round
constexpr double kHalvingRounds = 3, kRoundSlices = 6, kHalving = 4;
constexpr double kMostImproving = 96;  // slices
constexpr double kFewestSlices = 16;   // in a row, of at least so many evaluations:
constexpr double kShortest = 100;
constexpr double kFewestRounds = 4, kMostAtOnce = 4;
constexpr double kLonger = 2;          // times as long is a slice after rounds in vain
constexpr double kOpenShare = 0.35;    // of the budget
constexpr double kStartShare = 0.02;   // of the budget, to see where a start leads
constexpr std::int64_t kPaced = 50;    // evaluations that tell it
constexpr double kUnlimited = 1000;    // evaluations for each group where there is no limit
constexpr double kMostCounted = 1e18;  // evaluations of a round, as under a time limit alone
constexpr std::size_t kElites = 4;
constexpr double kFromBest = 0.5;  // of the slices that improve; the others from any elite
constexpr double kMemory = 0.5;    // of a credit, from one slice to the next
constexpr int kMostInVain = 2;     // slices in a row, after which none is left
constexpr std::int64_t kIdle = 4;  // evaluations of a slice that had nothing to try
constexpr double kOwnEnd = 0.5;    // of its time, in which such a slice ends

}  // namespace

Portfolio::Portfolio(Search& search, std::string_view subject, std::vector<Strategy> strategies)
    : search_(search), subject_(subject), side_by_side_(search) {
  for (const Strategy& strategy : strategies) {
    (strategy.turns == Turns::kOpening   ? opening_
     : strategy.turns == Turns::kHalving ? halving_
                                         : improving_)
        .push_back(rows_.size());
    rows_.push_back({strategy});
  }
  evaluations_per_second_ =
      static_cast<double>(search.evaluations()) / std::max(search.wall_seconds(), 1e-6);
  if (const Placement* best = search.best())
    keep({*best, search.best_order(), search.best_score()});
}

void Portfolio::run() {
  if (!opening_.empty() && !elites_.empty()) open();
  try_starts();
  halve();
  if (!search_.spent() && !elites_.empty()) improve();
}

/// About so many are left, in all slices side by side where time is what ends them.
double Portfolio::evaluations_ahead() const {
  const auto groups = static_cast<double>(search_.problem().groups().size());
  if (!search_.limited()) return kUnlimited * groups;
  const auto counted = static_cast<double>(search_.evaluations_left());
  const double seconds = side_by_side_.seconds_left();
  if (std::isinf(seconds)) return counted;
  const double timed =
      seconds * evaluations_per_second_ * static_cast<double>(side_by_side_.at_once());
  return std::min(counted, timed);
}

/// As many as keep all threads or ranks busy, where time is what ends them; the results of a budget
/// of evaluations may not depend on them.
std::size_t Portfolio::rounded_up(double slices) const {
  const auto count = static_cast<std::size_t>(slices);
  if (std::isinf(side_by_side_.seconds_left())) return count;
  const auto at_once = static_cast<std::size_t>(side_by_side_.at_once());
  return (count + at_once - 1) / at_once * at_once;
}

/// The start itself stays among the elites, as it may lead further.
void Portfolio::open() {
  run_round(std::vector(rounded_up(1), opening_.front()), kOpenShare, Starts::kEach);
}

/// Which start leads furthest is seen soon. Under a time limit this also tells how long evaluations
/// take, on which the number of slices depends.
void Portfolio::try_starts() {
  if (elites_.empty() || improving_.empty() || search_.spent()) return;
  if (elites_.size() == 1 && std::isinf(side_by_side_.seconds_left())) return;
  const std::size_t slices = rounded_up(static_cast<double>(elites_.size()));
  run_round(std::vector(slices, improving_.front()),
            kStartShare * static_cast<double>(elites_.size()), Starts::kEach);
}

/// Successive halving (Jamieson, Talwalkar 2016): a fourth of the slices goes on to the next round,
/// anew and for longer, with the strategies that came furthest.
void Portfolio::halve() {
  std::vector<std::size_t> rows = halving_;
  if (elites_.empty())
    std::erase_if(rows, [this](std::size_t row) { return !rows_[row].strategy.begins_anew; });
  if (rows.empty()) return;
  const auto groups = static_cast<double>(search_.problem().groups().size());
  const double most =
      kHalvingShare * evaluations_ahead() / std::max(kHalvingEvaluations * groups, kFewestHalving);
  const bool may_wait = !elites_.empty() && !rows_[rows.front()].strategy.leads;
  if (most < 1 && may_wait) return;
  const double rounds = std::clamp(std::floor(most / kRoundSlices), 1.0, kHalvingRounds);
  double slices = std::clamp(most / rounds, 1.0, kMostHalving);
  double share = kHalvingShare / rounds;
  for (double round = 0; round < rounds && !rows.empty() && !search_.spent(); ++round) {
    std::vector<std::size_t> chosen(rounded_up(std::max(slices, 1.0)));
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = rows[i % rows.size()];
    rows = run_round(chosen, share).rows;
    share /= 1 - share;
    slices /= kHalving;
    rows.resize(std::min(rows.size(), static_cast<std::size_t>(std::max(slices, 1.0))));
  }
}

/// Slices become longer where none has gained anything in its turn, and the search ends early where
/// none had anything to try.
void Portfolio::improve() {
  const auto groups = static_cast<double>(search_.problem().groups().size());
  const double ahead = evaluations_ahead();
  const double slices = std::clamp(
      ahead / std::max(kImprovingEvaluations * groups, kFewestImproving), 1.0, kMostImproving);
  const std::size_t at_once = rounded_up(std::clamp(slices / kFewestRounds, 1.0, kMostAtOnce));
  double rounds = std::max(std::round(slices / static_cast<double>(at_once)),
                           std::clamp(ahead / kShortest, 1.0, kFewestSlices));
  const std::size_t turns_of_all = 2 * improving_.size();
  for (std::size_t idle = 0, in_vain = 0; idle < turns_of_all && !search_.spent();) {
    const double until = search_.wall_seconds() + kOwnEnd * side_by_side_.seconds_left() / rounds;
    const RoundEnd end = run_round(choose(at_once), 1 / rounds);
    const bool has_little = end.evaluations <= kIdle * static_cast<std::int64_t>(at_once);
    idle = has_little && search_.wall_seconds() < until ? idle + at_once : 0;
    in_vain = end.has_gained ? 0 : in_vain + at_once;
    rounds = std::max(1.0, rounds - 1);
    if (in_vain < turns_of_all) continue;
    rounds = std::max(1.0, rounds / kLonger);
    in_vain = 0;
  }
}

/// Every other slice is the turn of one after the other, the rest are of what gains.
std::vector<std::size_t> Portfolio::choose(std::size_t slices) {
  const auto best = std::ranges::max_element(improving_, {},
                                             [this](std::size_t row) { return rows_[row].credit; });
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < slices; ++i, ++turns_) {
    const bool by_credit = turns_ % 2 == 1 && rows_[*best].credit > 0;
    chosen.push_back(by_credit ? *best : improving_[turns_ / 2 % improving_.size()]);
  }
  return chosen;
}

std::vector<Slice> Portfolio::slices_of(const std::vector<std::size_t>& chosen, double share,
                                        Starts starts) {
  const auto count = static_cast<std::int64_t>(chosen.size());
  const std::int64_t at_once = side_by_side_.at_once();
  const double in_a_row = static_cast<double>((count + at_once - 1) / at_once);
  const double left =
      search_.limited() ? static_cast<double>(search_.evaluations_left()) : evaluations_ahead();
  const auto evaluations =
      static_cast<std::int64_t>(std::min(std::ceil(left * share), kMostCounted));
  std::vector<Slice> slices;
  for (std::int64_t i = 0; i < count; ++i) {
    Slice slice{.strategy = chosen[static_cast<std::size_t>(i)]};
    slice.strategy_name = rows_[slice.strategy].strategy.name;
    slice.seed = search_.rng().stream("slice", slices_++).next();
    slice.evaluations = evaluations / count + (i < evaluations % count ? 1 : 0);
    slice.seconds = side_by_side_.seconds_left() * share / in_a_row;
    if (!rows_[slice.strategy].strategy.begins_anew) {
      slice.start = elites_[starts == Starts::kEach ? static_cast<std::size_t>(i) % elites_.size()
                                                    : draw_elite()];
    }
    if (slice.evaluations > 0) slices.push_back(std::move(slice));
  }
  return slices;
}

std::size_t Portfolio::draw_elite() {
  return search_.rng().chance(kFromBest) ? 0 : search_.rng().below(elites_.size());
}

Portfolio::RoundEnd Portfolio::run_round(const std::vector<std::size_t>& chosen, double share,
                                         Starts starts) {
  const std::string names = names_of(chosen);
  const Stage stage(search_, subject_, names);
  const std::int64_t before = search_.evaluations();
  const double seconds_before = search_.wall_seconds();
  const double best_seconds = search_.cost_seconds(search_.best_score());
  const std::vector<Slice> slices = slices_of(chosen, share, starts);
  const std::vector<SliceEnd> ends = side_by_side_.run(
      slices,
      [this](const Slice& slice, Search& search) { rows_[slice.strategy].strategy.run(search); });
  std::vector<std::pair<Score, std::size_t>> reached;  // by a row
  RoundEnd end;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    Row& row = rows_[slices[i].strategy];
    row.credit = ++row.in_vain > kMostInVain ? 0 : kMemory * row.credit;
    if (!ends[i].best) continue;
    keep(*ends[i].best);
    reached.emplace_back(ends[i].best->score, slices[i].strategy);
    const double gain = best_seconds - search_.cost_seconds(ends[i].best->score);
    if (gain <= 0) continue;
    end.has_gained = true;
    row.in_vain = 0;
    row.credit += (1 - kMemory) * gain / best_seconds / static_cast<double>(ends[i].evaluations);
  }
  std::ranges::stable_sort(reached, {}, &std::pair<Score, std::size_t>::first);
  for (const auto& [score, row] : reached) end.rows.push_back(row);
  end.evaluations = search_.evaluations() - before;
  const double seconds = search_.wall_seconds() - seconds_before;
  if (end.evaluations >= kPaced && seconds > 0) {
    evaluations_per_second_ = static_cast<double>(end.evaluations) / seconds /
                              static_cast<double>(side_by_side_.at_once());
  }
  return end;
}

/// "annealing, windows (3 times)"
std::string Portfolio::names_of(const std::vector<std::size_t>& chosen) const {
  std::map<std::string_view, int> counts;
  for (const std::size_t row : chosen) ++counts[rows_[row].strategy.name];
  std::string names;
  for (const auto& [name, count] : counts) {
    if (!names.empty()) names += ", ";
    names += count > 1 ? fmt::format("{} ({} times)", name, count) : std::string(name);
  }
  return names;
}

void Portfolio::keep(const Candidate& found) {
  const auto at = std::ranges::lower_bound(elites_, found.score, {}, &Candidate::score);
  if (at != elites_.end() && at->score == found.score) return;
  elites_.insert(at, found);
  if (elites_.size() > kElites) elites_.pop_back();
}

}  // namespace placer
