#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/report/kinds.hpp"
#include "cli/report/notices.hpp"
#include "cli/shared/device_rows.hpp"
#include "cli/shared/goal_flags.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/progress.hpp"
#include "cli/shared/request.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"
#include "placer/model/modules.hpp"
#include "placer/model/op_types.hpp"
#include "placer/search/bounds.hpp"
#include "search/groups/group_costs.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

struct InspectFlags {
  bool json = false;
  std::optional<std::string> groups;  // which problem_flags reads
};
constexpr std::array<FlagRow<InspectFlags>, 2> kInspectFlags = {
    text_flag("groups", 0, &InspectFlags::groups, "op|none|layer|module[:DEPTH]",
              "list the groups of ops that share a device: those of the file (op, none), or layers "
              "or modules of the model"),
    switch_flag("json", 0, &InspectFlags::json, "print one JSON object instead of the summary"),
};

/// Ops that share a device.
struct GroupFacts {
  std::string name;
  std::size_t ops = 0, nodes = 0;  // nodes: of the file that they come from
  std::int64_t params_bytes = 0;
  Picoseconds fastest_ps = 0;  // on the fastest device
};

/// Every op on one device.
struct Alone {
  const Device* device = nullptr;
  std::optional<Picoseconds> work_ps;  // empty where some op may not go there
  std::int64_t peak_bytes = 0;
  bool fits = false;
};

struct Facts {
  double product_flops = 0, other_flops = 0;
  std::int64_t params_bytes = 0, activation_bytes = 0;
  Picoseconds fastest_ps = 0;  // sum of each op's fastest time
  LowerBounds bounds;
  Picoseconds path_ps = 0;  // of the critical path, whatever the objective is
  std::vector<Alone> alone;

  double parallelism() const {
    return path_ps > 0 ? static_cast<double>(fastest_ps) / static_cast<double>(path_ps) : 1;
  }
};

void count_graph(const Problem& problem, Facts& facts) {
  const Graph& graph = problem.graph();
  for (const OpId id : IdRange<OpId>(graph.ops().size())) {
    const Op& op = graph.op(id);
    (counts_as_product(op.type) ? facts.product_flops : facts.other_flops) += op.flops.value_or(0);
    facts.params_bytes += op.params_bytes;
    facts.fastest_ps += problem.fastest_ps(id);
  }
  for (const Tensor& tensor : graph.tensors()) facts.activation_bytes += tensor.bytes;
}

Alone all_ops_on(const Problem& problem, DeviceId device, Simulator& simulator) {
  Alone alone;
  alone.device = &problem.topology().device(device);
  const std::optional<Placement> placement = problem.all_on(device);
  if (!placement) return alone;
  alone.work_ps = 0;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    *alone.work_ps += problem.group_ps(group, device);
  }
  Schedule schedule;
  alone.fits = simulator.evaluate(*placement, nullptr, &schedule).fits();
  alone.peak_bytes = schedule.peak_bytes[device.index()];
  return alone;
}

Facts facts_of(const Problem& problem, const Observer& observer) {
  Facts facts;
  count_graph(problem, facts);
  facts.bounds = lower_bounds(problem, observer);
  facts.path_ps = problem.goal().objective == Objective::kLatency
                      ? facts.bounds.path_ps
                      : lower_bounds(problem.with_goal({})).path_ps;
  Simulator simulator(problem, Order::kFifo);
  facts.alone = values_by_kind(
      problem, [&](DeviceId device) { return all_ops_on(problem, device, simulator); });
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    facts.alone[device.index()].device = &problem.topology().device(device);
  }
  return facts;
}

std::vector<GroupFacts> groups_of(const Problem& problem) {
  std::vector<GroupFacts> list;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    GroupFacts& facts = list.emplace_back();
    const Op& first = problem.graph().op(problem.groups().ops(group).front());
    facts.name = plain_group_name(first.group.empty() ? first.name : first.group);
    for (const OpId id : problem.groups().ops(group)) {
      const Op& op = problem.graph().op(id);
      ++facts.ops;
      facts.nodes += nodes_of(op).size();
      facts.params_bytes += op.params_bytes;
    }
    facts.fastest_ps = least_group_ps(problem, group);
  }
  return list;
}

Json groups_json(const std::vector<GroupFacts>& groups) {
  Json list = Json::array();
  for (const GroupFacts& group : groups) {
    list.push_back({{"name", group.name},
                    {"ops", group.ops},
                    {"nodes", group.nodes},
                    {"params_bytes", group.params_bytes},
                    {"fastest_seconds", to_seconds(group.fastest_ps)}});
  }
  return list;
}

std::string groups_text(const std::vector<GroupFacts>& groups, const Look& look) {
  Rows table = {{"group", "ops", "nodes", "parameters", "fastest"}};
  for (const GroupFacts& group : groups) {
    table.push_back(
        {one_line(group.name, 60), std::to_string(group.ops), std::to_string(group.nodes),
         bytes_text(static_cast<double>(group.params_bytes)), time_text(group.fastest_ps)});
  }
  return "\n" + table_rows(std::move(table), {0}, look);
}

