#include "cli/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/ranks/serving.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/search/calibration.hpp"

namespace placer {
namespace {

constexpr std::int64_t kStandardBest = 16, kMostRepeats = 100, kStandardCalibration = 16;
constexpr std::size_t kCalibrationRuns = 3;
constexpr std::uint64_t kCalibrationSeed = 1;

void check_flags(const MeasureFlags& flags) {
  const auto given = [](const auto&... values) { return (values.has_value() || ...); };
  if (!flags.measure && given(flags.cache, flags.fit, flags.best, flags.repeats, flags.warmups,
                              flags.timeout, flags.seconds, flags.fit_placements)) {
    throw Error("--fit and --measure-...: expected --measure COMMAND as well, found none");
  }
  if (!flags.fit && flags.fit_placements) {
    throw Error("--fit-placements: expected --fit FILE as well, found none");
  }
  if (flags.repeats.value_or(1) > kMostRepeats) {
    throw Error(fmt::format("--measure-repeats: expected an integer from 1 to {}, found {}",
                            kMostRepeats, *flags.repeats));
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
  if (single) measurer_->run(everything_on(*single, loaded.problem), 0);
  if (!is_shared(request.optimizer->info)) share();  // else the search has the ranks
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

std::optional<MeasuredReport> Measuring::race(SearchResult& found) {
  if (!is_asked()) return std::nullopt;
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
    const Candidate& winner = racers[*report.first];
    found.proven = found.proven && winner.score == found.score;
    found.placement = winner.placement;
    found.order = winner.order;
    found.score = winner.score;
  }
  if (flags_.fit) {
    add_calibration(racers, report);
    if (console_.interrupt != nullptr && *console_.interrupt) {
      console_.log.tell(EventLevel::kWarn, "",
                        [] { return "--fit: interrupted, so nothing is fitted"; });
    } else {
      fit(racers, report);
    }
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

MeasuredReport Measuring::report_of(const std::vector<Candidate>& racers, RaceResult result) {
  MeasuredReport report;
  report.first = result.first;
  report.is_decided = result.is_decided;
  report.noise = result.noise;
  report.measuring_seconds = measurer_->measuring_seconds();
  std::size_t number = 0;
  bool all_failed = true;
  for (std::size_t i = 0; i < racers.size(); ++i) {
    const MeasuredRuns& runs = measurer_->known(racers[i]);
    MeasuredRow row;
    row.name = name_of(racers[i], number + 1);
    if (!row.name.ends_with(" alone")) ++number;
    row.predicted_seconds = to_seconds(racers[i].score.step_ps);
    row.racer = std::move(result.racers[i]);
    row.memory_bytes = runs.memory_bytes;
    row.failure = runs.failure;
    all_failed = all_failed && row.racer.fate == RaceFate::kFailed;
    report.rows.push_back(std::move(row));
  }
  if (all_failed) {
    throw Error(
        fmt::format("--measure: expected a placement that can run, found none: {} tried, "
                    "the first failed with {}",
                    counted(racers.size(), "placement"), report.rows[0].failure));
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
    const MeasuredRuns& runs = measurer_->known(drawn[at]);
    MeasuredRow row;
    row.name = fmt::format("drawn {}", at + 1);
    row.is_for_fit = true;
    row.predicted_seconds = to_seconds(drawn[at].score.step_ps);
    row.racer.seconds = runs.seconds;
    row.memory_bytes = runs.memory_bytes;
    row.failure = runs.failure;
    if (!row.failure.empty()) row.racer.fate = RaceFate::kFailed;
    report.rows.push_back(std::move(row));
    racers.push_back(drawn[at]);
  }
  report.measuring_seconds = measurer_->measuring_seconds();
}

void Measuring::fit(const std::vector<Candidate>& racers, MeasuredReport& report) const {
  const Problem& problem = loaded_->problem;
  std::vector<MeasuredStep> steps;
  for (std::size_t i = 0; i < racers.size(); ++i) {
    const Racer& racer = report.rows[i].racer;
    if (racer.seconds.empty()) continue;
    steps.push_back({racers[i].placement, racers[i].order, racer.median_seconds()});
  }
  report.fit = fit_costs(problem, order_, steps);
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
