#include "cli/report/json_parts.hpp"

#include <nlohmann/json.hpp>

#include "placer/search/run.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string options_json(const OptionValues& options) {
  Json object = Json::object();
  for (const auto& [name, value] : options) {
    std::visit([&, &key = name](const auto& held) { object[key] = held; }, value);
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string curve_json(const std::vector<CurvePoint>& curve) {
  Json rows = Json::array();
  for (const CurvePoint& point : curve) {
    Json row;
    row["evaluations"] = point.evaluations;
    row["wall_seconds"] = point.wall_seconds ? Json(*point.wall_seconds) : Json(nullptr);
    row["mean_step_seconds"] = point.mean_seconds ? Json(*point.mean_seconds) : Json(nullptr);
    row["best_step_seconds"] =
        point.best_step_ps ? Json(to_seconds(*point.best_step_ps)) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows.dump();
}

}  // namespace placer
