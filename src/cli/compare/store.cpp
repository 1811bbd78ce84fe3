#include "cli/compare/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"
#include "search/core/fingerprint.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "placer-run";

/// Letters that file names have everywhere.
std::string plain(const std::string& name) {
  std::string text;
  for (const char letter : name.substr(0, 60)) {
    const bool is_plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                          (letter >= 'A' && letter <= 'Z') || letter == '.' || letter == '_';
    text += is_plain ? letter : '-';
  }
  return text;
}

/// What the files of a run begin with, whatever its problem, budget and options.
std::string stem(const Comparison& comparison, std::size_t graph, std::size_t algorithm,
                 std::uint64_t seed) {
  const LoadedProblem& loaded = comparison.graphs[graph].loaded;
  return fmt::format("{}-{}-{}-seed{}-", plain(loaded.graph_name),
                     plain(comparison.algorithms[algorithm].label),
                     name_of(comparison.order_of(algorithm)), seed);
}

/// The stem of a file's name; empty where it is none of a run.
std::string stem_of(const std::string& name) {
  const std::size_t seed = name.rfind("-seed");
  if (seed == std::string::npos || !name.ends_with(".json")) return "";
  return name.substr(0, name.find('-', seed + 1) + 1);
}

std::string file_name(const Comparison& comparison, std::size_t graph, std::size_t algorithm,
                      const SearchRequest& request) {
  const Problem& problem = comparison.graphs[graph].loaded.problem;
  const bool is_timed = std::isfinite(request.budget.seconds);
  return fmt::format("{}{:016x}{}.json", stem(comparison, graph, algorithm, request.seed),
                     request_fingerprint(problem, request),
                     is_timed ? fmt::format("-{}s", request.budget.seconds) : "");
}

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

SearchResult result_of(const Json& object, const Problem& problem) {
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
  if (!object.at("best_sample").is_null()) result.best_sample = score_of(object["best_sample"]);
  result.schedule_ps = optional_of<Picoseconds>(object.at("schedule_ps"));
  if (!object.at("collapsed_to").is_null()) {
    result.collapse = {DeviceId(object["collapsed_to"].get<std::size_t>()),
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

/// A file of this folder, whole.
Json read_run(const std::string& path) {
  const auto damaged = [&](const char* why) -> Json {
    throw Error(
        fmt::format("{}: expected a {} file, found {}; without the file its run is made "
                    "anew",
                    path, kFormat, why));
  };
  Json object = Json::parse(read_text(path), nullptr, false);
  if (!object.is_object()) return damaged("no JSON object");
  if (object.value("format", "") != kFormat) return damaged("another format");
  return object;
}

}  // namespace

RunStore::RunStore(std::string folder) : folder_(std::move(folder)) { make_folder(folder_); }

std::optional<RunRecord> RunStore::find(const Comparison& comparison, std::size_t graph,
                                        std::size_t algorithm, const SearchRequest& request) const {
  const fs::path path = fs::path(folder_) / file_name(comparison, graph, algorithm, request);
  std::error_code fault;
  if (!fs::exists(path, fault)) return std::nullopt;
  const Json object = read_run(path.string());
  const Problem& problem = comparison.graphs[graph].loaded.problem;
  try {
    return RunRecord{graph, algorithm, request.seed, result_of(object.at("result"), problem)};
  } catch (const std::exception& wrong) {
    throw Error(
        fmt::format("{}: result: expected all that a run says, found: {}; without the file "
                    "its run is made anew",
                    path.string(), wrong.what()));
  }
}

void RunStore::keep(const Comparison& comparison, const RunRecord& run,
                    const SearchRequest& request) const {
  const LoadedProblem& loaded = comparison.graphs[run.graph].loaded;
  Json object;
  object["format"] = kFormat;
  object["version"] = 1;
  object["program"] = PLACER_VERSION;
  object["problem"] = fingerprint(loaded.problem);
  object["graph"] = loaded.graph_name;
  object["devices"] = loaded.devices_name;
  object["algorithm"] = comparison.algorithms[run.algorithm].label;
  object["order"] = name_of(request.order);
  object["seed"] = run.seed;
  object["result"] = result_json(run.result);
  write_atomically(
      (fs::path(folder_) / file_name(comparison, run.graph, run.algorithm, request)).string(),
      object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

RunStore::Others RunStore::others(const Comparison& comparison) const {
  std::map<std::string, std::int64_t> problems;  // by what the files of a run begin with
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    const std::int64_t problem = fingerprint(comparison.graphs[graph].loaded.problem);
    for (std::size_t algorithm = 0; algorithm < comparison.algorithms.size(); ++algorithm) {
      for (std::int64_t seed = 1; seed <= comparison.seeds; ++seed) {
        problems[stem(comparison, graph, algorithm, static_cast<std::uint64_t>(seed))] = problem;
      }
    }
  }
  Others found;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_)) {
    const auto known = problems.find(stem_of(file.path().filename().string()));
    if (known == problems.end()) continue;
    const Json object = read_run(file.path().string());
    if (object.value("program", "") != PLACER_VERSION) {
      ++found.of_versions;
    } else if (object.value("problem", std::int64_t{0}) != known->second) {
      ++found.of_problems;
    }
  }
  return found;
}

}  // namespace placer
