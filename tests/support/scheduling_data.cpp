#include "support/scheduling_data.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "placer/io/import.hpp"
#include "placer/model/zoo.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"
#include "support/shared_data.hpp"

namespace placer::testing {
namespace {

using nlohmann::json;

json read_json(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// Transfers do not wait for each other.
Problem without_contention(const Graph& graph, const Topology& topology) {
  return Problem(graph, Topology(topology.devices(), topology.links(), Contention::kNone));
}

std::vector<KnownOptimum> imported_tasks(const std::string& table) {
  std::vector<KnownOptimum> known;
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string name, count, optimum, best;
    std::getline(cells, name, ',');
    std::getline(cells, count, ',');
    std::getline(cells, optimum, ',');
    std::getline(cells, best, ',');
    const std::string path = (std::filesystem::path(table).parent_path() / name).string();
    const Imported imported = import_file(path, {.processors = std::stoll(count)});
    known.push_back({name + " on " + count, without_contention(imported.graph, *imported.devices),
                     to_picoseconds(std::stod(best.empty() ? optimum : best))});
  }
  return known;
}

}  // namespace

PublishedExample published_example() {
  const auto run = [](std::size_t op, std::size_t device, double start, double end) {
    return OpRun{OpId(op), DeviceId(device), to_picoseconds(start), to_picoseconds(end)};
  };
  return {.problem = costed(
              {{14, 16, 9},
               {13, 19, 18},
               {11, 13, 19},
               {13, 8, 17},
               {12, 13, 10},
               {13, 16, 9},
               {7, 15, 11},
               {5, 11, 14},
               {18, 12, 20},
               {21, 7, 16}},
              {tensor(0, {1}, 18), tensor(0, {2}, 12), tensor(0, {3}, 9), tensor(0, {4}, 11),
               tensor(0, {5}, 14), tensor(1, {7}, 19), tensor(1, {8}, 16), tensor(2, {6}, 23),
               tensor(3, {7}, 27), tensor(3, {8}, 23), tensor(4, {8}, 13), tensor(5, {7}, 15),
               tensor(6, {9}, 17), tensor(7, {9}, 11), tensor(8, {9}, 13)}),
          .upward_ranks = {108, 77, 80, 80, 69, 63.333, 42.667, 35.667, 44.333, 14.667},
          .heft_seconds = 80,
          .cpop_seconds = 86,
          .heft_runs = {run(0, 2, 0, 9), run(1, 0, 27, 40), run(2, 2, 9, 28), run(3, 1, 18, 26),
                        run(4, 2, 28, 38), run(5, 1, 26, 42), run(6, 2, 38, 49), run(7, 0, 57, 62),
                        run(8, 1, 56, 68), run(9, 1, 73, 80)}};
}

std::vector<KnownOptimum> planted_optima() {
  std::vector<KnownOptimum> known;
  for (const std::int64_t ops : {30, 100, 300}) {
    for (const std::int64_t devices : {2, 4, 8}) {
      const GeneratedGraph made = generate("planted", {{"ops", ops}, {"devices", devices}});
      known.push_back({fmt::format("{} ops on {}", ops, devices),
                       without_contention(made.graph, *made.devices), made.optimum->step_ps});
    }
  }
  return known;
}

std::vector<KnownOptimum> shared_planted_optima() {
  std::vector<KnownOptimum> known;
  for (const std::string& file : shared_files("scheduling/planted", ".json")) {
    const Imported imported = import_file(file);
    known.push_back({imported.graph.name(), without_contention(imported.graph, *imported.devices),
                     to_picoseconds(*imported.step_seconds)});
  }
  return known;
}

std::vector<KnownOptimum> task_graphs() {
  std::vector<KnownOptimum> known;
  for (const json& graph : read_json(PLACER_SOURCE_DIR "/tests/data/standard_task_graphs.json")) {
    std::vector<std::vector<std::size_t>> consumers(graph["seconds"].size());
    for (std::size_t op = 0; op < consumers.size(); ++op) {
      for (const std::size_t producer : graph["after"][op]) consumers[producer].push_back(op);
    }
    std::vector<Tensor> tensors;
    for (std::size_t op = 0; op < consumers.size(); ++op) {
      if (!consumers[op].empty()) tensors.push_back(tensor(op, consumers[op], 0));
    }
    const Graph made = graph_of(seconds_each(graph["seconds"]), tensors);
    for (const auto& [processors, optimum] : graph["optima"].items()) {
      known.push_back({graph["name"].get<std::string>() + " on " + processors,
                       Problem(made, alike({.devices = std::stoul(processors),
                                            .contention = Contention::kNone})),
                       to_picoseconds(optimum)});
    }
  }
  return known;
}

std::vector<KnownOptimum> shared_task_graphs() {
  const std::vector<std::string> tables = shared_files("scheduling/stg", "optima.csv");
  return tables.empty() ? std::vector<KnownOptimum>() : imported_tasks(tables.front());
}

Op timed_apart(std::string name, double first_seconds, double second_seconds) {
  Op op = timed_op(std::move(name), 0);
  op.seconds = {{"gpu:0", first_seconds}, {"gpu:1", second_seconds}};
  return op;
}

Problem holding(const std::vector<std::int64_t>& params_bytes, const Machine& machine) {
  std::vector<Op> ops = seconds_each(std::vector<double>(params_bytes.size(), 1));
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i].params_bytes = params_bytes[i];
  return Problem(graph_of(std::move(ops), {}), alike(machine));
}

Problem costed(const std::vector<std::vector<double>>& seconds, std::vector<Tensor> tensors) {
  std::vector<Op> ops;
  for (const std::vector<double>& times : seconds) {
    ops.push_back(timed_op("t" + std::to_string(ops.size() + 1), 0));
    ops.back().seconds.clear();
    for (std::size_t d = 0; d < times.size(); ++d) {
      ops.back().seconds.emplace_back("gpu:" + std::to_string(d), times[d]);
    }
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)),
                 alike({.devices = seconds.front().size(), .contention = Contention::kNone}));
}

SearchResult run_optimizer(const Problem& problem, const std::string& name,
                           const OptionValues& options) {
  SearchRequest request = request_for(name, 100);
  request.options = options;
  return run_search(problem, request);
}

}  // namespace placer::testing
