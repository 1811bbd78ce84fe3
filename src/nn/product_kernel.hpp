#pragma once

#include <algorithm>
#include <type_traits>

#include "nn/product.hpp"
#include "nn/vectorized.hpp"

namespace placer::nn {

inline constexpr Index kPanel = 8;  // columns at once
inline constexpr Index kGrain = 4;  // a panel's columns are a multiple of this

inline Index padded(Index columns) { return (columns + kGrain - 1) / kGrain * kGrain; }

/// One panel of one block: `width` columns of `depth` rows.
struct Panel {
  double* data;
  Index width, depth;
};

inline Panel panel_of(const Packed& packed, Index row, Index column) {
  const Index wide = padded(packed.columns), block = row / Packed::kDepth * Packed::kDepth;
  const Index depth = std::min(Packed::kDepth, packed.rows - block);
  return {packed.data + block * wide + column * depth, std::min(kPanel, wide - column), depth};
}

// A tile's sums stay in registers; those of 512 bits are twice as many, so that two panels go
// together there, for which each number of the left factor is read once.
template <class Vector>
inline constexpr Index kStrip = sizeof(Vector) == 64   ? 12
                                : sizeof(Vector) == 32 ? 6
                                                       : 2;
template <class Vector>
inline constexpr Index kTogether = sizeof(Vector) == 64 ? 2 : 1;

/// The left factor and the result of a product.
struct Rows {
  double* c;
  Index c_step;
  Operand a;
  Index count;
  bool onto;  // what c holds
};

/// The sums of kHigh rows from `first` on with kPanels panels, each kVectors vectors wide, onto the
/// first `columns` columns of c. Unrolled by force: or the compiler keeps the sums in memory.
template <class Vector, Index kHigh, Index kVectors, Index kPanels>
PLACER_INLINE void add_tile(const Rows& rows, Index first, const Panel& b, Index columns) {
  constexpr Index lanes = sizeof(Vector) / sizeof(double), wide = kVectors * kPanels;
  const Index high = std::min(kHigh, rows.count - first);
  double* const c = rows.c + first * rows.c_step;
  const double* row_of[kHigh];
  for (Index i = 0; i < kHigh; ++i) {
    const Index row = std::min(i, high - 1);
    row_of[i] = rows.a.data + (first + row) * rows.a.row_step;
    __builtin_prefetch(c + row * rows.c_step, 1);
  }
  Vector sums[kHigh][wide] = {};
  const double* from = b.data;
  const Index panel = b.depth * kVectors * lanes;
  for (Index k = 0, at = 0; k < b.depth; ++k, at += rows.a.column_step, from += kVectors * lanes) {
    Vector right[wide];
#pragma GCC unroll 16
    for (Index j = 0; j < wide; ++j) {
      load(right[j], from + j / kVectors * panel + j % kVectors * lanes);
    }
#pragma GCC unroll 16
    for (Index i = 0; i < kHigh; ++i) {
      const double left = row_of[i][at];
#pragma GCC unroll 16
      for (Index j = 0; j < wide; ++j) sums[i][j] += left * right[j];
    }
  }
#pragma GCC unroll 16
  for (Index i = 0; i < kHigh; ++i) {
    if (i >= high) break;
    double* to = c + i * rows.c_step;
#pragma GCC unroll 16
    for (Index j = 0; j < wide; ++j, to += lanes) {
      if (columns - j * lanes >= lanes) {
        rows.onto ? add_to(to, sums[i][j]) : store(to, sums[i][j]);
      } else {
        double rest[lanes];
        store(rest, sums[i][j]);
        for (Index lane = 0; lane < columns - j * lanes; ++lane) {
          to[lane] = rows.onto ? to[lane] + rest[lane] : rest[lane];
        }
      }
    }
  }
}

template <class Vector, Index kColumns, Index kPanels>
PLACER_INLINE void add_panels(const Rows& rows, const Panel& b, Index columns) {
  constexpr Index vectors = kColumns * sizeof(double) / sizeof(Vector), strip = kStrip<Vector>;
  Index first = 0;
  for (; first + strip <= rows.count; first += strip) {
    add_tile<Vector, strip, vectors, kPanels>(rows, first, b, columns);
  }
  if constexpr (strip > 8) {
    for (; first + strip / 2 <= rows.count; first += strip / 2) {
      add_tile<Vector, strip / 2, vectors, kPanels>(rows, first, b, columns);
    }
  }
  for (; first + 1 < rows.count; first += 4) {
    add_tile<Vector, 4, vectors, kPanels>(rows, first, b, columns);
  }
  if (first + 1 == rows.count) add_tile<Vector, 1, vectors, kPanels>(rows, first, b, columns);
}

/// Neighbouring columns of a product, from `first`, which begins a panel, to `last`.
struct Columns {
  Index first, last;
};

/// What `add_product` does, by vectors of this type; the bits do not depend on it.
struct ProductKernel {
  template <class Vector>
  PLACER_INLINE static void run(double* c, const Operand& a, const Packed& b, Index rows,
                                Columns of, bool onto) {
    // As wide as the last panel may be.
    using Narrow = std::conditional_t<sizeof(Vector) <= sizeof(Four), Vector, Four>;
    for (Index k = 0; k < b.rows; k += Packed::kDepth) {
      const Operand left = {a.data + k * a.column_step, a.row_step, a.column_step};
      for (Index j = of.first; j < of.last;) {
        const Rows to = {c + j, b.columns, left, rows, onto || k > 0};
        const Panel panel = panel_of(b, k, j);
        constexpr Index together = kTogether<Vector> * kPanel;
        if (j + together <= of.last) {
          add_panels<Vector, kPanel, kTogether<Vector>>(to, panel, together);
          j += together;
          continue;
        }
        const Index columns = std::min(kPanel, b.columns - j);
        if (panel.width == kPanel) {
          add_panels<Vector, kPanel, 1>(to, panel, columns);
        } else {
          add_panels<Narrow, kGrain, 1>(to, panel, columns);
        }
        j += kPanel;
      }
    }
  }
};

}  // namespace placer::nn
