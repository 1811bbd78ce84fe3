// Earliest task first. Ties go by the longest path to the end, then by the earlier finish. At most
// 1,000 ready ops compete. The paper's devices are alike; here those at most twice as slow as the
// fastest are used. "Scheduling Precedence Graphs in Systems with Interprocessor Communication
// Times", SIAM J. Computing 18(2).

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false, true>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kEarliestStart}, options, search);
}

}  // namespace

Optimizer etf() {
  return make_optimizer(
      list_scheduler_info("of all ready ops and devices always the pair that can start first",
                          "devices of different speed: a slow one that is idle wins",
                          "Hwang, Chow, Anger, Lee 1989"),
      kListRows<Options>, run);
}

}  // namespace placer
