#include "placer/base/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace placer {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

/// Beyond this a double does not tell an integer from the next.
constexpr double kMostWhole = 9'007'199'254'740'992;  // 2^53

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (std::int64_t integer = 0; parse_number(text, integer)) return integer;
  const std::optional<double> number = parse_quantity(text, Measure::kPlain);
  if (!number || std::abs(*number) > kMostWhole || *number != std::trunc(*number)) return {};
  return static_cast<std::int64_t>(*number);
}

std::string bound_text(double bound) {
  return std::isinf(bound) ? (bound > 0 ? "inf" : "-inf") : fmt::format("{}", bound);
}

struct InRange {
  const OptionValue& value;

  bool operator()(const IntegerRange& range) const {
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr && *number >= range.least && *number <= range.most;
  }
  bool operator()(const RealRange& range) const {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr && *number >= range.least && *number <= range.most;
  }
  bool operator()(const Flag&) const { return std::holds_alternative<bool>(value); }
  bool operator()(const Choices& choices) const {
    const auto* name = std::get_if<std::string>(&value);
    return name != nullptr && std::ranges::count(choices.names, *name) > 0;
  }
};

[[noreturn]] void refuse(const OptionInfo& option, std::string_view found) {
  throw Error(
      fmt::format("option {}: expected {}, found {}", option.name, range_text(option), found));
}

}  // namespace

std::string to_text(const OptionValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

std::string range_text(const OptionInfo& option) {
  struct Text {
    Measure measure;
    std::string operator()(const IntegerRange& range) const {
      if (range.most == std::numeric_limits<std::int64_t>::max()) {
        return fmt::format("an integer from {}", range.least);
      }
      return fmt::format("an integer from {} to {}", range.least, range.most);
    }
    std::string operator()(const RealRange& range) const {
      if (measure == Measure::kSeconds) {
        return fmt::format("a time from {} s, such as 5, 5s, 500ms or 2min", range.least);
      }
      return fmt::format("a number from {} to {}", bound_text(range.least), bound_text(range.most));
    }
    std::string operator()(const Flag&) const { return "true or false"; }
    std::string operator()(const Choices& choices) const { return join(choices.names, " or "); }
  };
  return std::visit(Text{option.measure}, option.range);
}

OptionValue parse_option(const OptionInfo& option, std::string_view text) {
  OptionValue value = std::string(text);
  if (std::holds_alternative<IntegerRange>(option.range)) {
    if (const auto integer = parse_integer(text)) value = *integer;
  } else if (std::holds_alternative<RealRange>(option.range)) {
    if (const auto real = parse_quantity(text, option.measure)) value = *real;
  } else if (std::holds_alternative<Flag>(option.range) && (text == "true" || text == "false")) {
    value = text == "true";
  }
  return checked_option(option, value);
}

OptionValue checked_option(const OptionInfo& option, const OptionValue& value) {
  OptionValue typed = value;
  if (const auto* integer = std::get_if<std::int64_t>(&value);
      integer != nullptr && std::holds_alternative<RealRange>(option.range)) {
    typed = static_cast<double>(*integer);
  }
  if (!std::visit(InRange{typed}, option.range)) refuse(option, to_text(value));
  return typed;
}

namespace {

bool wants_tuned(std::span<const OptionInfo> options, const OptionValues& given) {
  const auto preset = std::ranges::find(options, "preset", &OptionInfo::name);
  if (preset == options.end()) return false;
  const auto at = given.find(preset->name);
  return (at == given.end() ? preset->standard : at->second) ==
         OptionValue(name_of(Preset::kTuned));
}

}  // namespace

OptionValues checked_options(std::span<const OptionInfo> options, const OptionValues& given) {
  OptionValues complete;
  std::vector<std::string> names;
  const bool tuned = wants_tuned(options, given);
  for (const OptionInfo& option : options) {
    names.push_back(option.name);
    const auto at = given.find(option.name);
    const OptionValue& standard = tuned && option.tuned ? *option.tuned : option.standard;
    complete[option.name] = at == given.end() ? standard : checked_option(option, at->second);
  }
  for (const auto& [name, value] : given) {
    if (complete.contains(name)) continue;
    throw Error(fmt::format("option {}: expected {}, found an unknown name{}", name,
                            names.empty() ? "no options" : "one of " + join(names),
                            did_you_mean(name, names)));
  }
  return complete;
}

}  // namespace placer
