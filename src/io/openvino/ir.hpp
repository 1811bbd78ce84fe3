#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/importers/source.hpp"
#include "placer/model/formulas.hpp"

namespace placer {

/// One side of an edge of an OpenVINO IR model, with its fixed shape.
struct IrPort {
  std::int64_t id = 0;
  std::vector<std::int64_t> shape;
  std::string precision;  // "FP32"; of inputs, that of the output they read
  double elements = 1;
  double bytes = 0;
};

/// The output that an input reads: positions, not the ids of the file.
struct IrSource {
  std::size_t layer = 0, output = 0;
};

struct IrLayer {
  std::int64_t id = 0;
  std::string name, type;
  std::vector<IrPort> inputs, outputs;
  std::vector<IrSource> sources;  // by input
  // Attributes of <data>:
  bool transpose_a = false;
  std::vector<std::int64_t> kernel;
  double stored_bytes = 0;  // of a constant

  /// "layer 3 ('conv1')"
  std::string place() const;
};

struct IrModel {
  std::string name;
  std::vector<IrLayer> layers;
};

/// Reads IR version 10 or 11; every input has one source of the same shape. Throws Error.
IrModel read_ir(const ImportSource& source);

/// What becomes of a layer: nothing happens in a view, whose output is its first input; shapes are
/// known, so that what only reads them or constants is a constant itself.
enum class IrRole { kInput, kResult, kConstant, kShape, kView, kWork };

/// Throws Error for a type that is not known, control flow among them.
IrRole role_of(const IrLayer& layer, const ImportSource& source);

/// Our name of the layer's type, where there is one: "conv2d".
std::string op_type_of(const IrLayer& layer);

/// The flops and bytes of a layer whose role is kWork. Throws Error where the shapes do not go with
/// the type.
Work work_of(const IrLayer& layer, const ImportSource& source);

}  // namespace placer
