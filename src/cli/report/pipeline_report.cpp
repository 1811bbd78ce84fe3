#include "cli/report/pipeline_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

/// The share of the step in which the slots of a device do nothing, and how many slots that is of.
struct Idle {
  double share = 0, slots = 1;
};

Idle idle(DeviceId device, const Problem& problem, const Schedule& schedule) {
  const auto slots = static_cast<double>(problem.topology().device(device).slots);
  Picoseconds end_ps = 0;
  for (const OpRun& run : schedule.ops) end_ps = std::max(end_ps, run.end_ps);
  if (end_ps == 0) return {0, slots};
  const auto busy = static_cast<double>(schedule.busy_ps[device.index()]);
  return {1 - busy / (static_cast<double>(end_ps) * slots), slots};
}

}  // namespace

double bubble_share(const PipelineReport& pipeline, const Problem& problem,
                    const Schedule& schedule) {
  double bubble = 0, slots = 0;
  for (const PipelineStage& stage : pipeline.stages) {
    const Idle own = idle(stage.device, problem, schedule);
    bubble += own.share * own.slots;
    slots += own.slots;
  }
  return slots > 0 ? bubble / slots : 0;
}

std::string stage_table(const PipelineReport& pipeline, const Problem& problem,
                        const Schedule& schedule, const Look& look) {
  Rows rows = {{"stage", "device", "forward", "backward", "update", "idle", "peak memory"}};
  for (const PipelineStage& stage : pipeline.stages) {
    rows.push_back({fmt::format("{}", rows.size() - 1),
                    problem.topology().device(stage.device).name, time_text(stage.forward_ps),
                    time_text(stage.backward_ps), time_text(stage.update_ps),
                    share_text(idle(stage.device, problem, schedule).share),
                    bytes_text(static_cast<double>(schedule.peak_bytes[stage.device.index()]))});
  }
  return table_rows(std::move(rows), {1}, look);
}

std::optional<SingleDevice> best_single_device(const Problem& problem,
                                               const MicroBatches& batches) {
  return best_that_fits(single_devices(problem, [&](const Placement& placement) {
    const MicroBatchPipeline alone = pipelined(problem, placement, batches);
    return Simulator(alone.problem, Order::kGiven).evaluate(placement, &alone.sequences);
  }));
}

}  // namespace placer
