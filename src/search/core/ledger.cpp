#include "search/core/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "search/core/events.hpp"
#include "search/core/fingerprint.hpp"

namespace placer {
namespace {

constexpr std::size_t kRecentSamples = 100;
constexpr std::int64_t kProofs = 256;  // recorded evaluations for one that is made again

}  // namespace

Ledger::Ledger(const Problem& problem, const SearchRequest& request)
    : problem_(problem),
      request_(request),
      keeps_for_resuming_(request.keeps_scores),
      elites_(request.keeps_elites) {
  if (request.resume == nullptr) return;
  if (request.budget.seconds < std::numeric_limits<double>::infinity()) {
    throw Error("checkpoint: expected a budget in evaluations alone, found one in seconds");
  }
  if (const RequestFacts own = request_facts(problem, request); request.resume->request != own) {
    throw Error("checkpoint: expected one of this search, found one with " +
                differences(request.resume->request, own));
  }
  scores_ = request.resume->scores;
  recorded_ = scores_.size();
}

Ledger::Ledger(const Ledger& whole, const SearchRequest& request, const Problem& placed,
               const Slice& slice, const SlicesEnded& ended)
    : problem_(whole.problem_),
      request_(request),
      keeps_for_resuming_(whole.keeps_for_resuming_),
      elites_(request.keeps_elites),
      bound_ps_(whole.bound_ps_),
      ended_(ended) {
  const std::span<const Score> recorded = whole.recorded(whole.recorded_);
  scores_.assign(recorded.begin(), recorded.end());
  recorded_ = scores_.size();
  if (slice.start) take_best(placed, *slice.start);
}

double Ledger::wall_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool Ledger::interrupted() const {
  return request_.interrupt != nullptr && request_.interrupt->load(std::memory_order_relaxed);
}

bool Ledger::target_reached() const {
  return request_.budget.target_ps && best_ && best_score_.fits() &&
         best_score_.step_ps <= *request_.budget.target_ps;
}

bool Ledger::is_proven() const {
  return proven_ || (bound_ps_ && best_ && best_score_.fits() && best_score_.step_ps <= *bound_ps_);
}

void Ledger::claim_optimal() {
  proven_ = true;
  if (best_ && best_score_.fits()) bound_ps_ = best_score_.step_ps;
}

bool Ledger::must_answer() const {
  return evaluations_ == 0 && (!request_.at_hand || request_.start);
}

bool Ledger::stopped(double last_second) const {
  if (must_answer()) return false;
  if (interrupted() || wall_seconds() >= last_second) return true;
  return evaluations_ > 0 && (target_reached() || is_proven() || ended_.before_this());
}

void Ledger::record(const Problem& placed, const Placement& placement, const OpOrder& order,
                    const Score& score) {
  if (counts_as_samples_ && request_.optimizer != nullptr && request_.optimizer->info.learns) {
    collapse_.add(placed, placement);
  }
  // What an algorithm does once it is interrupted is no part of the run that goes on.
  if (count(score, !interrupted())) take_best(placed, {placement, order, score});
  if (!elites_.wants(score)) return;
  const auto own = regroup(placed, placement, problem_);
  if (own) elites_.offer({*own, request_.order == Order::kGiven ? order : OpOrder{}, score});
}

bool Ledger::count(const Score& score, bool keeps) {
  ++evaluations_;
  const bool is_next = static_cast<std::size_t>(evaluations_) == scores_.size() + 1;
  if (request_.keeps_scores && is_next && keeps) scores_.push_back(score);
  request_.observer.tell(EventLevel::kTrace, "search", [&] {
    return fmt::format("evaluation {}: {}", evaluations_, words_of(score));
  });
  if (counts_as_samples_ && (!best_sample_ || score < *best_sample_)) best_sample_ = score;
  if (!end_of_samples_ && score != Score::deadlock()) {
    if (recent_ps_.size() < kRecentSamples) recent_ps_.resize(recent_ps_.size() + 1);
    recent_ps_[samples_++ % kRecentSamples] = score.step_ps;
  }
  const bool is_first = !best_ && history_.empty();
  const bool is_better = is_first || score < best_score_;
  if (is_better) {
    best_score_ = score;
    history_.push_back({evaluations_, wall_seconds(), score});
    request_.observer.tell(EventLevel::kDebug, "search", [&] {
      return fmt::format("evaluation {}: best {} after {:.3g} s", evaluations_, words_of(score),
                         history_.back().wall_seconds);
    });
  }
  add_to_curve(score);
  return is_better;
}

void Ledger::take_best(const Problem& placed, const Candidate& best) {
  const bool same_groups =
      &placed.groups() == &problem_.groups();  // copies of a problem share them
  best_ = same_groups ? best.placement : regroup(placed, best.placement, problem_);
  if (request_.order == Order::kGiven) best_order_ = best.order;
  best_score_ = best.score;
  schedule_.reset();
}

void Ledger::absorb(const Problem& placed, const SliceEnd& end) {
  bool is_better = false;
  for (const Score& score : end.scores) is_better = count(score, !is_cut_) || is_better;
  is_cut_ = is_cut_ || end.is_cut;
  evaluations_ += end.evaluations - static_cast<std::int64_t>(end.scores.size());
  other_work_ += end.other_work;
  for (const Candidate& elite : end.elites) elites_.offer(elite);
  proven_ = proven_ || end.proven;
  if (!end.best || (!is_better && best_score_ <= end.best->score)) return;
  if (!is_better) history_.push_back({evaluations_, wall_seconds(), end.best->score});
  take_best(placed, *end.best);
}

SliceEnd Ledger::end_of_slice() const {
  SliceEnd end;
  end.evaluations = evaluations_;
  const std::size_t kept = std::min(scores_.size(), static_cast<std::size_t>(evaluations_));
  end.scores.assign(scores_.begin(), scores_.begin() + static_cast<std::ptrdiff_t>(kept));
  end.other_work = other_work_;
  end.elites = elites_.all();
  end.proven = proven_;
  end.ends_run = target_reached() || is_proven();
  end.is_cut = interrupted();
  end.wall_seconds = wall_seconds();
  return end;
}

void Ledger::add_to_curve(const Score& score) {
  if (curve_.add(score)) curve_.end_window({evaluations_, wall_seconds()}, best_score_);
}

void Ledger::end_of_samples() {
  end_of_samples_ = evaluations_;
  counts_as_samples_ = false;
}

std::span<const Score> Ledger::recorded(std::size_t most) const {
  const std::size_t done = std::min(static_cast<std::size_t>(evaluations_), recorded_);
  return std::span(scores_).first(recorded_).subspan(done, std::min(most, recorded_ - done));
}

bool Ledger::is_proof() const {
  const auto next = static_cast<std::size_t>(evaluations_) + 1;
  return next == recorded_ || evaluations_ % kProofs == 0;
}

Picoseconds Ledger::known_until(Picoseconds most_ps) const {
  if (keeps_for_resuming_ || recorded_ > 0 || !best_) return kAnyTime;
  most_ps = std::max({most_ps, best_score_.longest_as_good(), elites_.longest_wanted()});
  if (!counts_as_samples_) return most_ps;
  return best_sample_ ? std::max(most_ps, best_sample_->longest_as_good()) : kAnyTime;
}

void Ledger::check_recorded(const Score& score, std::size_t ahead) const {
  const std::size_t at = static_cast<std::size_t>(evaluations_) + ahead;
  if (score == scores_[at]) return;
  throw Error(
      fmt::format("checkpoint: expected the scores of this search, found {} for {} in "
                  "evaluation {}",
                  words_of(scores_[at]), words_of(score), at + 1));
}

std::span<const Score> Ledger::scores() const {
  return std::span(scores_).first(std::min(scores_.size(), static_cast<std::size_t>(evaluations_)));
}

void Ledger::report_progress(const SlicesAhead& ahead) const {
  if (!best_ || (!request_.on_state && !request_.on_progress)) return;
  const double seconds = wall_seconds();
  const Score& score = ahead.best != nullptr ? ahead.best->score : best_score_;
  if (request_.on_state) {
    request_.on_state({.wall_seconds = seconds,
                       .improvements = best_version(),
                       .best = ahead.best != nullptr ? ahead.best->placement : *best_,
                       .order = ahead.best != nullptr ? ahead.best->order : best_order_,
                       .score = score,
                       .scores = ahead.scores.empty() ? scores_ : ahead.scores});
  }
  if (!request_.on_progress) return;
  const double share = std::max(static_cast<double>(spent() + ahead.evaluations) /
                                    static_cast<double>(request_.budget.evaluations),
                                seconds / request_.budget.seconds);
  request_.on_progress({evaluations_ + ahead.evaluations, seconds, std::min(share, 1.0), score});
}

Stop Ledger::stop_reason() const {
  if (interrupted()) return Stop::kInterrupt;
  if (target_reached()) return Stop::kTarget;
  if (is_proven()) return Stop::kProven;
  if (spent() >= request_.budget.evaluations) return Stop::kEvaluations;
  if (wall_seconds() >= request_.budget.seconds) return Stop::kTime;
  if (out_of_memory_) return Stop::kMemory;
  if (own_limit_) return Stop::kLimit;
  return converged_ ? Stop::kConverged : Stop::kExhausted;
}

SearchResult Ledger::result(std::size_t groups) {
  SearchResult result;
  result.placement = *best_;
  result.order = best_order_;
  result.score = best_score_;
  result.schedule = std::move(schedule_);
  result.evaluations = evaluations_;
  result.wall_seconds = wall_seconds();
  result.seconds_to_best = history_.back().wall_seconds;
  double sum_seconds = 0;
  for (const Picoseconds step : recent_ps_) sum_seconds += to_seconds(step);
  if (!recent_ps_.empty()) {
    result.recent_mean_seconds = sum_seconds / static_cast<double>(recent_ps_.size());
  }
  result.best_sample = best_sample_;
  result.collapse = collapse_.collapse();
  result.schedule_ps = schedule_ps_;
  result.proven = is_proven();
  result.bound_ps = bound_ps_;
  result.history = history_;
  result.elites = elites_.all();
  if (request_.keeps_scores) result.scores = scores_;
  result.curve = curve_.points({evaluations_, result.wall_seconds}, best_score_);
  result.updates = updates_;
  result.samples = end_of_samples_.value_or(evaluations_);
  result.policy = policy_;
  if (result.policy) {
    result.policy->algorithm = request_.optimizer->name;
    result.policy->options = completed_options(request_);
  }
  result.groups = groups;
  result.stopped = stop_reason();
  return result;
}

std::optional<Placement> regroup(const Problem& from, const Placement& placement,
                                 const Problem& to) {
  Placement regrouped;
  regrouped.devices.reserve(to.groups().size());
  for (const GroupId group : IdRange<GroupId>(to.groups().size())) {
    const auto device_of = [&](OpId op) { return placement[from.groups().of(op)]; };
    const DeviceId device = device_of(to.groups().ops(group).front());
    const auto elsewhere = [&](OpId op) { return device_of(op) != device; };
    if (std::ranges::any_of(to.groups().ops(group), elsewhere)) return std::nullopt;
    regrouped.devices.push_back(device);
  }
  return regrouped;
}

}  // namespace placer
