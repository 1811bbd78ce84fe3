#include "io/onnx/split.hpp"

#ifdef PLACER_ONNX
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "io/onnx/messages.hpp"
#include "io/onnx/pieces.hpp"
#include "io/onnx/shapes.hpp"
#else
#include "io/onnx/model.hpp"
#endif

namespace placer {

#ifndef PLACER_ONNX

SplitOnnx split_onnx(const ImportSource& source, const std::vector<ShapeOverride>&,
                     const OnnxPlaces&) {
  fail_without_protobuf(source);
}

#else
namespace {

using Names = std::unordered_set<std::string>;
/// Where in its list the message of a name stands.
using Index = std::unordered_map<std::string, int>;

template <class Items>
Index index_of(const Items& items) {
  Index index;
  for (int i = 0; i < items.size(); ++i) index.emplace(items.Get(i).name(), i);
  return index;
}

class Splitter {
 public:
  Splitter(const ImportSource& source, const OnnxPlaces& places, const OnnxModel& model,
           const ShapedOnnx& shaped, const OnnxPieces& cut)
      : source_(source), places_(places), shaped_(shaped), cut_(cut), header_(parse_onnx(source)) {
    inline_calls(source, model, header_);
    graph_.Swap(header_.mutable_graph());
    header_.clear_graph();
    move_external_data(places.data_prefix, graph_);
    initializers_ = index_of(graph_.initializer());
    inputs_ = index_of(graph_.input());
    outputs_ = index_of(graph_.output());
    infos_ = index_of(graph_.value_info());
    is_open_ = !std::ranges::all_of(model.inputs, &OnnxValueInfo::is_fixed);
  }

  SplitOnnx split() {
    SplitOnnx split;
    for (const OnnxValueId id : shaped_.inputs) split.inputs.push_back(name_of(id));
    for (const OnnxValueId id : shaped_.outputs) split.outputs.push_back(link_of(id));
    split.annotated = annotated();
    header_.clear_training_info();
    for (std::size_t i = 0; i < cut_.pieces.size(); ++i) split.stages.push_back(stage(i));
    return split;
  }

 private:
  const std::string& name_of(OnnxValueId id) const { return shaped_.values[id].name; }

  OnnxLink link_of(OnnxValueId id) const {
    const std::size_t piece = cut_.made_by[id];
    return {name_of(id), piece == OnnxPieces::kNone ? std::nullopt : std::optional(piece)};
  }

  std::string annotated() const {
    std::vector<std::string> devices;
    for (const OnnxPiece& piece : cut_.pieces) {
      const std::string& name = places_.devices[piece.device];
      if (std::ranges::count(devices, name) == 0) devices.push_back(name);
    }
    onnx::ModelProto whole = header_;
    *whole.mutable_graph() = graph_;
    annotate(cut_.of_node, devices, whole);
    return bytes_of(whole, source_, "the whole model");
  }

  OnnxStage stage(std::size_t place) const {
    const OnnxPiece& piece = cut_.pieces[place];
    OnnxStage stage{piece.device};
    onnx::ModelProto message = header_;
    onnx::GraphProto& graph = *message.mutable_graph();
    graph.set_name(graph_.name());
    graph.set_doc_string(graph_.doc_string());
    *graph.mutable_unknown_fields() = graph_.unknown_fields();
    for (const std::size_t node : piece.nodes) {
      *graph.add_node() = graph_.node(static_cast<int>(node));
    }
    add_initializers(piece, graph);
    for (const OnnxValueId id : piece.inputs) {
      *graph.add_input() = info_of(id);
      stage.inputs.push_back(link_of(id));
    }
    for (const OnnxValueId id : piece.outputs) {
      *graph.add_output() = info_of(id);
      stage.outputs.push_back(name_of(id));
    }
    add_infos(piece, graph);
    stage.bytes = bytes_of(message, source_, fmt::format("stage {}", place));
    return stage;
  }

