#include "nn/tape.hpp"

#include <algorithm>
#include <cassert>

#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

/// `from` is rows x columns; `to` has a row for each of those columns, `step` apart.
void copy_transposed(const double* from, Index rows, Index columns, double* to, Index step) {
  constexpr Index kTile = 8;  // a cache line
  share_out(columns, rows * kMove, [&](Index first, Index last) {
    for (Index row = 0; row < rows; row += kTile) {
      const Index end = std::min(rows, row + kTile);
      for (Index j = first; j < last; ++j) {
        for (Index i = row; i < end; ++i) to[j * step + i] = from[i * columns + j];
      }
    }
  });
}

}  // namespace

void Tape::clear() {
  nodes_.clear();
  products_.clear();
  pieces_.clear();
  parameters_.clear();
  doubles_.clear();
  indices_.clear();
  inputs_.clear();
  put_off_.clear();
  parts_used_ = 0;
}

Node& Tape::make(Index rows, Index columns, std::span<const Var> inputs,
                 void (*back)(Tape&, const Node&)) {
  Node made;
  made.rows = rows;
  made.columns = columns;
  watch_.check(static_cast<std::size_t>(made.size()));
  made.value = doubles_.take(static_cast<std::size_t>(made.size()));
  std::uint32_t* kept = inputs_.take(inputs.size());
  bool learns = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    assert(&inputs[i].tape() == this);
    kept[i] = inputs[i].node();
    learns = learns || nodes_[kept[i]].gradient != nullptr;
  }
  made.inputs = {kept, inputs.size()};
  if (learns && back != nullptr) {
    made.backward = back;
    made.gradient = doubles_.take(static_cast<std::size_t>(made.size()));
  }
  return nodes_.emplace_back(made);
}

std::span<const Index> Tape::keep(std::span<const Index> indices) {
  Index* kept = indices_.take(indices.size());
  std::ranges::copy(indices, kept);
  return {kept, indices.size()};
}

Var Tape::constant(const Eigen::Ref<const Matrix>& value) {
  make(value.rows(), value.cols(), {}, nullptr).values() = value;
  return last();
}

Var Tape::view(const Matrix& value) {
  Node made;
  made.rows = value.rows();
  made.columns = value.cols();
  made.value = const_cast<double*>(value.data());  // no operation writes to its inputs
  nodes_.push_back(made);
  return last();
}

Var Tape::zeros(Index rows, Index columns) {
  make(rows, columns, {}, nullptr).values().setZero();
  return last();
}

Var Tape::variable(const Eigen::Ref<const Matrix>& value) {
  Node& made = make(value.rows(), value.cols(), {}, nullptr);
  made.values() = value;
  made.gradient = doubles_.take(static_cast<std::size_t>(made.size()));
  return last();
}

Var Tape::parameter(Parameter& parameter) {
  for (const auto& [known, index] : parameters_) {
    if (known == &parameter) return {this, index};
  }
  parameters_.emplace_back(&parameter, static_cast<std::uint32_t>(nodes_.size()));
  Node made;
  made.rows = parameter.value.rows();
  made.columns = parameter.value.cols();
  made.value = parameter.value.data();
  made.gradient = parameter.gradient.data();
  made.parameter = true;
  nodes_.push_back(made);
  return last();
}

void Tape::backward(Var result) {
  assert(result.rows() == 1 && result.columns() == 1);
  backward(result, Matrix::Ones(1, 1));
}

void Tape::backward(Var result, const Eigen::Ref<const Matrix>& gradient) {
  const Node& from = nodes_[result.node()];
  assert(gradient.rows() == from.rows && gradient.cols() == from.columns);
  if (from.gradient == nullptr) return;
  for (Node& node : nodes_) node.reached = node.parameter;
  reach(nodes_[result.node()]);
  from.gradients() += gradient;
  for (std::uint32_t i = result.node() + 1; i-- > 0;) {
    if (nodes_[i].awaits_products) add_products(i);
    if (!nodes_[i].reached || nodes_[i].backward == nullptr) continue;
    watch_.check(static_cast<std::size_t>(nodes_[i].size()));
    for (const std::uint32_t input : nodes_[i].inputs) reach(nodes_[input]);
    nodes_[i].backward(*this, nodes_[i]);
  }
  for (Node& node : nodes_) reach(node);
}

void Tape::reach(Node& node) {
  if (node.reached || node.gradient == nullptr) return;
  share_out(node.size(), kMove, [&](Index first, Index last) {
    std::fill(node.gradient + first, node.gradient + last, 0.0);
  });
  node.reached = true;
}

