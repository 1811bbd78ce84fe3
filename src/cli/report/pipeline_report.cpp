#include "cli/report/pipeline_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

/// The slots of a stage's devices, and the share of the step in which they do nothing.
struct Idle {
  double share = 0, slots = 0;
};

std::vector<DeviceId> team_of(const PipelineStage& stage) {
  std::vector<DeviceId> team = {stage.device};
  team.insert(team.end(), stage.replicas.begin(), stage.replicas.end());
  return team;
}

Idle idle(const std::vector<DeviceId>& team, const Problem& problem, const Schedule& schedule) {
  Picoseconds end_ps = 0;
  for (const OpRun& run : schedule.ops) end_ps = std::max(end_ps, run.end_ps);
  Idle all;
  for (const DeviceId device : team) {
    const auto slots = static_cast<double>(problem.topology().device(device).slots);
    const auto busy = static_cast<double>(schedule.busy_ps[device.index()]);
    all.slots += slots;
    if (end_ps > 0) all.share += slots - busy / static_cast<double>(end_ps);
  }
  all.share /= all.slots;
  return all;
}

/// Columns that only some schedules have, and what stands in them.
struct Column {
  std::string title;
  bool (*is_needed)(const PipelineReport&);
  std::string (*cell)(const PipelineStage&);
};

bool has_replicas(const PipelineReport& pipeline) {
  return std::ranges::any_of(pipeline.stages,
                             [](const PipelineStage& stage) { return !stage.replicas.empty(); });
}

const std::array kColumns = {
    Column{"chunks",
           [](const PipelineReport& pipeline) {
             return pipeline.batches.schedule == PipelineSchedule::kInterleaved;
           },
           [](const PipelineStage& stage) { return fmt::format("{}", stage.chunks); }},
    Column{"weights",
           [](const PipelineReport& pipeline) {
             return pipeline.batches.schedule == PipelineSchedule::kZeroBubble;
           },
           [](const PipelineStage& stage) { return time_text(stage.weights_ps); }},
    Column{"reduce", has_replicas,
           [](const PipelineStage& stage) { return time_text(stage.reduce_ps); }},
};

std::string team_text(const PipelineStage& stage, const Topology& topology) {
  std::vector<std::string> names;
  for (const DeviceId device : team_of(stage)) names.push_back(topology.device(device).name);
  return fmt::format("{}", fmt::join(names, " + "));
}

}  // namespace

double bubble_share(const PipelineReport& pipeline, const Problem& problem,
                    const Schedule& schedule) {
  double bubble = 0, slots = 0;
  for (const PipelineStage& stage : pipeline.stages) {
    const Idle own = idle(team_of(stage), problem, schedule);
    bubble += own.share * own.slots;
    slots += own.slots;
  }
  return slots > 0 ? bubble / slots : 0;
}

std::int64_t peak_bytes(const PipelineStage& stage, const Schedule& schedule) {
  std::int64_t peak = 0;
  for (const DeviceId device : team_of(stage)) {
    peak = std::max(peak, schedule.peak_bytes[device.index()]);
  }
  return peak;
}

std::string stage_table(const PipelineReport& pipeline, const Problem& problem,
                        const Schedule& schedule, const Look& look) {
  Rows rows = {{"stage", "device", "forward", "backward", "update"}};
  for (const Column& column : kColumns) {
    if (column.is_needed(pipeline)) rows[0].push_back(column.title);
  }
  rows[0].insert(rows[0].end(), {"idle", "peak memory"});
  for (const PipelineStage& stage : pipeline.stages) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {fmt::format("{}", rows.size() - 2), team_text(stage, problem.topology()),
           time_text(stage.forward_ps), time_text(stage.backward_ps), time_text(stage.update_ps)};
    for (const Column& column : kColumns) {
      if (column.is_needed(pipeline)) row.push_back(column.cell(stage));
    }
    row.push_back(share_text(idle(team_of(stage), problem, schedule).share));
    row.push_back(bytes_text(static_cast<double>(peak_bytes(stage, schedule))));
  }
  return table_rows(std::move(rows), {1}, look);
}

std::optional<SingleDevice> best_single_device(const Problem& problem,
                                               const MicroBatches& batches) {
  const bool is_gpipe = batches.schedule == PipelineSchedule::kGpipe;
  const MicroBatches own = {
      .count = batches.count,
      .schedule = is_gpipe ? PipelineSchedule::kGpipe : PipelineSchedule::k1F1B,
      .merged = batches.merged};
  return best_that_fits(single_devices(problem, [&](const Placement& placement) {
    const MicroBatchPipeline alone = pipelined(problem, placement, own);
    return Simulator(alone.problem, Order::kGiven).evaluate(placement, &alone.sequences);
  }));
}

}  // namespace placer
