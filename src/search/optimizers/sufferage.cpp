// An op with one device left goes first of all. The paper settles all devices at once before times
// are looked at again, here one at a time. At most 1,000 ready ops compete. "Dynamic Mapping of a
// Class of Independent Tasks onto Heterogeneous Computing Systems", J. Parallel and Distributed
// Computing 59.

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kSufferage}, options, search);
}

}  // namespace

Optimizer sufferage() {
  return make_optimizer(
      list_scheduler_info(
          "of all ready ops always the one with the most to lose from its second best device",
          "devices alike, where there is little to suffer",
          "Maheswaran, Ali, Siegel, Hensgen, Freund 1999"),
      kListRows<Options>, run);
}

}  // namespace placer
