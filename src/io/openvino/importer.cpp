// OpenVINO IR (the .xml file; weights need not be there): layers become ops with flops and bytes
// from the shapes in the file. Constants, and what is computed from constants and shapes alone,
// become parameters of the layers that read them; views are read as their inputs; what a Result
// reads is kept to the end of the step. docs.openvino.ai: OpenVINO IR format, operation sets.
#include "io/importers/importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "io/importers/text_fields.hpp"
#include "io/openvino/ir.hpp"

namespace placer {
namespace {

/// Positions of the layers, sources before their readers.
std::vector<std::size_t> topological_order(const ImportSource& source, const IrModel& model) {
  std::vector<std::size_t> missing, order;
  std::vector<std::vector<std::size_t>> readers(model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    missing.push_back(model.layers[i].sources.size());
    for (const IrSource& from : model.layers[i].sources) readers[from.layer].push_back(i);
    if (missing.back() == 0) order.push_back(i);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::size_t reader : readers[order[next]]) {
      if (--missing[reader] == 0) order.push_back(reader);
    }
  }
  if (order.size() < model.layers.size()) {
    const auto stuck = std::ranges::find_if(missing, [](std::size_t count) { return count > 0; });
    source.fail(model.layers[static_cast<std::size_t>(stuck - missing.begin())].place(),
                "a model without cycles", "a cycle through this layer or before it");
  }
  return order;
}

class GraphBuilder {
 public:
  GraphBuilder(const ImportSource& source, const IrModel& model)
      : source_(source), model_(model), layers_(model.layers.size()) {}

  Imported build() && {
    for (const std::size_t i : topological_order(source_, model_)) fold(i);
    for (std::size_t i = 0; i < layers_.size(); ++i) add_op(i);
    for (std::size_t i = 0; i < layers_.size(); ++i) read_inputs(i);
    Graph graph = imported_graph(source_, model_.name.empty() ? source_.stem() : model_.name,
                                 std::move(ops_), std::move(tensors_));
    const std::optional<std::int64_t> samples = samples_of(graph);
    return {
        .format = {}, .graph = std::move(graph), .notes = notes(), .yield = {.samples = samples}};
  }

 private:
  enum class Became { kOp, kConstant, kView, kResult };
  /// What became of a layer.
  struct Folded {
    Became became = Became::kOp;
    IrRole role = IrRole::kWork;
    double input_bytes = 0;  // stored for a constant, as far as its inputs say
    IrSource view_of;        // what a view's output really is
    std::size_t first_tensor = 0;
  };

  void fold(std::size_t i) {
    const IrLayer& layer = model_.layers[i];
    Folded& folded = layers_[i];
    folded.role = role_of(layer, source_);
    bool reads_constants = !layer.sources.empty();
    for (const IrSource& from : layer.sources) {
      reads_constants = reads_constants && is_constant(resolved(from));
    }
    if (folded.role == IrRole::kResult) {
      folded.became = Became::kResult;
    } else if (folded.role == IrRole::kConstant || folded.role == IrRole::kShape) {
      folded.became = Became::kConstant;
    } else if (reads_constants) {
      folded.became = Became::kConstant;
      for (const IrSource& from : layer.sources) folded.input_bytes += stored_bytes(resolved(from));
    } else if (folded.role == IrRole::kView && !layer.sources.empty()) {
      folded.became = Became::kView;
      folded.view_of = resolved(layer.sources.front());
    }
  }

  IrSource resolved(IrSource from) const {
    const Folded& folded = layers_[from.layer];
    return folded.became == Became::kView ? folded.view_of : from;
  }

  bool is_constant(IrSource from) const { return layers_[from.layer].became == Became::kConstant; }

