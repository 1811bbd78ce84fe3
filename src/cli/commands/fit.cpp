#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/offload.hpp"
#include "cli/report/notices.hpp"
#include "cli/shared/device_rows.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/progress.hpp"
#include "cli/shared/request.hpp"
#include "cli/shared/text.hpp"
#include "placer/search/bounds.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

/// How many placements are simulated: so many of small graphs, and ops in all of large ones.
struct Effort {
  std::int64_t evaluations, ops_in_all;

  std::int64_t of(const Problem& problem) const {
    constexpr std::int64_t kLeast = 40;
    const auto ops = static_cast<std::int64_t>(problem.op_count());
    return std::clamp(ops_in_all / ops, kLeast, evaluations);
  }
};
// Some list schedulers take the square of the groups, some look at all groups on all devices.
constexpr std::size_t kMostOfAllLists = 2'000, kMostSpotsOfAllLists = 16'000;
constexpr Effort kFirst = {200, 400'000}, kFurther = {1000, 600'000};

struct FitFlags {
  bool json = false;
};
constexpr std::array<FlagRow<FitFlags>, 1> kFitFlags = {
    switch_flag("json", 0, &FitFlags::json, "print one JSON object instead of the summary"),
};

struct DeviceUse {
  const Device* device = nullptr;
  std::int64_t peak_bytes = 0, params_bytes = 0;

  std::int64_t margin_bytes() const { return device->memory_bytes - peak_bytes; }
  double margin_share() const {
    const auto capacity = static_cast<double>(std::max<std::int64_t>(device->memory_bytes, 1));
    return static_cast<double>(margin_bytes()) / capacity;
  }
};

struct Fit {
  LowerBounds bounds;
  SearchResult result;
  std::vector<DeviceUse> uses;         // by device
  std::optional<std::string> trouble;  // of what the framework of --for offloads

  bool fits() const { return result.score.fits() && !trouble; }
  /// Before it was known whether something fits.
  bool is_interrupted() const {
    return !fits() && bounds.infeasible.empty() && result.stopped == Stop::kInterrupt;
  }

  /// The device with the least of its memory left, of those that hold something.
  const DeviceUse& binding() const {
    return *std::ranges::min_element(uses, {}, [](const DeviceUse& use) {
      return std::pair(use.peak_bytes == 0, use.margin_share());
    });
  }
};

SearchResult search_with(const char* algorithm, std::int64_t evaluations, const Problem& problem,
                         const std::optional<Placement>& start, Console& console) {
  Progress progress({}, false, console);
  SearchRequest request;
  request.interrupt = console.interrupt;
  request.on_progress = [&](const SearchProgress& now) { progress.show(now); };
  request.optimizer = &find_optimizer(algorithm);
  request.options = completed_options(request);
  request.budget.evaluations = evaluations;
  request.threads = thread_count({});
  request.start = start;
  return run_search(problem, request);
}

/// List schedules, and large neighbourhoods of the best of them; other objectives have no list
/// schedulers. Where that does not fit though something might, more of what fits into tight memory.
SearchResult quick_search(const Problem& problem, const LowerBounds& bounds, Console& console) {
  std::optional<Placement> start;
  if (problem.goal().is_step()) {
    const std::size_t groups = problem.groups().size();
    const bool is_large =
        groups > kMostOfAllLists || groups * problem.device_count() > kMostSpotsOfAllLists;
    SearchResult lists = search_with(is_large ? "heft" : "list-portfolio", kFirst.of(problem),
                                     problem, start, console);
    if (lists.stopped == Stop::kInterrupt) return lists;
    start = std::move(lists.placement);
  }
  SearchResult best = search_with("lns", kFirst.of(problem), problem, start, console);
  for (const char* algorithm : {"multilevel", "tabu", kStandardAlgorithm}) {
    const bool is_over = best.score.fits() || best.stopped == Stop::kInterrupt;
    if (is_over || !bounds.infeasible.empty()) break;
    best = search_with(algorithm, kFurther.of(problem), problem, best.placement, console);
  }
  return best;
}

Fit fit_of(const LoadedProblem& loaded, Console& console) {
  const Problem& problem = loaded.problem;
  Fit fit;
  fit.bounds = lower_bounds(problem, {}, Order::kFifo);
  console.search_begins();
  fit.result = quick_search(problem, fit.bounds, console);
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(fit.result.placement, nullptr, &schedule);
  fit.uses.resize(problem.device_count());
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    fit.uses[device.index()] = {&problem.topology().device(device),
                                schedule.peak_bytes[device.index()]};
  }
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const DeviceId device = fit.result.placement[problem.groups().of(op)];
    fit.uses[device.index()].params_bytes += problem.graph().op(op).params_bytes;
  }
  if (fit.result.score.fits()) fit.trouble = offload_trouble(loaded, fit.result.placement);
  return fit;
}

