#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cli/shared/command.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {

/// Whether this process is one of several and not the first: it does what rank 0 hands out.
bool is_other_rank(const Console& console);

/// Does `work`, whose failure is rank 0's to tell, as signals are its to answer.
int serve_on_rank(Console& console, const std::function<void()>& work);

/// Whether several ranks share a search by it.
bool is_shared(const OptimizerInfo& info);

/// thread_count(asked), but one by default where several ranks share the cores.
int threads_of_rank(const Console& console, std::optional<std::int64_t> asked);

}  // namespace placer
