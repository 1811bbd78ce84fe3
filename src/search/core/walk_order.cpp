#include "placer/search/walk_order.hpp"

#include <algorithm>
#include <cassert>

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

}  // namespace placer
