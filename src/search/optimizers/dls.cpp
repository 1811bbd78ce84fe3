// Dynamic level scheduling: of all ready ops and devices the pair with the largest static level
// (median times to the end, no transfers) less its start plus what the device is faster than the
// median one. At most 1,000 ready ops compete. Unfit where transfers make the path: levels do not
// know them. Sih, Lee, "A Compile-Time Scheduling Heuristic for Interconnection-Constrained
// Heterogeneous Processor Architectures", IEEE TPDS 4(2), 1993.

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
