#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cli/shared/command.hpp"

namespace placer {

/// Whether this process is one of several and not the first: it does what rank 0 hands out.
bool serves_rank_0(const Console& console);

/// Does `work`, whose failure is rank 0's to tell, as signals are its to answer.
int serve_rank_0(Console& console, const std::function<void()>& work);

/// thread_count(asked), but one by default where several ranks share the cores.
int threads_of_rank(const Console& console, std::optional<std::int64_t> asked);

}  // namespace placer
