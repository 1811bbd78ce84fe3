#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placer {

/// Base64 (RFC 4648) of the little-endian bytes of `words`, and of `numbers`.
std::string base64_of(std::span<const std::int64_t> words);
std::string base64_of(std::span<const double> numbers);
/// The words or numbers again; empty for a text that `base64_of` does not write.
std::optional<std::vector<std::int64_t>> words_of(std::string_view base64);
std::optional<std::vector<double>> doubles_of(std::string_view base64);

}  // namespace placer
