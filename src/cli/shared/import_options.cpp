#include "cli/shared/import_options.hpp"

#include <fmt/format.h>

#include <limits>
#include <sstream>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

using Integer = std::optional<std::int64_t> ImportOptions::*;
using Switch = bool ImportOptions::*;

void set(std::optional<std::int64_t>& number, const OptionValue& given) {
  number = std::get<std::int64_t>(given);
}
void set(bool& flag, const OptionValue& given) { flag = std::get<bool>(given); }
void set(std::vector<ShapeOverride>& shapes, const OptionValue& given) {
  std::istringstream lines(std::get<std::string>(given));
  for (std::string line; std::getline(lines, line);) shapes.push_back(parse_shape(line));
}

}  // namespace

void add_flags(std::vector<FlagInfo>& flags, const decltype(kImportOptions)& options) {
  for (const ImportOption& option : options) {
    FlagInfo info;
    info.option.name = option.name;
    info.option.meaning = fmt::format(fmt::runtime(option.meaning), join(formats_of(option)));
    info.value_name = option.value_name;
    if (std::holds_alternative<Integer>(option.member)) {
      info.option.range = IntegerRange{1, std::numeric_limits<std::int64_t>::max()};
    } else if (std::holds_alternative<Switch>(option.member)) {
      info.option.range = Flag{};
    } else {
      info.option.range = Choices{};
      info.repeats = true;
    }
    flags.push_back(std::move(info));
  }
}

ImportOptions read_import_options(const Arguments& arguments) {
  ImportOptions options;
  for (const ImportOption& option : kImportOptions) {
    const auto given = arguments.flags.find(std::string(option.name));
    if (given == arguments.flags.end()) continue;
    std::visit([&](auto member) { set(options.*member, given->second); }, option.member);
  }
  return options;
}

}  // namespace placer
