#pragma once

#include "nn/matrix.hpp"

namespace placer::nn {

/// A matrix to read, or its transpose: element (i, j) lies at data[i * row_step + j * column_step].
struct Operand {
  const double* data;
  Index row_step, column_step;
};
inline Operand plain(const double* data, Index columns) { return {data, columns, 1}; }
inline Operand transposed(const double* data, Index columns) { return {data, 1, columns}; }

/// c += a b, where c is rows x columns, row-major, and a has `depth` columns. Each element sums its
/// products in order of depth, in blocks of a fixed length, without fused multiply-add: the same
/// bits on every machine, whatever its caches and vector registers (Eigen's own product chooses its
/// blocks by the sizes of the caches).
void add_product(double* c, const Operand& a, const Operand& b, Index rows, Index columns,
                 Index depth);

}  // namespace placer::nn
