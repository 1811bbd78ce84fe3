#include "search/learned/index_rows.hpp"

namespace placer {

void IndexRows::add_row(std::span<const std::uint32_t> columns, std::span<const double> weights) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  weights_.insert(weights_.end(), weights.begin(), weights.end());
  offsets_.push_back(static_cast<nn::Index>(columns_.size()));
  ++rows_;
}

nn::Sparse IndexRows::copies(std::size_t copies, std::size_t columns) {
  const std::size_t entries = columns_.size() / made_, weights = weights_.size() / made_;
  for (; made_ < copies; ++made_) {
    for (std::size_t row = 0; row < rows_; ++row) {
      offsets_.push_back(offsets_[row + 1] + static_cast<nn::Index>(made_ * entries));
    }
    for (std::size_t i = 0; i < entries; ++i) {
      columns_.push_back(columns_[i] + static_cast<nn::Index>(made_ * columns));
    }
    for (std::size_t i = 0; i < weights; ++i) weights_.push_back(weights_[i]);
  }
  return {std::span(offsets_).first(copies * rows_ + 1),
          std::span(columns_).first(copies * entries), std::span(weights_).first(copies * weights)};
}

}  // namespace placer