std::string text_of(std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

/// "1.250 GiB", or "-1.250 GiB" of what is too much.
std::string margin_text(std::int64_t bytes) {
  return (bytes < 0 ? "-" : "") + text_of(bytes < 0 ? -bytes : bytes);
}

std::string verdict(const Fit& fit) {
  const Score& score = fit.result.score;
  if (fit.trouble) return "not found: " + *fit.trouble;
  if (score.fits()) {
    return fmt::format("yes, with a step of {} at most", time_text(score.step_ps));
  }
  if (!fit.bounds.infeasible.empty()) return "no: no placement can fit";
  if (fit.is_interrupted()) return "not found before the interrupt";
  if (score.overflow_bytes == 0) return "not found: no contiguous placement";
  return fmt::format(
      "not found: {} too much in the best placement; 'placer optimize' may find less",
      text_of(score.overflow_bytes));
}

std::string binding_text(const DeviceUse& use) {
  return fmt::format("{}: {} of {} at the peak, {} of it parameters, {} {}", use.device->name,
                     text_of(use.peak_bytes), text_of(use.device->memory_bytes),
                     text_of(use.params_bytes), text_of(std::abs(use.margin_bytes())),
                     use.margin_bytes() < 0 ? "too much" : "left");
}

/// Of many devices, from the least to the most.
std::string device_table(const Topology& topology, const Fit& fit, const Look& look) {
  Rows rows = {{"device", "peak memory", "parameters", "capacity", "margin", ""}};
  for (const DeviceRow& row : device_rows(topology)) {
    const auto range = [&](auto bytes_of) {
      const auto by_bytes = [&](DeviceId device) { return bytes_of(fit.uses[device.index()]); };
      const auto [least, most] = std::ranges::minmax_element(row.devices, {}, by_bytes);
      return range_text(margin_text(by_bytes(*least)), margin_text(by_bytes(*most)));
    };
    const bool is_over = std::ranges::any_of(
        row.devices, [&](DeviceId device) { return fit.uses[device.index()].margin_bytes() < 0; });
    rows.push_back({row.name, range([](const DeviceUse& use) { return use.peak_bytes; }),
                    range([](const DeviceUse& use) { return use.params_bytes; }),
                    range([](const DeviceUse& use) { return use.device->memory_bytes; }),
                    range([](const DeviceUse& use) { return use.margin_bytes(); }),
                    is_over ? "does not fit" : ""});
  }
  return table_rows(std::move(rows), {5}, look);
}

std::string summary(const LoadedProblem& loaded, const Fit& fit, const Look& look) {
  Rows rows = {
      {"fits", verdict(fit)},
      {fit.binding().margin_bytes() < 0 ? "binds" : "fullest", binding_text(fit.binding())},
      {"parameters", params_text(loaded.problem.graph())},
      {"graph", loaded.graph_name + loaded.graph_why},
      {"devices", fmt::format("{} ({})", loaded.devices_name, loaded.devices_why)},
  };
  if (!fit.bounds.infeasible.empty()) {
    rows.insert(rows.begin() + 1, {"infeasible", why_nothing_fits(loaded.problem, fit.bounds)});
  }
  return machine_text(loaded, look) + text_rows(std::move(rows), {1}, look) + "\n" +
         device_table(loaded.problem.topology(), fit, look);
}

std::string json_text(const LoadedProblem& loaded, const Fit& fit) {
  const Score& score = fit.result.score;
  Json object;
  object["version"] = PLACER_VERSION;
  object["graph"] = loaded.graph_name;
  object["devices"] = loaded.devices_name;
  object["fits"] = fit.fits();
  object["overflow_bytes"] = score.overflow_bytes;
  object["infeasible"] =
      fit.bounds.infeasible.empty() ? Json(nullptr) : Json(fit.bounds.infeasible);
  object["offload"] = fit.trouble ? Json(*fit.trouble) : Json(nullptr);
  object["step_seconds"] = to_seconds(score.step_ps);
  object["binds"] = fit.binding().device->name;
  object["per_device"] = Json::array();
  for (const DeviceUse& use : fit.uses) {
    object["per_device"].push_back({{"name", use.device->name},
                                    {"peak_bytes", use.peak_bytes},
                                    {"params_bytes", use.params_bytes},
                                    {"capacity_bytes", use.device->memory_bytes},
                                    {"margin_bytes", use.margin_bytes()}});
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int fit_graph(const Arguments& arguments, Console& console) {
  check_inputs(problem_files(arguments));
  begin_reading(console, arguments.positionals.at(0));
  ProblemFlags flags = problem_flags(arguments);
  flags.is_to_run = true;
  const LoadedProblem loaded = load_problem(arguments.positionals.at(0), flags, console.log);
  begin_part(console, "placing " + loaded.graph_name,
             loaded.problem.op_count() >= kOpsThatTakeLong);
  const Fit fit = fit_of(loaded, console);
  clear_live_line(console);
  const bool json = read_flags(kFitFlags, arguments).json;
  console.out << (json ? json_text(loaded, fit) : summary(loaded, fit, console.look));
  if (fit.is_interrupted()) return kInterrupted;
  return fit.fits() ? kDone : kNothingFits;
}

}  // namespace

Command fit_command() {
  return {
      .name = "fit",
      .summary = "say quickly whether a graph fits into the devices; exit 2 if not",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kProblemFlags, kImportOptions, kFitFlags),
      .examples = {"placer fit graph.json --devices 2xT4,1xCPU --reserve 1GiB"},
      .interruptible = true,
      .run = fit_graph};
}

}  // namespace placer
