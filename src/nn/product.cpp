#include "nn/product.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "nn/vectorized.hpp"

namespace placer::nn {
namespace {

constexpr Index kDepth = Packed::kDepth;
constexpr Index kPanel = 8;  // columns at once
constexpr Index kGrain = 4;  // a panel's columns are a multiple of this
// Multiplications that are worth a thread of their own: some 20 microseconds of them.
constexpr Index kPart = 1 << 19;

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

/// The left factor and the result of a product.
struct Rows {
  double* c;
  Index c_step;
  Operand a;
  Index count;
};

/// The sums of kHigh rows from `first` on with a panel, kVectors vectors wide, onto the first
/// `columns` columns of c. Unrolled by force: or the compiler keeps the sums in memory.
template <class Vector, Index kHigh, Index kVectors>
PLACER_INLINE void add_tile(const Rows& rows, Index first, const Panel& b, Index columns) {
  constexpr Index lanes = sizeof(Vector) / sizeof(double);
  const Index high = std::min(kHigh, rows.count - first);
  double* const c = rows.c + first * rows.c_step;
  const double* row_of[kHigh];
  for (Index i = 0; i < kHigh; ++i) {
    const Index row = std::min(i, high - 1);
    row_of[i] = rows.a.data + (first + row) * rows.a.row_step;
    __builtin_prefetch(c + row * rows.c_step, 1);
  }
  Vector sums[kHigh][kVectors] = {};
  const double* from = b.data;
  for (Index k = 0, at = 0; k < b.depth; ++k, at += rows.a.column_step, from += kVectors * lanes) {
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
    if (i >= high) break;
    double* to = c + i * rows.c_step;
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

template <class Vector, Index kColumns>
PLACER_INLINE void add_panel(const Rows& rows, const Panel& b, Index columns) {
  constexpr Index vectors = kColumns * sizeof(double) / sizeof(Vector), strip = kStrip<Vector>;
  Index first = 0;
  for (; first + strip <= rows.count; first += strip) {
    add_tile<Vector, strip, vectors>(rows, first, b, columns);
  }
  for (; first + 1 < rows.count; first += 4) add_tile<Vector, 4, vectors>(rows, first, b, columns);
  if (first + 1 == rows.count) add_tile<Vector, 1, vectors>(rows, first, b, columns);
}

/// Neighbouring columns of a product, from `first`, which begins a panel, to `last`.
struct Columns {
  Index first, last;
};

template <class Vector>
PLACER_INLINE void add_product_with(double* c, const Operand& a, const Packed& b, Index rows,
                                    Columns of) {
  for (Index k = 0; k < b.rows; k += kDepth) {
    const Operand left = {a.data + k * a.column_step, a.row_step, a.column_step};
    for (Index j = of.first; j < of.last; j += kPanel) {
      const Rows onto = {c + j, b.columns, left, rows};
      const Panel panel = panel_of(b, k, j);
      const Index columns = std::min(kPanel, b.columns - j);
      if (panel.width == kPanel) {
        add_panel<Vector, kPanel>(onto, panel, columns);
      } else {
        add_panel<Vector, kGrain>(onto, panel, columns);
      }
    }
  }
}

PLACER_AVX2 void add_product_avx2(double* c, const Operand& a, const Packed& b, Index rows,
                                  Columns of) {
  add_product_with<Four>(c, a, b, rows, of);
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
  const auto add_columns = [&](Columns of) {
    has_avx2() ? add_product_avx2(c, a, b, rows, of) : add_product_with<Two>(c, a, b, rows, of);
  };
  const Index panels = (b.columns + kPanel - 1) / kPanel, of_panel = rows * b.rows * kPanel;
  const Index part = of_panel == 0 ? panels : std::max<Index>(kPart / of_panel, 1);
  if (panels < 2 * part) return add_columns({0, b.columns});
  const tbb::blocked_range<Index> all(0, panels, static_cast<std::size_t>(part));
  tbb::parallel_for(all, [&](const auto& range) {
    add_columns({range.begin() * kPanel, std::min(range.end() * kPanel, b.columns)});
  });
}

}  // namespace placer::nn
