#include "cli/report/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cli/shared/device_rows.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

constexpr std::size_t kDearest = 10;
constexpr double kWorthTelling = 1.0005;  // times as fast, of what a search finds
constexpr double kWorthMoving = 1.01;     // the same, of a move that memory bars
constexpr double kTryingShare = 0.5;      // of the time that is left: writing takes the rest
constexpr std::size_t kMostMoves = 500, kMostMovedOps = 1'000'000;

std::vector<std::size_t> dearest_transfers(const Schedule& schedule) {
  std::vector<std::size_t> positions(schedule.transfers.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::ranges::stable_sort(positions, std::greater{}, [&](std::size_t at) {
    return schedule.transfers[at].end_ps - schedule.transfers[at].begin_ps;
  });
  if (positions.size() > kDearest) positions.resize(kDearest);
  return positions;
}

/// Ops of the critical path, the longest first.
std::vector<OpId> longest_of(const CriticalPath& path, const Schedule& schedule) {
  std::vector<OpId> ops = path.ops;
  std::ranges::stable_sort(ops, std::greater{}, [&](OpId op) {
    return schedule.ops[op.index()].end_ps - schedule.ops[op.index()].start_ps;
  });
  return ops;
}

/// `barred`: by device.
std::vector<MemoryLimit> memory_limits(const PlacedStep& step, const Explanation& known,
                                       const std::vector<std::optional<BarredMove>>& barred) {
  const std::vector<HeldAtPeak> peaks = held_at_peak(step.problem, known.schedule);
  std::vector<MemoryLimit> limits;
  for (const DeviceId device : IdRange<DeviceId>(step.problem.device_count())) {
    MemoryLimit& limit = limits.emplace_back();
    limit.peak = peaks[device.index()];
    limit.barred = barred[device.index()];
    if (limit.barred && static_cast<double>(known.schedule.score.step_ps) <
                            kWorthMoving * static_cast<double>(limit.barred->step_ps)) {
      limit.barred.reset();
    }
    const std::int64_t over_bytes = known.schedule.peak_bytes[device.index()] -
                                    step.problem.topology().device(device).memory_bytes;
    limit.missing_bytes =
        over_bytes > 0 ? over_bytes : (limit.barred ? limit.barred->missing_bytes : 0);
  }
  return limits;
}

/// Kinds of devices: those that are alike, by the type or, where several kinds share one, by the
/// first of them.
std::string kind_name(const Topology& topology, DeviceId first) {
  const Device& device = topology.device(first);
  for (const DeviceId other : IdRange<DeviceId>(topology.devices().size())) {
    if (topology.device(other).type == device.type && topology.first_alike(other) != first) {
      return fmt::format("{} and those alike", device.name);
    }
  }
  return fmt::format("every {}", device.type);
}

std::vector<WhatIf> what_ifs_of(const PlacedStep& step, const Schedule& schedule) {
  const Topology& topology = step.problem.topology();
  std::vector<WhatIf> list;
  if (!schedule.transfers.empty()) {
    list.push_back({"every link twice as fast", score_if(step, {.links = 2})});
  }
  std::set<DeviceId> kinds;
  for (const OpRun& run : schedule.ops) kinds.insert(topology.first_alike(run.device));
  for (const DeviceId kind : kinds) {
    Speedup speedup{.devices = std::vector<double>(step.problem.device_count(), 1)};
    for (const DeviceId device : IdRange<DeviceId>(step.problem.device_count())) {
      if (topology.first_alike(device) == kind) speedup.devices[device.index()] = 2;
    }
    list.push_back({kind_name(topology, kind) + " twice as fast", score_if(step, speedup)});
  }
  return list;
}

/// What takes a simulation for each of many machines and moves.
void try_others(const PlacedStep& step, Explanation& made) {
  const std::size_t most = std::min(kMostMoves, kMostMovedOps / step.problem.op_count() + 1);
  std::vector<std::optional<BarredMove>> barred(step.problem.device_count());
  try {
    made.what_ifs = what_ifs_of(step, made.schedule);
    barred = barred_moves(step, made.schedule.score, longest_of(made.path, made.schedule), most);
  } catch (const Stopped&) {
    made.is_interrupted = true;
  }
  made.limits = memory_limits(step, made, barred);
}

std::string path_sentence(const Explanation& explanation) {
  const Topology& topology = explanation.loaded->problem.topology();
  std::vector<std::pair<Picoseconds, std::string>> parts;
  for (const Device& device : topology.devices()) parts.emplace_back(0, device.name);
  parts.emplace_back(0, "transfers");
  for (const PathPiece& piece : explanation.pieces) {
    const std::size_t at = piece.is_transfer ? parts.size() - 1 : piece.device.index();
    parts[at].first += piece.end_ps - piece.begin_ps;
  }
  std::ranges::stable_sort(parts, std::greater{}, [](const auto& part) { return part.first; });
  std::vector<std::string> words;
  for (const auto& [time_ps, name] : parts) {
    const bool shows_as_nothing =
        static_cast<double>(time_ps) <= 0.0005 * static_cast<double>(explanation.end_ps);
    if (shows_as_nothing || words.size() == 5) break;
    words.push_back(fmt::format(
        "{} on {}",
        share_text(static_cast<double>(time_ps) / static_cast<double>(explanation.end_ps)),
        name == "transfers" ? "transfers between devices" : name));
  }
  const bool is_step = explanation.loaded->problem.goal().objective == Objective::kLatency;
  return fmt::format("{} takes {}, and its critical path spends {}.",
                     is_step ? "The step" : "One step alone", time_text(explanation.end_ps),
                     join(words));
}

/// How many times as fast the step becomes.
double gain(const Explanation& explanation, const WhatIf& what_if) {
  if (what_if.score.step_ps == 0) return 1;
  return static_cast<double>(explanation.schedule.score.step_ps) /
         static_cast<double>(what_if.score.step_ps);
}

std::string help_sentence(const Explanation& explanation) {
  const auto best = std::ranges::max_element(
      explanation.what_ifs, {}, [&](const WhatIf& what) { return gain(explanation, what); });
  if (best == explanation.what_ifs.end() || gain(explanation, *best) <= 1) {
    return "With this placement, no faster kind of device and no faster links would help.";
  }
  return fmt::format("With this placement, {} would help most: the step {} then.", best->name,
                     speed_text(gain(explanation, *best)));
}

/// How many times as fast as the placement; 0 where it does not fit.
double gain(const Explanation& explanation, const SearchedWhatIf& what_if) {
  if (!what_if.score || !what_if.score->fits()) return 0;
  return gain(explanation, WhatIf{what_if.name, *what_if.score});
}

/// Of at least the machine as it is.
std::string search_sentence(const Explanation& explanation) {
  const SearchedWhatIf& same = explanation.searched.front();
  const double own = gain(explanation, same);
  const auto best =
      std::ranges::max_element(explanation.searched, {},
                               [&](const SearchedWhatIf& what) { return gain(explanation, what); });
  const std::string as_it_is =
      own > kWorthTelling
          ? fmt::format("A new search finds a placement here whose step {}", speed_text(own))
          : "A new search finds nothing better here";
  if (gain(explanation, *best) <= own * kWorthTelling) {
    return as_it_is + ", and nothing better elsewhere.";
  }
  return fmt::format("{}; with {} the step {}.", as_it_is, best->name,
                     speed_text(gain(explanation, *best)));
}

std::string memory_sentence(const Explanation& explanation) {
  if (const std::int64_t bytes = explanation.schedule.score.overflow_bytes; bytes > 0) {
    return fmt::format("The placement does not fit: {} too much in all.",
                       bytes_text(static_cast<double>(bytes)));
  }
  const Topology& topology = explanation.loaded->problem.topology();
  std::vector<DeviceId> bound;
  std::size_t unbound = 0;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    const MemoryLimit& limit = explanation.limits[device.index()];
    if (!limit.binds()) continue;
    bound.push_back(device);
    unbound += limit.unbound_by(kMoreBytes) ? 1 : 0;
  }
  if (bound.empty()) return "No memory limit binds.";
  return fmt::format("The memory of {} binds; 1 GiB more there {}.",
                     join(device_ranges(topology, bound)),
                     unbound == bound.size() ? "is enough"
                     : unbound > 0           ? fmt::format("is enough for {}", unbound)
                                             : "is not enough");
}

}  // namespace

