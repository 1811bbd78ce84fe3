#include "placer/model/zoo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/zoo_graph.hpp"
#include "model/zoo_layers.hpp"
#include "placer/base/errors.hpp"

namespace placer {

#define MODEL(name) void name(LayerBuilder&);
#include "model/zoo_models.def"
#undef MODEL

namespace {

struct Model {
  std::string_view name;
  void (*build)(LayerBuilder&);
};

constexpr std::array kModels = std::to_array<Model>({
#define MODEL(name) {#name, name},
#include "model/zoo_models.def"
#undef MODEL
});

const Model& find_model(std::string_view name) {
  const auto model = std::ranges::find(kModels, name, &Model::name);
  if (model != kModels.end()) return *model;
  throw Error(fmt::format("model: expected one of {}, found '{}'{}", join(model_names()), name,
                          did_you_mean(name, model_names())));
}

}  // namespace

std::span<const std::string> colocation_names() {
  static const std::array<std::string, 2> names = {"layer", "weight"};
  return names;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> listed;
    for (const Model& model : kModels) listed.emplace_back(model.name);
    return listed;
  }();
  return names;
}

Graph generate_model(std::string_view name, const ModelOptions& options) {
  const Model& model = find_model(name);
  if (options.batch < 1 || options.batch > kMostBatch) {
    throw Error(fmt::format("batch: expected an integer from 1 to {}, found {}", kMostBatch,
                            options.batch));
  }
  LayerBuilder builder(options.batch, options.training);
  model.build(builder);
  const auto graph = options.training ? training_graph : inference_graph;
  return graph(std::string(name), builder.layers(), options.colocation);
}

}  // namespace placer
