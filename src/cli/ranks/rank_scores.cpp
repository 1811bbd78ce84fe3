#include "cli/ranks/rank_scores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/ranks/score_text.hpp"
#include "cli/ranks/unit_answers.hpp"
#include "cli/shared/text.hpp"
#include "search/core/fingerprint.hpp"

namespace placer {
namespace {

/// What all scores depend on: the same for all ranks.
std::string name_of(const ScoreJob& job) {
  std::string name = fmt::format("scores " PLACER_VERSION " {}", name_of(job.order));
  for (const Problem& problem : job.problems) name += fmt::format(" {:x}", fingerprint(problem));
  return name;
}

std::size_t quotient_up(std::size_t dividend, std::size_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace

std::size_t share_of_batch(std::size_t placements, std::size_t ops, std::size_t ranks,
                           const ShareRules& rules) {
  if (ranks < 2 || ops == 0) return 0;
  const std::size_t least = quotient_up(rules.least_ops, ops);
  if (placements < 2 * least) return 0;
  const std::size_t even = quotient_up(placements, ranks);
  const std::size_t rounds = quotient_up(even * ops, rules.most_ops);
  return std::max(least, quotient_up(even, rounds));
}

ShareScorer::ShareScorer(const ScoreJob& job) : job_(job), placed_(job.problems.size()) {}
ShareScorer::~ShareScorer() = default;

Evaluators& ShareScorer::evaluators_for(std::size_t graph, const std::string& groups) {
  Placed& placed = placed_.at(graph);
  if (placed.evaluators && placed.groups == groups) return *placed.evaluators;
  const Problem& own = job_.problems[graph];
  placed.evaluators.reset();
  placed.problem = std::make_unique<const Problem>(
      groups.empty() ? own : own.with_groups(groups_of_ops(groups)));
  placed.groups = groups;
  placed.evaluators = std::make_unique<Evaluators>(*placed.problem, job_.order, job_.threads);
  return *placed.evaluators;
}

std::string ShareScorer::answer_to(const std::string& text) {
  return answer_of([&] {
    const ScoreUnit unit = score_unit(text);
    return score_text(
        evaluators_for(unit.graph, unit.groups).all(unit.placements, unit.orders, [&](std::size_t) {
          return job_.interrupt != nullptr && *job_.interrupt;
        }));
  });
}

RankScores::RankScores(Transport& transport, const ScoreJob& job, const Observer& observer,
                       RankRules rules, ShareRules shares)
    : job_(job),
      observer_(observer),
      rules_(shares),
      own_(job),
      hand_out_(
          transport, name_of(job), [this](const std::string& unit) { return own_.answer_to(unit); },
          observer, job.interrupt, rules) {
  for (std::size_t i = 0; i < job.problems.size(); ++i) scorers_.emplace_back(*this, i);
}

RankScores::~RankScores() {
  observer_.tell(EventLevel::kInfo, "ranks", [&] {
    return fmt::format("batches handed out: {}, in {}", batches_, counted(shares_, "share"));
  });
}

const std::string& RankScores::Scorer::groups_of(const Problem& placed) {
  if (!known_ || &known_->groups() != &placed.groups()) {
    const bool is_own = &placed.groups() == &ranks_.job_.problems[graph_].groups();
    known_groups_ = is_own ? "" : group_text(placed);
    known_ = placed;
  }
  return known_groups_;
}

std::vector<Score> RankScores::Scorer::scores(const Problem& placed,
                                              std::span<const Placement> placements,
                                              std::span<const OpOrder> orders,
                                              const std::function<bool()>& stop) {
  HandOut& hand_out = ranks_.hand_out_;
  const std::size_t share =
      share_of_batch(placements.size(), placed.op_count(), hand_out.ready(), ranks_.rules_);
  if (share == 0) return {};
  if (ranks_.job_.order != Order::kGiven) orders = {};
  std::vector<std::string> units;
  for (std::size_t at = 0; at < placements.size(); at += share) {
    const std::size_t count = std::min(share, placements.size() - at);
    units.push_back(score_text(graph_, groups_of(placed), placements.subspan(at, count),
                               orders.empty() ? orders : orders.subspan(at, count)));
  }
  ++ranks_.batches_;
  ranks_.shares_ += units.size();
  std::vector<std::vector<Score>> answers(units.size());
  run_units(
      hand_out, units, "in a share of a batch",
      [&](std::size_t at, const std::string& given) { answers[at] = scores_of(given); }, stop);
  std::vector<Score> scores;
  for (std::size_t i = 0; i < answers.size() && scores.size() == i * share; ++i) {
    scores.insert(scores.end(), answers[i].begin(), answers[i].end());
  }
  return scores;
}

bool serve_scores(Transport& transport, ScoreJob job, RankRules rules) {
  std::atomic<bool> stop = false;
  job.interrupt = &stop;
  ShareScorer own(job);
  return serve_rank_0(
      transport, name_of(job), [&](const std::string& unit) { return own.answer_to(unit); }, stop,
      rules);
}

}  // namespace placer
