// Memory-constrained earliest task first. ETF on devices with room for the op's group counts
// activations where that can fit. Unlike the original, what overflows is packed anew. "Baechi: Fast
// Device Placement of Machine Learning Graphs", SoCC.

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false, true, true>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kEarliestStart}, options, search);
}

}  // namespace

Optimizer m_etf() {
  return make_optimizer(
      list_scheduler_info("ETF that keeps to the memory of each device",
                          "devices of different speed: a slow one that is idle wins",
                          "Jeon, Cai, Srivastava, Jiang, Ke, Meng, Xie, Gupta 2020"),
      kListRows<Options>, run);
}

}  // namespace placer
