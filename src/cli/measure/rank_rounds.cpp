#include "cli/measure/rank_rounds.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/ranks/score_text.hpp"
#include "cli/ranks/unit_answers.hpp"
#include "placer/base/deadline.hpp"
#include "search/core/fingerprint.hpp"

namespace placer {
namespace {

constexpr double kGraceSeconds = 1;

/// What all runs depend on: the same for all ranks.
std::string job_of(const MeasureRules& rules, const Problem& problem, Order order) {
  return fmt::format("rounds " PLACER_VERSION " {} {:x} {} {}", name_of(order),
                     fingerprint(problem), rules.warmups, rules.command);
}

/// On ranks rank 0 alone keeps what is measured.
MeasureRules without_cache(MeasureRules rules) {
  rules.cache.reset();
  return rules;
}

/// Of a racer, in an answer.
std::pair<std::string, std::string> key_of(std::size_t racer) {
  return {fmt::format("{:016x}", 0), fmt::format("{:016x}", racer)};
}

}  // namespace

RoundMeasurer::RoundMeasurer(const MeasureRules& rules, const Problem& problem, Order order,
                             const std::atomic<bool>* interrupt)
    : rules_(without_cache(rules)),
      simulator_(problem, order),
      measurer_(rules_, problem, order, interrupt) {}

std::string RoundMeasurer::answer_to(const std::string& text) {
  return answer_of([&] {
    const ScoreUnit unit = score_unit(text);
    // There is one problem: its number is that of the round.
    const std::size_t round = unit.graph, racers = unit.placements.size();
    Measurements found;
    for (std::size_t i = 0; i < racers; ++i) {
      const std::size_t racer = (round + i) % racers;  // another one begins each time
      const Placement& placement = unit.placements[racer];
      const OpOrder order = unit.orders.empty() ? OpOrder() : unit.orders.at(racer);
      const Candidate candidate{placement, order, simulator_.evaluate(placement, order)};
      const auto done = measurer_.run(candidate, measurer_.known(candidate).seconds.size());
      if (!done) break;
      MeasuredRuns runs = measurer_.known(candidate);
      runs.seconds.clear();
      if (done->seconds) runs.seconds.push_back(*done->seconds);
      found[key_of(racer)] = std::move(runs);
    }
    return write_measurements(found);
  });
}

RankRounds::RankRounds(Transport& transport, const MeasureRules& rules, const Problem& problem,
                       Order order, const Observer& observer, const std::atomic<bool>* interrupt,
                       const RankRules& rank_rules)
    : interrupt_(interrupt),
      own_(rules, problem, order, &stop_),
      hand_out_(
          transport, job_of(rules, problem, order),
          [this](const std::string& unit) { return own_.answer_to(unit); }, observer, &stop_,
          rank_rules) {}

RankRounds::~RankRounds() { stop_ = true; }

std::vector<std::vector<MeasuredRuns>> RankRounds::run(std::span<const Candidate> racers,
                                                       std::size_t first, std::size_t rounds,
                                                       const std::function<bool()>& stop) {
  std::vector<Placement> placements;
  std::vector<OpOrder> orders;
  for (const Candidate& racer : racers) {
    placements.push_back(racer.placement);
    orders.push_back(racer.order);
  }
  std::vector<std::string> units;
  for (std::size_t round = 0; round < rounds; ++round) {
    units.push_back(score_text(first + round, "", placements, orders));
  }
  std::vector<std::vector<MeasuredRuns>> found(rounds, std::vector<MeasuredRuns>(racers.size()));
  std::optional<Deadline> grace;  // for answers that are cut short
  run_units(
      hand_out_, units, "in a round of runs",
      [&](std::size_t at, const std::string& given) {
        const Measurements runs = parse_measurements(given, "an answer of a rank");
        for (std::size_t racer = 0; racer < racers.size(); ++racer) {
          if (const auto row = runs.find(key_of(racer)); row != runs.end()) {
            found[at][racer] = row->second;
          }
        }
      },
      [&] {
        const bool is_over = stop();
        if (is_over || (interrupt_ != nullptr && *interrupt_)) stop_ = true;
        if (is_over && !grace) grace.emplace(Deadline::Clock::now(), kGraceSeconds);
        return grace && grace->passed();
      });
  return found;
}

void serve_rounds(Transport& transport, const MeasureRules& rules, const Problem& problem,
                  Order order, const RankRules& rank_rules) {
  std::atomic<bool> stop = false;
  RoundMeasurer own(rules, problem, order, &stop);
  serve_rank_0(
      transport, job_of(rules, problem, order),
      [&](const std::string& unit) { return own.answer_to(unit); }, stop, rank_rules);
}

}  // namespace placer
