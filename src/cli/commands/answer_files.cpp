#include "cli/commands/answer_files.hpp"

#include "cli/commands/plan_files.hpp"
#include "cli/report/curve_file.hpp"
#include "cli/report/updates_file.hpp"
#include "cli/shared/outputs.hpp"
#include "placer/io/policy_file.hpp"

namespace placer {

std::vector<std::string> write_answer_files(const OptimizeFlags& flags, const Report& report,
                                            Console& console) {
  const SearchResult& result = report.result;
  const std::string title = report.loaded->graph_name + ", " + report.algorithm;
  std::vector<std::string> written;
  if (flags.policy_out && !result.policy) {
    console.log.tell(EventLevel::kWarn, "", [&] {
      return *flags.policy_out + " is not written: there was no time to learn";
    });
  } else if (flags.policy_out) {
    if (write_output(*flags.policy_out, write_policy(*result.policy), console)) {
      written.push_back(*flags.policy_out);
    }
  }
  if (flags.plan_out && write_plan_file(*report.loaded, report.result.placement,
                                        report.schedule.score.fits(), *flags.plan_out, console)) {
    written.push_back(*flags.plan_out);
  }
  if (flags.curve) {
    const std::string curve = curve_text(*flags.curve, {{title, result.curve, result.samples}});
    if (write_output(*flags.curve, curve, console)) written.push_back(*flags.curve);
  }
  if (flags.updates &&
      write_output(*flags.updates, updates_text(*flags.updates, report), console)) {
    written.push_back(*flags.updates);
  }
  return written;
}

}  // namespace placer
