#include "model/field_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

/// "a number above 0 and at most 1", "an integer from 1 to 65536"
std::string range_text(std::string_view kind, const NumberRange& range) {
  std::string text = fmt::format("{} {} {}", kind, range.is_above ? "above" : "from", range.least);
  if (range.is_unlimited()) return text;
  return text + fmt::format("{}{}", range.is_above ? " and at most " : " to ", range.most);
}

template <class Number>
[[noreturn]] void refuse(Number value, std::string_view kind, const FieldRules& rules,
                         const std::string& place) {
  throw Error(
      fmt::format("{}: expected {}, found {}", place, range_text(kind, rules.range), value));
}

}  // namespace

std::string FieldPlace::text() const { return fmt::format("{}[{}].{}", list, index, field); }

void check_value(const std::string& text, const FieldRules& rules, const FieldPlace& place) {
  if (rules.bearing != Bearing::kName || (!text.empty() && text != rules.barred)) return;
  throw Error(fmt::format("{}: expected a name, found {}", place.text(),
                          text.empty() ? "an empty string" : "'" + text + "'"));
}

void check_value(double value, const FieldRules& rules, const FieldPlace& place) {
  if (!rules.range.holds(value)) refuse(value, "a number", rules, place.text());
}

void check_value(std::int64_t value, const FieldRules& rules, const FieldPlace& place) {
  if (!rules.range.holds(static_cast<double>(value))) {
    refuse(value, "an integer", rules, place.text());
  }
}

void check_value(const std::optional<double>& value, const FieldRules& rules,
                 const FieldPlace& place) {
  if (value) check_value(*value, rules, place);
}

void check_value(const std::vector<std::pair<std::string, double>>& values, const FieldRules& rules,
                 const FieldPlace& place) {
  for (const auto& [key, value] : values) {
    if (rules.range.holds(value)) continue;
    refuse(value, "a number", rules, place.text() + "." + key);
  }
}

void check_value(const PeakFlops& peaks, const FieldRules& rules, const FieldPlace& place) {
  check_value(peaks.of_others, rules, place);
  check_value(peaks.of_dtype, rules, place);
}

void check_value(const std::vector<std::string>& names, const FieldRules& rules,
                 const FieldPlace& place) {
  if (!rules.are_distinct) return;
  const std::set<std::string> distinct(names.begin(), names.end());
  if (distinct.size() == names.size() && !distinct.contains("")) return;
  throw Error(place.text() + ": expected distinct names, found " +
              (distinct.contains("") ? "an empty one" : "one twice"));
}

void check_value(const std::vector<MessageBandwidth>& sizes, const FieldRules& /*rules*/,
                 const FieldPlace& place) {
  const std::string list = place.text();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    check_fields(kMessageBandwidthFields, sizes[i], list, i);
    if (i == 0) continue;
    const MessageBandwidth &before = sizes[i - 1], &now = sizes[i];
    if (now.bytes > before.bytes && now.seconds() >= before.seconds()) continue;
    throw Error(fmt::format(
        "{}[{}]: expected more than {} bytes in no less than {} s, found {} bytes in {} s", list, i,
        before.bytes, before.seconds(), now.bytes, now.seconds()));
  }
}

}  // namespace placer
