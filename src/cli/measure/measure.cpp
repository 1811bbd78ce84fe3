#include "cli/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "cli/ranks/serving.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/search/calibration.hpp"

namespace placer {
namespace {

constexpr std::int64_t kStandardBest = 16, kStandardCalibration = 16;
constexpr std::size_t kCalibrationRuns = 3;
constexpr double kAbsurdFactor = 100;  // or one over it
constexpr std::uint64_t kCalibrationSeed = 1;

void check_flags(const MeasureFlags& flags) {
  const auto given = [](const auto& value) { return value.has_value(); };
  const std::array<std::pair<const char*, bool>, 8> others = {
      {{"--measure-cache", given(flags.cache)},
       {"--measure-best", given(flags.best)},
       {"--measure-repeats", given(flags.repeats)},
       {"--measure-warmups", given(flags.warmups)},
       {"--measure-timeout", given(flags.timeout)},
       {"--measure-seconds", given(flags.seconds)},
       {"--fit", given(flags.fit)},
       {"--fit-placements", given(flags.fit_placements)}}};
  for (const auto& [name, is_given] : others) {
    if (flags.measure || !is_given) continue;
    throw Error(fmt::format("{}: expected --measure COMMAND as well, found none", name));
  }
  if (!flags.fit && flags.fit_placements) {
    throw Error("--fit-placements: expected --fit FILE as well, found none");
  }
}

Candidate everything_on(const SingleDevice& single, const Problem& problem) {
  return {*problem.all_on(single.device), {}, single.score};
}

}  // namespace

MeasureRules measure_rules(const MeasureFlags& flags) {
  MeasureRules rules;
  rules.command = flags.measure.value_or("");
  rules.cache = flags.cache;
  rules.warmups = flags.warmups.value_or(rules.warmups);
  rules.timeout_seconds = flags.timeout.value_or(rules.timeout_seconds);
  rules.budget_seconds = flags.seconds.value_or(rules.budget_seconds);
  return rules;
}

std::vector<NamedFile> measure_files(const MeasureFlags& flags) {
  return {{"--measure-cache", flags.cache}, {"--fit", flags.fit}};
}

Measuring::Measuring(const MeasureFlags& flags, Console& console)
    : flags_(flags), rules_(measure_rules(flags)), console_(console) {
  check_flags(flags);
}

void Measuring::prepare(const LoadedProblem& loaded, const std::optional<SingleDevice>& single,
                        SearchRequest& request) {
  if (!is_asked()) return;
  loaded_ = &loaded;
  order_ = request.order;
  single_ = single;
  request.keeps_elites = static_cast<std::size_t>(flags_.best.value_or(kStandardBest));
  measurer_ = std::make_unique<Measurer>(rules_, loaded.problem, order_, console_.interrupt);
  console_.doing = "measuring";
  if (single) run_single_device();
  if (!is_shared(request.optimizer->info)) share();  // else the search has the ranks
}

/// A command that cannot work is told before a long search.
void Measuring::run_single_device() {
  const Candidate alone = everything_on(*single_, loaded_->problem);
  measurer_->run(alone, 0);
  const std::string& failure = measurer_->known(alone).failure;
  if (failure.empty()) return;
  warn(fmt::format("--measure: {} cannot run: {}", name_of(alone, 0), failure));
}

void Measuring::warn(std::string_view text) const {
  console_.log.tell(EventLevel::kWarn, "", [&] { return std::string(text); });
}

bool Measuring::is_interrupted() const {
  return console_.interrupt != nullptr && *console_.interrupt;
}

void Measuring::share() {
  if (console_.ranks == nullptr || rounds_) return;
  rounds_ = std::make_unique<RankRounds>(*console_.ranks, rules_, loaded_->problem, order_,
                                         console_.log, console_.interrupt);
}

/// Measures this round and some that may follow, as many as there are ranks, where this one is not
/// known.
void Measuring::measure_ahead(std::span<const Candidate> racers, std::size_t round,
                              std::size_t most_rounds, std::span<const std::size_t> left) {
  if (!rounds_ || measurer_->is_spent()) return;
  std::vector<Candidate> open;
  bool is_known = true;
  for (const std::size_t at : left) {
    const MeasuredRuns& runs = measurer_->known(racers[at]);
    is_known = is_known && (runs.seconds.size() > round || !runs.failure.empty());
    open.push_back(racers[at]);
  }
  if (is_known) return;
  const std::size_t rounds = std::min(rounds_->at_once(), most_rounds - round);
  const Deadline::Clock::time_point begin = Deadline::Clock::now();
  const Deadline budget(begin, rules_.budget_seconds - measurer_->measuring_seconds());
  const auto found = rounds_->run(open, round, rounds, [&] { return budget.passed(); });
  const std::chrono::duration<double> taken = Deadline::Clock::now() - begin;
  measurer_->spend(taken.count());
  for (std::size_t i = 0; i < rounds; ++i) measurer_->learn(open, round + i, found[i]);
}

std::optional<RaceRun> Measuring::run_one(std::span<const Candidate> placements, std::size_t at,
                                          std::size_t number) {
  const std::optional<RaceRun> done = measurer_->run(placements[at], number);
  console_.log.tell(EventLevel::kInfo, "measure", [&] {
    if (!done) return std::string("the budget is spent");
    return fmt::format("placement {} of {}, run {}: {}", at + 1, placements.size(), number + 1,
                       done->seconds ? fmt::format("{} s", *done->seconds) : "it cannot run");
  });
  return done;
}

std::vector<Candidate> Measuring::racers_of(const SearchResult& found) const {
  std::vector<Candidate> racers = found.elites;
  if (racers.empty()) racers.push_back({found.placement, found.order, found.score});
  if (!single_) return racers;
  const Candidate alone = everything_on(*single_, loaded_->problem);
  if (racers.front().placement == alone.placement) return racers;
  std::erase_if(racers, [&](const Candidate& racer) { return racer.placement == alone.placement; });
  // Early, so that it is measured however small the budget is.
  racers.insert(racers.begin() + 1, alone);
  return racers;
}

void Measuring::choose(const Candidate& winner, SearchResult& found) const {
  found.proven = found.proven && winner.score == found.score;
  found.placement = winner.placement;
  found.order = winner.order;
  found.score = winner.score;
}

std::optional<MeasuredReport> Measuring::race(SearchResult& found, const Keep& keep) {
  if (!is_asked()) return std::nullopt;
  keep(found);
  console_.doing = "measuring";
  share();
  std::vector<Candidate> racers = racers_of(found);
  RaceRules race_rules;
  race_rules.most_runs = static_cast<std::size_t>(
      flags_.repeats.value_or(static_cast<std::int64_t>(race_rules.most_runs)));
  const auto run = [&](std::size_t racer, std::size_t number) {
    return run_one(racers, racer, number);
  };
  const auto begin = [&](std::size_t round, std::span<const std::size_t> left) {
    measure_ahead(racers, round, race_rules.most_runs, left);
  };
  MeasuredReport report = report_of(racers, placer::race(racers.size(), run, race_rules, begin));
  if (report.first) {
    choose(racers[*report.first], found);
  } else {
    warn("--measure: " + measured_sentence(report));
  }
  if (flags_.fit) {
    keep(found);
    fit(std::move(racers), report);
  }
  return report;
}

std::string Measuring::name_of(const Candidate& candidate, std::size_t number) const {
  const Problem& problem = loaded_->problem;
  if (single_ && candidate.placement == *problem.all_on(single_->device)) {
    return problem.topology().device(single_->device).name + " alone";
  }
  return fmt::format("{}", number);
}

MeasuredRow Measuring::row_of(std::string name, const Candidate& candidate, Racer racer) {
  const MeasuredRuns& runs = measurer_->known(candidate);
  MeasuredRow row;
  row.name = std::move(name);
  row.predicted_seconds = to_seconds(candidate.score.step_ps);
  row.racer = std::move(racer);
  row.memory_bytes = runs.memory_bytes;
  row.failure = runs.failure;
  return row;
}

MeasuredReport Measuring::report_of(const std::vector<Candidate>& racers, RaceResult result) {
  MeasuredReport report;
  report.first = result.first;
  report.is_decided = result.is_decided;
  if (measurer_->is_spent()) {
    report.ended_by = is_interrupted() ? "interrupted" : "the time for measuring was over";
  }
  report.noise = result.noise;
  report.measuring_seconds = measurer_->measuring_seconds();
  std::size_t number = 0;
  for (std::size_t i = 0; i < racers.size(); ++i) {
    std::string name = name_of(racers[i], number + 1);
    if (!name.ends_with(" alone")) ++number;
    report.rows.push_back(row_of(std::move(name), racers[i], std::move(result.racers[i])));
  }
  if (std::ranges::all_of(report.rows, [](const MeasuredRow& row) {
        return row.racer.fate == RaceFate::kFailed;
      })) {
    throw Error(
        fmt::format("--measure: expected a placement that can run, found none of {}; the first: {}",
                    racers.size(), report.rows[0].failure));
  }
  return report;
}

/// Measures placements that differ more than those that raced do, and puts them behind these.
void Measuring::add_calibration(std::vector<Candidate>& racers, MeasuredReport& report) {
  const auto count = static_cast<std::size_t>(flags_.fit_placements.value_or(kStandardCalibration));
  std::vector<Candidate> drawn =
      calibration_placements(loaded_->problem, order_, count, kCalibrationSeed);
  std::erase_if(drawn, [&](const Candidate& own) {
    return std::ranges::any_of(
        racers, [&](const Candidate& racer) { return racer.placement == own.placement; });
  });
  std::vector<std::size_t> all(drawn.size());
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t round = 0; round < kCalibrationRuns; ++round) {
    measure_ahead(drawn, round, kCalibrationRuns, all);
    for (const std::size_t at : all) run_one(drawn, at, round);
  }
  for (const std::size_t at : all) {
    Racer racer;
    racer.seconds = measurer_->known(drawn[at]).seconds;
    MeasuredRow row = row_of(fmt::format("drawn {}", at + 1), drawn[at], std::move(racer));
    row.is_for_fit = true;
    if (!row.failure.empty()) row.racer.fate = RaceFate::kFailed;
    report.rows.push_back(std::move(row));
    racers.push_back(drawn[at]);
  }
  report.measuring_seconds = measurer_->measuring_seconds();
}

