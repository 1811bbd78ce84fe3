#ifdef PLACER_ONNX
#include "io/onnx/messages.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace placer {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<int>::max();

/// Fields of ONNX IR 11, which the onnx.proto that this is built with lacks.
constexpr int kIrVersion = 11;
constexpr std::uint32_t kModelConfiguration = 26, kNodeConfigurations = 10;
constexpr std::uint32_t kName = 1, kDeviceCount = 2, kDevice = 3;  // of a model's
constexpr std::uint32_t kId = 1, kStage = 3;                       // of a node's
constexpr const char* kConfiguration = "placer";

void put_number(std::string& message, std::uint32_t field, std::size_t number) {
  google::protobuf::io::StringOutputStream text(&message);
  google::protobuf::io::CodedOutputStream stream(&text);
  stream.WriteTag(field << 3);
  stream.WriteVarint64(number);
}

/// A text or a message.
void put_bytes(std::string& message, std::uint32_t field, const std::string& bytes) {
  google::protobuf::io::StringOutputStream text(&message);
  google::protobuf::io::CodedOutputStream stream(&text);
  stream.WriteTag(field << 3 | 2);
  stream.WriteVarint64(bytes.size());
  stream.WriteString(bytes);
}

class CallInliner {
 public:
  CallInliner(const ImportSource& source, onnx::ModelProto& message)
      : source_(source), message_(message) {}

  onnx::NodeProto message_of(const OnnxNode& node) {
    onnx::NodeProto message = original(node.origin);
    if (node.origin.function == OnnxOrigin::kGraph) return message;
    message.set_name(node.name);
    message.clear_input();
    message.clear_output();
    message.clear_attribute();
    for (const std::string& name : node.inputs) message.add_input(name);
    for (const std::string& name : node.outputs) message.add_output(name);
    for (const OnnxAttribute& attribute : node.attributes) {
      const auto place = static_cast<int>(attribute.origin.attribute);
      onnx::AttributeProto& copy = *message.add_attribute();
      copy = original(attribute.origin).attribute(place);
      copy.set_name(attribute.name);
    }
    import_opset_of(node);
    return message;
  }

 private:
  const onnx::NodeProto& original(const OnnxOrigin& origin) const {
    const auto place = static_cast<int>(origin.node);
    if (origin.function == OnnxOrigin::kGraph) return message_.graph().node(place);
    return message_.functions(static_cast<int>(origin.function)).node(place);
  }

  void import_opset_of(const OnnxNode& node) {
    for (const auto& import : message_.opset_import()) {
      const bool is_standard = import.domain().empty() || import.domain() == "ai.onnx";
      if (is_standard ? !node.domain.empty() : import.domain() != node.domain) continue;
      if (import.version() == node.opset) return;
      source_.fail(node.place(),
                   fmt::format("opset {}, as outside of its function", import.version()),
                   fmt::format("{}", node.opset));
    }
    auto& import = *message_.add_opset_import();
    import.set_domain(node.domain);
    import.set_version(node.opset);
  }

  const ImportSource& source_;
  onnx::ModelProto& message_;
};

}  // namespace

onnx::ModelProto parse_onnx(const ImportSource& source) {
  const std::string& text = source.text();
  if (text.size() > kMostBytes) {
    source.fail("", "at most 2 GB, larger weights being in files of their own", "more");
  }
  onnx::ModelProto message;
  if (!message.ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    source.fail("", "a whole ONNX model",
                fmt::format("{} bytes that are damaged or end too soon", text.size()));
  }
  if (!message.has_graph()) source.fail("", "an ONNX model with a graph", "none");
  return message;
}

std::string bytes_of(const onnx::ModelProto& message, const ImportSource& source,
                     std::string_view what) {
  const std::size_t size = message.ByteSizeLong();
  std::string bytes;
  if (size <= kMostBytes && message.SerializeToString(&bytes)) return bytes;
  source.fail(what, "at most 2 GB", fmt::format("{} bytes", size));
}

void inline_calls(const ImportSource& source, const OnnxModel& model, onnx::ModelProto& message) {
  if (message.functions_size() == 0) return;
  CallInliner inliner(source, message);
  std::vector<onnx::NodeProto> nodes;
  for (const OnnxNode& node : model.nodes) nodes.push_back(inliner.message_of(node));
  message.mutable_graph()->clear_node();
  for (onnx::NodeProto& node : nodes) message.mutable_graph()->add_node()->Swap(&node);
  message.clear_functions();
}

void move_external_data(const std::string& prefix, onnx::GraphProto& graph) {
  if (prefix.empty()) return;
  const auto move = [&](onnx::TensorProto& tensor) {
    for (auto& entry : *tensor.mutable_external_data()) {
      if (entry.key() != "location" || entry.value().starts_with('/')) continue;
      entry.set_value(prefix + entry.value());
    }
  };
  for (auto& tensor : *graph.mutable_initializer()) move(tensor);
  for (auto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) move(*attribute.mutable_t());
    }
  }
}

void annotate(const std::vector<std::size_t>& stage_of_node,
              const std::vector<std::string>& devices, onnx::ModelProto& message) {
  std::string configuration;
  put_bytes(configuration, kName, kConfiguration);
  put_number(configuration, kDeviceCount, devices.size());
  for (const std::string& name : devices) put_bytes(configuration, kDevice, name);
  message.set_ir_version(std::max<std::int64_t>(message.ir_version(), kIrVersion));
  put_bytes(*message.mutable_unknown_fields(), kModelConfiguration, configuration);
  for (std::size_t i = 0; i < stage_of_node.size(); ++i) {
    std::string stage;
    put_bytes(stage, kId, kConfiguration);
    put_number(stage, kStage, stage_of_node[i]);
    onnx::NodeProto& node = *message.mutable_graph()->mutable_node(static_cast<int>(i));
    put_bytes(*node.mutable_unknown_fields(), kNodeConfigurations, stage);
  }
}

}  // namespace placer
#endif
