#include "nn/shared_out.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace placer::nn {

void run_parts(Index count, Index least, const std::function<void(Index, Index)>& part) {
  if (tbb::this_task_arena::max_concurrency() == 1) return part(0, count);
  const tbb::blocked_range<Index> all(0, count, static_cast<std::size_t>(least));
  tbb::parallel_for(all, [&](const auto& range) { part(range.begin(), range.end()); });
}

}  // namespace placer::nn
