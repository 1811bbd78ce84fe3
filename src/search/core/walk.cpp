// Walks: what is current, what was proposed last, and the orders of both.
#include <algorithm>
#include <cassert>

#include "placer/search/search.hpp"
#include "placer/search/walk_order.hpp"
#include "search/core/evaluators.hpp"
#include "search/core/ledger.hpp"

namespace placer {

WalkOrder::WalkOrder(const Problem& problem, OpOrder order)
    : graph_(&problem.graph()), current_(std::move(order)), proposed_(current_) {
  assert(current_.empty() || current_.size() == problem.op_count());
  position_.resize(current_.size());
  for (std::size_t at = 0; at < current_.size(); ++at) position_[current_[at].index()] = at;
  proposed_position_ = position_;
}

void WalkOrder::propose(std::span<const OpShift> shifts) {
  for (std::size_t at = first_; at < end_; ++at) {
    proposed_[at] = current_[at];
    proposed_position_[current_[at].index()] = at;
  }
  first_ = end_ = 0;
  if (current_.empty()) return;
  for (const OpShift& wanted : shifts) shift(wanted);
}

void WalkOrder::accept() {
  for (std::size_t at = first_; at < end_; ++at) {
    current_[at] = proposed_[at];
    position_[current_[at].index()] = at;
  }
  first_ = end_ = 0;
}

void WalkOrder::shift(const OpShift& wanted) {
  const std::size_t from = proposed_position_[wanted.op.index()];
  std::size_t lowest = 0, highest = proposed_.size() - 1;
  for (const TensorId input : graph_->inputs(wanted.op)) {
    lowest = std::max(lowest, proposed_position_[graph_->tensor(input).producer.index()] + 1);
  }
  for (const TensorId output : graph_->outputs(wanted.op)) {
    for (const OpId consumer : graph_->tensor(output).consumers) {
      highest = std::min(highest, proposed_position_[consumer.index()] - 1);
    }
  }
  const std::size_t to = std::clamp(wanted.position, lowest, highest);
  if (to == from) return;
  const auto begin = proposed_.begin();
  const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
  if (to < from) {
    std::rotate(at(to), at(from), at(from + 1));
  } else {
    std::rotate(at(from), at(from + 1), at(to + 1));
  }
  const auto [low, high] = std::minmax(from, to);
  for (std::size_t i = low; i <= high; ++i) proposed_position_[proposed_[i].index()] = i;
  first_ = first_ == end_ ? low : std::min(first_, low);
  end_ = std::max(end_, high + 1);
}

std::optional<Walk> Search::walk(Placement start, OpOrder order) {
  if (room(1) == 0) return std::nullopt;
  if (!searches_orders()) order.clear();
  if (best() != nullptr && *best() == start && best_order() == order) {
    return Walk(*this, std::move(start), std::move(order), best_score());
  }
  const std::optional<Score> found = score(start, order);
  if (!found) return std::nullopt;
  return Walk(*this, std::move(start), std::move(order), *found);
}

std::optional<Walk> Search::contiguous_walk(Placement start, OpOrder order) {
  std::optional<Walk> made = walk(std::move(start), std::move(order));
  if (made) made->repair_ = evaluators_->repair();
  return made;
}

Picoseconds Search::known_until(Picoseconds most_ps) const {
  if (!own_best_) return kAnyTime;
  return std::max(ledger_->known_until(most_ps), own_best_->score.longest_as_good());
}

Walk::Walk(Search& search, Placement start, OpOrder order, Score score)
    : search_(&search),
      number_(search.walks_++),
      order_(search.problem(), std::move(order)),
      current_(std::move(start)),
      proposed_(current_),
      score_(score),
      proposed_score_(score) {}

std::optional<Score> Walk::propose(std::span<const Move> moves, std::span<const OpShift> shifts,
                                   Picoseconds most_ps) {
  order_.propose(shifts);
  for (const Move& move : moves_) proposed_[move.group] = current_[move.group];
  moves_.assign(moves.begin(), moves.end());
  if (repair_ != nullptr) repair_->repair(current_, moves_);
  for (const Move& move : moves_) proposed_[move.group] = move.device;
  const std::optional<Score> score = search_->evaluate_proposal(*this, most_ps);
  if (score) proposed_score_ = *score;
  return score;
}

void Walk::accept() {
  search_->evaluators_->accepted(number_);
  for (const Move& move : moves_) current_[move.group] = proposed_[move.group];
  moves_.clear();
  order_.accept();
  score_ = proposed_score_;
}

}  // namespace placer
