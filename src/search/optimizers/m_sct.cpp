// Memory-constrained small communication times: as m-etf, but a device keeps itself for the
// favourite child of its last op where that is ready and can start nowhere earlier; meanwhile it
// takes only ops whose inputs could be on every device by then. Baechi finds favourite children by
// rounding a linear program, here they are chosen along longest paths (favourites.hpp), the same on
// every machine. Unlike the original, what overflows is packed anew. Unfit for transfers that take
// longer than ops, and for devices of different speed. Jeon, Cai, Srivastava, Jiang, Ke, Meng, Xie,
// Gupta, "Baechi: Fast Device Placement of Machine Learning Graphs", SoCC 2020.

#include "search/list_scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false, true, true>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kEarliestStart, .favourites = true}, options, search);
}

}  // namespace

Optimizer m_sct() {
  return make_optimizer(
      list_scheduler_info(
          "ETF within memory in which a device waits for the favourite child of its last op",
          "transfers that take longer than ops, and devices of different speed",
          "Jeon, Cai, Srivastava, Jiang, Ke, Meng, Xie, Gupta 2020"),
      kListRows<Options>, run);
}

}  // namespace placer
