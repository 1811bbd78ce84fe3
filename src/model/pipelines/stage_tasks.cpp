#include "model/pipelines/stage_tasks.hpp"

#include <algorithm>
#include <optional>

namespace placer {
namespace {

/// Forward passes `ahead`, then backward and forward in turn; gradients of weights `behind`.
std::vector<StageTask> in_turn(std::size_t ahead, std::optional<std::size_t> behind,
                               std::size_t count) {
  std::vector<StageTask> tasks;
  ahead = std::min(ahead, count);
  for (std::size_t m = 0; m < ahead; ++m) tasks.push_back({TaskPhase::kForward, 0, m});
  for (std::size_t m = 0; m < count; ++m) {
    tasks.push_back({TaskPhase::kBackward, 0, m});
    if (behind && m >= *behind) tasks.push_back({TaskPhase::kWeights, 0, m - *behind});
    if (ahead + m < count) tasks.push_back({TaskPhase::kForward, 0, ahead + m});
  }
  if (!behind) return tasks;
  for (std::size_t m = count - std::min(count, *behind); m < count; ++m) {
    tasks.push_back({TaskPhase::kWeights, 0, m});
  }
  return tasks;
}

/// The k-th pass through any chunk: rounds of `devices` micro-batches, chunk by chunk.
StageTask pass(TaskPhase phase, std::size_t k, std::size_t devices, std::size_t chunks) {
  const std::size_t round = k / (devices * chunks), chunk = k / devices % chunks;
  return {phase, phase == TaskPhase::kForward ? chunk : chunks - 1 - chunk,
          round * devices + k % devices};
}

std::vector<StageTask> interleaved(const StagePlace& place, std::size_t count) {
  const std::size_t devices = place.before + place.from_here, all = count * place.chunks;
  const std::size_t ahead = std::min((place.from_here - 1) * 2 + (place.chunks - 1) * devices, all);
  std::vector<StageTask> tasks;
  const auto add = [&](TaskPhase phase, std::size_t k) {
    tasks.push_back(pass(phase, k, devices, place.chunks));
  };
  for (std::size_t k = 0; k < ahead; ++k) add(TaskPhase::kForward, k);
  for (std::size_t k = 0; k < all; ++k) {
    if (ahead + k < all) add(TaskPhase::kForward, ahead + k);
    add(TaskPhase::kBackward, k);
  }
  return tasks;
}

}  // namespace

std::vector<StageTask> stage_tasks(PipelineSchedule schedule, const StagePlace& place,
                                   std::size_t count) {
  switch (schedule) {
    case PipelineSchedule::kGpipe:
      return in_turn(count, std::nullopt, count);
    case PipelineSchedule::k1F1B:
      return in_turn(place.from_here, std::nullopt, count);
    case PipelineSchedule::kInterleaved:
      return interleaved(place, count);
    case PipelineSchedule::kZeroBubble:
      return in_turn(place.from_here, place.before, count);
  }
  return {};
}

std::size_t most_in_flight(PipelineSchedule schedule, const StagePlace& place, std::size_t count,
                           std::size_t team) {
  std::size_t all = count;
  if (schedule == PipelineSchedule::k1F1B) all = std::min(count, place.from_here);
  if (schedule == PipelineSchedule::kZeroBubble) {
    all = std::min(count, place.before + place.from_here);
  }
  return (all + team - 1) / team;
}

}  // namespace placer
