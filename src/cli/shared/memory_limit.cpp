#include "cli/shared/memory_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/io/json_value.hpp"

namespace placer {
namespace {

constexpr double kLeastBytes = 64e6;
constexpr double kMostBytes = 1e15;

}  // namespace

std::int64_t parse_memory_limit(std::string_view text) {
  const std::optional<double> bytes = parse_quantity(text, Measure::kBytes);
  if (bytes && *bytes >= kLeastBytes && *bytes <= kMostBytes) {
    return static_cast<std::int64_t>(*bytes);
  }
  throw Error(fmt::format(
      "option --memory-limit: expected a size from 64MB to 1000TB, such as 4GB or 512MiB, found "
      "'{}'",
      one_line(text, 60)));
}

void limit_memory(std::int64_t bytes) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) throw Error("--memory-limit: this system has none");
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(bytes));
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) throw Error("--memory-limit: this system has none");
}

}  // namespace placer
