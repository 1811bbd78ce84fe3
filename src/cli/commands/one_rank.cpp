#include "cli/commands/one_rank.hpp"

namespace placer {

void warn_of_one_rank(const std::string& what, const Console& console) {
  if (console.ranks == nullptr) return;
  console.log.tell(EventLevel::kWarn, "", [&] {
    return what + " runs on one rank alone: it scores no batches to share; compare shares its runs";
  });
}

}  // namespace placer
