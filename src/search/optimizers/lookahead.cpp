// Each device is tried for an op, its consumers are then placed where each finishes first, and the
// device where the last of them finishes earliest wins. Inputs of consumers that have no place yet
// are ignored. "DAG Scheduling Using a Lookahead Variant of the Heterogeneous Earliest Finish Time
// Algorithm", PDP.

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<true>;

void run(const Options& options, Search& search) {
  run_list_rule({.device = ListRule::Device::kLookahead}, options, search);
}

}  // namespace

Optimizer lookahead() {
  return make_optimizer(
      list_scheduler_info(
          "HEFT with a look at consumers: each op where the last of them would finish first",
          "ops with thousands of consumers, and queues further ahead than these",
          "Bittencourt, Sakellariou, Madeira 2010"),
      kListRows<Options>, run);
}

}  // namespace placer
