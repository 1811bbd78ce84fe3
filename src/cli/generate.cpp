#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "placer/base/names.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

struct GenerateFlags {
  std::optional<std::int64_t> batch;
  bool inference = false;
  std::optional<std::string> colocate;
  std::optional<std::string> output;
};
constexpr std::array<FlagRow<GenerateFlags>, 4> kGenerateFlags = {
    flag("batch", &GenerateFlags::batch, 1, "images of one step; 32 by default"),
    switch_flag("inference", 0, &GenerateFlags::inference,
                "the forward ops alone, without backward and update ops"),
    choice_flag("colocate", &GenerateFlags::colocate, colocation_names,
                "which ops share a group: whole layers (the default), or only a weight's op, its "
                "backward op and its update"),
    text_flag("output", 'o', &GenerateFlags::output, "FILE",
              "write the graph here instead of printing it"),
};

int generate(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kGenerateFlags, arguments);
  check_outputs({{"--output", flags.output}}, {});
  ModelOptions options;
  options.batch = flags.batch.value_or(options.batch);
  options.training = !flags.inference;
  if (flags.colocate) options.colocation = named<Colocation>(colocation_names(), *flags.colocate);

  const std::string text = write_graph(generate_model(arguments.positionals.at(0), options));
  if (flags.output) {
    write_atomically(*flags.output, text);
  } else {
    console.out << text;
  }
  return kDone;
}

}  // namespace

Command generate_command() {
  return {.name = "generate",
          .summary = "write the graph of a well-known model, built from its layer shapes",
          .positionals = {{"MODEL", join(model_names())}},
          .flags = flags_of(kGenerateFlags),
          .run = generate};
}

}  // namespace placer
