#include "search/scheduling_data.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::int64_t kRoomy = 1'000'000'000'000;
constexpr double kTickSeconds = 1e-6;

fs::path data(const std::string& name) {
  return fs::path(PLACER_SOURCE_DIR) / ".." / "shared" / "data" / "scheduling" / name;
}

bool present(const fs::path& path) {
  const bool found = fs::exists(path);
  if (!found) WARN("skipped: no " << path.string());
  return found;
}

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string device_name(std::size_t index) { return "p" + std::to_string(index); }

Topology processors(const std::vector<std::int64_t>& memory_bytes) {
  std::vector<Device> devices(memory_bytes.size());
  for (std::size_t d = 0; d < devices.size(); ++d) {
    devices[d].name = device_name(d);
    devices[d].type = "processor";
    devices[d].memory_bytes = memory_bytes[d];
  }
  std::vector<Link> links;
  if (devices.size() > 1) links.push_back({"*", "*", 1, 0, {}});
  return Topology(std::move(devices), std::move(links), Contention::kNone);
}

/// Costs of one op by device.
Op timed(std::string name, const json& costs, double unit_seconds) {
  Op op;
  op.name = std::move(name);
  for (std::size_t d = 0; d < costs.size(); ++d) {
    op.seconds.emplace_back(device_name(d), costs[d].get<double>() * unit_seconds);
  }
  return op;
}

KnownOptimum planted(const fs::path& path) {
  const json file = read_json(path);
  std::vector<Op> ops;
  for (const json& costs : file["cost"]) {
    ops.push_back(timed("op" + std::to_string(ops.size()), costs, kTickSeconds));
    ops.back().params_bytes = file["mem_bytes"][ops.size() - 1];
  }
  std::vector<Tensor> tensors;
  const std::int64_t latency = file["link"]["latency"];
  const std::int64_t bandwidth = file["link"]["bw_bytes_per_tick"];
  for (const json& edge : file["edges"]) {
    const std::int64_t bytes = edge[2];
    const std::int64_t ticks = latency + (bytes + bandwidth - 1) / bandwidth;
    tensors.push_back(tensor(edge[0], {edge[1].get<std::size_t>()}, bytes));
    tensors.back().transfer_seconds = static_cast<double>(ticks) * kTickSeconds;
  }
  std::vector<std::int64_t> memory_bytes;
  for (const json& device : file["devices"]) memory_bytes.push_back(device["mem_bytes"]);
  const std::string name = path.stem().string();
  return {name, Problem(Graph(name, std::move(ops), std::move(tensors)), processors(memory_bytes)),
          to_picoseconds(file["makespan_opt"].get<double>() * kTickSeconds)};
}

Graph task_graph(const fs::path& path) {
  std::ifstream file(path);
  std::size_t count = 0;
  file >> count;
  count += 2;  // a source and a sink of no time
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t task = 0; task < count; ++task) {
    std::size_t id = 0, producers = 0;
    double seconds = 0;
    file >> id >> seconds >> producers;
    ops.push_back(timed_op("t" + std::to_string(id), 0));
    ops.back().seconds = {{"processor", seconds}};
    for (; producers > 0; --producers) {
      std::size_t producer = 0;
      file >> producer;
      tensors.push_back(tensor(producer, {task}, 0));
    }
  }
  return Graph(path.stem().string(), std::move(ops), std::move(tensors));
}

}  // namespace

std::optional<PublishedExample> published_example() {
  const fs::path path = data("topcuoglu2002_fig2.json");
  if (!present(path)) return std::nullopt;
  const json file = read_json(path);
  std::vector<Op> ops;
  std::map<std::string, std::size_t> task, processor;
  for (const json& name : file["processors"]) processor.emplace(name, processor.size());
  for (const json& name : file["tasks"]) {
    task.emplace(name, ops.size());
    ops.push_back(timed(name, file["computation_cost"][ops.size()], 1));
  }
  std::vector<Tensor> tensors;
  for (const json& edge : file["edges"]) {
    tensors.push_back(tensor(task.at(edge[0]), {task.at(edge[1])}, edge[2]));
  }
  const json& expected = file["expected"];
  std::vector<OpRun> runs(ops.size());
  for (const auto& [name, run] : expected["heft_schedule"].items()) {
    const OpId op(task.at(name));
    runs[op.index()] = {op, DeviceId(processor.at(run[0])), to_picoseconds(run[1]),
                        to_picoseconds(run[2])};
  }
  Problem problem(Graph("published", std::move(ops), std::move(tensors)),
                  processors(std::vector<std::int64_t>(processor.size(), kRoomy)));
  return PublishedExample{std::move(problem), file["rank_u"], expected["heft_makespan"],
                          expected["cpop_makespan"], std::move(runs)};
}

std::vector<KnownOptimum> planted_optima() {
  if (!present(data("planted"))) return {};
  std::vector<KnownOptimum> known;
  for (const fs::path& path : files_in(data("planted"), ".json")) known.push_back(planted(path));
  return known;
}

std::vector<KnownOptimum> task_graph_set() {
  const fs::path table = data("stg") / "optima.csv";
  if (!present(table)) return {};
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
    known.push_back({name + " on " + count,
                     Problem(task_graph(data("stg") / name),
                             processors(std::vector<std::int64_t>(std::stoul(count), kRoomy))),
                     to_picoseconds(std::stod(best.empty() ? optimum : best))});
  }
  return known;
}

Op timed_apart(std::string name, double first_seconds, double second_seconds) {
  Op op = timed_op(std::move(name), 0);
  op.seconds = {{"gpu:0", first_seconds}, {"gpu:1", second_seconds}};
  return op;
}

SearchResult run_optimizer(const Problem& problem, const std::string& name,
                           const OptionValues& options) {
  SearchRequest request = request_for(name, 100);
  request.options = options;
  return run_search(problem, request);
}

}  // namespace placer::testing
