#pragma once

#include <array>
#include <string>
#include <utility>

#include "model/zoo/layers.hpp"
#include "model/zoo/step_parts.hpp"
#include "placer/model/formulas.hpp"
#include "placer/model/zoo.hpp"

namespace placer {

/// How finely a layer is split into ops.
enum class Detail { kLayer, kOp, kFine };
constexpr Names<3> names_of(Detail) { return {"layer", "op", "fine"}; }

/// Which ops share a group.
enum class Colocation { kLayer, kWeight };
constexpr Names<2> names_of(Colocation) { return {"layer", "weight"}; }

/// What one step of a network is: options that every network has. A network's own options derive
/// from it, and its rows are `network_rows<Options>(own rows...)`.
struct StepOptions {
  std::int64_t batch = 32;
  bool inference = false;
  TrainingRule training = named<TrainingRule>("momentum");
  Detail ops = Detail::kOp;
  Colocation colocate = Colocation::kLayer;
};

template <class O, class... Rows>
constexpr auto network_rows(const Rows&... own) {
  return std::array<OptionRow<O>, 5 + sizeof...(own)>{
      own...,
      option<O>("batch", &StepOptions::batch, 1, kMostBatch, "samples of one step"),
      option<O>("inference", &StepOptions::inference,
                "the forward ops alone, without backward and update ops"),
      option<&StepOptions::training, O>("training",
                                        "the update rule: 3, 5 or 7 times the weights' bytes"),
      option<&StepOptions::ops, O>(
          "ops",
          "an op for each layer or block, each op as papers count, or each op as an executor "
          "sees it: weights, views, each gradient of a product on its own"),
      option<&StepOptions::colocate, O>(
          "colocate",
          "which ops share a group: whole layers, or only a weight's op, its backward op and "
          "its update")};
}

/// For `static_assert(kRows.size() == network_option_count<Options>)`.
template <class O>
inline constexpr std::size_t network_option_count = member_count<StepOptions> + member_count<O> - 1;

template <>
inline constexpr std::size_t network_option_count<StepOptions> = member_count<StepOptions>;

/// The ops and tensors of a step of `layers`, the last of which is the loss; by op.
StepParts write_step(const std::vector<Layer>& layers, const StepOptions& options);

/// The step of the network that `net` holds, called `name`.
GeneratedGraph step_graph(const std::string& name, const LayerBuilder& net,
                          const StepOptions& options);

/// `build` adds the layers up to the loss.
template <class O, std::size_t N>
Model make_network(std::string summary, std::string source, const std::array<OptionRow<O>, N>& rows,
                   void (*build)(const O&, LayerBuilder&)) {
  return {"", std::move(summary), std::move(source), describe_options(rows),
          [&rows, build](const std::string& name, const OptionValues& values) {
            const O options = read_options(rows, values);
            LayerBuilder net({.batch = options.batch,
                              .training = !options.inference,
                              .fine = options.ops == Detail::kFine});
            build(options, net);
            return step_graph(name, net, options);
          }};
}

/// A network without options of its own.
inline constexpr auto kNetworkRows = network_rows<StepOptions>();
static_assert(kNetworkRows.size() == network_option_count<StepOptions>);

}  // namespace placer
