#include "io/option_json.hpp"

#include <algorithm>

namespace placer {

OptionValue option_value(const OptionInfo& option, const JsonCursor& cursor) {
  if (const auto* range = std::get_if<IntegerRange>(&option.range)) {
    return cursor.integer(range->least, std::min(range->most, kLargestInteger));
  }
  if (const auto* range = std::get_if<RealRange>(&option.range)) {
    return cursor.number(range->least, std::min(range->most, std::numeric_limits<double>::max()));
  }
  if (std::holds_alternative<Flag>(option.range)) return cursor.boolean();
  const auto& names = std::get<Choices>(option.range).names;
  if (!names.empty() && std::ranges::count(names, cursor.name()) == 0) {
    cursor.fail(range_text(option));
  }
  return std::string(cursor.name());
}

}  // namespace placer
