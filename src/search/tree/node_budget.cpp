#include "search/tree/node_budget.hpp"

#include <algorithm>

namespace placer {

std::int64_t NodeBudget::left(std::int64_t per_evaluation) const {
  if (search_ == nullptr) return left_;
  const std::int64_t evaluations = search_->evaluations_left();
  if (evaluations > left_ / per_evaluation) return left_;
  return std::min(left_, evaluations * per_evaluation - uncounted_);
}

void NodeBudget::take(std::int64_t nodes, std::int64_t per_evaluation) {
  left_ -= nodes;
  taken_ += nodes;
  if (search_ == nullptr) return;
  uncounted_ += nodes;
  search_->count_work(uncounted_ / per_evaluation);
  uncounted_ %= per_evaluation;
}

}  // namespace placer
