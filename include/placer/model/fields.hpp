#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

namespace placer {

enum class Presence {
  kRequired,  // every file has it
  kOptional,  // left out where it is the member's default
  kWritten    // may be left out of a file that is read, but is always written
};

/// What a field counts for besides files.
enum class Bearing {
  kLabel,  // nothing: it is for people
  kName,   // others call the thing by it: fingerprints see it, and alike things differ in it
  kValue   // step times or learners depend on it: fingerprints see it, and alike things share it
};

/// What numbers may be: finite, from `least` (above it where `is_above`) to `most`.
struct NumberRange {
  double least = 0;
  bool is_above = false;
  double most = std::numeric_limits<double>::max();

  constexpr bool is_unlimited() const { return most == std::numeric_limits<double>::max(); }
  constexpr bool holds(double value) const {
    return (is_above ? value > least : value >= least) && value <= most;
  }
};

struct FieldRules {
  Presence presence = Presence::kOptional;
  Bearing bearing = Bearing::kValue;
  NumberRange range = {};     // of each number
  bool may_be_empty = false;  // of a text
  std::string_view barred{};  // what a name may not be
  std::string_view items{};   // of which a list has at least one; empty: it may have none
  bool are_distinct = false;  // the names of a list
};

/// One row for each member of a struct `T` of the model: what files, checks, fingerprints,
/// comparisons of devices and schemas know of it.
template <class T, class Member>
struct FieldRow {
  std::string_view name;  // in files
  Member T::*member;
  FieldRules rules;
  std::string_view meaning;  // a sentence; the schemas show it
};

template <class T, class Member>
constexpr FieldRow<T, Member> field(std::string_view name, Member T::*member,
                                    const FieldRules& rules, std::string_view meaning) {
  return {name, member, rules, meaning};
}

/// visit(row) for each row of a table of fields, in its order.
template <class Rows, class Visit>
constexpr void for_each_field(const Rows& rows, Visit visit) {
  std::apply([&](const auto&... row) { (visit(row), ...); }, rows);
}

/// True where `a` and `b` differ in no field that is a value.
template <class Rows, class T>
bool are_alike(const Rows& rows, const T& a, const T& b) {
  bool alike = true;
  for_each_field(rows, [&](const auto& row) {
    if (row.rules.bearing != Bearing::kValue) return;
    alike = alike && a.*row.member == b.*row.member;
  });
  return alike;
}

}  // namespace placer
