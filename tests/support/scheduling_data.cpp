#include "support/scheduling_data.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "placer/io/import.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"
#include "support/shared_data.hpp"

namespace placer::testing {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

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

/// Transfers do not wait for each other.
Problem without_contention(const Imported& imported) {
  return Problem(imported.graph, Topology(imported.devices->devices(), imported.devices->links(),
                                          Contention::kNone));
}

}  // namespace

std::optional<PublishedExample> published_example() {
  const fs::path path = data("topcuoglu2002_fig2.json");
  if (!present(path)) return std::nullopt;
  const json file = read_json(path);
  Problem problem = without_contention(import_file(path.string()));
  const json& expected = file["expected"];
  std::vector<OpRun> runs;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const json& run = expected["heft_schedule"][problem.graph().op(op).name];
    const DeviceId device = *problem.topology().find(run[0].get<std::string>());
    runs.push_back({op, device, to_picoseconds(run[1]), to_picoseconds(run[2])});
  }
  return PublishedExample{std::move(problem), file["rank_u"], expected["heft_makespan"],
                          expected["cpop_makespan"], std::move(runs)};
}

std::vector<KnownOptimum> planted_optima() {
  std::vector<KnownOptimum> known;
  for (const std::string& file : shared_files("scheduling/planted", ".json")) {
    const Imported imported = import_file(file);
    known.push_back({imported.graph.name(), without_contention(imported),
                     to_picoseconds(*imported.step_seconds)});
  }
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
    const Imported imported =
        import_file((data("stg") / name).string(), {.processors = std::stoll(count)});
    known.push_back({name + " on " + count, without_contention(imported),
                     to_picoseconds(std::stod(best.empty() ? optimum : best))});
  }
  return known;
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
