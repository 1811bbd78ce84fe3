#include "nn/tape.hpp"

#include <algorithm>
#include <cassert>

#include "nn/product.hpp"

namespace placer::nn {

void Tape::clear() {
  nodes_.clear();
  products_.clear();
  parameters_.clear();
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
  for (const Node& node : nodes_) {
    if (node.gradient != nullptr && !node.parameter) node.gradients().setZero();
  }
  from.gradients() += gradient;
  for (std::uint32_t i = result.node() + 1; i-- > 0;) {
    if (nodes_[i].awaits_products) add_products(i);
    if (nodes_[i].backward != nullptr) nodes_[i].backward(*this, nodes_[i]);
  }
}

void Tape::add_transposed_product(const Node& by) {
  nodes_[by.inputs[1]].awaits_products = true;
  products_.push_back({by.inputs[1], by.inputs[0], by.gradient});
}

void Tape::add_products(std::uint32_t index) {
  Node& to = nodes_[index];
  to.awaits_products = false;
  const auto mine = [&](const Product& product) { return product.to == index; };
  Index depth = 0;
  for (const Product& product : products_) {
    if (mine(product)) depth += nodes_[product.a].rows;
  }
  double* const all_a = doubles_.take(static_cast<std::size_t>(depth * to.rows));
  double* const all_c = doubles_.take(static_cast<std::size_t>(depth * to.columns));
  double *next_a = all_a, *next_c = all_c;
  for (const Product& product : products_) {
    if (!mine(product)) continue;
    const Node& a = nodes_[product.a];
    next_a = std::copy_n(a.value, a.size(), next_a);
    next_c = std::copy_n(product.c, a.rows * to.columns, next_c);
  }
  std::erase_if(products_, mine);
  add_product(to.gradient, transposed(all_a, to.rows), plain(all_c, to.columns), to.rows,
              to.columns, depth);
}

}  // namespace placer::nn
