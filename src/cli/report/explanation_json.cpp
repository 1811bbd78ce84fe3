#include <nlohmann/json.hpp>

#include "cli/report/explanation.hpp"
#include "placer/sim/critical_path.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

/// The op, or the tensor, of a step of the path.
std::string title(const Explanation& explanation, std::size_t step) {
  const Graph& graph = explanation.loaded->problem.graph();
  const CriticalStep& at = explanation.path.steps[step];
  return at.is_transfer ? tensor_title(graph, explanation.schedule.transfers[at.at].tensor)
                        : graph.op(OpId(at.at)).name;
}

Json path_json(const Explanation& explanation) {
  Json rows = Json::array();
  for (const PathPiece& piece : explanation.pieces) {
    Json row;
    row["kind"] = piece.is_transfer ? "transfer" : "ops";
    row["unit"] = explanation.units.units[piece.unit].name;
    row["device"] = explanation.device_name(piece.device);
    if (piece.is_transfer) row["to"] = explanation.device_name(piece.to);
    row["count"] = piece.count();
    row["first"] = title(explanation, piece.first);
    row["last"] = title(explanation, piece.last);
    row["waited_for"] = name_of(piece.wait);
    row["begin_seconds"] = to_seconds(piece.begin_ps);
    row["seconds"] = to_seconds(piece.end_ps - piece.begin_ps);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json times_json(const Explanation& explanation) {
  Json rows = Json::array();
  for (const DeviceId device : IdRange<DeviceId>(explanation.times.size())) {
    const DeviceTime& time = explanation.times[device.index()];
    rows.push_back({{"name", explanation.device_name(device)},
                    {"busy_seconds", to_seconds(time.busy_ps)},
                    {"transfer_seconds", to_seconds(time.transfer_ps)},
                    {"producer_seconds", to_seconds(time.producer_ps)},
                    {"channel_seconds", to_seconds(time.channel_ps)},
                    {"order_seconds", to_seconds(time.order_ps)},
                    {"done_seconds", to_seconds(time.done_ps)}});
  }
  return rows;
}

Json cuts_json(const Explanation& explanation) {
  const Graph& graph = explanation.loaded->problem.graph();
  Json rows = Json::array();
  for (const std::size_t at : explanation.dearest) {
    const TransferRun& run = explanation.schedule.transfers[at];
    rows.push_back({{"tensor", tensor_title(graph, run.tensor)},
                    {"producer", graph.op(graph.tensor(run.tensor).producer).name},
                    {"bytes", graph.tensor(run.tensor).bytes},
                    {"from", explanation.device_name(run.from)},
                    {"to", explanation.device_name(run.to)},
                    {"seconds", to_seconds(run.end_ps - run.begin_ps)},
                    {"waited_seconds", to_seconds(run.begin_ps - run.requested_ps)}});
  }
  return rows;
}

/// `op` is the first of those that move; null: everything does.
Json barred_json(const Explanation& explanation, const MemoryLimit& limit) {
  if (!limit.barred) return nullptr;
  const Problem& problem = explanation.loaded->problem;
  Json move;
  if (const std::optional<GroupId> group = limit.barred->group) {
    move["op"] = problem.graph().op(problem.groups().ops(*group).front()).name;
    move["ops"] = problem.groups().ops(*group).size();
  } else {
    move["op"] = nullptr;
    move["ops"] = problem.op_count();
  }
  move["step_seconds"] = to_seconds(limit.barred->step_ps);
  move["missing_bytes"] = limit.barred->missing_bytes;
  return move;
}

Json memory_json(const Explanation& explanation) {
  Json rows = Json::array();
  for (const DeviceId device : IdRange<DeviceId>(explanation.limits.size())) {
    const MemoryLimit& limit = explanation.limits[device.index()];
    Json row;
    row["name"] = explanation.device_name(device);
    row["peak_bytes"] = explanation.schedule.peak_bytes[device.index()];
    row["capacity_bytes"] = explanation.loaded->problem.topology().device(device).memory_bytes;
    row["peak_at_seconds"] = to_seconds(limit.peak.time_ps);
    row["parameters_bytes"] = limit.peak.parameters;
    row["kept_bytes"] = limit.peak.kept;
    row["activations_bytes"] = limit.peak.activations;
    row["received_bytes"] = limit.peak.received;
    row["temporary_bytes"] = limit.peak.temporary;
    row["binds"] = limit.binds();
    row["missing_bytes"] = limit.missing_bytes;
    row["one_gib_unbinds"] = limit.unbound_by(kMoreBytes);
    row["barred_move"] = barred_json(explanation, limit);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json what_ifs_json(const Explanation& explanation) {
  Json rows = Json::array();
  for (const WhatIf& what_if : explanation.what_ifs) {
    rows.push_back({{"name", what_if.name}, {"step_seconds", to_seconds(what_if.score.step_ps)}});
  }
  return rows;
}

Json searched_json(const Explanation& explanation) {
  Json rows = Json::array();
  for (const SearchedWhatIf& what_if : explanation.searched) {
    const auto& score = what_if.score;
    rows.push_back({{"name", what_if.name},
                    {"step_seconds", score ? Json(to_seconds(score->step_ps)) : Json(nullptr)},
                    {"feasible", score && score->fits()}});
  }
  return rows;
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  Json object;
  object["version"] = PLACER_VERSION;
  object["graph"] = explanation.loaded->graph_name;
  object["devices"] = explanation.loaded->devices_name;
  object["objective"] = name_of(explanation.loaded->problem.goal().objective);
  object["order"] = name_of(explanation.order);
  object["step_seconds"] = to_seconds(explanation.schedule.score.step_ps);
  object["latency_seconds"] = to_seconds(explanation.end_ps);
  object["feasible"] = explanation.schedule.score.fits();
  object["overflow_bytes"] = explanation.schedule.score.overflow_bytes;
  object["conclusions"] = conclusions(explanation);
  object["critical_path"] = path_json(explanation);
  object["device_times"] = times_json(explanation);
  object["dearest_cuts"] = cuts_json(explanation);
  object["memory"] = memory_json(explanation);
  object["what_if"] = what_ifs_json(explanation);
  object["what_if_searched"] = searched_json(explanation);
  object["interrupted"] = explanation.is_interrupted;
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace placer