std::string json_text(const LoadedProblem& loaded, const Facts& facts) {
  const Graph& graph = loaded.problem.graph();
  Json object;
  object["version"] = PLACER_VERSION;
  object["graph"] = loaded.graph_name;
  object["ops"] = graph.ops().size();
  object["tensors"] = graph.tensors().size();
  object["edges"] = graph.edge_count();
  object["groups"] = loaded.problem.groups().size();
  object["flops"] = facts.product_flops;
  object["other_flops"] = facts.other_flops;
  object["params_bytes"] = facts.params_bytes;
  object["activation_bytes"] = facts.activation_bytes;
  object["device_seconds"] = Json::object();
  object["critical_path_seconds"] = to_seconds(facts.path_ps);
  object["lower_bound_seconds"] = to_seconds(facts.bounds.best_ps());
  object["lower_bounds"] = Json::object();
  for (const LowerBoundInfo& bound : kLowerBounds) {
    object["lower_bounds"][std::string(bound.name)] = to_seconds(facts.bounds.*bound.value);
  }
  object["infeasible"] =
      facts.bounds.infeasible.empty() ? Json(nullptr) : Json(facts.bounds.infeasible);
  object["parallelism"] = facts.parallelism();
  object["device_spec"] = loaded.devices_name;
  object["devices"] = Json::array();
  for (const Alone& alone : facts.alone) {
    object["device_seconds"][alone.device->name] =
        alone.work_ps ? Json(to_seconds(*alone.work_ps)) : Json(nullptr);
    Json row;
    row["name"] = alone.device->name;
    row["type"] = alone.device->type;
    row["memory_bytes"] = alone.device->memory_bytes;
    row["holds_all_ops"] = alone.fits;
    row["peak_bytes"] = alone.work_ps ? Json(alone.peak_bytes) : Json(nullptr);
    object["devices"].push_back(std::move(row));
  }
  if (loaded.flags.groups) object["group_list"] = groups_json(groups_of(loaded.problem));
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string alone_text(const Alone& alone) {
  if (!alone.work_ps) return "not allowed for some op";
  return alone.fits ? "fits" : "does not fit";
}

/// The fastest and the slowest of the row's devices; whether the fastest holds everything.
std::vector<std::string> alone_row(const DeviceRow& row, const Facts& facts) {
  const Alone* fastest = nullptr;
  const Alone* slowest = nullptr;
  for (const DeviceId device : row.devices) {
    const Alone& alone = facts.alone[device.index()];
    if (!alone.work_ps) continue;
    if (fastest == nullptr || *alone.work_ps < *fastest->work_ps) fastest = &alone;
    if (slowest == nullptr || *alone.work_ps > *slowest->work_ps) slowest = &alone;
  }
  const Alone& first = fastest != nullptr ? *fastest : facts.alone[row.devices.front().index()];
  const std::string capacity = bytes_text(static_cast<double>(first.device->memory_bytes));
  if (fastest == nullptr) return {row.name, "-", "-", capacity, alone_text(first)};
  return {row.name, range_text(time_text(*fastest->work_ps), time_text(*slowest->work_ps)),
          bytes_text(static_cast<double>(first.peak_bytes)), capacity, alone_text(first)};
}

std::string summary(const LoadedProblem& loaded, const Facts& facts, const Look& look) {
  const Graph& graph = loaded.problem.graph();
  Rows rows = {
      {"graph", loaded.graph_name + loaded.graph_why},
      {"ops", fmt::format("{} in {}", graph.ops().size(),
                          counted(loaded.problem.groups().size(), "group"))},
      {"tensors", fmt::format("{} with {} consumers", graph.tensors().size(), graph.edge_count())},
      {"flops", fmt::format("{:.4g} in convolutions and matrix products, {:.4g} elsewhere",
                            facts.product_flops, facts.other_flops)},
      {"parameters", params_text(graph)},
      {"activations", bytes_text(static_cast<double>(facts.activation_bytes))},
      {"critical path", time_text(facts.path_ps)},
      {"lower bound", bound_text(facts.bounds)},
      {"parallelism", fmt::format("{:.2f}", facts.parallelism())},
      {"devices", fmt::format("{} ({})", loaded.devices_name, loaded.devices_why)},
  };
  if (!facts.bounds.infeasible.empty()) {
    rows.push_back({"infeasible", why_nothing_fits(loaded.problem, facts.bounds)});
  }
  Rows table = {{"all ops on", "time", "peak memory", "capacity", ""}};
  for (const DeviceRow& row : device_rows(loaded.problem.topology())) {
    table.push_back(alone_row(row, facts));
  }
  std::string text = machine_text(loaded, look) + text_rows(std::move(rows), {1}, look) + "\n" +
                     table_rows(std::move(table), {4}, look);
  if (loaded.flags.groups) text += groups_text(groups_of(loaded.problem), look);
  return text;
}

int inspect(const Arguments& arguments, Console& console) {
  check_inputs(problem_files(arguments));
  if (const auto groups = read_flags(kInspectFlags, arguments).groups) {
    const bool is_each = *groups == "none" || *groups == "op";
    if (!is_each && !unit_groups(*groups)) {
      throw Error(fmt::format("option --groups: expected op, none, layer or module, found '{}'",
                              one_line(*groups, 80)));
    }
  }
  begin_reading(console, arguments.positionals.at(0));
  const LoadedProblem loaded =
      load_problem(arguments.positionals.at(0), problem_flags(arguments), console.log);
  begin_part(console, "the lower bounds of " + loaded.graph_name,
             loaded.problem.op_count() >= kOpsThatTakeLong);
  const Facts facts = facts_of(loaded.problem, console.log);
  clear_live_line(console);
  const bool json = read_flags(kInspectFlags, arguments).json;
  console.out << (json ? json_text(loaded, facts) : summary(loaded, facts, console.look));
  return facts.bounds.infeasible.empty() ? kDone : kNothingFits;
}

}  // namespace

Command inspect_command() {
  return {
      .name = "inspect",
      .summary = "check a graph file and say what is in it: work, memory, bounds",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kProblemFlags, kImportOptions, kInspectFlags),
      .examples = {"placer inspect graph.json --devices 4gpu"},
      .run = inspect};
}

}  // namespace placer
