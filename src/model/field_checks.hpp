#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// "ops[3].seconds"; made a text for messages only.
struct FieldPlace {
  std::string_view list;
  std::size_t index;
  std::string_view field;
  std::string text() const;
};

/// Throw Error where a value is not what the rules of its field say: numbers out of range, no name
/// or a barred one, repeated or empty names in a list of distinct ones. Who else is called what is
/// the caller's to check.
void check_value(const std::string& text, const FieldRules& rules, const FieldPlace& place);
void check_value(double value, const FieldRules& rules, const FieldPlace& place);
void check_value(std::int64_t value, const FieldRules& rules, const FieldPlace& place);
void check_value(const std::optional<double>& value, const FieldRules& rules,
                 const FieldPlace& place);
/// Each number, at "PLACE.KEY".
void check_value(const std::vector<std::pair<std::string, double>>& values, const FieldRules& rules,
                 const FieldPlace& place);
void check_value(const PeakFlops& peaks, const FieldRules& rules, const FieldPlace& place);
void check_value(const std::vector<std::string>& names, const FieldRules& rules,
                 const FieldPlace& place);
/// Also that sizes rise, and that no larger message takes less time, at "PLACE[I]".
void check_value(const std::vector<MessageBandwidth>& sizes, const FieldRules& rules,
                 const FieldPlace& place);
/// Any other value is good.
template <class Value>
void check_value(const Value& /*value*/, const FieldRules& /*rules*/, const FieldPlace& /*place*/) {
}

/// Checks the fields of the element `index` of `list`, in the order of `rows`. Throws Error.
template <class Rows, class T>
void check_fields(const Rows& rows, const T& object, std::string_view list, std::size_t index) {
  for_each_field(rows, [&](const auto& row) {
    check_value(object.*row.member, row.rules, FieldPlace{list, index, row.name});
  });
}

}  // namespace placer
