#include "cli/commands/plan_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/shared/outputs.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/files.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

constexpr const char* kAlwaysWritten = "pipeline.json";

bool write_folder(const PlanTarget& target, const LoadedProblem& loaded, const Placement& placement,
                  const std::string& folder, Console& console) {
  namespace fs = std::filesystem;
  make_folder(folder);
  const std::string text = read_text(loaded.graph_file);
  const std::vector<PlanFile> files = write_plan_files(
      target, loaded.problem, placement,
      {text, loaded.graph_file, loaded.flags.import, way_to_folder_of(loaded.graph_file, folder)});
  for (const PlanFile& file : files) {
    std::error_code fault;
    if (!fs::equivalent(fs::path(folder) / file.name, loaded.graph_file, fault)) continue;
    throw Error(fmt::format("expected a folder without the graph as {}", file.name));
  }
  return std::ranges::all_of(files, [&](const PlanFile& file) {
    return write_output((fs::path(folder) / file.name).string(), file.bytes, console);
  });
}

/// "3GiB": with one for the runtime.
std::string reserve_for(std::int64_t bytes) { return fmt::format("{}GiB", (bytes >> 30) + 2); }

}  // namespace

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

void warn_of_offload(const LoadedProblem& loaded, const Placement& placement,
                     const Observer& observer) {
  if (!loaded.flags.target) return;
  const PlanTarget& target = find_plan_target(*loaded.flags.target);
  const std::optional<OffloadNeed> need = offload_need(target, loaded.problem, placement);
  if (!need || need->needed_bytes <= need->left_bytes) return;
  observer.tell(EventLevel::kWarn, "", [&] {
    const auto text = [](std::int64_t bytes) {
      return bytes_text(static_cast<double>(std::max<std::int64_t>(bytes, 0)));
    };
    return fmt::format(
        "plan for {}: what is offloaded takes {} on {} while it runs, which has {} left: "
        "--reserve {} leaves it",
        target.name, text(need->needed_bytes), loaded.problem.topology().device(need->worker).name,
        text(need->left_bytes), reserve_for(need->needed_bytes));
  });
}

bool write_plan_file(const LoadedProblem& loaded, const Placement& placement, bool fits,
                     const std::string& path, Console& console) {
  const PlanTarget& target = find_plan_target(*loaded.flags.target);
  warn_of_offload(loaded, placement, console.log);
  std::string text;
  try {
    if (!fits) throw Error("the placement does not fit in memory");
    if (target.write_files != nullptr)
      return write_folder(target, loaded, placement, path, console);
    text = write_plan(target, loaded.problem, placement);
  } catch (const Error& error) {
    console.log.tell(fits ? EventLevel::kError : EventLevel::kWarn, "",
                     [&] { return fmt::format("{} is not written: {}", path, error.what()); });
    console.lacks_output = console.lacks_output || fits;
    return false;
  }
  return write_result(path, text, console);
}

NamedFile plan_output(const std::string& flag, const std::optional<std::string>& path,
                      const std::optional<std::string>& target) {
  const auto is_it = [&](const PlanTarget& each) { return each.name == target; };
  const auto at = std::ranges::find_if(plan_targets(), is_it);
  if (!path || at == plan_targets().end() || at->write_files == nullptr) return {flag, path};
  if (is_standard_output(*path)) {
    throw Error(fmt::format("{}: expected a folder, as a plan for {} is several files, found '{}'",
                            flag, at->name, *path));
  }
  try {
    make_folder(*path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", flag, error.what()));
  }
  return {flag, (std::filesystem::path(*path) / kAlwaysWritten).string()};
}

void check_plan_flags(const ProblemFlags& problem, const std::optional<std::string>& plan,
                      const std::optional<std::string>& plan_out) {
  if (problem.target || (!plan && !plan_out)) return;
  throw Error(
      fmt::format("{}: expected --for TARGET with it, found none", plan ? "--plan" : "--plan-out"));
}

}  // namespace placer
