#include "cli/shared/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <thread>

#include "base/team.hpp"
#include "cli/shared/device_rows.hpp"
#include "cli/shared/goal_flags.hpp"
#include "cli/shared/graph_costs.hpp"
#include "cli/shared/reserve.hpp"
#include "placer/base/text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/import.hpp"
#include "placer/io/plan.hpp"
#include "placer/search/bounds.hpp"

namespace placer {
namespace {

/// A shipped name, unless a file of that name takes its place.
std::optional<std::string> shipped_name(const std::string& devices) {
  const std::vector<std::string> names = shipped_device_names();
  std::error_code fault;
  if (std::ranges::count(names, devices) == 0 || std::filesystem::is_regular_file(devices, fault))
    return {};
  return devices;
}

Problem build_problem(Graph graph, Topology topology, const std::string& graph_file,
                      const ProblemFlags& flags, const std::string& devices) {
  if (flags.reserve) topology = with_reserve(topology, *flags.reserve);
  apply_pins(flags, graph_file, topology, devices, graph);
  const auto with_names = [&](auto part) {
    try {
      return part();
    } catch (const Error& error) {
      throw Error(fmt::format("{} on {}: {}", graph_file, devices, error.what()));
    }
  };
  if (flags.target) {
    graph = with_names([&] {
      return graph_for(find_plan_target(*flags.target), std::move(graph), topology,
                       flags.ties_units);
    });
  }
  apply_ties(flags, graph_file, graph);  // also of what runs in stages, whose groups are parted
  return with_names([&] { return Problem(std::move(graph), std::move(topology)); });
}

/// What runtimes take of a machine, where something is to run and --reserve does not say it.
RuntimeReserve runtime_reserve(const ProblemFlags& flags) {
  constexpr RuntimeReserve kNothing = {.bytes = 0};
  if (flags.reserve) return kNothing;
  if (flags.target) return find_plan_target(*flags.target).reserve;
  return flags.is_to_run ? RuntimeReserve() : kNothing;
}

LoadedProblem on_devices(GraphFile read, const std::string& graph_file, const ProblemFlags& flags) {
  std::string name = read.graph.name();
  if (name.empty()) name = printable(std::filesystem::path(graph_file).stem().string());
  if (!flags.devices && read.devices) {
    return {build_problem(std::move(read.graph), *std::move(read.devices), graph_file, flags,
                          "its own devices"),
            std::move(name),
            "graph file",
            "the graph file's own",
            std::nullopt,
            true};
  }
  const std::string devices = flags.devices.value_or(kStandardDevices);
  if (devices.starts_with('{')) {  // the spec itself, out of a saved request
    return {build_problem(std::move(read.graph), parse_devices(devices, "devices"), graph_file,
                          flags, "the saved devices"),
            std::move(name), "saved devices", "from " + flags.devices_from, std::nullopt};
  }
  const Topology whole = find_devices(devices);
  const Topology left = with_reserve(whole, runtime_reserve(flags));
  const std::string reserved = reserve_text(whole, left);
  std::string why = flags.devices ? "from " + flags.devices_from : "the default";
  if (!reserved.empty()) why += fmt::format(", {} reserved for the runtime", reserved);
  return {build_problem(std::move(read.graph), left, graph_file, flags, devices), std::move(name),
          printable(file_title(devices)), std::move(why),
          reserved.empty() ? shipped_name(devices) : std::nullopt};
}

void check_target(const ProblemFlags& flags) {
  try {
    find_plan_target(*flags.target);
  } catch (const Error& error) {
    throw Error(fmt::format("option {}: {}", flags.target_flag, error.what()));
  }
}

/// A plan whose files are parts of the model needs the model as it is.
void check_source(const ProblemFlags& flags, const std::string& graph_file,
                  const std::string& format) {
  const PlanTarget& target = find_plan_target(*flags.target);
  if (target.source_format.empty()) return;
  if (format != target.source_format) {
    throw Error(fmt::format("{}: expected a file of format {} for {} {}, found one of format {}",
                            file_title(graph_file), target.source_format, flags.target_flag,
                            target.name, format.empty() ? "placer" : format));
  }
  if (flags.training) {
    throw Error(fmt::format("option --training: expected none with {} {}, found one",
                            flags.target_flag, target.name));
  }
  if (is_standard_input(graph_file)) {
    throw Error(fmt::format("standard input: expected a file that can be read again for {} {}",
                            flags.target_flag, target.name));
  }
}

/// Why it is unknown what a step is good for; empty where it is known.
std::string no_yield(const StepYield& yield, const std::string& format) {
  if (yield.samples || yield.tokens) return {};
  if (format.empty()) return "the graph file says neither samples nor tokens of a step";
  if (format != "onnx" && format != "openvino") return format + " does not say samples of a step";
  return "no first extent that all inputs have, so no samples of a step";
}

void tell_loaded(const LoadedProblem& loaded, const std::string& graph_file,
                 const Observer& observer) {
  observer.tell(EventLevel::kInfo, "files", [&] {
    return fmt::format("{}: '{}', {} ops in {} groups", graph_file, loaded.graph_name,
                       loaded.problem.op_count(), loaded.problem.groups().size());
  });
  observer.tell(EventLevel::kInfo, "files", [&] {
    std::vector<std::string> devices;
    for (DeviceRow& row : device_rows(loaded.problem.topology())) {
      devices.push_back(std::move(row.name));
    }
    return fmt::format("devices: {} ({}): {}", loaded.devices_name, loaded.devices_why,
                       join(devices));
  });
}

}  // namespace

ProblemFlags problem_flags(const Arguments& arguments) {
  ProblemFlags flags = read_flags(kProblemFlags, arguments);
  flags.import = read_import_options(arguments);
  const auto groups = arguments.flags.find("groups");
  if (groups != arguments.flags.end()) flags.groups = std::get<std::string>(groups->second);
  if (std::ranges::count(arguments.from_config, "devices") > 0) {
    flags.devices_from = std::get<std::string>(arguments.flags.at("config"));
  }
  return flags;
}

std::vector<NamedFile> problem_files(const Arguments& arguments) {
  const auto flags = read_flags(kProblemFlags, arguments);
  std::vector<NamedFile> files;
  for (const std::string& graph : arguments.positionals) files.push_back({"GRAPH", graph});
  files.push_back({"--devices", flags.devices});
  files.push_back({"--profile", flags.profile});
  if (const auto config = arguments.flags.find("config"); config != arguments.flags.end()) {
    files.push_back({"--config", std::get<std::string>(config->second)});
  }
  return files;
}

LoadedProblem load_problem(const std::string& graph_file, const ProblemFlags& flags,
                           const Observer& observer) {
  return load_problem(read_problem_graph(graph_file, flags, observer), graph_file, flags, observer);
}

GraphFile read_problem_graph(const std::string& graph_file, const ProblemFlags& flags,
                             const Observer& observer) {
  ImportOptions options = flags.import;
  options.observer = observer;
  if (flags.target) check_target(flags);
  return read_any_graph(graph_file, options);
}

LoadedProblem load_problem(GraphFile read, const std::string& graph_file, const ProblemFlags& flags,
                           const Observer& observer) {
  if (flags.target) check_source(flags, graph_file, read.imported_from);
  apply_costs(flags, file_title(graph_file), read.graph);
  apply_units(flags, read.graph);
  std::vector<std::string> why;
  if (!read.imported_from.empty()) why.push_back("imported from " + read.imported_from);
  if (flags.training) why.push_back("trained with " + name_of(*flags.training));
  if (flags.profile) why.push_back("times from " + printable(file_title(*flags.profile)));
  const StepYield yield = read.yield;
  std::string unknown_yield = no_yield(yield, read.imported_from);
  LoadedProblem loaded = on_devices(std::move(read), file_title(graph_file), flags);
  if (!why.empty()) loaded.graph_why = fmt::format(" ({})", join(why));
  loaded.flags = flags;
  loaded.yield = yield;
  loaded.no_yield = std::move(unknown_yield);
  loaded.graph_file = graph_file;
  Goal goal = goal_of(flags, loaded.problem.topology());
  if (flags.target) {
    goal = goal_for(find_plan_target(*flags.target), std::move(goal), loaded.problem.topology());
  }
  loaded.problem = loaded.problem.with_goal(std::move(goal));
  check_goal(loaded.problem);
  loaded.standard_devices = !flags.devices && !loaded.own_devices;
  if (flags.reserve) {  // a saved request holds what is left of the memories
    loaded.shipped.reset();
    loaded.own_devices = false;
    loaded.devices_why +=
        fmt::format(", {}{} reserved", *flags.reserve,
                    flags.reserve->find('=') == std::string::npos ? " of each accelerator" : "");
  }
  tell_loaded(loaded, graph_file, observer);
  return loaded;
}

std::vector<LoadedProblem> load_problems(const std::vector<std::string>& graph_files,
                                         const ProblemFlags& flags, const Observer& observer) {
  std::vector<LoadedProblem> loaded;
  std::map<std::string, int> seen;
  for (const std::string& file : graph_files) {
    loaded.push_back(load_problem(file, flags, observer));
    ++seen[loaded.back().graph_name];
  }
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (seen[loaded[i].graph_name] > 1) loaded[i].graph_name = printable(graph_files[i]);
  }
  return loaded;
}

