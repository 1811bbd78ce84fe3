// Large ops go first and small ones fill up. At most 1,000 ready ops compete. "Heuristic Algorithms
// for Scheduling Independent Tasks on Nonidentical Processors", J. ACM 24(2).

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kLatestFinish}, options, search);
}

}  // namespace

Optimizer max_min() {
  return make_optimizer(
      list_scheduler_info("of all ready ops always the one whose earliest finish is the latest",
                          "paths of small ops, and ops that suit one device only",
                          "Ibarra, Kim 1977"),
      kListRows<Options>, run);
}

}  // namespace placer
