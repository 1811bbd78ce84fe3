#include "placer/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/core/evaluators.hpp"
#include "search/core/ledger.hpp"

namespace placer {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr double kOverflowWeight = 10;   // 10 % too much on the smallest device doubles the cost
constexpr std::size_t kTargetChunk = 8;  // placements at once while a target may end the search
constexpr double kDeadlockSeconds = 9e6;

/// `share` of what lies between `used` and `last`, counted from `used`.
std::int64_t shared_limit(std::int64_t used, std::int64_t last, double share) {
  if (last == kUnlimited) return kUnlimited;
  return used + std::llround(static_cast<double>(last - used) * share);
}

/// Whether what is scored in `order` has the scores that the run records.
bool is_asked(Order order, const Ledger& ledger) { return order == ledger.request().order; }

}  // namespace

Search::Search(Ledger& ledger, const Problem& problem, Order order, Rng rng,
               std::int64_t last_evaluation, double last_second)
    : ledger_(&ledger),
      problem_(&problem),
      order_(order),
      rng_(rng),
      evaluators_(std::make_unique<Evaluators>(
          problem, order, ledger.request().threads,
          is_asked(order, ledger) ? ledger.request().scorer : nullptr)),
      first_evaluation_(ledger.spent()),
      last_evaluation_(last_evaluation),
      first_second_(ledger.wall_seconds()),
      last_second_(last_second) {
  if (ledger.request().start) {
    start_here_ = regroup(ledger.problem(), *ledger.request().start, problem);
  }
}

Search::Search(Search&&) noexcept = default;
Search::~Search() = default;

std::int64_t Search::room(std::size_t wanted) const {
  if (ledger_->stopped(last_second_)) return 0;
  const std::int64_t left = last_evaluation_ - ledger_->spent();
  return std::clamp<std::int64_t>(left, 0, static_cast<std::int64_t>(wanted));
}

bool Search::searches_orders() const { return order_ == Order::kGiven; }

/// The score that counts.
Score Search::record(const Placement& placement, const OpOrder& order, const Score& score) {
  const bool is_best = !ledger_->has_best() || score < ledger_->best_score();
  if (is_asked(order_, *ledger_) || !is_best) {
    keep(placement, order, score);
    return score;
  }
  Schedule schedule;
  evaluators_->one(placement, {}, &schedule);
  const OpOrder ran = order_by_start(*problem_, schedule);
  if (!as_given_) as_given_ = std::make_unique<Simulator>(*problem_, Order::kGiven);
  const Score given = as_given_->evaluate(placement, ran);
  keep(placement, ran, given);
  return given;
}

void Search::keep(const Placement& placement, const OpOrder& order, const Score& score) {
  ledger_->record(*problem_, placement, order, score);
  if (own_best_ && own_best_->score <= score) return;
  own_best_ = {placement, searches_orders() ? order : OpOrder(), score};
}

template <class Simulate>
Score Search::recorded_or(Simulate simulate, const Placement& placement, const OpOrder& order) {
  const std::span<const Score> recorded = ledger_->recorded(1);
  if (recorded.empty()) return simulate();
  if (ledger_->is_proof() && is_asked(order_, *ledger_)) {
    ledger_->check_recorded(evaluators_->one(placement, order));
  }
  return recorded[0];
}

std::optional<Score> Search::evaluate(const Placement& placement, const OpOrder& order) {
  ContiguityRepair* mender = evaluators_->mender();
  return score(mender == nullptr ? placement : mender->kept(placement), order);
}

std::optional<Score> Search::score(const Placement& placement, const OpOrder& order) {
  if (room(1) == 0) return std::nullopt;
  const bool keeps_schedule = ledger_->request().keeps_schedule && is_asked(order_, *ledger_);
  Schedule schedule;
  const auto simulate = [&] {
    return evaluators_->one(placement, order, keeps_schedule ? &schedule : nullptr);
  };
  const std::int64_t best_before = ledger_->best_version();
  const Score score = record(placement, order, recorded_or(simulate, placement, order));
  if (!schedule.ops.empty() && ledger_->best_version() != best_before) {
    ledger_->keep_schedule(std::move(schedule));
  }
  ledger_->report_progress();
  return score;
}

