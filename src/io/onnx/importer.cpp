// ONNX: nodes become ops with flops and bytes from shapes, which are those of the command line, of
// the file, or worked out by rules of our own. Constants, and what is computed from constants and
// shapes alone, become parameters of the nodes that read them; views are read as their inputs; the
// graph's outputs are kept to the end of the step. Operators: github.com/onnx/onnx,
// docs/Operators.md, and ONNX Runtime's docs/ContribOperators.md.
#include "io/importers/importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "io/onnx/origins.hpp"

namespace placer {
namespace {

/// A larger constant that several ops read is held once, and they share its device; smaller ones
/// each reader has for itself.
constexpr double kMostCopiedBytes = 1 << 20;

class OnnxGraphBuilder {
 public:
  OnnxGraphBuilder(const ImportSource& source, const OnnxModel& model, const ShapedOnnx& shaped)
      : source_(source), model_(model), shaped_(shaped) {}

  Imported build() && {
    find_constants();
    op_of_step_.resize(shaped_.steps.size());
    for (const OnnxValueId input : shaped_.inputs) add_input(input);
    for (std::size_t i = 0; i < shaped_.steps.size(); ++i) add_step(i);
    for (const OnnxValueId output : shaped_.outputs) keep(output);
    share_devices();
    set_origins(model_, shaped_, op_of_step_, ops_);
    Graph graph = imported_graph(source_, source_.stem(), std::move(ops_), std::move(tensors_));
    const std::optional<std::int64_t> samples = samples_of(graph);
    return {
        .format = {}, .graph = std::move(graph), .notes = notes(), .yield = {.samples = samples}};
  }

 private:
  /// What a file stores for a constant; `root` is the constant that it is in another layout.
  struct Stored {
    double bytes = 0;
    OnnxValueId root = kNoOnnxValue;
  };

  void find_constants() {
    stored_.resize(shaped_.values.size());
    for (const OnnxValueId id : shaped_.initializers) {
      stored_[id] = {value_bytes(shaped_.values[id], source_), id};
    }
    for (const OnnxStep& step : shaped_.steps) {
      Stored largest;
      double inputs = 0;
      for (const OnnxValueId id : step.inputs) {
        if (id == kNoOnnxValue || !shaped_.values[id].is_constant) continue;
        inputs += stored_[id].bytes;
        if (stored_[id].bytes > largest.bytes) largest = stored_[id];
      }
      for (const OnnxValueId id : step.outputs) {
        if (id == kNoOnnxValue || !shaped_.values[id].is_constant) continue;
        const double own = value_bytes(shaped_.values[id], source_);
        const double bytes = step.inputs.empty() ? own : std::min(inputs, own);
        const bool is_whole = largest.root != kNoOnnxValue && bytes >= largest.bytes;
        stored_[id] = {bytes, is_whole ? largest.root : id};
      }
    }
  }

  std::string unique_name(const std::string& wanted) {
    const std::string base = wanted.empty() ? "op" : wanted;
    std::string name = base;
    while (!names_.insert(name).second) name = fmt::format("{}#{}", base, ++copies_[base] + 1);
    return name;
  }

  Op& add_op(const std::string& name, std::string type, Work work) {
    Op& op = ops_.emplace_back();
    op.name = unique_name(name);
    op.type = std::move(type);
    op.flops = work.flops;
    op.bytes = work.bytes;
    return op;
  }

  void add_tensor(OnnxValueId id) {
    const OnnxValue& value = shaped_.values[id];
    const double bytes = value_bytes(value, source_);
    ops_.back().outputs.push_back({value.shape, onnx_type_name(value.type)});
    Tensor& tensor = tensors_.emplace_back();
    tensor.name = value.name;
    tensor.producer = OpId(ops_.size() - 1);
    tensor.bytes = static_cast<std::int64_t>(bytes);
    tensor_of_[id] = tensors_.size() - 1;
  }

  void add_input(OnnxValueId id) {
    const OnnxValue& value = shaped_.values[id];
    add_op(value.name, "input", {0, value_bytes(value, source_)});
    add_tensor(id);
  }

  void add_step(std::size_t i) {
    const OnnxStep& step = shaped_.steps[i];
    const OnnxNode& node = model_.nodes[i];
    const auto is_constant = [&](OnnxValueId id) {
      return id == kNoOnnxValue || shaped_.values[id].is_constant;
    };
    if (std::ranges::all_of(step.outputs, is_constant)) {
      ++constants_;
    } else if (step.is_view) {
      ++views_;
      const OnnxValueId viewed = resolved(step.inputs.front());
      view_of_[step.outputs.front()] = viewed;
      op_of_step_[i] = tensors_[tensor_of_.at(viewed)].producer;
    } else {
      add_op(node.title(), type_of(step, node), step.work).module = node.module;
      op_of_step_[i] = OpId(ops_.size() - 1);
      read_inputs(step);
      for (const OnnxValueId id : step.outputs) {
        if (id != kNoOnnxValue) add_tensor(id);
      }
    }
  }

