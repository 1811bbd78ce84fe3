#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/importers/source.hpp"
#include "placer/base/units.hpp"

namespace placer {

struct ShapeOverride;

/// Where the nodes of a model run, for the messages and files that say so.
struct OnnxPlaces {
  std::map<std::string, std::size_t> device_of;  // by the printable title of a node
  std::vector<std::string> devices;              // names
  std::string data_prefix;  // put before the places of external data; empty, or ends with a slash
  /// By the printable title of a node, when it is expected to have run; empty: the stages are to be
  /// few, instead of such that none waits for what it need not.
  std::map<std::string, Picoseconds> ends = {};
};

/// A value that a stage takes, or that the whole model gives.
struct OnnxLink {
  std::string name;
  std::optional<std::size_t> stage;  // that makes it; empty: an input of the model
};

struct OnnxStage {
  std::size_t device = 0;
  std::string bytes;  // of a model of its own
  std::vector<OnnxLink> inputs;
  std::vector<std::string> outputs;
};

struct SplitOnnx {
  std::vector<OnnxStage> stages;  // in the order in which they run
  std::vector<std::string> inputs;
  std::vector<OnnxLink> outputs;
  std::string annotated;  // the whole model, each node with its stage
};

/// A model for each stage, of the nodes and initializers of the source as they are there, and the
/// whole with the stages as ONNX IR 11 tells them (`ModelProto.configuration` and
/// `NodeProto.device_configurations` of onnx.proto). Calls of functions are replaced by what they
/// call. What goes between stages keeps its name; its type is what the file says, else what is
/// worked out, with open extents where the file's inputs have some. Throws Error for what is no
/// model that can be imported, for a node without a device, and for what grows over 2 GB.
SplitOnnx split_onnx(const ImportSource& source, const std::vector<ShapeOverride>& shapes,
                     const OnnxPlaces& places);

}  // namespace placer
