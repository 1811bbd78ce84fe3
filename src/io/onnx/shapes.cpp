#include "io/onnx/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "placer/io/import.hpp"

namespace placer {
namespace {

/// Elements of all folded constants together; from there on values are not followed.
constexpr double kMostFolded = 20e6;

class Shaper {
 public:
  Shaper(const ImportSource& source, const OnnxModel& model,
         const std::vector<ShapeOverride>& given)
      : source_(source), model_(model) {
    for (const ShapeOverride& each : given) given_[each.name] = &each;
  }

  ShapedOnnx run() && {
    note_stored_shapes();
    add_initializers();
    add_inputs();
    for (const OnnxNode& node : model_.nodes) add_step(node);
    for (const OnnxValueInfo& output : model_.outputs) {
      shaped_.outputs.push_back(find(output.name, "graph.output"));
    }
    refuse_unused();
    return std::move(shaped_);
  }

 private:
  std::vector<OnnxValue>& values() { return shaped_.values; }

  OnnxValueId add(const std::string& name, std::string_view place) {
    const auto [at, is_new] = ids_.emplace(name, values().size());
    if (!is_new) {
      source_.fail(place, "a value name of its own",
                   fmt::format("'{}' again", one_line(name, 100)));
    }
    values().emplace_back().name = name;
    return at->second;
  }

  OnnxValueId find(const std::string& name, std::string_view place) const {
    const auto at = ids_.find(name);
    if (at != ids_.end()) return at->second;
    source_.fail(place, "a value that stands before it",
                 fmt::format("'{}', which nothing makes", one_line(name, 100)));
  }

  /// Shapes that the user changes make the file's own stale.
  void note_stored_shapes() {
    for (const OnnxValueInfo& input : model_.inputs) {
      const auto at = given_.find(input.name);
      if (at != given_.end() && input.is_fixed() && input.shape != at->second->shape) return;
    }
    for (const auto* infos : {&model_.infos, &model_.outputs}) {
      for (const OnnxValueInfo& info : *infos) stored_.emplace(info.name, &info);
    }
  }

  void add_initializers() {
    for (const OnnxTensor& tensor : model_.initializers) {
      const OnnxValueId id = add(tensor.name, "initializer");
      OnnxValue& value = values()[id];
      value.type = tensor.type;
      value.is_constant = true;
      value.values = tensor.values;
      value.without_values = tensor.without_values;
      set_shape(value, tensor.shape, fmt::format("initializer '{}'", one_line(tensor.name, 100)));
      shaped_.initializers.push_back(id);
    }
  }

  void set_shape(OnnxValue& value, const OnnxShape& shape, std::string_view place) {
    double count = 1;
    for (const std::int64_t extent : shape) {
      count *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    }
    if (count > kMostOnnxElements) {
      source_.fail(place, fmt::format("at most {} elements", kMostOnnxElements), shape_text(shape));
    }
    value.shape = shape;
    value.is_known = true;
  }

  void add_inputs() {
    for (const OnnxValueInfo& input : model_.inputs) {
      if (ids_.contains(input.name)) continue;  // an initializer, listed as old versions did
      const OnnxValueId id = add(input.name, "graph.input");
      OnnxValue& value = values()[id];
      const std::string place = fmt::format("input '{}'", one_line(input.name, 100));
      const auto at = given_.find(input.name);
      if (at == given_.end() && !input.is_fixed()) {
        source_.fail(place, fmt::format("fixed extents, as{} would give", flags_of_open_inputs()),
                     input.text());
      }
      value.type = input.type;
      if (find_onnx_type(input.type) == nullptr) {
        source_.fail(place, "a tensor of numbers", onnx_type_name(input.type));
      }
      set_shape(value, at == given_.end() ? input.shape : used(at->first)->shape, place);
      shaped_.inputs.push_back(id);
    }
  }

  std::string flags_of_open_inputs() const {
    std::string flags;
    for (const OnnxValueInfo& input : model_.inputs) {
      if (input.is_fixed() || given_.contains(input.name) || flags.size() > 300) continue;
      flags += fmt::format(" --shape {}={}", one_line(input.name, 100), example(input));
    }
    return flags;
  }

  /// Its shape as a flag would give it, with 1 for what is not known.
  static std::string example(const OnnxValueInfo& input) {
    if (!input.has_shape) return "1x3x224x224";
    OnnxShape shape = input.shape;
    for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 1);
    return shape_text(shape);
  }

  const ShapeOverride* used(const std::string& name) {
    used_.push_back(name);
    return given_.at(name);
  }

