#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/compare/report.hpp"
#include "cli/compare/tables.hpp"
#include "cli/compare/verdicts.hpp"
#include "cli/shared/table.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

/// Infinity has no place in JSON.
Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json graph_json(const ComparedGraph& graph) {
  Json object;
  object["graph"] = graph.loaded.graph_name;
  object["devices"] = graph.loaded.devices_name;
  const std::optional<SingleDevice>& single = graph.singles.front();
  object["single_device_seconds"] =
      single ? Json(to_seconds(single->score.step_ps)) : Json(nullptr);
  object["lower_bound_seconds"] = to_seconds(graph.bounds.best_ps());
  return object;
}

Json others_json(const ComparedGraph& graph, const std::vector<Order>& orders) {
  Json list = Json::array();
  for (std::size_t order = 0; order < orders.size(); ++order) {
    for (const OtherPlacement& other : graph.others[order]) {
      list.push_back({{"name", other.name},
                      {"step_seconds", to_seconds(other.score.step_ps)},
                      {"feasible", other.score.fits()},
                      {"overflow_bytes", other.score.overflow_bytes},
                      {"order", name_of(orders[order])}});
    }
  }
  return list;
}

/// Its keys begin with `prefix`.
void add_test(const std::string& prefix, const std::optional<SignTest>& test, Json& object) {
  object[prefix + "wins"] = test ? Json(test->wins) : Json(nullptr);
  object[prefix + "losses"] = test ? Json(test->losses) : Json(nullptr);
  object[prefix + "ties"] = test ? Json(test->ties) : Json(nullptr);
  object[prefix + "p_value"] = test ? Json(test->p_value) : Json(nullptr);
}

Json summary_json(const AlgorithmSummary& row, const GraphSummary& graph,
                  const Comparison& comparison) {
  Json object;
  object["algorithm"] = row.algorithm;
  object["deterministic"] = row.deterministic;
  object["runs"] = row.runs;
  object["median_seconds"] = finite(row.median_seconds);
  object["quartile_1_seconds"] = finite(row.quartile_1_seconds);
  object["quartile_3_seconds"] = finite(row.quartile_3_seconds);
  object["least_seconds"] = finite(row.least_seconds);
  object["best_sample_seconds"] = finite(row.best_sample_seconds);
  object["gap"] = finite(row.gap.value_or(INFINITY));
  object["ratio_to_best"] = row.ratio_to_best ? Json(*row.ratio_to_best) : Json(nullptr);
  object["fits_share"] = row.fits_share;
  object["recent_mean_seconds"] = finite(row.recent_mean_seconds);
  object["collapsed"] = collapsed_runs(row);
  object["evaluations"] = row.evaluations;
  object["evaluations_to_best"] = row.evaluations_to_best;
  object["wall_seconds"] = row.wall_seconds;
  object["seconds_to_best"] = row.seconds_to_best;
  object["pays_after_steps"] = finite(row.pays_after_steps.value_or(INFINITY));
  object["against"] = row.against_first ? Json(comparison.name_of(0)) : Json(nullptr);
  add_test("", row.against_first, object);
  add_test("own_best_", row.own_best_against_first, object);
  object["order"] = name_of(comparison.orders[row.order]);
  object["failed"] = row.failed;
  object["reason"] = row.failed > 0 ? Json(row.reason) : Json(nullptr);
  const std::string verdict = verdict_text(row, graph, comparison);
  object["verdict"] = verdict.empty() ? Json(nullptr) : Json(verdict);
  return object;
}

Json run_json(const RunRecord& run, const Comparison& comparison) {
  const SearchResult& result = run.result;
  Json object;
  object["algorithm"] = comparison.algorithms[run.algorithm].label;
  object["seed"] = run.seed;
  object["step_seconds"] = to_seconds(result.score.step_ps);
  object["feasible"] = result.score.fits();
  object["overflow_bytes"] = result.score.overflow_bytes;
  object["best_sample_seconds"] = finite(run.best_sample_seconds());
  object["recent_mean_seconds"] = finite(result.recent_mean_seconds);
  const Topology& topology = comparison.graphs[run.graph].loaded.problem.topology();
  object["collapsed_to"] =
      result.collapse ? Json(topology.device(result.collapse->device).name) : Json(nullptr);
  object["collapsed_after"] = result.collapse ? Json(result.collapse->samples) : Json(nullptr);
  object["schedule_seconds"] =
      result.schedule_ps ? Json(to_seconds(*result.schedule_ps)) : Json(nullptr);
  object["groups"] = result.groups;
  object["evaluations"] = result.evaluations;
  object["evaluations_to_best"] = run.evaluations_to_best();
  object["wall_seconds"] = result.wall_seconds;
  object["seconds_to_best"] = result.seconds_to_best;
  object["order"] = name_of(comparison.order_of(run.algorithm));
  object["stopped"] = name_of(result.stopped);
  object["reason"] = nullptr;
  return object;
}

/// The keys of a run, without a result.
Json run_json(const FailedRun& run, const Comparison& comparison) {
  const Json named = run_json(RunRecord{.algorithm = run.algorithm}, comparison);
  Json object = named;
  for (auto& [key, value] : object.items()) value = nullptr;
  for (const char* key : {"algorithm", "order"}) object[key] = named[key];
  object["seed"] = run.seed;
  object["stopped"] = "failed";
  object["reason"] = run.failure.reason;
  return object;
}

