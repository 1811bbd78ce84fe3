#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nn/arena.hpp"
#include "nn/matrix.hpp"
#include "nn/parameters.hpp"
#include "nn/product.hpp"
#include "nn/put_off.hpp"
#include "placer/base/deadline.hpp"

namespace placer::nn {

class Tape;

/// A matrix on a tape; a plain value, valid until the tape is cleared. What may be computed with it
/// stands in nn/operations.hpp.
class Var {
 public:
  Var() = default;
  Index rows() const;
  Index columns() const;
  ConstView value() const;
  /// The gradient, after `Tape::backward`. Only what depends on a variable or a parameter has one.
  ConstView gradient() const;
  Tape& tape() const { return *tape_; }
  std::uint32_t node() const { return node_; }

 private:
  friend class Tape;
  Var(Tape* tape, std::uint32_t node) : tape_(tape), node_(node) {}
  Tape* tape_ = nullptr;
  std::uint32_t node_ = 0;
};

/// What an operation left on the tape. Its `backward` adds to the gradients of its inputs, where
/// those are not null.
struct Node {
  double* value = nullptr;
  double* gradient = nullptr;  // null: nothing to learn behind it
  Index rows = 0, columns = 0;
  void (*backward)(Tape&, const Node&) = nullptr;
  std::span<const std::uint32_t> inputs;
  std::span<const Index> indices, offsets;
  std::span<double> saved;  // for `backward`
  double number = 0;
  double *packed = nullptr, *packed_transposed = nullptr;  // once a product needed them
  bool parameter = false;
  bool awaits_products = false;
  bool reached = false;  // by `backward`, which set the gradient to zero just before
  static constexpr std::uint32_t kOwn = static_cast<std::uint32_t>(-1);
  std::uint32_t lender = kOwn;  // the number that a borrowed node has on its own tape
  bool lent = false;            // to several tapes
  Index size() const { return rows * columns; }
  View values() const { return {value, rows, columns}; }
  View gradients() const { return {gradient, rows, columns}; }
};

/// A reverse-mode tape: operations compute at once and are remembered; `backward` goes through them
/// in reverse. Cleared and used again with the same shapes, it allocates nothing.
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// From now on operations, and the steps of `backward`, throw Stopped once `deadline` has passed.
  void within(const Deadline& deadline) { watch_ = Watch(deadline); }

  /// Forgets all operations; keeps the memory.
  void clear();

  /// A copy of `value`, without gradient.
  Var constant(const Eigen::Ref<const Matrix>& value);
  /// `value` itself, which outlives this use of the tape; without gradient.
  Var view(const Matrix& value);
  Var zeros(Index rows, Index columns);
  /// A copy that has a gradient, for tests and for what is not a Parameter.
  Var variable(const Eigen::Ref<const Matrix>& value);
  /// `parameter` itself: its gradient adds up in it. The same node every time until cleared.
  Var parameter(Parameter& parameter);

  // A node of another tape, which must not change meanwhile, as one of this tape. One of this tape
  // is itself, with all of its rows.
  /// As several tapes borrow it: as right factor of `matmul` and `linear`, as bias of one row, and
  /// as keys and weights of `additive_scores`. What those add to its gradient is put off.
  Var borrow(Var of);
  /// Rows that no other tape borrows: their gradient adds up where it is.
  Var borrow_rows(Var of, Index first, Index count);

  /// Adds d(result)/d(x) to the gradient of every x that `result`, 1 x 1, was computed from.
  void backward(Var result);
  /// The same with `gradient` in place of d(result): for gradients worked out by hand.
  void backward(Var result, const Eigen::Ref<const Matrix>& gradient);

  // The node of that number; for operations.
  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  const Node& input(const Node& node, std::size_t index) const {
    return nodes_[node.inputs[index]];
  }
  /// A node whose values are not yet set; it has a gradient if one of its inputs has.
  Node& make(Index rows, Index columns, std::span<const Var> inputs,
             void (*back)(Tape&, const Node&));
  Node& make(Index rows, Index columns, std::initializer_list<Var> inputs,
             void (*back)(Tape&, const Node&)) {
    return make(rows, columns, std::span(inputs.begin(), inputs.size()), back);
  }
  Var last() { return {this, size() - 1}; }
  std::span<const Index> keep(std::span<const Index> indices);
  std::span<Index> index_scratch(std::size_t count) { return {indices_.take(count), count}; }
  std::span<double> scratch(std::size_t count) { return {doubles_.take(count), count}; }
  /// The values of an input as a right factor; laid out once for all products.
  Packed packed(const Node& node, std::size_t input);
  Packed packed_transposed(const Node& node, std::size_t input);
  /// Adds a^T c, where c is the gradient of `by`, to the gradient of input 1 of `by`; a is its
  /// input 0. Put off until that gradient is needed, so that the products of all steps of a
  /// sequence become one.
  void add_transposed_product(const Node& by);
  void add_transposed_product(const TransposedProduct& product);
  /// Adds each row of the gradient of `by` to that of its input 2, which has one row.
  void add_row_sums(const Node& by);
  /// Lays out what is to be a right factor of products, or its transposed, before it is lent.
  void lay_out(Var factor) { packed(nodes_[factor.node()]); }
  void lay_out_transposed(std::uint32_t factor) { packed_transposed(nodes_[factor]); }

  /// Empty tapes for parts of a batch, which stay until this one is cleared.
  std::span<const std::unique_ptr<Tape>> start_parts(std::size_t count);
  std::span<const std::unique_ptr<Tape>> parts() const { return parts_; }
  PutOff& put_off() { return put_off_; }
  Var var(std::uint32_t node) { return {this, node}; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Takes over what the lender has laid out since.
  void borrow_layout(std::uint32_t node, const Node& of) {
    nodes_[node].packed_transposed = of.packed_transposed;
  }

 private:
  /// Rows of products that stand from row `first` on among those multiplied together.
  struct Piece {
    const double *a, *c;
    Index first, rows;
  };
  static void reach(Node& node);
  Packed packed(const Operand& values, Index rows, Index columns, double*& kept);
  Packed packed(Node& of);
  Packed packed_transposed(Node& of);
  void add_products(std::uint32_t to);

  Watch watch_{Deadline()};
  std::vector<Node> nodes_;
  std::vector<TransposedProduct> products_;  // of this tape's nodes, put off
  std::vector<Piece> pieces_;
  std::vector<std::pair<const Parameter*, std::uint32_t>> parameters_;
  PutOff put_off_;
  std::vector<std::unique_ptr<Tape>> parts_;
  std::size_t parts_used_ = 0;
  Arena<double> doubles_;
  Arena<Index> indices_;
  Arena<std::uint32_t> inputs_;
};

inline Index Var::rows() const { return tape_->node(node_).rows; }
inline Index Var::columns() const { return tape_->node(node_).columns; }
inline ConstView Var::value() const {
  const Node& of = tape_->node(node_);
  return {of.value, of.rows, of.columns};
}
inline ConstView Var::gradient() const {
  const Node& of = tape_->node(node_);
  return {of.gradient, of.rows, of.columns};
}

}  // namespace placer::nn
