#include "cli/commands/plan_files.hpp"

#include <fmt/format.h>

#include "cli/shared/outputs.hpp"
#include "placer/io/files.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

std::vector<OtherPlacement> other_placements(const LoadedProblem& loaded, Order order,
                                             const std::optional<std::string>& path) {
  std::vector<OtherPlacement> others;
  if (!loaded.flags.target) return others;
  const PlanTarget& target = find_plan_target(*loaded.flags.target);
  std::vector<GroupId> alone;  // plans may cut what --for keeps whole
  for (const OpId op : IdRange<OpId>(loaded.problem.op_count())) alone.emplace_back(op.index());
  const Problem problem = loaded.problem.with_groups(std::move(alone));
  Simulator simulator(problem, order == Order::kGiven ? Order::kFifo : order);
  if (path) {
    const Placement plan = read_plan(target, read_text(*path), file_title(*path), problem);
    others.push_back({"your plan", simulator.evaluate(plan)});
  }
  for (const auto& [name, placement] : default_placements(target, problem)) {
    others.push_back({name, simulator.evaluate(placement)});
  }
  return others;
}

bool write_plan_file(const LoadedProblem& loaded, const Placement& placement, bool fits,
                     const std::string& path, Console& console) {
  const PlanTarget& target = find_plan_target(*loaded.flags.target);
  std::string text;
  try {
    if (!fits) throw Error("the placement does not fit in memory");
    text = write_plan(target, loaded.problem, placement);
  } catch (const Error& error) {
    console.log.tell(EventLevel::kWarn, "",
                     [&] { return fmt::format("{} is not written: {}", path, error.what()); });
    return false;
  }
  return write_result(path, text, console);
}

void check_plan_flags(const ProblemFlags& problem, const std::optional<std::string>& plan,
                      const std::optional<std::string>& plan_out) {
  if (problem.target || (!plan && !plan_out)) return;
  throw Error(
      fmt::format("{}: expected --for TARGET with it, found none", plan ? "--plan" : "--plan-out"));
}

}  // namespace placer