/// `visit(graph, run)` for each run on `graph`, or on all graphs where it is null, and then for
/// each that failed.
void for_each_run(const Comparison& comparison, const ComparedGraph* graph,
                  const std::function<void(const ComparedGraph&, Json)>& visit) {
  const auto visit_all = [&](const auto& runs) {
    for (const auto& run : runs) {
      const ComparedGraph& own = comparison.graphs[run.graph];
      if (graph != nullptr && graph != &own) continue;
      visit(own, run_json(run, comparison));
    }
  };
  visit_all(comparison.runs);
  visit_all(comparison.failures);
}

Json grouping_json(const Grouping& grouping) {
  if (grouping.kind == Grouping::Kind::kCount) return grouping.count;
  return grouping_text(grouping);
}

Json budget_json(const Budget& budget) {
  Json object;
  const bool counted = budget.evaluations < Budget{}.evaluations;
  object["evaluations"] = counted ? Json(budget.evaluations) : Json(nullptr);
  object["seconds"] = finite(budget.seconds);
  return object;
}

/// One line for each flat object, under the keys of the first one.
std::string csv_of(const std::vector<Json>& objects) {
  if (objects.empty()) return {};
  Table table;
  for (const Json& object : objects) {
    std::vector<std::string> cells;
    for (const auto& [key, value] : object.items()) {
      if (table.rows.empty()) table.header.push_back(key);
      cells.push_back(value.is_null() ? ""
                      : value.is_string()
                          ? value.get<std::string>()
                          : value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    table.rows.push_back(std::move(cells));
  }
  return csv_table(table);
}

Json joined(Json first, const Json& second) {
  first.update(second);
  return first;
}

/// Each as an algorithm that has no runs, under the keys of `row`.
std::vector<Json> others_rows(const ComparedGraph& graph, const std::vector<Order>& orders,
                              const Json& row) {
  std::vector<Json> rows;
  for (const Json& other : others_json(graph, orders)) {
    Json& made = rows.emplace_back(row);
    for (auto& [key, value] : made.items()) value = nullptr;
    made.update(graph_json(graph));
    made["algorithm"] = other["name"];
    made["order"] = other["order"];
    made["runs"] = 0;
    made["fits_share"] = other["feasible"] ? 1 : 0;
    if (other["feasible"]) made["median_seconds"] = made["least_seconds"] = other["step_seconds"];
  }
  return rows;
}

}  // namespace

std::string compare_csv(const Comparison& comparison, bool each_run) {
  std::vector<Json> rows;
  if (each_run) {
    for_each_run(comparison, nullptr, [&](const ComparedGraph& graph, const Json& run) {
      rows.push_back(joined(graph_json(graph), run));
    });
    return csv_of(rows);
  }
  for (const GraphSummary& summary : summarize(comparison)) {
    for (const AlgorithmSummary& row : summary.algorithms) {
      rows.push_back(joined(graph_json(*summary.graph), summary_json(row, summary, comparison)));
    }
    if (rows.empty()) continue;
    for (Json& row : others_rows(*summary.graph, comparison.orders, rows.back())) {
      rows.push_back(std::move(row));
    }
  }
  return csv_of(rows);
}

std::string compare_json(const Comparison& comparison) {
  Json object;
  object["version"] = PLACER_VERSION;
  object["budget"] = budget_json(comparison.request.budget);
  object["seeds"] = comparison.seeds;
  object["order"] = orders_text(comparison);
  object["groups"] = grouping_json(comparison.request.grouping);
  object["objective"] = name_of(comparison.graphs.front().loaded.problem.goal().objective);
  object["interrupted"] = comparison.interrupted;
  object["graphs"] = Json::array();
  for (const GraphSummary& summary : summarize(comparison)) {
    Json graph = graph_json(*summary.graph);
    graph["floors"] = Json::array();
    for (const Floor& floor : comparison.floors) {
      if (&comparison.graphs[floor.graph] != summary.graph) continue;
      const bool has_step = !floor.failure && floor.score.fits();
      Json row;
      row["wanted_groups"] = floor.wanted_groups;
      row["groups"] = floor.groups;
      row["step_seconds"] = has_step ? Json(to_seconds(floor.score.step_ps)) : Json(nullptr);
      row["reason"] = floor.failure ? Json(floor.failure->reason) : Json(nullptr);
      row["order"] = name_of(comparison.orders[floor.order]);
      graph["floors"].push_back(std::move(row));
    }
    graph["others"] = others_json(*summary.graph, comparison.orders);
    graph["algorithms"] = Json::array();
    graph["runs"] = Json::array();
    for (const AlgorithmSummary& row : summary.algorithms) {
      graph["algorithms"].push_back(summary_json(row, summary, comparison));
    }
    for_each_run(comparison, summary.graph,
                 [&](const ComparedGraph&, Json run) { graph["runs"].push_back(std::move(run)); });
    object["graphs"].push_back(std::move(graph));
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace placer
