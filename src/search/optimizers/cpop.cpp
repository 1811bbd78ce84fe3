// Critical path on a processor. The longest path is that of mean costs and goes to the one device
// that runs it fastest; all other ops come by the longest path through them. "Performance-Effective
// and Low-Complexity Task Scheduling for Heterogeneous Computing", IEEE TPDS 13(3).

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<true>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kPathThrough, .device = ListRule::Device::kPathDevice},
                options, search);
}

}  // namespace

Optimizer cpop() {
  return make_optimizer(
      list_scheduler_info("critical path on one device, every other op where it finishes first",
                          "groups whose ops lie far apart", "Topcuoglu, Hariri, Wu 2002"),
      kListRows<Options>, run);
}

}  // namespace placer
