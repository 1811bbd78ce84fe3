#include "placer/io/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/import_costs.hpp"
#include "cli/shared/import_options.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/json_value.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/model/op_types.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

struct ImportFlags {
  std::optional<std::string> format;
  std::optional<std::string> output;
  std::optional<std::string> placement_out;
  std::optional<std::string> fit;
  bool json = false;
};
constexpr std::array<FlagRow<ImportFlags>, 5> kImportFlags = {
    text_flag("format", 0, &ImportFlags::format, "NAME",
              "what the file is; by its content unless given"),
    text_flag("output", 'o', &ImportFlags::output, "FILE",
              "write the graph here, and print a summary instead of the graph"),
    text_flag("placement-out", 0, &ImportFlags::placement_out, "FILE",
              "write the placement here that comes with the file (planted, topcuoglu)"),
    text_flag("fit", 0, &ImportFlags::fit, "DEVICES",
              "say what share of the peaks each class of measured ops reaches on this machine, as "
              "for --devices"),
    switch_flag("json", 0, &ImportFlags::json, "print one JSON object instead of the summary"),
};

/// The file's own placement, played through.
struct OwnPlacement {
  Problem problem;
  Placement placement;
  Score score;
};

Problem own_problem(const Imported& imported, const std::string& file) {
  try {
    return Problem(imported.graph, *imported.devices);
  } catch (const Error& error) {
    throw Error(fmt::format("{} on its own devices: {}", file, one_line(error.what(), 700)));
  }
}

OwnPlacement own_placement(const Imported& imported, const std::string& file) {
  OwnPlacement own{own_problem(imported, file), {}, {}};
  own.placement.devices.resize(own.problem.groups().size());
  for (const OpId op : IdRange<OpId>(own.problem.op_count())) {
    own.placement[own.problem.groups().of(op)] = imported.device_of[op.index()];
  }
  if (imported.sequences) {
    const std::string deadlock = deadlock_of(own.problem, *imported.sequences);
    if (!deadlock.empty()) {
      throw Error(fmt::format("{}: expected a schedule that can run, found a deadlock: {}", file,
                              one_line(deadlock, 300)));
    }
  }
  Simulator simulator(own.problem, imported.sequences ? Order::kGiven : Order::kFifo);
  own.score =
      simulator.evaluate(own.placement, imported.sequences ? &*imported.sequences : nullptr);
  return own;
}

struct Counts {
  double flops = 0, other_flops = 0;
  std::int64_t params_bytes = 0, activation_bytes = 0;
};

Counts counts_of(const Graph& graph) {
  Counts counts;
  for (const Op& op : graph.ops()) {
    (counts_as_product(op.type) ? counts.flops : counts.other_flops) += op.flops.value_or(0);
    counts.params_bytes += op.params_bytes;
  }
  for (const Tensor& tensor : graph.tensors()) counts.activation_bytes += tensor.bytes;
  return counts;
}

std::string json_text(const Imported& imported, const std::optional<OwnPlacement>& own,
                      const std::optional<Measured>& measured) {
  const Graph& graph = imported.graph;
  const Counts counts = counts_of(graph);
  Json object;
  object["version"] = PLACER_VERSION;
  object["format"] = imported.format;
  object["graph"] = graph.name();
  object["ops"] = graph.ops().size();
  object["tensors"] = graph.tensors().size();
  object["edges"] = graph.edge_count();
  object["flops"] = counts.flops;
  object["other_flops"] = counts.other_flops;
  object["params_bytes"] = counts.params_bytes;
  object["activation_bytes"] = counts.activation_bytes;
  object["devices"] = nullptr;
  if (imported.devices) {
    object["devices"] = Json::array();
    for (const Device& device : imported.devices->devices()) {
      object["devices"].push_back(
          {{"name", device.name}, {"type", device.type}, {"memory_bytes", device.memory_bytes}});
    }
  }
  object["claimed_step_seconds"] =
      imported.step_seconds ? Json(*imported.step_seconds) : Json(nullptr);
  object["placement_step_seconds"] = own ? Json(to_seconds(own->score.step_ps)) : Json(nullptr);
  object["placement_overflow_bytes"] = own ? Json(own->score.overflow_bytes) : Json(nullptr);
  object["profile"] = measured ? Json::parse(measured_json(*measured)) : Json(nullptr);
  object["notes"] = imported.notes;
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string devices_text(const Imported& imported) {
  if (!imported.devices) return "none; choose with --devices when it is used";
  std::vector<std::string> types;
  std::vector<std::size_t> counts;
  for (const Device& device : imported.devices->devices()) {
    const auto at = std::ranges::find(types, device.type);
    if (at == types.end()) {
      types.push_back(device.type);
      counts.push_back(1);
    } else {
      ++counts[static_cast<std::size_t>(at - types.begin())];
    }
  }
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("{}{} of type {}", i == 0 ? "" : ", ", counts[i], types[i]);
  }
  return text;
}