Order order_of(const SearchFlags& flags) { return flags.order.value_or(Order::kFifo); }

Picoseconds parse_target(const std::string& text, const Problem& problem, Order order) {
  const bool gap = text.ends_with('%');
  const std::string_view value = std::string_view(text).substr(0, text.size() - (gap ? 1 : 0));
  const std::optional<double> number =
      parse_quantity(value, gap ? Measure::kPlain : Measure::kSeconds);
  if (!number || !(*number >= 0) || *number > 9e6 || (!gap && *number == 0)) {
    throw Error(
        fmt::format("option --target: expected seconds above 0 (0.25 or 250ms) or a gap over the "
                    "lower bound (5%), "
                    "found '{}'",
                    text));
  }
  if (!gap) return to_picoseconds(*number);
  const double bound_seconds = to_seconds(lower_bounds(problem, {}, order).best_ps());
  return to_picoseconds(std::min(bound_seconds * (1 + *number / 100), 9e6));
}

std::optional<Grouping> named_grouping(std::string_view text) {
  if (text == "auto") return Grouping{Grouping::Kind::kAuto, 0};
  if (text == "none" || text == "op") return Grouping{Grouping::Kind::kNone, 0};
  return std::nullopt;
}

std::optional<Grouping> named_or_counted_grouping(const std::string& text) {
  if (const std::optional<Grouping> named = named_grouping(text)) return *named;
  const std::optional<double> count = parse_quantity(text, Measure::kPlain);
  if (!count || *count < 1 || *count > 1e15 || *count != std::trunc(*count)) return std::nullopt;
  return Grouping{Grouping::Kind::kCount, static_cast<std::size_t>(*count)};
}