std::optional<Schedule> Search::schedule_of(const Placement& placement, const OpOrder& order) {
  if (room(1) == 0) return std::nullopt;
  Schedule schedule;
  schedule.score = evaluators_->one(placement, order, &schedule);
  const bool is_recorded = !ledger_->recorded(1).empty() && is_asked(order_, *ledger_);
  if (is_recorded) ledger_->check_recorded(schedule.score);
  schedule.score = record(placement, order, schedule.score);
  ledger_->report_progress();
  return schedule;
}

std::optional<Score> Search::evaluate_proposal(const Walk& walk, Picoseconds most_ps) {
  if (room(1) == 0) return std::nullopt;
  most_ps = known_until(most_ps);
  const OpOrder& order = walk.order_.proposed();
  const auto simulate = [&] {
    return order.empty() ? evaluators_->moved(walk.number_, walk.current_, walk.proposed_,
                                              walk.moves_, most_ps)
                         : evaluators_->within(most_ps, walk.proposed_, order);
  };
  const Score score = record(walk.proposed_, order, recorded_or(simulate, walk.proposed_, order));
  ledger_->report_progress();
  return score;
}

std::vector<Score> Search::evaluate_all(std::span<const Placement> placements,
                                        std::span<const OpOrder> orders) {
  std::vector<Placement> kept;
  if (ContiguityRepair* mender = evaluators_->mender()) {
    for (const Placement& placement : placements) kept.push_back(mender->kept(placement));
    placements = kept;
  }
  if (!ledger_->request().budget.target_ps) return evaluate_chunk(placements, orders);
  std::vector<Score> scores;
  while (scores.size() < placements.size()) {
    const auto rest = placements.subspan(scores.size());
    const auto chunk = rest.first(std::min(kTargetChunk, rest.size()));
    const std::vector<Score> more = evaluate_chunk(
        chunk, orders.empty() ? orders : orders.subspan(scores.size(), chunk.size()));
    scores.insert(scores.end(), more.begin(), more.end());
    if (more.size() < chunk.size()) break;
  }
  return scores;
}

std::vector<Score> Search::evaluate_chunk(std::span<const Placement> placements,
                                          std::span<const OpOrder> orders) {
  const bool must_answer = ledger_->must_answer();
  const auto count = static_cast<std::size_t>(room(placements.size()));
  const std::span<const Score> recorded = ledger_->recorded(count);
  const std::size_t known = recorded.size();
  std::vector<Score> scores(recorded.begin(), recorded.end());
  if (known > 0 && is_asked(order_, *ledger_)) {
    ledger_->check_recorded(evaluators_->one(placements[known - 1], order_at(orders, known - 1)),
                            known - 1);
  }
  const std::vector<Score> more =
      evaluators_->all(placements.first(count).subspan(known),
                       orders.empty() ? orders : orders.subspan(known), [&](std::size_t index) {
                         return !(must_answer && known + index == 0) &&
                                (ledger_->interrupted() || ledger_->wall_seconds() >= last_second_);
                       });
  scores.insert(scores.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = record(placements[i], order_at(orders, i), scores[i]);
    if (ledger_->target_reached()) scores.resize(i + 1);
  }
  ledger_->report_progress();
  return scores;
}

bool Search::spent() const { return room(1) == 0; }

double Search::progress() const {
  const double evaluations =
      static_cast<double>(ledger_->spent() - first_evaluation_) /
      std::max(1.0, static_cast<double>(last_evaluation_ - first_evaluation_));
  const double seconds = std::isinf(last_second_) ? 0.0
                                                  : (ledger_->wall_seconds() - first_second_) /
                                                        (last_second_ - first_second_);
  return std::clamp(std::max(evaluations, seconds), 0.0, 1.0);
}

std::int64_t Search::evaluations_left() const {
  return std::max<std::int64_t>(0, last_evaluation_ - ledger_->spent());
}

