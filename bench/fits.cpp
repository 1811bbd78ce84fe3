/// How far a fit is off where it has not looked: `placer_fits FIRST LAST` draws a problem for each
/// seed, a true machine that differs from the assumed one, and prints a Markdown table.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/io/devices_file.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/search/calibration.hpp"
#include "placer/search/fit_costs.hpp"
#include "placer/search/optimizer.hpp"
#include "placer/search/run.hpp"

namespace placer::bench {
namespace {

constexpr std::array kGraphs = {"inception_v3", "resnet50", "bert", "rnnlm"};
constexpr std::array kMachines = {"2gpu", "4gpu", "mixed-v100-t4", "8gpu",
                                  "2xA100-80,2xT4,1xV100-16,1xCPU"};
constexpr std::array kNoises = {0.0, 0.02, 0.05, 0.1};
/// What the true machine has otherwise, besides bandwidths and latencies: factors for each type, or
/// for each device; and seconds for each step, which no factor says, or for each transfer.
enum class Truth { kByType, kByDevice, kStepOverhead, kSlowLinks };
constexpr std::array kTruths = {"types", "devices", "overhead", "links"};
constexpr std::size_t kRacers = 16, kRacerRuns = 5, kDrawn = 16, kDrawnRuns = 3, kHeldOut = 30;

double normal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

double factor(Rng& rng, double spread) { return std::exp(spread * (2 * rng.uniform() - 1)); }

void scale(Device& device, double speed, double launch) {
  device.efficiency = std::min(1.0, device.efficiency * speed);
  device.launch_seconds *= launch;
}

Topology true_machine(const Topology& assumed, Truth truth, double spread, Rng& rng) {
  std::vector<Device> devices = assumed.devices();
  std::vector<Link> links = assumed.links();
  std::vector<std::pair<std::string, std::pair<double, double>>> factors;
  for (Device& device : devices) {
    const std::string& key = truth == Truth::kByDevice ? device.name : device.type;
    auto known = std::ranges::find(factors, key, [](const auto& row) { return row.first; });
    if (known == factors.end()) {
      factors.push_back({key, {factor(rng, spread), factor(rng, spread)}});
      known = factors.end() - 1;
    }
    scale(device, known->second.first, known->second.second);
  }
  for (Link& link : links) {
    link.bytes_per_second *= factor(rng, spread);
    link.latency_seconds *= factor(rng, spread);
    if (truth == Truth::kSlowLinks) link.latency_seconds += 1e-3;
  }
  return Topology(devices, links, assumed.contention(), assumed.transfers());
}

/// A machine that can be measured.
class Machine {
 public:
  Machine(const Problem& assumed, const Topology& truth, double overhead, double noise, Rng& rng)
      : problem_(with_topology(assumed, truth)),
        simulator_(problem_, Order::kFifo),
        overhead_(overhead),
        noise_(noise),
        rng_(rng) {}

  double exact(const Placement& placement) {
    return to_seconds(simulator_.evaluate(placement).step_ps) + overhead_;
  }
  double measured(const Placement& placement, std::size_t runs) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < runs; ++i) {
      seconds.push_back(exact(placement) * std::max(0.3, 1 + noise_ * normal(rng_)));
    }
    std::ranges::sort(seconds);
    return seconds[runs / 2];
  }

 private:
  Problem problem_;
  Simulator simulator_;
  double overhead_, noise_;
  Rng& rng_;
};

/// Runs of groups, as many as drawn, over some of the devices.
Placement drawn(const Problem& problem, Rng& rng) {
  std::vector<DeviceId> some;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) some.push_back(device);
  rng.shuffle(std::span(some));
  some.resize(1 + rng.below(some.size()));
  const std::size_t groups = problem.groups().size();
  const double changes = std::pow(static_cast<double>(groups), rng.uniform()) / double(groups);
  Placement placement;
  DeviceId device = some[rng.below(some.size())];
  for (std::size_t group = 0; group < groups; ++group) {
    if (rng.uniform() < changes) device = some[rng.below(some.size())];
    placement.devices.push_back(device);
  }
  return placement;
}

std::vector<Candidate> found_by(const char* algorithm, const Problem& problem,
                                std::int64_t evaluations, std::uint64_t seed, std::size_t count) {
  SearchRequest request;
  request.optimizer = &find_optimizer(algorithm);
  request.budget.evaluations = evaluations;
  request.seed = seed;
  request.keeps_elites = count;
  return run_search(problem, request).elites;
}

std::vector<Placement> held_out(const Problem& problem, Rng& rng) {
  Simulator simulator(problem, Order::kFifo);
  std::vector<Placement> found;
  while (found.size() < kHeldOut) {
    if (found.size() % 3 == 2) {
      const auto best = found_by("anneal", problem, std::int64_t{1} << (5 + rng.below(6)),
                                 rng.below(1'000'000), 1);
      if (!best.empty()) {
        found.push_back(best.front().placement);
        continue;
      }
    }
    Placement placement = drawn(problem, rng);
    if (simulator.evaluate(placement).fits()) found.push_back(std::move(placement));
  }
  return found;
}

