#include "cli/compare/result_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "placer/base/names.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

Json score_json(const Score& score) {
  return {score.overflow_bytes, score.astray_ops, score.step_ps};
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json result_json(const SearchResult& result) {
  Json object;
  object["score"] = score_json(result.score);
  for (const DeviceId device : result.placement.devices)
    object["placement"].push_back(device.index());
  object["evaluations"] = result.evaluations;
  object["samples"] = result.samples;
  object["groups"] = result.groups;
  object["stopped"] = name_of(result.stopped);
  object["wall_seconds"] = result.wall_seconds;
  object["seconds_to_best"] = result.seconds_to_best;
  object["recent_mean_seconds"] =
      std::isfinite(result.recent_mean_seconds) ? Json(result.recent_mean_seconds) : Json(nullptr);
  object["best_sample"] = result.best_sample ? score_json(*result.best_sample) : Json(nullptr);
  object["schedule_ps"] = or_null(result.schedule_ps);
  object["collapsed_to"] = result.collapse ? Json(result.collapse->device.index()) : Json(nullptr);
  object["collapsed_after"] = result.collapse ? Json(result.collapse->samples) : Json(nullptr);
  object["history"] = Json::array();
  for (const Improvement& each : result.history) {
    object["history"].push_back({each.evaluations, each.wall_seconds, score_json(each.score)});
  }
  object["curve"] = Json::array();
  for (const CurvePoint& each : result.curve) {
    object["curve"].push_back({each.evaluations, or_null(each.wall_seconds),
                               or_null(each.mean_seconds), or_null(each.best_step_ps)});
  }
  return object;
}

/// nlohmann's, since the file is one of ours; what does not suit throws its exceptions.
Score score_of(const Json& words) {
  return {.overflow_bytes = words.at(0), .step_ps = words.at(2), .astray_ops = words.at(1)};
}

template <class T>
std::optional<T> optional_of(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

Placement placement_of(const Json& indices, const Problem& problem) {
  Placement placement;
  for (const Json& index : indices) placement.devices.emplace_back(index.get<std::size_t>());
  const auto is_known = [&](DeviceId device) { return device.index() < problem.device_count(); };
  if (placement.devices.size() != problem.groups().size() ||
      !std::ranges::all_of(placement.devices, is_known)) {
    throw std::out_of_range("a placement of other groups or devices");
  }
  return placement;
}

}  // namespace

std::string compared_text(const SearchResult& result) {
  return result_json(result).dump(-1, ' ', false, Json::error_handler_t::replace);
}

SearchResult compared_result(const std::string& text, const Problem& problem) {
  const Json object = Json::parse(text);
  SearchResult result;
  result.score = score_of(object.at("score"));
  result.placement = placement_of(object.at("placement"), problem);
  result.evaluations = object.at("evaluations");
  result.samples = object.at("samples");
  result.groups = object.at("groups");
  const auto names = all_names<Stop>();
  const auto stop = std::ranges::find(names, object.at("stopped").get<std::string>());
  result.stopped = static_cast<Stop>(stop - names.begin());
  if (stop == names.end()) throw std::out_of_range("stopped");
  result.wall_seconds = object.at("wall_seconds");
  result.seconds_to_best = object.at("seconds_to_best");
  result.recent_mean_seconds =
      optional_of<double>(object.at("recent_mean_seconds")).value_or(INFINITY);
  if (!object.at("best_sample").is_null()) result.best_sample = score_of(object.at("best_sample"));
  result.schedule_ps = optional_of<Picoseconds>(object.at("schedule_ps"));
  if (!object.at("collapsed_to").is_null()) {
    result.collapse = {DeviceId(object.at("collapsed_to").get<std::size_t>()),
                       object.at("collapsed_after")};
  }
  for (const Json& each : object.at("history")) {
    result.history.push_back({each.at(0), each.at(1), score_of(each.at(2))});
  }
  for (const Json& each : object.at("curve")) {
    result.curve.push_back({each.at(0), optional_of<double>(each.at(1)),
                            optional_of<double>(each.at(2)), optional_of<Picoseconds>(each.at(3))});
  }
  return result;
}

}  // namespace placer
