// Dynamic level scheduling. A pair's dynamic level is the op's static level (median times to the
// end, no transfers) less its start plus what the device is faster than the median one. At most
// 1,000 ready ops compete. "A Compile-Time Scheduling Heuristic for Interconnection-Constrained
// Heterogeneous Processor Architectures", IEEE TPDS 4(2).

#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

using Options = ListOptions<false>;

void run(const Options& options, Search& search) {
  run_list_rule({.next = ListRule::Next::kDynamicLevel}, options, search);
}

}  // namespace

Optimizer dls() {
  return make_optimizer(
      list_scheduler_info(
          "of all ready ops and devices always the pair of the largest dynamic level",
          "paths that are long by their transfers, which its levels leave out", "Sih, Lee 1993"),
      kListRows<Options>, run);
}

}  // namespace placer
