#include "nn/product.hpp"

#include <algorithm>

#include "nn/vectorized.hpp"

namespace placer::nn {
namespace {

constexpr Index kDepth = Packed::kDepth;
constexpr Index kPanel = 8;  // columns at once
constexpr Index kGrain = 4;  // a panel's columns are a multiple of this

Index padded(Index columns) { return (columns + kGrain - 1) / kGrain * kGrain; }

/// One panel of one block: `width` columns of `depth` rows.
struct Panel {
  double* data;
  Index width, depth;
};

Panel panel_of(const Packed& packed, Index row, Index column) {
  const Index wide = padded(packed.columns), block = row / kDepth * kDepth;
  const Index depth = std::min(kDepth, packed.rows - block);
  return {packed.data + block * wide + column * depth, std::min(kPanel, wide - column), depth};
}

/// Rows at once: as many sums as there are registers for.
template <class Vector>
inline constexpr Index kStrip = sizeof(Vector) == 32 ? 6 : 2;

/// The sums of `kHigh` rows of `a` with a panel, kVectors vectors wide, onto the first `rows` rows
/// and `columns` columns of c. Unrolled by force: or the compiler keeps the sums in memory.
template <class Vector, Index kHigh, Index kVectors>
PLACER_INLINE void add_tile(double* c, Index c_step, const Operand& a, const Panel& b, Index rows,
                            Index columns) {
  constexpr Index lanes = sizeof(Vector) / sizeof(double);
  const double* row_of[kHigh];
  for (Index i = 0; i < kHigh; ++i) row_of[i] = a.data + std::min(i, rows - 1) * a.row_step;
  for (Index i = 0; i < std::min(kHigh, rows); ++i) __builtin_prefetch(c + i * c_step, 1);
  Vector sums[kHigh][kVectors] = {};
  const double* from = b.data;
  for (Index k = 0, at = 0; k < b.depth; ++k, at += a.column_step, from += kVectors * lanes) {
    Vector right[kVectors];
#pragma GCC unroll 16
    for (Index j = 0; j < kVectors; ++j) load(right[j], from + j * lanes);
#pragma GCC unroll 16
    for (Index i = 0; i < kHigh; ++i) {
      const double left = row_of[i][at];
#pragma GCC unroll 16
      for (Index j = 0; j < kVectors; ++j) sums[i][j] += left * right[j];
    }
  }
#pragma GCC unroll 16
  for (Index i = 0; i < kHigh; ++i) {
    if (i >= rows) break;
    double* to = c + i * c_step;
#pragma GCC unroll 16
    for (Index j = 0; j < kVectors; ++j, to += lanes) {
      if (columns - j * lanes >= lanes) {
        add_to(to, sums[i][j]);
      } else {
        double rest[lanes];
        store(rest, sums[i][j]);
        for (Index lane = 0; lane < columns - j * lanes; ++lane) to[lane] += rest[lane];
      }
    }
  }
}

template <class Vector, Index kHigh, Index kVectors>
PLACER_INLINE void add_strip(double*& c, Index c_step, Operand& a, const Panel& b, Index& rows,
                             Index columns) {
  add_tile<Vector, kHigh, kVectors>(c, c_step, a, b, rows, columns);
  rows -= kHigh;
  c += kHigh * c_step;
  a.data += kHigh * a.row_step;
}

template <class Vector, Index kColumns>
PLACER_INLINE void add_panel(double* c, Index c_step, Operand a, const Panel& b, Index rows,
                             Index columns) {
  constexpr Index vectors = kColumns * sizeof(double) / sizeof(Vector);
  while (rows >= kStrip<Vector>) {
    add_strip<Vector, kStrip<Vector>, vectors>(c, c_step, a, b, rows, columns);
  }
  while (rows > 1) add_strip<Vector, 4, vectors>(c, c_step, a, b, rows, columns);
  if (rows == 1) add_strip<Vector, 1, vectors>(c, c_step, a, b, rows, columns);
}

template <class Vector>
PLACER_INLINE void add_product_with(double* c, const Operand& a, const Packed& b, Index rows) {
  for (Index k = 0; k < b.rows; k += kDepth) {
    const Operand left = {a.data + k * a.column_step, a.row_step, a.column_step};
    for (Index j = 0; j < b.columns; j += kPanel) {
      const Panel panel = panel_of(b, k, j);
      const Index columns = std::min(kPanel, b.columns - j);
      if (panel.width == kPanel) {
        add_panel<Vector, kPanel>(c + j, b.columns, left, panel, rows, columns);
      } else {
        add_panel<Vector, kGrain>(c + j, b.columns, left, panel, rows, columns);
      }
    }
  }
}

PLACER_AVX2 void add_product_avx2(double* c, const Operand& a, const Packed& b, Index rows) {
  add_product_with<Four>(c, a, b, rows);
}

}  // namespace

std::size_t Packed::size(Index rows, Index columns) {
  return static_cast<std::size_t>(rows * padded(columns));
}

void pack_rows(const Operand& b, Index first, Index count, const Packed& to) {
  for (Index row = first; row < first + count;) {
    const Index rows = std::min(kDepth - row % kDepth, first + count - row);
    for (Index column = 0; column < to.columns; column += kPanel) {
      const Panel panel = panel_of(to, row, column);
      const Index filled = std::min(panel.width, to.columns - column);
      const double* from = b.data + (row - first) * b.row_step + column * b.column_step;
      double* into = panel.data + row % kDepth * panel.width;
      for (Index k = 0; k < rows; ++k, from += b.row_step, into += panel.width) {
        for (Index j = 0; j < filled; ++j) into[j] = from[j * b.column_step];
        for (Index j = filled; j < panel.width; ++j) into[j] = 0;
      }
    }
    row += rows;
  }
}

void add_product(double* c, const Operand& a, const Packed& b, Index rows) {
  has_avx2() ? add_product_avx2(c, a, b, rows) : add_product_with<Two>(c, a, b, rows);
}

}  // namespace placer::nn
