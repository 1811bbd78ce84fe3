#pragma once

#include <optional>
#include <string_view>

namespace placer {

/// What a number without a unit counts.
enum class Measure { kPlain, kSeconds, kBytes };

/// The number that a person's text stands for: "1e6", "10k" and "2.5M" (and G) everywhere; "5s",
/// "500ms", "20us", "2min" and "1h" of seconds; "100B", "64kB", "512MB", "4GB" and "1TB" of bytes,
/// or with powers of 1024 "64KiB", "512MiB", "4GiB" and "1TiB". Empty for anything else.
std::optional<double> parse_quantity(std::string_view text, Measure measure);

}  // namespace placer
