// Earliest task first: of all ready ops and devices the pair that can start first, ties by longest
// path to the end. At most 1,000 ready ops compete. Unfit for devices of different speed: a slow
// one that is idle wins. Hwang, Chow, Anger, Lee, "Scheduling Precedence Graphs in Systems with
// Interprocessor Communication Times", SIAM J. Computing 18(2), 1989.

#include "search/list_scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kEarliestStart}, options, search);
}

}  // namespace

Optimizer etf() {
  return make_optimizer(
      list_scheduler_info("of all ready ops and devices always the pair that can start first",
                          "Hwang, Chow, Anger, Lee 1989"),
      kListRows<false>, run);
}

}  // namespace placer