  /// With constants a product or a sum is another op, whose backward op reads less.
  std::string type_of(const OnnxStep& step, const OnnxNode& node) const {
    const std::string_view ours = step.op->ours;
    if (ours.empty()) return node.op;
    double constants = -1;  // elements of its last constant input
    for (const OnnxValueId id : step.inputs) {
      if (id == kNoOnnxValue || !shaped_.values[id].is_constant) continue;
      constants = element_count(shaped_.values[id].shape);
    }
    const bool has_constant = constants >= 0, has_number = constants == 1;
    const OnnxValueId divisor = step.inputs.size() > 1 ? step.inputs[1] : kNoOnnxValue;
    const bool divides =
        ours == "div" && divisor != kNoOnnxValue && shaped_.values[divisor].is_constant;
    if (ours == "matmul" && !has_constant) return "batch_matmul";
    if ((ours == "add" || ours == "sub") && has_constant) {
      return has_number ? "add_constant" : "bias_add";
    }
    if ((ours == "mul" && has_constant) || divides) {
      return has_number ? "scale" : "scale_by_weights";
    }
    return std::string(ours);
  }

  OnnxValueId resolved(OnnxValueId id) const {
    const auto at = view_of_.find(id);
    return at == view_of_.end() ? id : at->second;
  }

  void read_inputs(const OnnxStep& step) {
    const OpId reader(ops_.size() - 1);
    std::vector<OnnxValueId> counted;
    for (const OnnxValueId given : step.inputs) {
      if (given == kNoOnnxValue) continue;
      const OnnxValueId id = resolved(given);
      if (!shaped_.values[id].is_constant) {
        tensors_[tensor_of_.at(id)].consumers.push_back(reader);
        continue;
      }
      const OnnxValueId root = stored_[id].root;
      if (root == kNoOnnxValue || std::ranges::find(counted, root) != counted.end()) continue;
      counted.push_back(root);
      add_parameter(reader, root, stored_[id].bytes);
    }
  }

  void add_parameter(OpId reader, OnnxValueId root, double bytes) {
    const auto [at, is_first] = first_reader_.emplace(root, reader);
    if (!is_first && bytes > kMostCopiedBytes) {
      together_.emplace_back(at->second, reader);
      return;
    }
    ops_[reader.index()].params_bytes += static_cast<std::int64_t>(bytes);
  }

  void keep(OnnxValueId output) {
    const auto at = tensor_of_.find(resolved(output));
    if (at != tensor_of_.end()) tensors_[at->second].keep = true;
  }

  /// Ops that read the same large constant form a group, called like its first op.
  void share_devices() {
    std::vector<std::size_t> leader(ops_.size());
    std::iota(leader.begin(), leader.end(), std::size_t{0});
    const auto find = [&](std::size_t op) {
      while (leader[op] != op) op = leader[op] = leader[leader[op]];
      return op;
    };
    for (const auto& [first, other] : together_) {
      const std::size_t a = find(first.index()), b = find(other.index());
      leader[std::max(a, b)] = std::min(a, b);
    }
    for (const auto& [first, other] : together_) {
      for (const OpId op : {first, other}) {
        ops_[op.index()].group = ops_[find(op.index())].name;
      }
    }
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const auto note = [&](std::size_t count, std::string_view what) {
      if (count > 0) notes.push_back(fmt::format("{}: {}", what, count));
    };
    note(constants_,
         "nodes that depend on constants and shapes alone, now parameters of the nodes that read "
         "them");
    note(views_, "views, read as their inputs");
    note(together_.size(), "further readers of constants over 1 MiB, on the first reader's device");
    note(model_.training_infos, "training graphs in the file, which are not read");
    return notes;
  }

  const ImportSource& source_;
  const OnnxModel& model_;
  const ShapedOnnx& shaped_;
  std::vector<Stored> stored_;  // by value
  OpsOfSteps op_of_step_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::size_t> copies_;
  std::unordered_map<OnnxValueId, std::size_t> tensor_of_;
  std::unordered_map<OnnxValueId, OnnxValueId> view_of_;
  std::unordered_map<OnnxValueId, OpId> first_reader_;
  std::vector<std::pair<OpId, OpId>> together_;
  std::size_t constants_ = 0, views_ = 0;
};

bool recognises(ImportSource& source) {
  return begins_like_onnx(source.text()) || source.file().ends_with(".onnx");
}

Imported read(ImportSource& source, const ImportOptions& options) {
  OnnxModel model = read_onnx_model(source);
  inline_functions(source, model);
  const ShapedOnnx shaped = shape_onnx(source, model, options.shape);
  return OnnxGraphBuilder(source, model, shaped).build();
}

}  // namespace

Importer onnx_importer() {
  return {.format = {.name = {},
                     .summary = "ONNX, operator sets to 25, weights inside, beside or absent; "
                                "costs are flops and bytes"},
          .recognises = recognises,
          .read = read};
}

}  // namespace placer
