#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/shared/outputs.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

struct GenerateFlags {
  std::optional<std::string> output;
  std::optional<std::string> optimum;
};
constexpr std::array<FlagRow<GenerateFlags>, 2> kGenerateFlags = {
    text_flag("output", 'o', &GenerateFlags::output, "FILE",
              "write the graph here instead of printing it"),
    text_flag("optimum", 0, &GenerateFlags::optimum, "FILE",
              "write the best placement and its sequences here, where the model knows them"),
};

/// A placement file of the known best; its score is the known step time.
std::string optimum_text(GeneratedGraph generated) {
  const KnownOptimum& known = *generated.optimum;
  const Problem problem(std::move(generated.graph), *std::move(generated.devices));
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    placement[problem.groups().of(op)] = known.devices[op.index()];
  }
  return write_placement(problem, placement, {.overflow_bytes = 0, .step_ps = known.step_ps},
                         known.sequences, "");
}

/// "bert: BERT, a bidirectional transformer (Devlin et al. 2018); ..."
std::string models_text() {
  std::vector<std::string> models;
  for (const Model& model : all_models()) {
    models.push_back(fmt::format("{}: {}{}", model.name, model.summary,
                                 model.source.empty() ? "" : " (" + model.source + ")"));
  }
  return join(models, "; ") + ". Their own options: placer generate MODEL --help";
}

int generate_graph(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kGenerateFlags, arguments);
  const std::string output = flags.output.value_or(std::string(kStandardStream));
  check_outputs({{"--output", output}, {"--optimum", flags.optimum}}, {});
  const std::string& model = arguments.positionals.at(0);
  console.doing = "generating " + model;
  GeneratedGraph generated = generate(model, arguments.options);
  if (flags.optimum && !generated.optimum) {
    throw Error(fmt::format(
        "generate: --optimum: expected a model whose best placement is known, found '{}'", model));
  }
  const Topology* devices = generated.devices ? &*generated.devices : nullptr;
  write_output(output, write_graph(generated.graph, devices, generated.yield), console);
  if (flags.optimum) write_output(*flags.optimum, optimum_text(std::move(generated)), console);
  return kDone;
}

}  // namespace

Command generate_command() {
  return {.name = "generate",
          .summary = "write the graph of a well-known model, or a synthetic one",
          .positionals = {{"MODEL", models_text()}},
          .flags = flags_of(kGenerateFlags),
          .examples = {"placer generate bert --layers 2 --output bert.json"},
          .takes_model_options = true,
          .run = generate_graph};
}

}  // namespace placer