Explanation explain(const LoadedProblem& loaded, const Placement& placement, Order order,
                    const OpOrder& sequence, const Deadline& deadline) {
  const Problem& problem = loaded.problem;
  Explanation made{.loaded = &loaded, .order = order};
  Simulator(problem, order).evaluate(placement, sequence, &made.schedule);
  for (const OpRun& run : made.schedule.ops) made.end_ps = std::max(made.end_ps, run.end_ps);
  made.units = model_units(problem.graph(), UnitDetail::kModules);
  made.path = critical_path(problem, made.schedule);
  made.pieces = path_pieces(problem, made.schedule, made.path, made.units.of);
  made.times = device_times(problem, made.schedule);
  made.dearest = dearest_transfers(made.schedule);
  const Problem limited = problem.within(deadline.share(kTryingShare));
  try_others({limited, placement, order, sequence}, made);
  return made;
}

std::vector<std::string> conclusions(const Explanation& explanation) {
  std::vector<std::string> list = {path_sentence(explanation)};
  if (explanation.is_interrupted) {
    list.emplace_back("Interrupted, or out of time, before all machines and moves were tried.");
  }
  if (explanation.is_interrupted && explanation.searched.empty()) return list;
  list.push_back(help_sentence(explanation));
  list.push_back(memory_sentence(explanation));
  if (!explanation.searched.empty()) list.push_back(search_sentence(explanation));
  return list;
}

std::string tensor_title(const Graph& graph, TensorId tensor) {
  const Tensor& sent = graph.tensor(tensor);
  return sent.name.empty() ? graph.op(sent.producer).name : sent.name;
}

}  // namespace placer
