#include "cli/commands/plan_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/offload.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/files.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

/// How the stages of a folder are chained; always written.
std::filesystem::path chain_of(const std::filesystem::path& folder) {
  return folder / "pipeline.json";
}

/// Those that the chain in the folder names, before there is a new one.
std::vector<std::string> older_stages(const std::filesystem::path& folder) {
  std::error_code fault;
  const std::filesystem::path chain = chain_of(folder);
  if (!std::filesystem::is_regular_file(chain, fault)) return {};
  return stage_files(read_text(chain.string()));
}

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
  const std::vector<std::string> older = older_stages(folder);
  // Whatever comes between: no old chain of new stages.
  std::error_code missing;
  fs::remove(chain_of(folder), missing);
  const bool written = std::ranges::all_of(files, [&](const PlanFile& file) {
    return write_output((fs::path(folder) / file.name).string(), file.bytes, console);
  });
  if (!written) return false;
  for (const std::string& name : older) {
    if (std::ranges::count(files, name, &PlanFile::name) > 0) continue;
    std::error_code fault;
    const fs::path file = fs::path(folder) / name;
    if (!fs::equivalent(file, loaded.graph_file, fault)) fs::remove(file, fault);
  }
  return true;
}

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
    const std::string left_out = left_out_of_plan(target, loaded.problem, placement);
    if (!left_out.empty()) {
      console.log.tell(EventLevel::kWarn, "",
                       [&] { return fmt::format("plan for {}: {}", target.name, left_out); });
    }
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
  return {flag, chain_of(*path).string()};
}

void check_plan_flags(const ProblemFlags& problem, const std::optional<std::string>& plan,
                      const std::optional<std::string>& plan_out) {
  if (problem.target || (!plan && !plan_out)) return;
  throw Error(
      fmt::format("{}: expected --for TARGET with it, found none", plan ? "--plan" : "--plan-out"));
}

}  // namespace placer
