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

/// The right factor of products, as they read it: blocks of rows, each in panels of columns.
struct Packed {
  static constexpr Index kDepth = 256;  // rows of a block; part of the result's definition
  double* data;                         // size(rows, columns) doubles, best 32-byte aligned
  Index rows, columns;
  static std::size_t size(Index rows, Index columns);
};
/// Writes `count` rows of `b` to rows `first` ... of `to`.
void pack_rows(const Operand& b, Index first, Index count, const Packed& to);

/// c += a b, where c is rows x b.columns, row-major. Each element sums its products in order of
/// depth, in blocks of a fixed length, without fused multiply-add: the same bits on every machine,
/// whatever its caches, vector registers and threads (Eigen's own product chooses its blocks by the
/// sizes of the caches). The columns of large products, or their rows where those are more, are
/// shared out to the threads of the arena that the caller runs in.
void add_product(double* c, const Operand& a, const Packed& b, Index rows);
/// The same onto a c of zeros, which it need not be.
void set_product(double* c, const Operand& a, const Packed& b, Index rows);

}  // namespace placer::nn
