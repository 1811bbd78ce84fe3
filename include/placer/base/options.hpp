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
#include "placer/base/names.hpp"
#include "placer/base/quantity.hpp"

namespace placer {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;
/// The values of an algorithm's options by name ("elite-share"), in alphabetical order.
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

/// What the option "preset" chooses.
enum class Preset { kPaper, kTuned };
constexpr Names<2> names_of(Preset) { return {"paper", "tuned"}; }

/// What a reader may know of an option: flags, help, `placer algorithms` and the README show this.
struct OptionInfo {
  std::string name;
  std::string meaning;
  std::variant<IntegerRange, RealRange, Flag, Choices> range;
  OptionValue standard;  // the default
  // The default where the option "preset" is "tuned".
  std::optional<OptionValue> tuned = std::nullopt;
  Measure measure = Measure::kPlain;  // of the numbers in its range
};

/// "0.1", "12", "true", "sgd"; reals in the shortest form that reads back.
std::string to_text(const OptionValue& value);
/// "integer from 1 to 100", "number from 0 to 1", "true or false", "sgd or exact"
std::string range_text(const OptionInfo& option);
/// The value that a flag's or a config's text stands for; numbers may be "1e6", "10k" or have a
/// suffix of the option's unit, as parse_quantity() reads them. Throws Error.
OptionValue parse_option(const OptionInfo& option, std::string_view text);
/// `value` in the type of the option (an integer serves as a real). Throws Error that names the
/// option, what was expected and what was found.
OptionValue checked_option(const OptionInfo& option, const OptionValue& value);
/// `given`, completed by the defaults, or by the tuned ones where the option "preset" is "tuned".
/// Throws Error for an unknown name and for a value out of range.
OptionValues checked_options(std::span<const OptionInfo> options, const OptionValues& given);

/// A member of `O` whose values have names: an enum, or a row of a table. It is read and written by
/// its place among them.
template <class O>
struct ChoiceMember {
  std::span<const std::string_view> names;
  std::size_t (*get)(const O&);
  void (*set)(O&, std::size_t);
};

/// One row for each member of an options struct `O`: name, range and meaning are written here only.
template <class O>
struct OptionRow {
  std::string_view name;
  std::variant<std::int64_t O::*, double O::*, bool O::*, ChoiceMember<O>> member;
  std::variant<IntegerRange, RealRange, Flag> range;  // of numbers
  std::string_view meaning;
};

namespace detail {

template <class O, class T>
O owner_of(T O::*);
template <class O, class T>
T held_by(T O::*);

template <class O, class T>
OptionValue get(T O::*member, const O& options) {
  return options.*member;
}
template <class O>
OptionValue get(const ChoiceMember<O>& member, const O& options) {
  return std::string(member.names[member.get(options)]);
}

template <class O, class T>
void set(T O::*member, const OptionValue& value, O& options) {
  options.*member = std::get<T>(value);
}
template <class O>
void set(const ChoiceMember<O>& member, const OptionValue& value, O& options) {
  member.set(options, index_of(member.names, std::get<std::string>(value)));
}

}  // namespace detail

/// The struct that a pointer to a member belongs to, and the type of what the member holds.
template <auto kMember>
using OwnerOf = decltype(detail::owner_of(kMember));
template <auto kMember>
using ValueOf = decltype(detail::held_by(kMember));

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
/// `option<&Options::reward>("reward", "what ...")`: one of the names of an enum or of a table's
/// rows, none after that of `last`. `O` is given where it has the member from its base.
template <auto kMember, class O = OwnerOf<kMember>, class Value = ValueOf<kMember>>
constexpr OptionRow<O> option(std::string_view name, std::string_view meaning,
                              Value last = static_cast<Value>(kNames<Value>.size() - 1)) {
  const ChoiceMember<O> member = {
      std::span(kNames<Value>).first(static_cast<std::size_t>(last) + 1),
      [](const O& options) { return static_cast<std::size_t>(options.*kMember); },
      [](O& options, std::size_t at) { options.*kMember = static_cast<Value>(at); }};
  return {name, member, Flag{}, meaning};
}

template <class O>
OptionValue value_of(const OptionRow<O>& row, const O& options) {
  return std::visit([&](const auto& member) { return detail::get(member, options); }, row.member);
}

template <class O, std::size_t N>
std::vector<OptionInfo> describe_options(const std::array<OptionRow<O>, N>& rows) {
  std::vector<OptionInfo> described;
  for (const OptionRow<O>& row : rows) {
    OptionInfo info{std::string(row.name), std::string(row.meaning), Flag{}, value_of(row, O{})};
    std::visit([&](const auto& range) { info.range = range; }, row.range);
    if (const auto* choice = std::get_if<ChoiceMember<O>>(&row.member)) {
      info.range = Choices{{choice->names.begin(), choice->names.end()}};
    }
    described.push_back(std::move(info));
  }
  return described;
}

/// The same for options with a row "preset": `tuned` are its other defaults.
template <class O, std::size_t N>
std::vector<OptionInfo> describe_options(const std::array<OptionRow<O>, N>& rows, const O& tuned) {
  std::vector<OptionInfo> described = describe_options(rows);
  for (std::size_t i = 0; i < N; ++i) {
    if (rows[i].name != "preset") described[i].tuned = value_of(rows[i], tuned);
  }
  return described;
}

/// `values` have passed `checked_options`.
template <class O, std::size_t N>
O read_options(const std::array<OptionRow<O>, N>& rows, const OptionValues& values) {
  O options{};
  for (const OptionRow<O>& row : rows) {
    const OptionValue& value = values.at(std::string(row.name));
    std::visit([&](const auto& member) { detail::set(member, value, options); }, row.member);
  }
  return options;
}

}  // namespace placer
