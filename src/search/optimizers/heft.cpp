// Heterogeneous earliest finish time. Idle stretches are filled, too. "Performance-Effective and
// Low-Complexity Task Scheduling for Heterogeneous Computing", IEEE TPDS 13(3).
//
// The paper has no groups: here the first op of a group takes all of it along. The variants make up
// for that. Measured under fifo on 74 graph and device pairs (ResNet-50, Inception-v3, GNMT,
// VGG-16, BERT; 2 to 8 devices) as geometric means of the step time over HEFT's: with `transfers`
// 0.98, with `promises` too 1.15 but 0.8 where pipelines form, the best of all three 0.96.

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

struct Options {
  bool insertion = true;
  bool memory = true;
  Activations activations = Activations::kWhenNeeded;
  bool contention = false;
  Eligible devices = Eligible::kAll;
  bool variants = true;
};

constexpr std::array<OptionRow<Options>, 6> kRows = {
    insertion_row<Options>(),
    memory_row<Options>(),
    activations_row<Options>(),
    contention_row<Options>(),
    devices_row<Options>(),
    option<Options>("variants", &Options::variants,
                    "score two more schedules that look at a group's other ops and transfers"),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  ListScheduler scheduler(search.problem(), search.observer());
  const bool retry = options.activations == Activations::kWhenNeeded;
  ListRule rule{.schedule = schedule_rules(options)};
  score_list_rule(rule, {.retry = retry}, scheduler, search);
  if (!options.variants) return;
  for (const ListRule::Group group : {ListRule::Group::kWhole, ListRule::Group::kPromises}) {
    if (search.spent()) return;
    rule.group = group;
    score_list_rule(rule, {.retry = retry, .claim = false}, scheduler, search);
  }
}

}  // namespace

Optimizer heft() {
  return make_optimizer(
      list_scheduler_info("ops by upward rank, each to the device where it finishes first",
                          "groups whose ops differ from the first, but for its variants",
                          "Topcuoglu, Hariri, Wu 2002"),
      kRows, run);
}

}  // namespace placer
