#include "nn/product.hpp"

#include <algorithm>
#include <array>

#include "nn/vectorized.hpp"

namespace placer::nn {
namespace {

constexpr Index kDepth = 256;  // of a block; part of the result's definition
constexpr Index kRows = 64;    // of a block
constexpr Index kStrip = 4;    // rows at once

constexpr Index kWidest = 8;  // columns at once

template <class Vector>
inline constexpr Index kPanel = 2 * sizeof(Vector) / sizeof(double);

/// Blocks of `a`, in strips of kStrip rows, and of `b`, each element beside its neighbours in use.
struct Packed {
  alignas(64) std::array<double, kRows * kDepth> a;
  alignas(64) std::array<double, kWidest * kDepth> b;
};

PLACER_INLINE void pack_rows(double* to, const Operand& a, Index rows, Index depth) {
  for (Index strip = 0; strip < rows; strip += kStrip) {
    for (Index i = 0; i < kStrip; ++i) {
      const bool inside = strip + i < rows;
      const double* from = a.data + (strip + i) * a.row_step;
      for (Index k = 0; k < depth; ++k) {
        to[k * kStrip + i] = inside ? from[k * a.column_step] : 0.0;
      }
    }
    to += kStrip * depth;
  }
}

template <Index panel>
PLACER_INLINE void pack_columns(double* to, const Operand& b, Index columns, Index depth) {
  for (Index k = 0; k < depth; ++k, to += panel) {
    const double* from = b.data + k * b.row_step;
    for (Index j = 0; j < panel; ++j) to[j] = j < columns ? from[j * b.column_step] : 0.0;
  }
}

template <class Vector>
PLACER_INLINE void add_tile(double* tile, const double* a, const double* b, Index depth) {
  constexpr Index lanes = sizeof(Vector) / sizeof(double);
  Vector left[kStrip] = {}, right[kStrip] = {};
  for (Index k = 0; k < depth; ++k, a += kStrip, b += 2 * lanes) {
    Vector b_left, b_right;
    load(b_left, b);
    load(b_right, b + lanes);
    for (Index i = 0; i < kStrip; ++i) {
      left[i] += a[i] * b_left;
      right[i] += a[i] * b_right;
    }
  }
  for (Index i = 0; i < kStrip; ++i) {
    store(tile + i * 2 * lanes, left[i]);
    store(tile + i * 2 * lanes + lanes, right[i]);
  }
}

template <class Vector>
PLACER_INLINE void add_block(double* c, Index c_step, const Packed& packed, Index rows,
                             Index columns, Index depth) {
  constexpr Index panel = kPanel<Vector>;
  alignas(64) double tile[kStrip * panel];
  for (Index strip = 0; strip < rows; strip += kStrip) {
    add_tile<Vector>(tile, packed.a.data() + strip * depth, packed.b.data(), depth);
    for (Index i = 0; i < std::min(kStrip, rows - strip); ++i) {
      double* to = c + (strip + i) * c_step;
      for (Index j = 0; j < columns; ++j) to[j] += tile[i * panel + j];
    }
  }
}

template <class Vector>
PLACER_INLINE void add_product_with(double* c, const Operand& a, const Operand& b, Index rows,
                                    Index columns, Index depth) {
  constexpr Index panel = kPanel<Vector>;
  Packed packed;
  for (Index k = 0; k < depth; k += kDepth) {
    const Index deep = std::min(kDepth, depth - k);
    for (Index i = 0; i < rows; i += kRows) {
      const Index high = std::min(kRows, rows - i);
      const double* a_block = a.data + i * a.row_step + k * a.column_step;
      pack_rows(packed.a.data(), {a_block, a.row_step, a.column_step}, high, deep);
      for (Index j = 0; j < columns; j += panel) {
        const Index wide = std::min(panel, columns - j);
        const double* b_block = b.data + k * b.row_step + j * b.column_step;
        pack_columns<panel>(packed.b.data(), {b_block, b.row_step, b.column_step}, wide, deep);
        add_block<Vector>(c + i * columns + j, columns, packed, high, wide, deep);
      }
    }
  }
}

PLACER_AVX2 void add_product_avx2(double* c, const Operand& a, const Operand& b, Index rows,
                                  Index columns, Index depth) {
  add_product_with<Four>(c, a, b, rows, columns, depth);
}

}  // namespace

void add_product(double* c, const Operand& a, const Operand& b, Index rows, Index columns,
                 Index depth) {
  if (has_avx2()) {
    add_product_avx2(c, a, b, rows, columns, depth);
  } else {
    add_product_with<Two>(c, a, b, rows, columns, depth);
  }
}

}  // namespace placer::nn
