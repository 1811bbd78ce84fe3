#include "cli/report/step_report.hpp"

#include <chrono>

namespace placer {
namespace {

void multiply(std::optional<std::int64_t>& count, std::int64_t factor) {
  if (count) *count *= factor;
}

}  // namespace

SearchResult scored(Simulator& simulator, const Placement& placement, const OpOrder& sequence) {
  const auto begin = std::chrono::steady_clock::now();
  SearchResult result;
  result.placement = placement;
  result.groups = simulator.problem().groups().size();
  result.order = sequence;
  result.score = simulator.evaluate(result.placement, result.order);
  result.evaluations = 1;
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.seconds_to_best = result.wall_seconds;
  result.history = {{1, result.wall_seconds, result.score}};
  return result;
}

Report pipelined_report(LoadedProblem& loaded, const Placement& placement,
                        const MicroBatches& batches) {
  Goal goal = loaded.problem.goal();
  goal.objective = Objective::kLatency;  // whatever the placement was found for
  const Problem one = loaded.problem.with_goal(std::move(goal));
  MicroBatchPipeline pipeline = pipelined(one, placement, batches);
  loaded.problem = std::move(pipeline.problem);
  multiply(loaded.yield.samples, batches.count * batches.merged);
  multiply(loaded.yield.tokens, batches.count * batches.merged);
  const OpOrder order = op_order_of(loaded.problem, pipeline.sequences);
  Simulator simulator(loaded.problem, Order::kGiven);
  Report report = make_report(loaded, simulator, scored(simulator, pipeline.placement, order),
                              {lower_bounds(loaded.problem), best_single_device(one, batches)});
  report.pipeline = PipelineReport{batches, std::move(pipeline.stages), one, placement};
  return report;
}

}  // namespace placer
