#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/onnx/einsum.hpp"
#include "io/onnx/node.hpp"

namespace placer {
namespace {

/// A matrix or a stack of them, after transposing; a vector is a matrix of one row or column.
struct Matrices {
  OnnxShape stack;
  std::int64_t rows = 1, columns = 1;
};

Matrices matrices(const OnnxNodeView& node, std::size_t i, bool transposed, bool is_left) {
  node.require_rank(i, 1);
  const OnnxShape& shape = node.shape(i);
  if (shape.size() == 1) return is_left ? Matrices{{}, 1, shape[0]} : Matrices{{}, shape[0], 1};
  Matrices found = {{shape.begin(), shape.end() - 2}, shape[shape.size() - 2], shape.back()};
  if (transposed) std::swap(found.rows, found.columns);
  return found;
}

void multiply(OnnxNodeView& node, std::size_t right, bool transpose_a, bool transpose_b,
              std::int32_t type) {
  const Matrices a = matrices(node, 0, transpose_a, true);
  const Matrices b = matrices(node, right, transpose_b, false);
  node.require(a.columns == b.rows, fmt::format("{} rows in input {}", a.columns, right),
               fmt::format("{} ({} times {})", b.rows, shape_text(node.shape(0)),
                           shape_text(node.shape(right))));
  OnnxShape shape = broadcast(node, a.stack, b.stack);
  if (node.rank(0) > 1) shape.push_back(a.rows);
  if (node.rank(right) > 1) shape.push_back(b.columns);
  node.set(0, std::move(shape), type);
}

void matmul(OnnxNodeView& node) { multiply(node, 1, false, false, node.type(0)); }
void matmul_integers(OnnxNodeView& node) { multiply(node, 1, false, false, kOnnxInt32); }
void matmul_quantized(OnnxNodeView& node) { multiply(node, 3, false, false, node.type(7)); }
void matmul_fused(OnnxNodeView& node) {
  const bool stacked = node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0;
  node.require(!stacked, "no transBatchA and transBatchB", "one of them");
  multiply(node, 1, node.integer("transA", 0) != 0, node.integer("transB", 0) != 0, node.type(0));
}

/// Multiply-adds for each output: how far a row of input 0 reaches.
double inner(const OnnxNodeView& node) {
  const bool transposed = node.integer("transA", 0) != 0 && node.rank(0) > 1;
  return static_cast<double>(node.dim(0, transposed ? -2 : -1));
}

double product(const OnnxNodeView& node) {
  return product_flops(node.output_elements(0), inner(node));
}

void gemm(OnnxNodeView& node) {
  node.require(node.rank(0) == 2 && node.rank(1) == 2, "matrices",
               shape_text(node.shape(0)) + " and " + shape_text(node.shape(1)));
  matmul_fused(node);
  if (!node.has_input(2) || !node.has_output(0)) return;
  const OnnxShape& made = node.output(0).shape;
  node.require(broadcast(node, made, node.shape(2)) == made,
               "an input 2 that broadcasts to the product", shape_text(node.shape(2)));
}

void einsum(OnnxNodeView& node) { node.set(0, read_einsum(node).output); }
double einsum_flops(const OnnxNodeView& node) { return read_einsum(node).flops; }

/// Weights of a few bits, stored by rows of blocks.
void matmul_few_bits(OnnxNodeView& node) {
  node.require_rank(0, 1);
  OnnxShape shape = node.shape(0);
  const std::int64_t inputs = node.integer("K", -1);
  node.require(shape.back() == inputs,
               fmt::format("K to be {}, the input's last extent", shape.back()),
               fmt::format("{}", inputs));
  shape.back() = node.integer("N", -1);
  node.set(0, std::move(shape));
}

constexpr OnnxOp product_op(std::string_view name, void (*shapes)(OnnxNodeView&),
                            std::string_view ours = "matmul") {
  return {.name = name, .shapes = shapes, .flops = product, .ours = ours};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    product_op("MatMul", matmul),
    product_op("MatMulInteger", matmul_integers),
    product_op("QLinearMatMul", matmul_quantized),
    product_op("Gemm", gemm),
    product_op("com.microsoft.FusedMatMul", matmul_fused),
    product_op("com.microsoft.FusedGemm", gemm),
    product_op("com.microsoft.GemmFastGelu", matmul),
    product_op("com.microsoft.MatMulNBits", matmul_few_bits),
    product_op("com.microsoft.MatMulBnb4", matmul_few_bits),
    {.name = "Einsum", .shapes = einsum, .flops = einsum_flops, .ours = "einsum"},
});

}  // namespace

std::span<const OnnxOp> onnx_product_ops() { return kOps; }

}  // namespace placer