const Observer& Search::observer() const { return ledger_->request().observer; }

bool Search::hears_updates() const {
  return ledger_->request().keeps_updates || observer().hears(EventLevel::kDebug);
}

void Search::keep_update(const LearnerUpdate& update) { ledger_->keep_update(update); }

std::int64_t Search::evaluations() const { return ledger_->evaluations(); }

double Search::wall_seconds() const { return ledger_->wall_seconds(); }

const Placement* Search::start() const { return start_here_ ? &*start_here_ : nullptr; }

const Placement* Search::best() const {
  if (!ledger_->has_best()) return nullptr;
  if (best_here_version_ != ledger_->best_version()) {
    best_here_ = regroup(ledger_->problem(), ledger_->best(), *problem_);
    best_here_version_ = ledger_->best_version();
  }
  return best_here_ ? &*best_here_ : nullptr;
}

const OpOrder& Search::start_order() const { return ledger_->request().start_order; }

const OpOrder& Search::best_order() const { return ledger_->best_order(); }

Score Search::best_score() const { return ledger_->best_score(); }

double Search::cost_seconds(const Score& score) const {
  if (score == Score::deadlock()) return kDeadlockSeconds;
  if (score.fits()) return to_seconds(score.step_ps);
  double capacity_bytes = std::numeric_limits<double>::infinity();
  for (const Device& device : problem_->topology().devices()) {
    if (device.memory_bytes == 0) continue;
    capacity_bytes = std::min(capacity_bytes, static_cast<double>(device.memory_bytes));
  }
  const auto overflow_bytes = static_cast<double>(score.overflow_bytes);
  const double over =
      std::isinf(capacity_bytes) && score.overflow_bytes > 0 ? 1 : overflow_bytes / capacity_bytes;
  const double astray =
      static_cast<double>(score.astray_ops) / static_cast<double>(problem_->op_count());
  return to_seconds(score.step_ps) * (1 + kOverflowWeight * (over + astray));
}

const LowerBounds* Search::known_bounds() const {
  return problem_ == &ledger_->problem() ? ledger_->request().bounds : nullptr;
}

bool Search::begins_with_single_devices() const {
  return ledger_->request().additions.single_devices;
}
void Search::count_as_samples(bool counts) { ledger_->count_as_samples(counts); }

void Search::claim_optimal() {
  // A proof for merged groups says nothing about the problem's own groups.
  if (problem_->groups().size() == ledger_->problem().groups().size()) ledger_->claim_optimal();
}

void Search::know_bound(Picoseconds bound_ps) {
  if (problem_->groups().size() == ledger_->problem().groups().size()) {
    ledger_->know_bound(bound_ps);
  }
}

void Search::claim_own_limit() { ledger_->claim_own_limit(); }

void Search::count_work(std::int64_t evaluations) { ledger_->count_work(evaluations); }

bool Search::limited() const { return last_evaluation_ != kUnlimited || !std::isinf(last_second_); }

const Policy* Search::policy() const { return ledger_->request().policy_in; }

void Search::keep_policy(Policy policy) {
  policy.devices = problem_->device_count();
  ledger_->keep_policy(std::move(policy));
}

void Search::claim_schedule(Picoseconds step_ps) { ledger_->claim_schedule(step_ps); }

Search Search::part(double share) { return part(share, *problem_); }

Search Search::part(double share, const Problem& regrouped) {
  const double now = ledger_->wall_seconds();
  return Search(*ledger_, regrouped, order_, rng_.stream("part", parts_++),
                shared_limit(ledger_->spent(), last_evaluation_, share),
                now + (last_second_ - now) * share);
}

Search Search::part_of(std::int64_t evaluations) {
  return Search(*ledger_, *problem_, order_, rng_.stream("part", parts_++),
                ledger_->spent() + std::min(evaluations, evaluations_left()), last_second_);
}

Search Search::part_under(Order order) {
  return Search(*ledger_, *problem_, order, rng_.stream("part", parts_++), last_evaluation_,
                last_second_);
}

}  // namespace placer
