#pragma once

namespace placer::testing {

/// Built with the address sanitizer: slower, and with an allocator of its own.
#if defined(PLACER_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace placer::testing
