#include <fmt/format.h>

#include "io/onnx/model.hpp"

#ifdef PLACER_ONNX
#include <google/protobuf/io/coded_stream.h>

#include <utility>

#include "io/onnx/messages.hpp"
#include "io/onnx/proto_values.hpp"
#endif

namespace placer {

#ifndef PLACER_ONNX

OnnxModel read_onnx_model(const ImportSource& source) { fail_without_protobuf(source); }

#else
namespace {

constexpr std::size_t kMostDimensions = 64;

/// The module in a list of scopes as PyTorch's exporter writes it, the node's own name last:
/// "['', 'model', 'model.layers.0', 'linear']" is of model.layers.0.
std::string last_scope(const std::string& scopes) {
  std::vector<std::string> names;
  for (std::size_t begin = scopes.find('\''); begin != std::string::npos;) {
    const std::size_t end = scopes.find('\'', begin + 1);
    if (end == std::string::npos) break;
    names.push_back(scopes.substr(begin + 1, end - begin - 1));
    begin = scopes.find('\'', end + 1);
  }
  return names.size() < 2 ? "" : names[names.size() - 2];
}

/// What torch.onnx's exporter says of the module of a node, in its metadata_props; that field, 9,
/// is younger than the onnx.proto that this is built with.
std::string module_of(const onnx::NodeProto& node) {
  namespace wire = google::protobuf::io;
  const std::string& fields = node.unknown_fields();
  wire::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(fields.data()),
                                static_cast<int>(fields.size()));
  constexpr std::uint32_t kMetadata = 9 << 3 | 2;
  for (std::uint32_t tag = stream.ReadTag(); tag == kMetadata; tag = stream.ReadTag()) {
    std::uint32_t length = 0;
    std::string text;
    onnx::StringStringEntryProto entry;
    if (!stream.ReadVarint32(&length) || !stream.ReadString(&text, static_cast<int>(length)) ||
        !entry.ParseFromString(text)) {
      break;
    }
    if (entry.key() == "pkg.torch.onnx.name_scopes") return last_scope(entry.value());
  }
  return {};
}

class Converter {
 public:
  explicit Converter(const ImportSource& source) : source_(source) {}

  OnnxModel model(const onnx::ModelProto& proto) {
    add_opsets(proto.opset_import(), opsets_);
    OnnxModel model;
    const onnx::GraphProto& graph = proto.graph();
    text(graph.name(), "graph.name");  // refused where it is no text
    for (const auto& node : graph.node()) {
      model.nodes.push_back(this->node(node, opsets_, {.node = model.nodes.size()}));
    }
    for (const auto& tensor : graph.initializer()) {
      model.initializers.push_back(this->tensor(tensor, "initializer"));
    }
    for (const auto& tensor : graph.sparse_initializer()) {
      model.initializers.push_back(sparse(tensor));
    }
    for (const auto& value : graph.input()) model.inputs.push_back(info(value));
    for (const auto& value : graph.output()) model.outputs.push_back(info(value));
    for (const auto& value : graph.value_info()) model.infos.push_back(info(value));
    for (const auto& each : proto.functions()) {
      model.functions.push_back(function(each, model.functions.size()));
    }
    model.training_infos = static_cast<std::size_t>(proto.training_info_size());
    return model;
  }

 private:
  using Opsets = std::vector<std::pair<std::string, std::int64_t> >;

  std::string text(const std::string& raw, std::string_view place) const {
    if (valid_utf8_length(raw) == raw.size()) return raw;
    source_.fail(place, "UTF-8 without zeros", "'" + one_line(raw, 40) + "'");
  }

  static std::string plain_domain(const std::string& domain) {
    return domain == "ai.onnx" ? "" : domain;
  }

  template <class Imports>
  void add_opsets(const Imports& imports, Opsets& opsets) const {
    for (const auto& import : imports) {
      opsets.emplace_back(plain_domain(text(import.domain(), "opset_import")), import.version());
    }
  }

  OnnxNode node(const onnx::NodeProto& proto, const Opsets& opsets,
                const OnnxOrigin& origin) const {
    OnnxNode node;
    node.origin = origin;
    node.name = text(proto.name(), "node.name");
    node.op = text(proto.op_type(), "node.op_type");
    node.domain = plain_domain(text(proto.domain(), "node.domain"));
    for (const auto& [domain, version] : opsets) {
      if (domain == node.domain) node.opset = version;
    }
    for (const std::string& name : proto.input()) node.inputs.push_back(text(name, "node.input"));
    for (const std::string& name : proto.output()) {
      node.outputs.push_back(text(name, "node.output"));
    }
    for (const auto& each : proto.attribute()) {
      node.attributes.push_back(attribute(each));
      node.attributes.back().origin = {origin.function, origin.node, node.attributes.size() - 1};
    }
    node.module = text(module_of(proto), "node.metadata_props");
    return node;
  }

