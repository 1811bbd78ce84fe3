// Small ops go first. At most 1,000 ready ops compete. "Heuristic Algorithms for Scheduling
// Independent Tasks on Nonidentical Processors", J. ACM 24(2).

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kLeastFinish}, options, search);
}

}  // namespace

Optimizer min_min() {
  return make_optimizer(
      list_scheduler_info("of all ready ops always the one with the earliest finish",
                          "graphs whose path matters: long ops wait for short ones",
                          "Ibarra, Kim 1977"),
      kListRows<Options>, run);
}

}  // namespace placer
