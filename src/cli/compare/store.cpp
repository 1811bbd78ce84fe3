#include "cli/compare/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/compare/result_text.hpp"
#include "cli/shared/failure.hpp"
#include "placer/base/text.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/sim/simulator.hpp"
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

/// Orders of ops are not kept, so that under `given` the score is believed.
void check_score(const Problem& problem, Order order, const SearchResult& result) {
  if (order == Order::kGiven) return;
  if (Simulator(problem, order).evaluate(result.placement) != result.score) {
    throw std::out_of_range("a score that the placement does not have");
  }
}

/// A file of this folder, whole.
Json read_run(const std::string& path) {
  const auto damaged = [&](const char* why) -> Json {
    throw Error(fmt::format("{}: expected a {} file, found {}", path, kFormat, why));
  };
  Json object = Json::parse(read_text(path), nullptr, false);
  if (!object.is_object()) return damaged("no JSON object");
  if (object.value("format", "") != kFormat) return damaged("another format");
  return object;
}

/// The run that the file holds. Throws Error for one that is damaged.
RunRecord read_record(const std::string& path, const RunRecord& wanted, const Problem& problem,
                      Order order) {
  const Json object = read_run(path);
  try {
    RunRecord run = wanted;
    run.result = compared_result(object.at("result").dump(), problem);
    check_score(problem, order, run.result);
    return run;
  } catch (const std::exception& wrong) {
    throw Error(fmt::format("{}: result: expected all that a run says, found: {}", path,
                            one_line(wrong.what(), 120)));
  }
}

}  // namespace

RunStore::RunStore(std::string folder) : folder_(std::move(folder)) { make_folder(folder_); }

std::optional<RunRecord> RunStore::find(const Comparison& comparison, std::size_t graph,
                                        std::size_t algorithm, const SearchRequest& request,
                                        const Observer& observer) const {
  const fs::path path = fs::path(folder_) / file_name(comparison, graph, algorithm, request);
  std::error_code fault;
  if (!fs::exists(path, fault)) return std::nullopt;
  std::optional<RunRecord> run;
  const auto failure = failure_of([&] {
    run = read_record(path.string(), {graph, algorithm, request.seed, {}},
                      comparison.graphs[graph].loaded.problem, request.order);
  });
  if (failure) {
    observer.tell(EventLevel::kWarn, "", [&] {
      return fmt::format("{}; the run is made anew and takes the file's place", failure->reason);
    });
  }
  return run;
}

void RunStore::keep(const Comparison& comparison, const RunRecord& run,
                    const SearchRequest& request, const Observer& observer) const {
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
  object["result"] = Json::parse(compared_text(run.result));
  const std::string path =
      (fs::path(folder_) / file_name(comparison, run.graph, run.algorithm, request)).string();
  const auto failure = failure_of([&] {
    write_atomically(path, object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  });
  if (!failure) return;
  observer.tell(EventLevel::kWarn, "",
                [&] { return "--store: the run is not kept: " + failure->reason; });
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
    Json object;
    if (failure_of([&] { object = read_run(file.path().string()); })) continue;  // find tells that
    if (object.value("program", "") != PLACER_VERSION) {
      ++found.of_versions;
    } else if (object.value("problem", std::int64_t{0}) != known->second) {
      ++found.of_problems;
    }
  }
  return found;
}

}  // namespace placer