std::string summary(const Imported& imported, const std::optional<OwnPlacement>& own,
                    const std::optional<Measured>& measured, const Look& look) {
  const Graph& graph = imported.graph;
  const Counts counts = counts_of(graph);
  std::vector<std::vector<std::string>> rows = {
      {"format", imported.format},
      {"graph", graph.name()},
      {"ops", fmt::format("{}", graph.ops().size())},
      {"tensors", fmt::format("{} with {} consumers", graph.tensors().size(), graph.edge_count())}};
  if (counts.flops + counts.other_flops > 0) {
    rows.push_back({"flops", fmt::format("{:.4g} in convolutions and matrix products, {:.4g} "
                                         "elsewhere",
                                         counts.flops, counts.other_flops)});
  }
  if (counts.params_bytes > 0) {
    rows.push_back({"parameters", params_text(graph)});
  }
  if (counts.activation_bytes > 0) {
    rows.push_back({"activations", bytes_text(static_cast<double>(counts.activation_bytes))});
  }
  rows.push_back({"devices", devices_text(imported)});
  if (own) {
    std::string step = time_text(own->score.step_ps);
    if (!own->score.fits()) {
      step += fmt::format(", {} too much for the memory",
                          bytes_text(static_cast<double>(own->score.overflow_bytes)));
    }
    rows.push_back({"its placement", step});
  }
  if (imported.step_seconds) {
    rows.push_back({"the file says", time_text(to_picoseconds(*imported.step_seconds))});
  }
  if (measured) {
    for (const auto& row : measured_rows(*measured)) rows.push_back(row);
  }
  for (const std::string& note : imported.notes) rows.push_back({"note", note});
  return text_rows(std::move(rows), {1}, look);
}

/// Without --output and --json the graph itself is printed.
void check_files(const Arguments& arguments, const ImportFlags& flags,
                 const ProblemFlags& graph_flags) {
  std::optional<std::string> output = flags.output;
  if (!output && !flags.json) output = kStandardStream;
  const std::vector<NamedFile> outputs = {{"--output", output},
                                          {"--placement-out", flags.placement_out}};
  check_outputs(outputs,
                {{"FILE", arguments.positionals.at(0)}, {"--profile", graph_flags.profile}});
  if (flags.json) check_json_alone(outputs);
  if (flags.fit && !graph_flags.profile) {
    throw Error("--fit: expected --profile with it, found none");
  }
}

Imported read_imported(const std::string& path, const ImportFlags& flags,
                       const ProblemFlags& graph_flags, const Observer& observer) {
  ImportOptions options = graph_flags.import;
  options.format = flags.format.value_or("");
  options.observer = observer;
  return import_file(path, options);
}

void write_files(const ImportFlags& flags, const Imported& imported,
                 const std::optional<OwnPlacement>& own, Console& console) {
  if (flags.output || !flags.json) {
    const Topology* devices = imported.devices ? &*imported.devices : nullptr;
    write_output(flags.output.value_or(std::string(kStandardStream)),
                 write_graph(imported.graph, devices, imported.yield), console);
  }
  if (!flags.placement_out) return;
  write_output(*flags.placement_out,
               write_placement(own->problem, own->placement, own->score, imported.sequences, ""),
               console);
}

int import_graph(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kImportFlags, arguments);
  const ProblemFlags graph_flags = problem_flags(arguments);
  const std::string file = file_title(arguments.positionals.at(0));
  check_files(arguments, flags, graph_flags);
  console.doing = "reading " + file;
  Imported imported = read_imported(arguments.positionals.at(0), flags, graph_flags, console.log);
  std::optional<Measured> measured = apply_costs(graph_flags, file, imported.graph);
  if (flags.fit) {
    measured->fits = fit_to(*flags.fit, measured_device(graph_flags), imported.graph);
  }
  if (graph_flags.training) {  // the file's placement and order say nothing of a step
    imported.device_of.clear();
    imported.sequences.reset();
    imported.step_seconds.reset();
  }
  if (flags.placement_out && imported.device_of.empty()) {
    throw Error(
        fmt::format("{}: expected a placement in the file for --placement-out, found none", file));
  }
  std::optional<OwnPlacement> own;
  if (!imported.device_of.empty()) {
    own.emplace(own_placement(imported, file));
  } else if (imported.devices) {
    own_problem(imported, file);
  }
  write_files(flags, imported, own, console);
  if (flags.json) {
    console.out << json_text(imported, own, measured);
  } else if (flags.output) {
    summary_stream(console) << summary(imported, own, measured, console.look);
  }
  return kDone;
}

}  // namespace

Command import_command() {
  return {.name = "import",
          .summary = "turn another program's file into a graph: task graphs, profiles, models",
          .positionals = {{"FILE", "the file to read, of one of the formats " +
                                       join(import_format_names())}},
          .flags = flags_of(kImportFlags, kImportOptions, kCostFlags),
          .examples = {"placer import tasks.stg --processors 4 --output tasks.json"},
          .run = import_graph};
}

}  // namespace placer
