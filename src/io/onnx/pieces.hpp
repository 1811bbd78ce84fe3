#pragma once

#include <cstddef>
#include <vector>

#include "io/onnx/model.hpp"
#include "io/onnx/shapes.hpp"
#include "placer/base/units.hpp"

namespace placer {

/// Nodes that run one after another on a device, and what they take and give.
struct OnnxPiece {
  std::size_t device = 0;
  std::vector<std::size_t> nodes;   // in the order of the file
  std::vector<OnnxValueId> inputs;  // the model's, and what pieces before it make
  std::vector<OnnxValueId> initializers;
  std::vector<OnnxValueId> outputs;  // what later pieces read, and the model's
};

/// A model cut along its devices.
struct OnnxPieces {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<OnnxPiece> pieces;     // in the order in which they run
  std::vector<std::size_t> made_by;  // by value: the piece that gives it; kNone for inputs
  std::vector<std::size_t> of_node;  // by node; the first piece that has it
};

/// Cuts a model, without `ends` into as few pieces as a greedy choice finds: one for each device
/// where no path leaves a device and comes back; with `ends`, by node when it is expected to have
/// run, so that no device waits longer than for single nodes (`share_early`). What depends on
/// initializers, on shapes and on the model's inputs as they are is computed by each piece that
/// needs it; what is in another piece's shape alone, there where it is made. A node that computes
/// nothing else, such as a view, needs no device. `device_of` is by node.
OnnxPieces cut_onnx(const OnnxModel& model, const ShapedOnnx& shaped,
                    const std::vector<std::size_t>& device_of,
                    const std::vector<Picoseconds>& ends = {});

}  // namespace placer
