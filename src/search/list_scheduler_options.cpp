#include "search/list_scheduler_options.hpp"

namespace placer {

void run_list_rule(const ListRule& rule, Search& search) {
  const ListSchedule schedule = list_schedule(search.problem(), rule);
  search.claim_schedule(schedule.makespan_ps());
  search.evaluate(schedule.placement(), schedule.order());
}

OptimizerInfo list_scheduler_info(std::string summary, std::string source) {
  return {.summary = std::move(summary),
          .unfit_for =
              "graphs where transfers wait for each other, and activations that fill the "
              "memory, which it sees with `contention` and `activations` only",
          .source = std::move(source),
          .deterministic = true,
          .anytime = true};
}

}  // namespace placer
