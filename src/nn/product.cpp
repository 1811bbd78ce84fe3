#include "nn/product.hpp"

#include <algorithm>

#include "nn/product_kernel.hpp"
#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

Index panels(const Packed& packed) { return (packed.columns + kPanel - 1) / kPanel; }

/// Writes `rows` rows of `b` from its row `from_row` on to those from `row` on of the panel at
/// `column`; all are of one block.
void pack_panel(const Operand& b, Index from_row, Index rows, const Packed& to, Index row,
                Index column) {
  const Panel panel = panel_of(to, row, column);
  const Index filled = std::min(panel.width, to.columns - column);
  const double* from = b.data + from_row * b.row_step + column * b.column_step;
  double* into = panel.data + row % Packed::kDepth * panel.width;
  for (Index k = 0; k < rows; ++k, from += b.row_step, into += panel.width) {
    for (Index j = 0; j < filled; ++j) into[j] = from[j * b.column_step];
    for (Index j = filled; j < panel.width; ++j) into[j] = 0;
  }
}

/// The larger side of c is shared out: whole panels of columns, or rows. A panel of few rows takes
/// as long as it takes to come from memory.
void run_product(double* c, const Operand& a, const Packed& b, Index rows, bool onto) {
  if (rows <= b.columns) {
    share_out(panels(b), std::max(rows, kMove) * b.rows * kPanel, [&](Index first, Index last) {
      const Columns of = {first * kPanel, std::min(last * kPanel, b.columns)};
      run_widest<ProductKernel>(c, a, b, rows, of, onto);
    });
    return;
  }
  constexpr Index kRows = 12;  // a multiple of those that kernels take at once
  share_out((rows + kRows - 1) / kRows, kRows * b.rows * b.columns, [&](Index first, Index last) {
    const Index row = first * kRows, count = std::min(last * kRows, rows) - row;
    const Operand part = {a.data + row * a.row_step, a.row_step, a.column_step};
    run_widest<ProductKernel>(c + row * b.columns, part, b, count, Columns{0, b.columns}, onto);
  });
}

}  // namespace

std::size_t Packed::size(Index rows, Index columns) {
  return static_cast<std::size_t>(rows * padded(columns));
}

void pack_rows(const Operand& b, Index first, Index count, const Packed& to) {
  for (Index row = first; row < first + count;) {
    const Index rows = std::min(Packed::kDepth - row % Packed::kDepth, first + count - row);
    share_out(panels(to), rows * kPanel * kMove, [&](Index begin, Index end) {
      for (Index panel = begin; panel < end; ++panel) {
        pack_panel(b, row - first, rows, to, row, panel * kPanel);
      }
    });
    row += rows;
  }
}

void add_product(double* c, const Operand& a, const Packed& b, Index rows) {
  run_product(c, a, b, rows, true);
}

void set_product(double* c, const Operand& a, const Packed& b, Index rows) {
  if (b.rows == 0) std::fill_n(c, rows * b.columns, 0.0);
  run_product(c, a, b, rows, false);
}

}  // namespace placer::nn
