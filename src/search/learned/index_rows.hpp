#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/operations.hpp"

namespace placer {

/// Rows of column indices, perhaps with weights, for a sparse matrix to read. They can be had as
/// several copies below each other, each over its own copy of the columns.
class IndexRows {
 public:
  void add_row(std::span<const std::uint32_t> columns, std::span<const double> weights = {});
  /// The matrix over `copies` copies of the `columns` columns; valid until the next call with more.
  nn::Sparse copies(std::size_t copies, std::size_t columns);

 private:
  std::vector<nn::Index> offsets_ = {0}, columns_;
  std::vector<double> weights_;
  std::size_t rows_ = 0, made_ = 1;
};

}  // namespace placer