Grouping parse_grouping(const std::string& text) {
  if (unit_groups(text)) return *named_grouping("auto");
  if (const std::optional<Grouping> found = named_or_counted_grouping(text)) return *found;
  throw Error(
      fmt::format("option --groups: expected auto, none, layer, module or an integer from 1, found "
                  "'{}'",
                  one_line(text, 80)));
}

int thread_count(std::optional<std::int64_t> wanted) {
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return threads_that_begin(static_cast<int>(std::min(wanted.value_or(cores), cores)));
}

std::string groups_of(const SearchFlags& flags) {
  return flags.groups.value_or(flags.as_published ? "none" : "auto");
}

SearchRequest make_request(const SearchFlags& flags, const Problem& problem) {
  SearchRequest request;
  request.order = order_of(flags);
  if (flags.evaluations) request.budget.evaluations = *flags.evaluations;
  if (flags.time_limit) request.budget.seconds = *flags.time_limit;
  if (!flags.evaluations && !flags.time_limit) request.budget.evaluations = kStandardEvaluations;
  if (flags.target) {
    request.budget.target_ps = parse_target(*flags.target, problem, request.order);
  }
  request.grouping = parse_grouping(groups_of(flags));
  if (flags.as_published) request.additions = kAsPublished;
  if (flags.no_single_devices) request.additions.single_devices = false;
  if (flags.no_refinement) request.additions.refinement = false;
  request.threads = thread_count(flags.threads);
  return request;
}

}  // namespace placer