  OnnxAttribute attribute(const onnx::AttributeProto& proto) const {
    OnnxAttribute attribute;
    attribute.name = text(proto.name(), "attribute.name");
    attribute.reference = text(proto.ref_attr_name(), "attribute.ref_attr_name");
    attribute.ints = numbers<std::int64_t>(proto.ints());
    attribute.reals = numbers<double>(proto.floats());
    if (proto.has_i()) attribute.ints.push_back(proto.i());
    if (proto.has_f()) attribute.reals.push_back(static_cast<double>(proto.f()));
    for (const std::string& each : proto.strings()) attribute.texts.push_back(each);
    if (proto.has_s()) attribute.texts.push_back(proto.s());
    if (proto.has_t()) {
      attribute.tensor = std::make_shared<const OnnxTensor>(tensor(proto.t(), "attribute"));
    }
    attribute.is_graph = proto.has_g() || proto.graphs_size() > 0;
    return attribute;
  }

  OnnxTensor tensor(const onnx::TensorProto& proto, std::string_view what) const {
    OnnxTensor tensor;
    tensor.name = text(proto.name(), "tensor.name");
    tensor.type = proto.data_type();
    tensor.shape = numbers<std::int64_t>(proto.dims());
    const std::string place = fmt::format("{} '{}'", what, one_line(tensor.name, 100));
    check_shape(tensor.shape, place);
    if (proto.has_segment()) source_.fail(place, "a whole tensor", "a segment of one");
    if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
      tensor.without_values = "its data is in another file";
      return tensor;
    }
    read_values(proto, place, tensor);
    return tensor;
  }

  void read_values(const onnx::TensorProto& proto, const std::string& place,
                   OnnxTensor& tensor) const {
    double count = 1;
    for (const std::int64_t extent : tensor.shape) count *= static_cast<double>(extent);
    tensor.without_values = count > kMostOnnxValues ? "it is too large to follow"
                                                    : "its data is of a type that is not followed";
    if (count > kMostOnnxValues) return;
    const std::optional<OnnxValues> values = values_in(proto);
    if (!values) return;
    const std::size_t found = std::visit([](const auto& each) { return each.size(); }, *values);
    tensor.without_values = "its data is not there";
    if (found == 0 && count > 0) return;  // weights were removed
    if (static_cast<double>(found) != count) {
      source_.fail(place, fmt::format("{} elements, as its shape says", count),
                   fmt::format("{}", found));
    }
    tensor.values = std::make_shared<const OnnxValues>(*values);
  }

  OnnxTensor sparse(const onnx::SparseTensorProto& proto) const {
    OnnxTensor tensor = this->tensor(proto.values(), "sparse initializer");
    tensor.shape = numbers<std::int64_t>(proto.dims());
    check_shape(tensor.shape, "sparse initializer");
    tensor.values.reset();
    tensor.without_values = "it is sparse";
    return tensor;
  }

  void check_shape(const OnnxShape& shape, std::string_view place) const {
    if (shape.size() > kMostDimensions) {
      source_.fail(place, fmt::format("at most {} dimensions", kMostDimensions),
                   fmt::format("{}", shape.size()));
    }
    for (const std::int64_t extent : shape) {
      if (extent < 0) source_.fail(place, "extents from 0", fmt::format("{}", extent));
    }
  }

  OnnxValueInfo info(const onnx::ValueInfoProto& proto) const {
    OnnxValueInfo info;
    info.name = text(proto.name(), "value_info.name");
    if (!proto.type().has_tensor_type()) return info;
    const auto& type = proto.type().tensor_type();
    info.type = type.elem_type();
    info.has_shape = type.has_shape();
    if (static_cast<std::size_t>(type.shape().dim_size()) > kMostDimensions) {
      source_.fail(fmt::format("value '{}'", one_line(info.name, 100)),
                   fmt::format("at most {} dimensions", kMostDimensions), "more");
    }
    for (const auto& dim : type.shape().dim()) {
      const bool is_known = dim.has_dim_value() && dim.dim_value() >= 0;
      info.shape.push_back(is_known ? dim.dim_value() : -1);
      info.symbols.push_back(text(dim.dim_param(), "dim_param"));
    }
    return info;
  }

  OnnxFunction function(const onnx::FunctionProto& proto, std::size_t place) const {
    OnnxFunction function;
    function.domain = plain_domain(text(proto.domain(), "function.domain"));
    function.name = text(proto.name(), "function.name");
    for (const auto& name : proto.input()) {
      function.inputs.push_back(text(name, "function.input"));
    }
    for (const auto& name : proto.output()) {
      function.outputs.push_back(text(name, "function.output"));
    }
    Opsets opsets = opsets_;
    add_opsets(proto.opset_import(), opsets);
    for (const auto& each : proto.node()) {
      function.nodes.push_back(node(each, opsets, {place, function.nodes.size()}));
    }
    // Field 11, attribute_proto, is younger than the onnx.proto that this is built with.
    function.has_defaults = !proto.unknown_fields().empty();
    return function;
  }

  const ImportSource& source_;
  Opsets opsets_;
};

}  // namespace

OnnxModel read_onnx_model(const ImportSource& source) {
  return Converter(source).model(parse_onnx(source));
}

#endif

}  // namespace placer
