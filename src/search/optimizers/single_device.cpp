#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"

namespace placer {
namespace {

void run(Search& search) { try_single_devices(search); }

}  // namespace

Optimizer single_device() {
  return make_optimizer(
      {.summary = "everything on the best single device",
       .unfit_for = "models that fit no device, and those where it leaves fast devices idle",
       .source = "",
       .deterministic = true,
       .anytime = true},
      run);
}

}  // namespace placer
