#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/given_placement.hpp"
#include "cli/commands/machine_changes.hpp"
#include "cli/commands/short_search.hpp"
#include "cli/report/explanation.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

struct ExplainFlags {
  std::optional<std::int64_t> search;
  std::optional<std::string> instead;
  bool json = false, markdown = false;
};
constexpr std::array<FlagRow<ExplainFlags>, 4> kExplainFlags = {
    flag("search", &ExplainFlags::search, 1,
         "search anew on machines that differ in one thing, with so many simulated steps each: "
         "faster links, more memory, a device more, less or of another kind"),
    texts_flag("instead", &ExplainFlags::instead, "FILE|NAME",
               "with --search, on these devices as well, a spec as of --devices"),
    switch_flag("json", 0, &ExplainFlags::json, "print one JSON object instead of the text"),
    switch_flag("markdown", 0, &ExplainFlags::markdown, "print Markdown instead of the text"),
};

/// The placement on a changed machine; empty where some group may not go to its device there.
std::optional<Placement> moved(const Placement& placement, const MachineChange& change,
                               const Problem& problem) {
  Placement start = placement;
  for (const GroupId group : IdRange<GroupId>(start.devices.size())) {
    const auto now = change.now[placement[group].index()];
    if (!now || !problem.groups().is_allowed(group, *now)) return std::nullopt;
    start.devices[group.index()] = *now;
  }
  return start;
}

std::vector<std::string> lines_of(const std::optional<std::string>& text) {
  return text ? split(*text, '\n') : std::vector<std::string>{};
}

/// The searches of --search: on the machine as it is, on those that differ in one thing, and on
/// those of --instead.
std::vector<SearchedWhatIf> searched(const GivenPlacement& given, const ExplainFlags& flags,
                                     const Arguments& arguments, Console& console) {
  const Problem& problem = given.loaded.problem;
  const ShortSearch how{.evaluations = *flags.search,
                        .order = given.order == Order::kGiven ? Order::kFifo : given.order};
  std::vector<SearchedWhatIf> list;
  const auto add = [&](const std::string& name, const Problem& on, std::optional<Placement> start) {
    console.doing = "searching with " + name;
    list.push_back({name, searched_shortly(on, how, std::move(start)).score});
  };
  add("the machine as it is", problem, given.file.placement);
  for (const MachineChange& change : machine_changes(problem.topology(), kMoreBytes)) {
    const auto changed = problem_on(problem, change.topology);
    if (changed) {
      add(change.name, *changed, moved(given.file.placement, change, *changed));
    } else {
      list.push_back({change.name, std::nullopt});
    }
  }
  for (const std::string& devices : lines_of(flags.instead)) {
    ProblemFlags other = problem_flags(arguments);
    other.devices = devices;
    add(devices + " instead", load_problem(arguments.positionals.at(0), other, console.log).problem,
        std::nullopt);
  }
  return list;
}

int explain_placement(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kPlacementFlags, arguments);
  const auto look = read_flags(kExplainFlags, arguments);
  check_placement_flags("explain", flags);
  if (look.json && look.markdown) {
    throw Error("explain: expected --json or --markdown, found both");
  }
  if (look.instead && !look.search) {
    throw Error("--instead: expected --search N with it, found none");
  }
  check_inputs(placement_files(arguments, flags));
  const GivenPlacement given = load_placement(arguments, flags, console);
  if (look.search && !given.loaded.problem.goal().stages.empty()) {
    throw Error("explain: expected --stages without an order of the devices for --search");
  }
  console.doing = "simulating " + given.loaded.graph_name;
  Explanation explanation =
      explain(given.loaded, given.file.placement, given.order, given.sequence());
  if (look.search) explanation.searched = searched(given, look, arguments, console);
  console.out << (look.json       ? explanation_json(explanation)
                  : look.markdown ? explanation_markdown(explanation)
                                  : explanation_text(explanation, console.look));
  return explanation.schedule.score.fits() ? kDone : kNothingFits;
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .summary = "say why a placement takes as long as it does: critical path, idle time, memory",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kPlacementFlags, kProblemFlags, kImportOptions, kExplainFlags),
      .examples = {"placer explain graph.json --placement best.json"},
      .run = explain_placement};
}

}  // namespace placer
