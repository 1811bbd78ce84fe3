#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/options.hpp"
#include "placer/base/units.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/placement.hpp"
#include "placer/model/step_yield.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// A schedule that no other beats, by construction. Under order `given` with these sequences the
/// step takes exactly `step_ps`.
struct KnownOptimum {
  std::vector<DeviceId> devices;  // by op
  Sequences sequences;
  Picoseconds step_ps = 0;
};

struct GeneratedGraph {
  Graph graph;
  std::optional<Topology> devices;      // where the costs are those of certain devices
  std::optional<KnownOptimum> optimum;  // on those
  StepYield yield;                      // of models with a batch
};

/// What `generate` can make: a record and a function, from one file of src/model/zoo and one line
/// of models.def.
struct Model {
  std::string name;     // from models.def
  std::string summary;  // half a sentence: what it is
  std::string source;   // the paper; "" where there is none
  std::vector<OptionInfo> options;
  /// Makes the graph. The option values have been checked and completed.
  std::function<GeneratedGraph(const std::string& name, const OptionValues&)> generate;
  bool decodes = false;  // a step makes one token for each sample of the batch
};

/// `rows` has a row for each member of `O`; the model's file asserts it.
template <class O, std::size_t N>
Model make_model(std::string summary, std::string source, const std::array<OptionRow<O>, N>& rows,
                 GeneratedGraph (*generate)(const std::string& name, const O&)) {
  return {"", std::move(summary), std::move(source), describe_options(rows),
          [&rows, generate](const std::string& name, const OptionValues& values) {
            return generate(name, read_options(rows, values));
          }};
}

/// All models, in the order of models.def, which is alphabetical.
const std::vector<Model>& all_models();
std::vector<std::string> model_names();
/// The model of that name. Throws Error for an unknown name, with a suggestion.
const Model& find_model(std::string_view name);

inline constexpr std::int64_t kMostBatch = 65'536;

/// The graph of `name` with `given` over the model's defaults; equal arguments give equal graphs.
/// Throws Error for an unknown name, an option that the model does not have, a value out of range.
///
/// Networks are built from their layer shapes, in fp32; costs are flops and bytes. A training graph
/// is one step: a backward op for each forward op between a parameter and the loss (twice a
/// product's flops, once where no input gradient is needed), a sum where several gradients of a
/// tensor meet, an update op for each op with parameters. What a backward op needs of the forward
/// pass is an input tensor of it, so that it lives as long. Parameters (batch norm: scale and
/// shift) are `params_bytes` of their forward op, what the update rule keeps between steps that of
/// the update; gradients are tensors. No workspace: `temp_bytes` is 0.
GeneratedGraph generate(std::string_view name, const OptionValues& given = {});
/// The same graph without what comes with it.
Graph generate_model(std::string_view name, const OptionValues& given = {});

}  // namespace placer
