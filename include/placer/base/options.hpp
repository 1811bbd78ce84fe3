#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/base/member_count.hpp"

namespace placer {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;
/// By option name ("elite-share"), in alphabetical order.
using OptionValues = std::map<std::string, OptionValue>;

struct IntegerRange {
  std::int64_t least, most;
};
struct RealRange {
  double least, most;
};
struct Flag {};
struct Choices {
  std::vector<std::string> names;
};

/// What a reader may know of an option: flags, help, `placer algorithms` and the README show this.
struct OptionInfo {
  std::string name;
  std::string meaning;
  std::variant<IntegerRange, RealRange, Flag, Choices> range;
  OptionValue standard;  // the default
  // The default where the option "preset" is "tuned".
  std::optional<OptionValue> tuned = std::nullopt;
};

/// "0.1", "12", "true", "sgd"; reals in the shortest form that reads back.
std::string to_text(const OptionValue& value);
/// "integer from 1 to 100", "number from 0 to 1", "true or false", "sgd or exact"
std::string range_text(const OptionInfo& option);
/// The value that a flag's or a config's text stands for. Throws Error.
OptionValue parse_option(const OptionInfo& option, std::string_view text);
/// `value` in the type of the option (an integer serves as a real). Throws Error that names the
/// option, what was expected and what was found.
OptionValue checked_option(const OptionInfo& option, const OptionValue& value);
/// `given`, each name known and each value in range, completed by the defaults: by the tuned ones
/// where "preset" is "tuned". Throws Error.
OptionValues checked_options(std::span<const OptionInfo> options, const OptionValues& given);

/// One row for each member of an options struct `O`: name, range and meaning are written here only.
template <class O>
struct OptionRow {
  std::string_view name;
  std::variant<std::int64_t O::*, double O::*, bool O::*, std::string O::*> member;
  std::variant<IntegerRange, RealRange, Flag, std::string_view> range;  // text: split at '|'
  std::string_view meaning;
};

template <class O>
constexpr OptionRow<O> option(std::string_view name, std::int64_t O::*member, std::int64_t least,
                              std::int64_t most, std::string_view meaning) {
  return {name, member, IntegerRange{least, most}, meaning};
}
template <class O>
constexpr OptionRow<O> option(std::string_view name, double O::*member, double least, double most,
                              std::string_view meaning) {
  return {name, member, RealRange{least, most}, meaning};
}
template <class O>
constexpr OptionRow<O> option(std::string_view name, bool O::*member, std::string_view meaning) {
  return {name, member, Flag{}, meaning};
}
template <class O>
constexpr OptionRow<O> option(std::string_view name, std::string O::*member,
                              std::string_view choices, std::string_view meaning) {
  return {name, member, choices, meaning};
}

namespace detail {

Choices split_choices(std::string_view names);

}  // namespace detail

template <class O, std::size_t N>
std::vector<OptionInfo> describe_options(const std::array<OptionRow<O>, N>& rows) {
  std::vector<OptionInfo> described;
  const O defaults{};
  for (const OptionRow<O>& row : rows) {
    OptionInfo info{std::string(row.name), std::string(row.meaning), Flag{}, false};
    std::visit([&](auto member) { info.standard = defaults.*member; }, row.member);
    if (const auto* names = std::get_if<std::string_view>(&row.range)) {
      info.range = detail::split_choices(*names);
    } else if (const auto* integers = std::get_if<IntegerRange>(&row.range)) {
      info.range = *integers;
    } else if (const auto* reals = std::get_if<RealRange>(&row.range)) {
      info.range = *reals;
    }
    described.push_back(std::move(info));
  }
  return described;
}

/// The same for options with a row "preset" of "paper|tuned": `tuned` are its other defaults.
template <class O, std::size_t N>
std::vector<OptionInfo> describe_options(const std::array<OptionRow<O>, N>& rows, const O& tuned) {
  std::vector<OptionInfo> described = describe_options(rows);
  for (std::size_t i = 0; i < N; ++i) {
    if (rows[i].name == "preset") continue;
    std::visit([&](auto member) { described[i].tuned = tuned.*member; }, rows[i].member);
  }
  return described;
}

/// `values` have passed `checked_options`.
template <class O, std::size_t N>
O read_options(const std::array<OptionRow<O>, N>& rows, const OptionValues& values) {
  O options{};
  for (const OptionRow<O>& row : rows) {
    const OptionValue& value = values.at(std::string(row.name));
    std::visit(
        [&](auto member) {
          using Member = std::remove_reference_t<decltype(options.*member)>;
          options.*member = std::get<Member>(value);
        },
        row.member);
  }
  return options;
}

}  // namespace placer
