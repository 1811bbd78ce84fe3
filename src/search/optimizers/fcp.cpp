// Fast critical path. The paper's devices are alike; here those at most twice as slow as the
// fastest are used. "On the Complexity of List Scheduling Algorithms for Distributed-Memory
// Systems", ICS.

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false, true>;

void run(const Options& options, Search& search) {
  run_list_rule({.device = ListRule::Device::kTwoDevices}, options, search);
}

}  // namespace

Optimizer fcp() {
  return make_optimizer(
      list_scheduler_info("ops by upward rank, each to one of two devices: that "
                          "of its last input or the first idle",
                          "devices of different speed, of which it may not see the fast ones",
                          "Radulescu, van Gemund 1999"),
      kListRows<Options>, run);
}

}  // namespace placer
