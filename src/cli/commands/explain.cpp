#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/given_placement.hpp"
#include "cli/report/explanation.hpp"

namespace placer {
namespace {

struct ExplainFlags {
  bool json = false, markdown = false;
};
constexpr std::array<FlagRow<ExplainFlags>, 2> kExplainFlags = {
    switch_flag("json", 0, &ExplainFlags::json, "print one JSON object instead of the text"),
    switch_flag("markdown", 0, &ExplainFlags::markdown, "print Markdown instead of the text"),
};

int explain_placement(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kPlacementFlags, arguments);
  const auto look = read_flags(kExplainFlags, arguments);
  check_placement_flags("explain", flags);
  if (look.json && look.markdown) {
    throw Error("explain: expected --json or --markdown, found both");
  }
  check_inputs(placement_files(arguments, flags));
  const GivenPlacement given = load_placement(arguments, flags, console);
  console.doing = "simulating " + given.loaded.graph_name;
  const Explanation explanation =
      explain(given.loaded, given.file.placement, given.order, given.sequence());
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
      .run = explain_placement};
}

}  // namespace placer
