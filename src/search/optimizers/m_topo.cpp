// Memory-constrained topological order. A device takes groups until it holds an even share of all
// bytes and that of the largest group; only devices at most twice as slow as the fastest count.
// Unlike the original, Baechi's baseline, what overflows is packed anew. "Baechi: Fast Device
// Placement of Machine Learning Graphs", SoCC.

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<true, true, true>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kProgram, .device = ListRule::Device::kInOrder}, options,
                search);
}

}  // namespace

Optimizer m_topo() {
  return make_optimizer(
      list_scheduler_info("devices filled one after the other, in program order, each with an even "
                          "share of the bytes",
                          "speed: devices wait for each other",
                          "Jeon, Cai, Srivastava, Jiang, Ke, Meng, Xie, Gupta 2020"),
      kListRows<Options>, run);
}

}  // namespace placer
