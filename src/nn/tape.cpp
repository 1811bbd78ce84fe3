#include "nn/tape.hpp"

#include <algorithm>
#include <cassert>

#include "nn/product.hpp"

namespace placer::nn {

void Tape::clear() {
  nodes_.clear();
  products_.clear();
  doubles_.clear();
  indices_.clear();
  inputs_.clear();
}

Node& Tape::make(Index rows, Index columns, std::span<const Var> inputs,
                 void (*back)(Tape&, const Node&)) {
  Node made;
  made.rows = rows;
  made.columns = columns;
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

std::span<const Index> Tape::keep(std::span<const Index> first, std::span<const Index> second) {
  Index* kept = indices_.take(first.size() + second.size());
  std::ranges::copy(second, std::ranges::copy(first, kept).out);
  return {kept, first.size() + second.size()};
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
  for (const Node& node : nodes_) {
    if (node.gradient != nullptr && !node.parameter) node.gradients().setZero();
  }
  from.gradients() += gradient;
  run_backward(result.node());
  add_products();
}

void Tape::run_backward(std::uint32_t from) {
  for (std::uint32_t i = from + 1; i-- > 0;) {
    const Node& node = nodes_[i];
    if (node.backward != nullptr) node.backward(*this, node);
  }
}

void Tape::add_transposed_product(const Node& to, const Node& a, const double* c, Index c_columns) {
  if (to.parameter) {
    products_.push_back({to.gradient, to.rows, c_columns, a.value, c, a.rows});
    return;
  }
  add_product(to.gradient, transposed(a.value, a.columns), plain(c, c_columns), to.rows, c_columns,
              a.rows);
}

void Tape::add_products() {
  // Parameters in the order of their last use: stable, and free of addresses.
  for (std::size_t first = 0; first < products_.size(); ++first) {
    const Product like = products_[first];
    if (like.depth == 0) continue;
    Index depth = 0;
    for (std::size_t i = first; i < products_.size(); ++i) {
      if (products_[i].to == like.to) depth += products_[i].depth;
    }
    const double *a = like.a, *c = like.c;
    if (depth > like.depth) {
      double* all_a = doubles_.take(static_cast<std::size_t>(depth * like.rows));
      double* all_c = doubles_.take(static_cast<std::size_t>(depth * like.columns));
      a = all_a;
      c = all_c;
      for (std::size_t i = first; i < products_.size(); ++i) {
        if (products_[i].to != like.to) continue;
        all_a = std::copy_n(products_[i].a, products_[i].depth * like.rows, all_a);
        all_c = std::copy_n(products_[i].c, products_[i].depth * like.columns, all_c);
        products_[i].depth = 0;
      }
    }
    add_product(like.to, transposed(a, like.rows), plain(c, like.columns), like.rows, like.columns,
                depth);
  }
  products_.clear();
}

}  // namespace placer::nn