double error_of(const Problem& problem, const std::vector<Placement>& placements,
                Machine& machine) {
  Simulator simulator(problem, Order::kFifo);
  double squares = 0;
  for (const Placement& placement : placements) {
    const double predicted = to_seconds(simulator.evaluate(placement).step_ps);
    const double error = std::log(predicted / machine.exact(placement));
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(placements.size()));
}

/// How far off predictions of what was not measured are, as roots of mean squares of logarithms.
struct Row {
  Truth truth;
  double guess = 0, fit = 0;
  double said = 0;  // by the fit
};

std::vector<MeasuredStep> measured_steps(const Problem& problem,
                                         const std::vector<Candidate>& racers, Machine& machine) {
  std::vector<MeasuredStep> steps;
  for (const Candidate& racer : racers) {
    steps.push_back({racer.placement, {}, machine.measured(racer.placement, kRacerRuns)});
  }
  for (const Candidate& own : calibration_placements(problem, Order::kFifo, kDrawn, 1)) {
    steps.push_back({own.placement, {}, machine.measured(own.placement, kDrawnRuns)});
  }
  return steps;
}

Row row_of(std::uint64_t seed) {
  Rng rng(seed);
  const std::string graph = kGraphs[rng.below(kGraphs.size())];
  const std::string name = kMachines[rng.below(kMachines.size())];
  const auto truth = static_cast<Truth>(rng.below(kTruths.size()));
  const double noise = kNoises[rng.below(kNoises.size())];
  const double spread = 0.2 + 0.8 * rng.uniform();
  const Problem problem(read_graph(PLACER_SOURCE_DIR "/graphs/" + graph + ".json").graph,
                        find_devices(name));
  const std::vector<Candidate> racers = found_by("auto", problem, 2'400, seed, kRacers);
  const double step = to_seconds(racers.front().score.step_ps);
  const double overhead = truth == Truth::kStepOverhead ? step * rng.uniform() : 0;
  const Topology real = true_machine(problem.topology(), truth, spread, rng);
  Machine machine(problem, real, overhead, noise, rng);
  const CostFit fit = fit_costs(problem, Order::kFifo, measured_steps(problem, racers, machine));
  const std::vector<Placement> unseen = held_out(problem, rng);
  const Row row{truth, error_of(problem, unseen, machine),
                error_of(with_topology(problem, fit.topology), unseen, machine),
                fit.error_left_out};
  fmt::print("| {} | {} | {} | {}, {:.2f} | {:.0f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", seed,
             graph, name, kTruths[static_cast<std::size_t>(truth)], spread, 100 * noise,
             100 * row.guess, 100 * row.fit, 100 * row.said);
  std::fflush(stdout);
  return row;
}

/// A share of the rows is at most as large.
double quantile(const std::vector<Row>& rows, double Row::*member, double share) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(100 * row.*member);
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print_summary(std::string_view what, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  const auto worse =
      std::ranges::count_if(rows, [](const Row& row) { return row.fit > row.guess; });
  const auto beyond = std::ranges::count_if(
      rows, [](const Row& row) { return row.fit > 1.5 * std::max(row.said, 0.01); });
  fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {} | {} |\n", what,
             rows.size(), quantile(rows, &Row::guess, 0.5), quantile(rows, &Row::fit, 0.5),
             quantile(rows, &Row::fit, 0.9), quantile(rows, &Row::fit, 1), worse, beyond);
}

void run(std::uint64_t first, std::uint64_t last) {
  fmt::print(
      "| seed | graph | machine | truth differs | noise | guess | fit | said |\n"
      "| --: | --- | --- | --- | --: | --: | --: | --: |\n");
  std::vector<Row> rows;
  for (std::uint64_t seed = first; seed <= last; ++seed) rows.push_back(row_of(seed));
  fmt::print(
      "\n| truth differs | fits | guess, median | fit, median | 90 % | largest | worse than the "
      "guess | over 1.5 times what it said |\n"
      "| --- | --: | --: | --: | --: | --: | --: | --: |\n");
  for (std::size_t kind = 0; kind < kTruths.size(); ++kind) {
    std::vector<Row> own;
    std::ranges::copy_if(rows, std::back_inserter(own),
                         [&](const Row& row) { return row.truth == static_cast<Truth>(kind); });
    print_summary(kTruths[kind], own);
  }
  print_summary("all", rows);
}

}  // namespace
}  // namespace placer::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "placer_fits: expected the first seed and the last, found {} arguments\n",
               argc - 1);
    return 1;
  }
  placer::bench::run(std::stoull(argv[1]), std::stoull(argv[2]));
}
