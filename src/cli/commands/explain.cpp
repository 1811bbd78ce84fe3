#include <algorithm>
#include <limits>
#include <ostream>
#include <span>

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

/// Searches for what explain tells of other machines.
class WhatIfSearch {
 public:
  /// `given_score` is that of the given placement.
  WhatIfSearch(const GivenPlacement& given, const Score& given_score, std::int64_t evaluations,
               Console& console)
      : given_(given),
        how_{.evaluations = evaluations,
             .order = given.order == Order::kGiven ? Order::kFifo : given.order,
             .interrupt = console.interrupt},
        console_(console),
        best_(given.file.placement),
        best_score_(given_score) {}

  /// Not worse than the given placement, from which the other searches then begin or from the
  /// better one that this finds.
  SearchedWhatIf as_it_is() {
    const std::string name = "the machine as it is";
    SearchResult found = on(name, given_.loaded.problem, best_);
    if (found.score < best_score_) {
      best_ = std::move(found.placement);
      best_score_ = found.score;
    }
    return {name, best_score_};
  }

  /// Not worse than the given placement there.
  SearchedWhatIf with(const MachineChange& change) {
    const Problem& problem = given_.loaded.problem;
    const auto changed = problem_on(problem, change.topology);
    if (!changed) return {change.name, std::nullopt};
    Score score = on(change.name, *changed, moved(best_, change, *changed)).score;
    if (const auto as_given = moved(given_.file.placement, change, *changed)) {
      score =
          std::min(score, Simulator(*changed, given_.order).evaluate(*as_given, given_.sequence()));
    }
    return {change.name, score};
  }

  SearchedWhatIf instead(const std::string& devices, const Problem& problem) {
    const std::string name = devices + " instead";
    return {name, on(name, problem, std::nullopt).score};
  }

  /// Whether the last search was cut short, so that it says less than those before it.
  bool is_interrupted() const { return is_interrupted_; }

 private:
  SearchResult on(const std::string& name, const Problem& problem, std::optional<Placement> start) {
    console_.doing = "searching with " + name;
    SearchResult found = searched_shortly(problem, how_, std::move(start));
    is_interrupted_ = found.stopped == Stop::kInterrupt;
    return found;
  }

  const GivenPlacement& given_;
  ShortSearch how_;
  Console& console_;
  Placement best_;
  Score best_score_;
  bool is_interrupted_ = false;
};

/// What a part of the machine can do, the whole can, and so can a larger one, though its simulation
/// may be slower. `list` has the machine as it is before those with the changes.
void settle(std::span<const MachineChange> changes, std::vector<SearchedWhatIf>& list) {
  Score least = *list.front().score;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::optional<Score>& score = list[i + 1].score;
    if (changes[i].only_removes && score) least = std::min(least, *score);
  }
  list.front().score = least;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::optional<Score>& score = list[i + 1].score;
    if (changes[i].only_adds && score) score = std::min(*score, least);
  }
}

/// The searches of --search: on the machine as it is, on those that differ in one thing, and on
/// those of --instead; all that were whole when an interrupt came.
void add_searches(const GivenPlacement& given, const ExplainFlags& flags,
                  const Arguments& arguments, Console& console, Explanation& explanation) {
  console.search_begins();
  WhatIfSearch search(given, explanation.schedule.score, *flags.search, console);
  std::vector<SearchedWhatIf> list = {search.as_it_is()};
  const std::vector<MachineChange> changes =
      machine_changes(given.loaded.problem.topology(), kMoreBytes);
  for (const MachineChange& change : changes) {
    if (search.is_interrupted()) break;
    list.push_back(search.with(change));
  }
  for (const std::string& devices : lines_of(flags.instead)) {
    if (search.is_interrupted()) break;
    ProblemFlags other = problem_flags(arguments);
    other.devices = devices;
    const LoadedProblem loaded = load_problem(arguments.positionals.at(0), other, console.log);
    list.push_back(search.instead(devices, loaded.problem));
  }
  if (search.is_interrupted() && list.size() > 1) list.pop_back();
  settle(std::span(changes).first(std::min(changes.size(), list.size() - 1)), list);
  explanation.is_interrupted = search.is_interrupted();
  explanation.searched = std::move(list);
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
      explain(given.loaded, given.file.placement, given.order, given.sequence(),
              Deadline({}, std::numeric_limits<double>::infinity(), console.interrupt));
  if (look.search && !explanation.is_interrupted)
    add_searches(given, look, arguments, console, explanation);
  console.out << (look.json       ? explanation_json(explanation)
                  : look.markdown ? explanation_markdown(explanation)
                                  : explanation_text(explanation, console.look));
  if (explanation.is_interrupted) return kInterrupted;
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
      .interruptible = true,
      .run = explain_placement};
}

}  // namespace placer
