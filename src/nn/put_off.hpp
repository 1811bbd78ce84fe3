#pragma once

#include <cstdint>
#include <vector>

#include "nn/functions.hpp"
#include "nn/matrix.hpp"

namespace placer::nn {

/// a^T c, to be added to a gradient.
struct TransposedProduct {
  std::uint32_t to;  // the number of its node
  Index rows;
  const double *a, *c;  // rows x the gradient's rows, rows x its columns
};

/// The sum of the rows of `from`, to be added to a gradient of one row.
struct RowSums {
  double* to;
  const double* from;
  Index rows, columns;
  void add() const {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) to[j] += from[i * columns + j];
    }
  }
};

/// What a tape's backward pass leaves to do for nodes that it has borrowed, in the order it came to
/// it.
struct PutOff {
  std::vector<TransposedProduct> products;
  std::vector<RowSums> row_sums;
  std::vector<ScoreDerivatives> scores;
  void clear() {
    products.clear();
    row_sums.clear();
    scores.clear();
  }
};

}  // namespace placer::nn
