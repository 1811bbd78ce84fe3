#include "cli/commands/train_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/baselines.hpp"
#include "cli/report/curve_file.hpp"
#include "cli/report/json_parts.hpp"
#include "cli/report/notices.hpp"
#include "cli/shared/table.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

std::string seconds_text(double seconds) {
  return time_text(to_picoseconds(std::clamp(seconds, 0.0, 9e6)));
}

std::string single_text(const std::optional<SingleDevice>& single) {
  return single ? time_text(single->score.step_ps) : "does not fit";
}

Json graph_json(const LoadedProblem& graph, Order order, const SearchResult& result) {
  Json row;
  row["graph"] = graph.graph_name;
  row["devices"] = graph.devices_name;
  row["groups"] = result.groups;
  row["evaluations"] = result.evaluations;
  const auto single = best_single_device(graph.problem, order);
  row["single_device_seconds"] = single ? Json(to_seconds(single->score.step_ps)) : Json(nullptr);
  row["step_seconds"] = result.evaluations > 0 ? Json(to_seconds(result.score.step_ps)) : nullptr;
  row["feasible"] = result.evaluations > 0 && result.score.fits();
  row["first_mean_seconds"] = first_mean_seconds(result.curve);
  row["recent_mean_seconds"] = result.recent_mean_seconds;
  row["curve"] = Json::parse(curve_json(result.curve));
  return row;
}

}  // namespace

std::string train_text(const TrainedGraphs& graphs, const TrainingRequest& request,
                       const TrainingResult& result, const Look& look) {
  Table table{
      {"graph", "groups", "evaluations", "one device", "first samples", "last samples", "best"},
      {}};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const SearchResult& own = result.graphs[i];
    const auto single = best_single_device(graphs[i].problem, request.order);
    std::vector<std::string> row = {graphs[i].graph_name, fmt::format("{}", own.groups),
                                    fmt::format("{}", own.evaluations), single_text(single)};
    if (own.evaluations > 0) {
      row.push_back(seconds_text(first_mean_seconds(own.curve)));
      row.push_back(seconds_text(own.recent_mean_seconds));
      row.push_back(own.score.fits() ? time_text(own.score.step_ps) : "does not fit");
    }
    table.rows.push_back(std::move(row));
  }
  const auto standard = std::ranges::find_if(graphs, &LoadedProblem::standard_devices);
  const std::string machine = standard == graphs.end() ? "" : machine_text(*standard, look);
  return machine + text_table(table, look) +
         fmt::format("\n{}, seed {}: {} evaluations in {} updates, {}{}\n", request.optimizer->name,
                     request.seed, result.evaluations, result.updates,
                     seconds_text(result.wall_seconds),
                     result.interrupted ? ", stopped by an interrupt" : "");
}

std::string train_json(const TrainedGraphs& graphs, const TrainingRequest& request,
                       const TrainingResult& result, const std::string& unwritten) {
  Json object;
  object["version"] = PLACER_VERSION;
  object["algorithm"] = request.optimizer->name;
  object["options"] = Json::parse(options_json(result.policy.options));
  object["seed"] = request.seed;
  object["order"] = name_of(request.order);
  object["evaluations"] = result.evaluations;
  object["updates"] = result.updates;
  object["wall_seconds"] = result.wall_seconds;
  object["interrupted"] = result.interrupted;
  object["graphs"] = Json::array();
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    object["graphs"].push_back(graph_json(graphs[i], request.order, result.graphs[i]));
  }
  if (!unwritten.empty()) object["unwritten_policy"] = Json::parse(unwritten);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace placer
