#include "cli/ranks/serving.hpp"

#include "cli/ranks/hand_out.hpp"
#include "cli/shared/failure.hpp"
#include "cli/shared/request.hpp"

namespace placer {

bool is_other_rank(const Console& console) {
  return console.ranks != nullptr && console.ranks->rank() > 0;
}

int serve_on_rank(Console& console, const std::function<void()>& work) {
  console.search_begins();
  if (const auto failure = failure_of(work)) refuse_rank_0(*console.ranks, failure->reason);
  return kDone;
}

bool is_shared(const OptimizerInfo& info) { return info.in_slices || info.in_batches; }

int threads_of_rank(const Console& console, std::optional<std::int64_t> asked) {
  return console.ranks != nullptr && !asked ? 1 : thread_count(asked);
}

}  // namespace placer
