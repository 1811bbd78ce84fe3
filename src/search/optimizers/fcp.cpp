// Fast critical path: the ready op of longest path to the end goes to one of two devices, where it
// finishes first: the one that its last input comes from or the one that is idle first. Unfit for
// devices of different speed, of which it may not see the fast ones. Radulescu, van Gemund, "On the
// Complexity of List Scheduling Algorithms for Distributed-Memory Systems", ICS 1999.

#include "search/list_scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false>;

void run(const Options& options, Search& search) {
  run_list_rule({.device = ListRule::Device::kTwoDevices}, options, search);
}

}  // namespace

Optimizer fcp() {
  return make_optimizer(list_scheduler_info("ops by upward rank, each to one of two devices: that "
                                            "of its last input or the first idle",
                                            "Radulescu, van Gemund 1999"),
                        kListRows<false>, run);
}

}  // namespace placer