void Measuring::fit(std::vector<Candidate> racers, MeasuredReport& report) {
  add_calibration(racers, report);
  if (is_interrupted()) {
    warn("--fit: interrupted, so nothing is fitted");
    return;
  }
  const Problem& problem = loaded_->problem;
  std::vector<MeasuredStep> steps;
  for (std::size_t i = 0; i < racers.size(); ++i) {
    const Racer& racer = report.rows[i].racer;
    if (racer.seconds.empty()) continue;
    steps.push_back({racers[i].placement, racers[i].order, racer.median_seconds()});
  }
  report.fit = fit_costs(problem, order_, steps);
  for (const CostFactor& factor : report.fit->factors) {
    if (std::max(factor.factor, 1 / factor.factor) < kAbsurdFactor) continue;
    warn(
        fmt::format("--fit: {} is multiplied by {:.3g}: what is measured is not what is simulated, "
                    "or the device spec is far off",
                    factor.what, factor.factor));
  }
  const Problem fitted = with_topology(problem, report.fit->topology);
  Simulator simulator(fitted, order_);
  for (std::size_t i = 0; i < racers.size(); ++i) {
    const Score score = simulator.evaluate(racers[i].placement, racers[i].order);
    report.rows[i].fitted_seconds = to_seconds(score.step_ps);
  }
}

std::vector<std::string> Measuring::write_fit(const std::optional<MeasuredReport>& report) {
  if (!report || !report->fit) return {};
  const bool is_written = write_output(*flags_.fit, write_devices(report->fit->topology), console_);
  return is_written ? std::vector{*flags_.fit} : std::vector<std::string>{};
}

}  // namespace placer
