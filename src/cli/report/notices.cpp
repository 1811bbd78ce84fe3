#include "cli/report/notices.hpp"

#include <fmt/format.h>

#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"

namespace placer {

std::string machine_text(const LoadedProblem& loaded, const Look& look) {
  if (!loaded.standard_devices) return {};
  return wrapped(fmt::format("For {} ({}), as no devices were named: --devices names yours, such "
                             "as --devices 2xA100-80,1xCPU.\n\n",
                             kStandardDevices, kStandardMachine),
                 look.width, 0);
}

std::string why_nothing_fits(const Problem& problem, const LowerBounds& bounds) {
  double params_bytes = 0, memory_bytes = 0;
  for (const Op& op : problem.graph().ops()) params_bytes += static_cast<double>(op.params_bytes);
  for (const Device& device : problem.topology().devices()) {
    memory_bytes += static_cast<double>(device.memory_bytes);
  }
  if (params_bytes <= memory_bytes) return bounds.infeasible;
  return fmt::format("the parameters take {}, all devices together have {}",
                     bytes_text(params_bytes), bytes_text(memory_bytes));
}

void warn_if_nothing_fits(const LoadedProblem& loaded, const LowerBounds& bounds,
                          const Console& console) {
  if (bounds.infeasible.empty()) return;
  console.log.tell(EventLevel::kWarn, "", [&] {
    return fmt::format("{} on {}: nothing can fit: {}", loaded.graph_name, loaded.devices_name,
                       why_nothing_fits(loaded.problem, bounds));
  });
}

}  // namespace placer