  /// The cheaper of a computed constant's inputs and the result itself is what a file keeps.
  double stored_bytes(IrSource from) const {
    const Folded& folded = layers_[from.layer];
    if (folded.role == IrRole::kConstant) return model_.layers[from.layer].stored_bytes;
    if (folded.role == IrRole::kShape) return 0;
    return std::min(folded.input_bytes, model_.layers[from.layer].outputs[from.output].bytes);
  }

  void add_op(std::size_t i) {
    if (layers_[i].became != Became::kOp) return;
    const IrLayer& layer = model_.layers[i];
    Op& op = ops_.emplace_back();
    op.name = names_.contains(layer.name) ? fmt::format("{}#{}", layer.name, layer.id) : layer.name;
    names_.insert(op.name);
    op.type = op_type_of(layer);
    const Work work = layers_[i].role == IrRole::kWork ? work_of(layer, source_) : Work{};
    op.flops = work.flops;
    op.bytes = work.bytes;
    layers_[i].first_tensor = tensors_.size();
    for (const IrPort& output : layer.outputs) {
      op.outputs.push_back({output.shape, output.precision});
      Tensor& tensor = tensors_.emplace_back();
      tensor.producer = OpId(ops_.size() - 1);
      tensor.bytes = static_cast<std::int64_t>(output.bytes);
    }
  }

  void read_inputs(std::size_t i) {
    const Became became = layers_[i].became;
    if (became != Became::kOp && became != Became::kResult) return;
    const OpId reader(became == Became::kOp ? next_op_++ : 0);
    std::vector<IrSource> constants;
    for (const IrSource& given : model_.layers[i].sources) {
      const IrSource from = resolved(given);
      if (is_constant(from)) {
        if (became == Became::kOp) add_parameter(reader, from, constants);
        continue;
      }
      Tensor& tensor = tensors_[layers_[from.layer].first_tensor + from.output];
      if (became == Became::kOp) {
        tensor.consumers.push_back(reader);
      } else {
        tensor.keep = true;
      }
    }
  }

  /// Once for each reader, however often it reads it.
  void add_parameter(OpId reader, IrSource from, std::vector<IrSource>& counted) {
    const bool again = std::ranges::any_of(counted, [&](const IrSource& other) {
      return other.layer == from.layer && other.output == from.output;
    });
    if (again) return;
    counted.push_back(from);
    ops_[reader.index()].params_bytes += static_cast<std::int64_t>(std::ceil(stored_bytes(from)));
  }

  std::vector<std::string> notes() const {
    std::array<std::size_t, 4> counts{};
    for (const Folded& folded : layers_) ++counts[static_cast<std::size_t>(folded.became)];
    const auto of = [&](Became became) { return counts[static_cast<std::size_t>(became)]; };
    std::vector<std::string> notes;
    const auto note = [&](std::size_t count, std::string_view what) {
      if (count > 0) notes.push_back(fmt::format("{}: {}", what, count));
    };
    note(of(Became::kConstant),
         "constants, and layers that depend on constants and shapes alone, now parameters of every "
         "layer that reads them");
    note(of(Became::kView), "views, read as their inputs");
    note(of(Became::kResult), "results, which keep what they read to the end of the step");
    return notes;
  }

  const ImportSource& source_;
  const IrModel& model_;
  std::vector<Folded> layers_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  std::unordered_set<std::string> names_;
  std::size_t next_op_ = 0;
};

bool recognises(ImportSource& source) {
  const std::string& text = source.text();
  const std::size_t at = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return at != std::string::npos && text[at] == '<' && text.find("<net") != std::string::npos;
}

Imported read(ImportSource& source, const ImportOptions&) {
  require_utf8(source);
  const IrModel model = read_ir(source);
  return GraphBuilder(source, model).build();
}

}  // namespace

Importer openvino_importer() {
  return {.format = {.name = {},
                     .summary = "OpenVINO IR, the .xml file of versions 10 and 11 with fixed "
                                "shapes; costs are flops and bytes"},
          .recognises = recognises,
          .read = read};
}

}  // namespace placer
