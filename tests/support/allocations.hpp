#pragma once

#include <cstddef>
#include <optional>

namespace placer::testing {

/// How often this thread has called operator new; empty where a sanitizer has its own.
std::optional<std::size_t> allocation_count();

}  // namespace placer::testing
