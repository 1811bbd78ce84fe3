#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx/model.hpp"
#include "placer/model/formulas.hpp"

namespace placer {

/// What is known of a value while shapes are worked out.
struct OnnxValue {
  std::string name;
  std::int32_t type = 0;
  OnnxShape shape;
  bool is_known = false;                     // its type and shape
  bool is_given = false;                     // the shape, by the file or the command line
  bool is_constant = false;                  // made of initializers and shapes alone
  std::shared_ptr<const OnnxValues> values;  // of a small constant; null: not known
  std::string_view without_values = "it depends on the model's inputs";
};

/// A number that no computer holds is refused long before sums overflow.
inline constexpr double kMostOnnxElements = 1e15;
double element_count(const OnnxShape& shape);
/// Throws Error for an element type without a size.
double value_bytes(const OnnxValue& value, const ImportSource& source);

/// A node with its inputs' shapes, for the rules that give its outputs' shapes and its costs. What
/// does not go together ends in an Error that names the node.
class OnnxNodeView {
 public:
  OnnxNodeView(const ImportSource& source, const OnnxNode& node,
               std::vector<const OnnxValue*> inputs, std::vector<OnnxValue*> outputs)
      : source_(source), node_(node), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::int64_t opset() const { return node_.opset; }
  std::string_view op() const { return node_.op; }
  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  bool has_output(std::size_t i) const { return i < outputs_.size() && outputs_[i] != nullptr; }

  const OnnxValue& input(std::size_t i) const;
  const OnnxShape& shape(std::size_t i) const { return input(i).shape; }
  std::int64_t rank(std::size_t i) const { return std::ssize(input(i).shape); }
  /// An extent of input `i`; negative positions count from the end.
  std::int64_t dim(std::size_t i, std::int64_t at) const;
  std::int32_t type(std::size_t i) const { return input(i).type; }
  double elements(std::size_t i) const { return element_count(shape(i)); }
  double bytes(std::size_t i) const { return value_bytes(input(i), source_); }
  const OnnxValue& output(std::size_t i) const;
  double output_elements(std::size_t i) const { return element_count(output(i).shape); }
  /// The bytes of all that the node reads, and of all that it writes, counting each value once.
  double input_bytes() const;
  double output_bytes() const;
  const ImportSource& source() const { return source_; }

  /// The elements of a small constant; null where they are not known.
  const OnnxValues* values(std::size_t i) const {
    return has_input(i) ? inputs_[i]->values.get() : nullptr;
  }
  /// The elements of a small constant of integers. Throws Error where they are not known.
  const std::vector<std::int64_t>& integers(std::size_t i) const;
  /// The same for any numbers.
  std::vector<double> numbers(std::size_t i) const;

  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  std::int64_t integer(std::string_view attribute, std::int64_t standard) const;
  double real(std::string_view attribute, double standard) const;
  std::vector<std::int64_t> integers(std::string_view attribute) const;
  std::vector<double> reals(std::string_view attribute) const;
  std::string text(std::string_view attribute, std::string_view standard) const;
  const OnnxTensor* tensor(std::string_view attribute) const;
  /// Integers that newer operator sets moved from an attribute to input `i`; empty where neither is
  /// there.
  std::vector<std::int64_t> integers(std::string_view attribute, std::size_t i) const;

  /// A position within `rank`, negative ones from the end. Throws Error outside.
  std::size_t axis(std::int64_t given, std::int64_t rank) const;
  void require(bool holds, std::string_view expected, std::string_view found) const;
  void require_rank(std::size_t i, std::int64_t least) const;

  /// Sets the shape and the type of output `i`; the type is that of input 0 unless one is given.
  /// Shapes that the file or the user gave stay.
  void set(std::size_t i, OnnxShape shape, std::optional<std::int32_t> type = {});
  void set_values(std::size_t i, OnnxValues values);
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  const OnnxAttribute* find(std::string_view attribute) const;

  const ImportSource& source_;
  const OnnxNode& node_;
  std::vector<const OnnxValue*> inputs_;
  std::vector<OnnxValue*> outputs_;
};

/// The shape that all of these inputs broadcast to.
OnnxShape broadcast(const OnnxNodeView& node, std::span<const std::size_t> inputs);
OnnxShape broadcast(const OnnxNodeView& node, const OnnxShape& a, const OnnxShape& b);

enum class OnnxRole {
  kWork,
  kView,   // its output 0 is its input 0 in another shape
  kShape,  // reads its input's shape alone
};
/// What an operator moves of its memory's contents.
enum class OnnxTraffic {
  kAll,      // inputs and outputs
  kOutputs,  // the outputs, read and written
  kLookup,   // the outputs, and the indices in input 1
};

/// What is known of an operator.
struct OnnxOp {
  std::string_view name;  // with its domain, unless that is the standard one
  void (*shapes)(OnnxNodeView& node);
  double flops_per_element = 0;                         // of output 0
  double (*flops)(const OnnxNodeView& node) = nullptr;  // instead
  std::string_view ours = {};                           // our op type; empty: the operator's name
  void (*fold)(OnnxNodeView& node) = nullptr;           // sets values where it can
  OnnxRole role = OnnxRole::kWork;
  OnnxTraffic traffic = OnnxTraffic::kAll;
};

// By family, one file each.
std::span<const OnnxOp> onnx_elementwise_ops();
std::span<const OnnxOp> onnx_norm_ops();
std::span<const OnnxOp> onnx_window_ops();
std::span<const OnnxOp> onnx_product_ops();
std::span<const OnnxOp> onnx_sequence_ops();
std::span<const OnnxOp> onnx_layout_ops();
std::span<const OnnxOp> onnx_index_ops();
std::span<const OnnxOp> onnx_reduction_ops();
std::span<const OnnxOp> onnx_microsoft_ops();
/// Null for an operator that is not known.
const OnnxOp* find_onnx_op(std::string_view full_name);
/// Throws Error for control flow and operators that are not known.
const OnnxOp& known_onnx_op(const OnnxNode& node, const ImportSource& source);

Work onnx_work(const OnnxOp& op, const OnnxNodeView& node);

// Folding (onnx_fold_*.cpp): what small constants give. Each leaves values unset where it cannot.
void fold_copy(OnnxNodeView& node);
void fold_shape(OnnxNodeView& node);
void fold_size(OnnxNodeView& node);
void fold_constant(OnnxNodeView& node);
void fold_constant_of_shape(OnnxNodeView& node);
void fold_cast(OnnxNodeView& node);
void fold_unary(OnnxNodeView& node);
void fold_binary(OnnxNodeView& node);
void fold_where(OnnxNodeView& node);
void fold_range(OnnxNodeView& node);
void fold_gather(OnnxNodeView& node);
void fold_slice(OnnxNodeView& node);
void fold_concat(OnnxNodeView& node);
void fold_expand(OnnxNodeView& node);
void fold_transpose(OnnxNodeView& node);
void fold_split(OnnxNodeView& node);
void fold_tile(OnnxNodeView& node);
void fold_reduce(OnnxNodeView& node);
void fold_nonzero(OnnxNodeView& node);

/// Where a Slice begins, steps and how far it goes, by axis of its input.
struct OnnxSlice {
  std::int64_t start, step, count;
};
std::vector<OnnxSlice> slices_of(const OnnxNodeView& node);
/// The extents that a Split gives its outputs along `axis`.
std::vector<std::int64_t> split_sizes(const OnnxNodeView& node, std::size_t axis);
/// Which axes a reduction reduces; all of them where it names none.
std::vector<char> reduced_axes(const OnnxNodeView& node);

}  // namespace placer
