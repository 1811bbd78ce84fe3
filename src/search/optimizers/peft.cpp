// Predict earliest finish time. The table says for each op and device how long the rest of the
// graph takes at least after it; ready ops go by the mean of their row. "List Scheduling Algorithm
// for Heterogeneous Systems by an Optimistic Cost Table", IEEE TPDS 25(3).

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<true>;

void run(const Options& options, Search& search) {
  run_list_rule(
      {.next = ListRule::Next::kOptimisticCost, .device = ListRule::Device::kOptimisticCost},
      options, search);
}

}  // namespace

Optimizer peft() {
  return make_optimizer(
      list_scheduler_info("ops by mean optimistic cost, each to the device of "
                          "least finish and optimistic cost after it",
                          "devices that are busy rather than far apart: its table knows no queues",
                          "Arabnejad, Barbosa 2014"),
      kListRows<Options>, run);
}

}  // namespace placer