Packed Tape::packed(const Operand& values, Index rows, Index columns, double*& kept) {
  if (kept != nullptr) return {kept, rows, columns};
  kept = doubles_.take(Packed::size(rows, columns));
  const Packed packed = {kept, rows, columns};
  pack_rows(values, 0, rows, packed);
  return packed;
}

Packed Tape::packed(Node& of) {
  return packed(plain(of.value, of.columns), of.rows, of.columns, of.packed);
}

Packed Tape::packed(const Node& node, std::size_t input) {
  return packed(nodes_[node.inputs[input]]);
}

Packed Tape::packed_transposed(Node& of) {
  return packed(transposed(of.value, of.columns), of.columns, of.rows, of.packed_transposed);
}

Packed Tape::packed_transposed(const Node& node, std::size_t input) {
  return packed_transposed(nodes_[node.inputs[input]]);
}

std::span<const std::unique_ptr<Tape>> Tape::start_parts(std::size_t count) {
  const std::size_t first = parts_used_;
  parts_used_ += count;
  while (parts_.size() < parts_used_) parts_.push_back(std::make_unique<Tape>());
  const auto started = std::span(parts_).subspan(first, count);
  for (const auto& part : started) {
    part->clear();
    part->watch_ = watch_;
  }
  return started;
}

Var Tape::borrow(Var of) {
  if (&of.tape() == this) return of;
  Node borrowed = of.tape().node(of.node());
  borrowed.backward = nullptr;
  borrowed.inputs = {};
  borrowed.parameter = true;  // its gradient is set to zero by the lender
  borrowed.lent = true;
  borrowed.lender = of.node();
  nodes_.push_back(borrowed);
  return last();
}

Var Tape::borrow_rows(Var of, Index first, Index count) {
  if (&of.tape() == this) return of;
  Node& rows = nodes_[borrow(of).node()];
  rows.value += first * rows.columns;
  if (rows.gradient != nullptr) rows.gradient += first * rows.columns;
  rows.rows = count;
  rows.lent = false;
  rows.packed = rows.packed_transposed = nullptr;
  return last();
}

void Tape::add_transposed_product(const Node& by) {
  const Node &a = input(by, 0), &to = input(by, 1);
  const TransposedProduct product = {to.lent ? to.lender : by.inputs[1], a.rows, a.value,
                                     by.gradient};
  if (to.lent) {
    put_off_.products.push_back(product);
  } else {
    add_transposed_product(product);
  }
}

void Tape::add_transposed_product(const TransposedProduct& product) {
  nodes_[product.to].awaits_products = true;
  products_.push_back(product);
}

void Tape::add_row_sums(const Node& by) {
  const Node& to = input(by, 2);
  const RowSums sums = {to.gradient, by.gradient, by.rows, by.columns};
  if (to.lent) {
    put_off_.row_sums.push_back(sums);
  } else {
    sums.add();
  }
}

void Tape::add_products(std::uint32_t index) {
  Node& to = nodes_[index];
  to.awaits_products = false;
  constexpr Index most = Packed::kDepth;
  double* const a = doubles_.take(static_cast<std::size_t>(to.rows * most));  // transposed
  double* const c = doubles_.take(Packed::size(most, to.columns));
  Index filled = 0;
  const auto add_pieces = [&] {
    const Packed block = {c, filled, to.columns};
    const Index pieces = at(pieces_.size());
    const Index numbers = filled / pieces * (to.rows + to.columns);
    share_out(pieces, numbers * kMove, [&](Index first, Index last) {
      for (const Piece& piece : std::span(pieces_.begin() + first, pieces_.begin() + last)) {
        copy_transposed(piece.a, piece.rows, to.rows, a + piece.first, most);
        pack_rows(plain(piece.c, to.columns), piece.first, piece.rows, block);
      }
    });
    add_product(to.gradient, {a, most, 1}, block, to.rows);
    pieces_.clear();
    filled = 0;
  };
  for (const TransposedProduct& product : products_) {
    if (product.to != index) continue;
    for (Index row = 0, count = 0; row < product.rows; row += count) {
      count = std::min(product.rows - row, most - filled);
      pieces_.push_back({product.a + row * to.rows, product.c + row * to.columns, filled, count});
      filled += count;
      if (filled == most) add_pieces();
    }
  }
  if (filled > 0) add_pieces();
  std::erase_if(products_, [&](const auto& product) { return product.to == index; });
}

}  // namespace placer::nn
