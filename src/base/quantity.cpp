#include "placer/base/quantity.hpp"

#include <array>
#include <charconv>
#include <string>

namespace placer {
namespace {

struct Suffix {
  std::string_view name;
  Measure measure;
  int exponent;       // of ten, so that "1.005k" is 1005 to the last bit
  double factor = 1;  // where it is no power of ten
};
constexpr std::array kSuffixes = {
    Suffix{"k", Measure::kPlain, 3},           Suffix{"M", Measure::kPlain, 6},
    Suffix{"G", Measure::kPlain, 9},           Suffix{"s", Measure::kSeconds, 0},
    Suffix{"ms", Measure::kSeconds, -3},       Suffix{"us", Measure::kSeconds, -6},
    Suffix{"min", Measure::kSeconds, 0, 60},   Suffix{"h", Measure::kSeconds, 0, 3600},
    Suffix{"B", Measure::kBytes, 0},           Suffix{"kB", Measure::kBytes, 3},
    Suffix{"KB", Measure::kBytes, 3},          Suffix{"MB", Measure::kBytes, 6},
    Suffix{"GB", Measure::kBytes, 9},          Suffix{"TB", Measure::kBytes, 12},
    Suffix{"KiB", Measure::kBytes, 0, 0x1p10}, Suffix{"MiB", Measure::kBytes, 0, 0x1p20},
    Suffix{"GiB", Measure::kBytes, 0, 0x1p30}, Suffix{"TiB", Measure::kBytes, 0, 0x1p40},
};

std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Measure measure) {
  if (const std::optional<double> plain = parse_real(text)) return plain;
  const std::size_t digits = text.find_last_of("0123456789.") + 1;
  std::string_view name = text.substr(digits);
  if (name.starts_with(' ')) name.remove_prefix(1);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.name != name || (suffix.measure != Measure::kPlain && suffix.measure != measure))
      continue;
    const std::string scaled =
        std::string(text.substr(0, digits)) + "e" + std::to_string(suffix.exponent);
    const std::optional<double> number = parse_real(scaled);
    return number ? std::optional(*number * suffix.factor) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace placer
