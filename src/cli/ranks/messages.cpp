#include "cli/ranks/messages.hpp"

#include <cstdint>

namespace placer {
namespace {

constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);
constexpr std::string_view kKinds = "RUABFCE";

}  // namespace

std::string encoded(const RankWord& word) {
  std::string bytes(1, static_cast<char>(word.kind));
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) {
    bytes += static_cast<char>(word.unit >> (8 * i) & 0xff);
  }
  return bytes + word.text;
}

std::optional<RankWord> decoded(std::string_view bytes) {
  if (bytes.size() < kHead || kKinds.find(bytes[0]) == std::string_view::npos) return std::nullopt;
  RankWord word{static_cast<RankWord::Kind>(bytes[0]), 0, std::string(bytes.substr(kHead))};
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) {
    word.unit |= std::size_t{static_cast<unsigned char>(bytes[1 + i])} << (8 * i);
  }
  return word;
}

}  // namespace placer
