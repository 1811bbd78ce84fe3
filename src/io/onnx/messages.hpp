#pragma once

#include <onnx/onnx.pb.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx/model.hpp"

namespace placer {

/// The message of a file. Throws Error for what is no ONNX model.
onnx::ModelProto parse_onnx(const ImportSource& source);

/// Throws Error, with `what` as its place, for more than 2 GB, which protobuf does not write.
std::string bytes_of(const onnx::ModelProto& message, const ImportSource& source,
                     std::string_view what);

/// Replaces calls of functions by their nodes, as inline_functions() did in `model`. Throws Error
/// for a function with operator sets that are others than the model's.
void inline_calls(const ImportSource& source, const OnnxModel& model, onnx::ModelProto& message);

/// Puts a text before each place of external data that is not an absolute one.
void move_external_data(const std::string& prefix, onnx::GraphProto& graph);

/// Says, as ONNX IR 11 does (`ModelProto.configuration`, `NodeProto.device_configurations`), that
/// the nodes are of these stages of a pipeline over the devices.
void annotate(const std::vector<std::size_t>& stage_of_node,
              const std::vector<std::string>& devices, onnx::ModelProto& message);

}  // namespace placer
