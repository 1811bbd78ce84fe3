#include "cli/commands/given_placement.hpp"

#include <fmt/format.h>

#include "cli/commands/offload.hpp"
#include "cli/shared/progress.hpp"
#include "placer/io/files.hpp"
#include "placer/io/plan.hpp"

namespace placer {
namespace {

/// Under which rules the file's step time was found, as far as they are known to be others; else
/// what can have changed.
std::string rules_of(const SavedRequest& saved, const ProblemFlags& problem, Order order) {
  std::vector<std::string> rules;
  if (problem.devices && saved.devices && *problem.devices != *saved.devices) {
    rules.push_back(saved.devices->starts_with('{') ? "on other devices" : "on " + *saved.devices);
  }
  if (saved.order && *saved.order != order) rules.push_back("under order " + name_of(*saved.order));
  if (!rules.empty()) return join(rules);
  return "devices, order, graph or placement have changed since";
}

/// A file that is read once: its request and its placement are wanted one after the other.
struct File {
  std::string title, text;
};

GivenPlacement load_plan(const std::string& graph, const File& file, const PlacementFlags& flags,
                         ProblemFlags wanted, const Observer& observer) {
  wanted.target = flags.from;
  wanted.target_flag = "--from";
  wanted.ties_units = false;
  GivenPlacement given{.loaded = load_problem(graph, wanted, observer)};
  given.file.placement =
      read_plan(find_plan_target(*flags.from), file.text, file.title, given.loaded.problem);
  given.order = flags.order.value_or(Order::kFifo);
  warn_of_offload(given.loaded, given.file.placement, observer);
  return given;
}

GivenPlacement load_file(const std::string& graph, const File& file, const PlacementFlags& flags,
                         const ProblemFlags& own, const Observer& observer) {
  const SavedRequest saved = parse_saved_request(file.text, file.title);
  GivenPlacement given{
      .loaded = load_problem(graph, with_saved_problem(own, saved, file.title), observer)};
  given.file = parse_placement(file.text, file.title, given.loaded.problem);
  given.order = flags.order.value_or(given.file.sequences ? Order::kGiven
                                                          : saved.order.value_or(Order::kFifo));
  if (given.order == Order::kGiven && !given.file.sequences) {
    throw Error(fmt::format("{}: sequences: expected an object for --order given, found nothing",
                            file.title));
  }
  given.rules = rules_of(saved, own, given.order);
  return given;
}

}  // namespace

OpOrder GivenPlacement::sequence() const {
  if (order != Order::kGiven) return {};
  return op_order_of(loaded.problem, *file.sequences);
}

void check_placement_flags(std::string_view command, const PlacementFlags& flags) {
  if (flags.plan.has_value() != flags.from.has_value()) {
    throw Error(fmt::format(
        "{}: expected --plan FILE and --from TARGET together, found one of them", command));
  }
  if (flags.plan.has_value() == flags.placement.has_value()) {
    throw Error(fmt::format("{}: expected --placement FILE or --plan FILE, found {}", command,
                            flags.plan ? "both" : "none"));
  }
  if (flags.plan && flags.order == Order::kGiven) {
    throw Error(
        fmt::format("{}: expected another order than given, as plans have no sequences", command));
  }
}

std::vector<NamedFile> placement_files(const Arguments& arguments, const PlacementFlags& flags) {
  std::vector<NamedFile> files = problem_files(arguments);
  files.push_back({"--placement", flags.placement});
  files.push_back({"--plan", flags.plan});
  return files;
}

GivenPlacement load_placement(const Arguments& arguments, const PlacementFlags& flags,
                              Console& console) {
  const std::string& path = flags.plan ? *flags.plan : *flags.placement;
  const File file{file_title(path), read_text(path)};
  const std::string& graph = arguments.positionals.at(0);
  begin_reading(console, graph);
  const ProblemFlags own = problem_flags(arguments);
  GivenPlacement given = flags.plan ? load_plan(graph, file, flags, own, console.log)
                                    : load_file(graph, file, flags, own, console.log);
  clear_live_line(console);
  return given;
}

}  // namespace placer