  /// Before IR 4, initializers were inputs, too.
  void add_initializers(const OnnxPiece& piece, onnx::GraphProto& graph) const {
    Names names;
    for (const OnnxValueId id : piece.initializers) {
      names.insert(name_of(id));
      const auto at = initializers_.find(name_of(id));
      if (at != initializers_.end()) *graph.add_initializer() = graph_.initializer(at->second);
      const auto input = inputs_.find(name_of(id));
      if (input != inputs_.end()) *graph.add_input() = graph_.input(input->second);
    }
    for (const auto& sparse : graph_.sparse_initializer()) {
      if (names.contains(sparse.values().name())) *graph.add_sparse_initializer() = sparse;
    }
  }

  /// What the file says of values inside of a stage, and how they are quantized.
  void add_infos(const OnnxPiece& piece, onnx::GraphProto& graph) const {
    Names names;
    for (const std::size_t node : piece.nodes) {
      for (const OnnxValueId id : shaped_.steps[node].outputs) {
        if (id == kNoOnnxValue) continue;
        names.insert(name_of(id));
        const auto at = infos_.find(name_of(id));
        if (at == infos_.end() || std::ranges::binary_search(piece.outputs, id)) continue;
        *graph.add_value_info() = graph_.value_info(at->second);
      }
    }
    for (const auto* values : {&piece.inputs, &piece.initializers}) {
      for (const OnnxValueId id : *values) names.insert(name_of(id));
    }
    for (const auto& annotation : graph_.quantization_annotation()) {
      if (names.contains(annotation.tensor_name())) {
        *graph.add_quantization_annotation() = annotation;
      }
    }
  }

  onnx::ValueInfoProto info_of(OnnxValueId id) const {
    const OnnxValue& value = shaped_.values[id];
    const auto stored = [&](const Index& index, const auto& infos) {
      const auto at = index.find(value.name);
      return at == index.end() || infos.Get(at->second).type().tensor_type().elem_type() == 0
                 ? nullptr
                 : &infos.Get(at->second);
    };
    if (const auto* input = stored(inputs_, graph_.input())) return *input;
    if (const auto* output = stored(outputs_, graph_.output())) return *output;
    if (const auto* inner = stored(infos_, graph_.value_info())) return *inner;
    onnx::ValueInfoProto info;
    info.set_name(value.name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(value.type);
    auto& shape = *type.mutable_shape();
    for (const std::int64_t extent : value.shape) {
      auto& dim = *shape.add_dim();
      if (!is_open_) dim.set_dim_value(extent);
    }
    return info;
  }

  const ImportSource& source_;
  const OnnxPlaces& places_;
  const ShapedOnnx& shaped_;
  const OnnxPieces& cut_;
  onnx::ModelProto header_;  // without its graph
  onnx::GraphProto graph_;
  Index initializers_, inputs_, outputs_, infos_;
  bool is_open_ = false;  // the file leaves extents of inputs open
};

std::vector<std::size_t> devices_of_nodes(const ImportSource& source, const OnnxModel& model,
                                          const OnnxPlaces& places) {
  std::vector<std::size_t> devices;
  for (const OnnxNode& node : model.nodes) {
    const auto at = places.device_of.find(printable(node.title()));
    if (at == places.device_of.end()) {
      source.fail(node.place(), "a node of the graph that was placed", "another");
    }
    devices.push_back(at->second);
  }
  return devices;
}

std::vector<Picoseconds> ends_of_nodes(const OnnxModel& model, const OnnxPlaces& places) {
  std::vector<Picoseconds> ends;
  if (places.ends.empty()) return ends;
  for (const OnnxNode& node : model.nodes) ends.push_back(places.ends.at(printable(node.title())));
  return ends;
}

}  // namespace

SplitOnnx split_onnx(const ImportSource& source, const std::vector<ShapeOverride>& shapes,
                     const OnnxPlaces& places) {
  OnnxModel model = read_onnx_model(source);
  inline_functions(source, model);
  const ShapedOnnx shaped = shape_onnx(source, model, shapes);
  const std::vector<std::size_t> devices = devices_of_nodes(source, model, places);
  const OnnxPieces cut = cut_onnx(model, shaped, devices, ends_of_nodes(model, places));
  return Splitter(source, places, model, shaped, cut).split();
}

#endif

}  // namespace placer
