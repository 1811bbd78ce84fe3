#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/shared/command.hpp"

namespace placer {

/// Every command takes these.
struct LimitFlags {
  std::optional<std::string> memory_limit;
};
inline constexpr std::array<FlagRow<LimitFlags>, 1> kLimitFlags = {
    text_flag("memory-limit", 0, &LimitFlags::memory_limit, "SIZE",
              "end rather than allocate more than this, such as 4GB or 512MiB"),
};

/// The bytes that `--memory-limit` means. Throws Error for what is no size, or less than the
/// program itself needs.
std::int64_t parse_memory_limit(std::string_view text);

/// From now on an allocation that brings the process above `bytes` fails with std::bad_alloc. What
/// counts is memory of its own that it may write to, whether it has been touched or not: not the
/// program's text, nor files, nor memory merely reserved. A lower limit of the system stays.
void limit_memory(std::int64_t bytes);

}  // namespace placer
