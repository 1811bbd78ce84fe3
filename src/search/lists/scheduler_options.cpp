#include "search/lists/scheduler_options.hpp"

#include <fmt/format.h>

#include "search/core/events.hpp"

namespace placer {

void score_list_rule(ListRule rule, ListRun run, ListScheduler& scheduler, Search& search) {
  const ListSchedule schedule = scheduler.run(rule);
  const std::optional<Score> score = search.evaluate(schedule.placement(), schedule.order());
  if (run.claim) search.claim_schedule(schedule.makespan_ps());
  if (!score || score->fits() || !run.retry || !rule.schedule.memory) return;
  search.observer().tell(EventLevel::kInfo, "lists", [&] {
    return fmt::format("{}: once more, with activations counted", words_of(*score));
  });
  rule.schedule.activations = 1;
  const ListSchedule second = scheduler.run(rule);
  const std::optional<Score> found = search.evaluate(second.placement(), second.order());
  if (run.claim && found && *found < *score) search.claim_schedule(second.makespan_ps());
}

OptimizerInfo list_scheduler_info(std::string summary, std::string unfit_for, std::string source) {
  return {.summary = std::move(summary),
          .unfit_for = std::move(unfit_for) +
                       "; transfers that wait for each other, and activations that fill the memory",
          .source = std::move(source),
          .deterministic = true,
          .anytime = true};
}

}  // namespace placer
