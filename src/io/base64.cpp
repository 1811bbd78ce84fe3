#include "io/base64.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace placer {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 255;

constexpr std::array<std::uint8_t, 256> digit_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = digit_values();

template <class To, class From>
std::vector<To> recast(std::span<const From> from) {
  std::vector<To> to;
  to.reserve(from.size());
  for (const From& word : from) to.push_back(std::bit_cast<To>(word));
  return to;
}

}  // namespace

std::string base64_of(std::span<const std::int64_t> words) {
  std::string text;
  text.reserve((words.size() * 8 + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int bytes = 0;
  const auto write = [&](int digits) {
    bits <<= 8 * (3 - bytes);
    for (int i = 0; i < 4; ++i) text += i < digits ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=';
    bits = 0;
    bytes = 0;
  };
  for (const std::int64_t signed_word : words) {
    const auto word = static_cast<std::uint64_t>(signed_word);
    for (int i = 0; i < 8; ++i) {
      bits = bits << 8 | static_cast<std::uint32_t>(word >> 8 * i & 255);
      if (++bytes == 3) write(4);
    }
  }
  if (bytes > 0) write(bytes + 1);
  return text;
}

std::string base64_of(std::span<const double> numbers) {
  return base64_of(recast<std::int64_t>(numbers));
}

std::optional<std::vector<double>> doubles_of(std::string_view base64) {
  const std::optional<std::vector<std::int64_t>> words = words_of(base64);
  if (!words) return std::nullopt;
  return recast<double>(std::span<const std::int64_t>(*words));
}

std::optional<std::vector<std::int64_t>> words_of(std::string_view base64) {
  std::size_t padding = 0;
  while (padding < 2 && base64.ends_with('=')) {
    base64.remove_suffix(1);
    ++padding;
  }
  if ((base64.size() + padding) % 4 != 0 || base64.size() * 6 / 8 % 8 != 0) return std::nullopt;
  std::vector<std::int64_t> words;
  words.reserve(base64.size() * 6 / 64);
  std::uint64_t word = 0;
  std::uint32_t bits = 0;
  int bit_count = 0, bytes = 0;
  for (const char letter : base64) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(letter)];
    if (value == kNone) return std::nullopt;
    bits = bits << 6 | value;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    word |= static_cast<std::uint64_t>(bits >> bit_count & 255) << 8 * bytes;
    bits &= (1u << bit_count) - 1;
    if (++bytes < 8) continue;
    words.push_back(static_cast<std::int64_t>(word));
    word = 0;
    bytes = 0;
  }
  if (bits != 0 || bytes != 0) return std::nullopt;
  return words;
}

}  // namespace placer
