#include "placer/model/zoo.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {

#define PLACER_MODEL(function, name) Model function();
#include "model/zoo/models.def"
#undef PLACER_MODEL

namespace {

Model named(std::string name, Model model) {
  model.name = std::move(name);
  return model;
}

}  // namespace

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = {
#define PLACER_MODEL(function, name) named(name, function()),
#include "model/zoo/models.def"
#undef PLACER_MODEL
  };
  return models;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : all_models()) names.push_back(model.name);
  return names;
}

const Model& find_model(std::string_view name) {
  const auto at = std::ranges::find(all_models(), name, &Model::name);
  if (at != all_models().end()) return *at;
  throw Error(fmt::format("model: expected one of {}, found '{}'{}", join(model_names()),
                          shown_name(name), did_you_mean(name, model_names())));
}

GeneratedGraph generate(std::string_view name, const OptionValues& given) {
  const Model& model = find_model(name);
  const OptionValues options = checked_options(model.options, given);
  GeneratedGraph generated = model.generate(model.name, options);
  if (const auto batch = options.find("batch"); batch != options.end()) {
    auto& count = model.decodes ? generated.yield.tokens : generated.yield.samples;
    count = std::get<std::int64_t>(batch->second);
  }
  return generated;
}

Graph generate_model(std::string_view name, const OptionValues& given) {
  return generate(name, given).graph;
}

}  // namespace placer