  void add_step(const OnnxNode& node) {
    OnnxStep step;
    step.op = &known_onnx_op(node, source_);
    for (const std::string& name : node.inputs) {
      step.inputs.push_back(name.empty() ? kNoOnnxValue : find(name, node.place()));
    }
    for (const std::string& name : node.outputs) {
      step.outputs.push_back(name.empty() ? kNoOnnxValue : add(name, node.place()));
      if (!name.empty()) use_known_shape(values().back(), node);
    }
    std::vector<const OnnxValue*> inputs;
    std::vector<OnnxValue*> outputs;
    for (const OnnxValueId id : step.inputs) {
      inputs.push_back(id == kNoOnnxValue ? nullptr : &values()[id]);
    }
    for (const OnnxValueId id : step.outputs) {
      outputs.push_back(id == kNoOnnxValue ? nullptr : &values()[id]);
    }
    OnnxNodeView view(source_, node, inputs, outputs);
    shape_outputs(*step.op, view, inputs, outputs, node);
    if (step.op->role == OnnxRole::kView) step.is_view = is_view(view);
    if (step.is_view) {
      const std::size_t most = view.op() == "Dropout" ? 2 : 1;
      view.require(outputs.size() <= most, fmt::format("at most {} outputs", most),
                   fmt::format("{}", outputs.size()));
      if (view.has_output(1)) outputs[1]->is_constant = true;  // nothing is dropped
    }
    const bool is_constant = std::ranges::all_of(
        outputs, [](const OnnxValue* value) { return value == nullptr || value->is_constant; });
    if (!is_constant) step.work = onnx_work(*step.op, view);
    shaped_.steps.push_back(std::move(step));
  }

  void use_known_shape(OnnxValue& value, const OnnxNode& node) {
    const auto at = given_.find(value.name);
    const auto stored = stored_.find(value.name);
    if (stored != stored_.end()) value.type = stored->second->type;
    if (at != given_.end()) {
      set_shape(value, used(at->first)->shape, node.place());
    } else if (stored != stored_.end() && stored->second->is_fixed()) {
      set_shape(value, stored->second->shape, node.place());
    }
    value.is_given = value.is_known;
  }

  void shape_outputs(const OnnxOp& op, OnnxNodeView& view,
                     const std::vector<const OnnxValue*>& inputs,
                     const std::vector<OnnxValue*>& outputs, const OnnxNode& node) {
    const auto present = [](const OnnxValue* value) { return value != nullptr; };
    const bool is_made_of_nothing = std::ranges::none_of(inputs, present);
    const bool is_constant =
        op.role == OnnxRole::kShape ||
        (is_made_of_nothing ? op.fold != nullptr
                            : std::ranges::all_of(inputs, [](const OnnxValue* value) {
                                return value == nullptr || value->is_constant;
                              }));
    const bool has_values = std::ranges::all_of(inputs, [](const OnnxValue* value) {
      return value == nullptr || value->values != nullptr;
    });
    const bool folds = op.fold != nullptr && (op.role == OnnxRole::kShape || has_values);
    bool all_given = true;
    for (OnnxValue* value : outputs) {
      if (value == nullptr) continue;
      if (folds) value->is_given = value->is_known = false;
      all_given = all_given && value->is_given;
      value->is_constant = is_constant;
      if (is_constant) value->without_values = "it is computed from constants too large to follow";
    }
    if (folds || !all_given) op.shapes(view);
    finish_outputs(view, outputs, node);
    if (folds && is_small(outputs)) op.fold(view);
  }

  void finish_outputs(const OnnxNodeView& view, const std::vector<OnnxValue*>& outputs,
                      const OnnxNode& node) const {
    for (OnnxValue* value : outputs) {
      if (value == nullptr) continue;
      if (!value->is_known) {
        source_.fail(node.place(), fmt::format("at most the outputs that a {} has", node.op),
                     fmt::format("'{}' besides", one_line(value->name, 100)));
      }
      if (value->type == 0) value->type = view.type(0);
      value_bytes(*value, source_);
    }
  }

  /// An extent of 0 counts as 1: the work of folding goes by the others.
  bool is_small(const std::vector<OnnxValue*>& outputs) {
    double count = 0;
    for (const OnnxValue* value : outputs) {
      if (value == nullptr) continue;
      OnnxShape shape = value->shape;
      for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 1);
      count += element_count(shape);
    }
    if (count > kMostOnnxValues || folded_ + count > kMostFolded) return false;
    folded_ += count;
    return true;
  }

  /// Dropout drops where it is told that it trains, and may be told so by a value.
  static bool is_view(const OnnxNodeView& view) {
    static_cast<void>(view.input(0));  // or an Error
    if (view.op() != "Dropout" || !view.has_input(2)) return true;
    if (view.values(2) == nullptr) return false;
    const std::vector<double> training = view.numbers(2);
    return training.size() == 1 && training.front() == 0;
  }

  void refuse_unused() const {
    for (const auto& [name, shape] : given_) {
      if (std::ranges::find(used_, name) != used_.end()) continue;
      std::vector<std::string> known;
      for (const OnnxValueInfo& input : model_.inputs) known.push_back(one_line(input.name, 100));
      source_.fail("--shape", "the name of an input or of a node's output",
                   fmt::format("'{}'{}", one_line(name, 100), did_you_mean(name, known)));
    }
  }

  const ImportSource& source_;
  const OnnxModel& model_;
  ShapedOnnx shaped_;
  std::unordered_map<std::string, OnnxValueId> ids_;
  std::map<std::string, const ShapeOverride*> given_;
  std::unordered_map<std::string, const OnnxValueInfo*> stored_;
  std::vector<std::string> used_;
  double folded_ = 0;
};

}  // namespace

ShapedOnnx shape_onnx(const ImportSource& source, const OnnxModel& model,
                      const std::vector<ShapeOverride>& given) {
  return Shaper(source, model, given).run();
}

}  // namespace placer
