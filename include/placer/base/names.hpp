#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace placer {

/// What the values of an enum are called in files, flags and options, in the order of the enum. It
/// stands beside the enum, in the same namespace:
///
///   enum class Reward { kGain, kTerminal };
///   constexpr Names<2> names_of(Reward) { return {"gain", "terminal"}; }
template <std::size_t N>
using Names = std::array<std::string_view, N>;

namespace detail {

/// Compilers write a value without an enumerator as "(Reward)2", any other as "Reward::kGain".
template <auto kValue>
constexpr bool is_enumerator() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_suffix(1);  // "]"
  return text[text.find_last_not_of("0123456789")] != ')';
}

template <class E>
constexpr auto checked_names() {
  constexpr auto names = names_of(E{});
  if constexpr (std::is_enum_v<E>) {
    static_assert(is_enumerator<static_cast<E>(names.size() - 1)>() &&
                      !is_enumerator<static_cast<E>(names.size())>() && !names.back().empty(),
                  "each value of the enum has a name");
  }
  return names;
}

}  // namespace detail

/// The names of an enum, or of the rows that a TableRow may be.
template <class E>
inline constexpr auto kNames = detail::checked_names<E>();

template <class E>
std::vector<std::string> all_names() {
  return {kNames<E>.begin(), kNames<E>.end()};
}

template <class E>
std::string name_of(E value) {
  return std::string(kNames<E>[static_cast<std::size_t>(value)]);
}

/// The place of `name`, which is one of `names`.
constexpr std::size_t index_of(std::span<const std::string_view> names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// The value called `name`, which is one of the names.
template <class E>
constexpr E named(std::string_view name) {
  return static_cast<E>(index_of(kNames<E>, name));
}

/// A row of `kTable`, whose rows each have a `name`.
template <const auto& kTable>
class TableRow {
 public:
  constexpr TableRow() = default;  // the first
  constexpr explicit TableRow(std::size_t at) : at_(at) {}
  constexpr explicit operator std::size_t() const { return at_; }

  constexpr const auto& operator*() const { return kTable[at_]; }
  constexpr const auto* operator->() const { return &kTable[at_]; }

  friend constexpr auto names_of(TableRow) {
    Names<kTable.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTable[i].name;
    return names;
  }

 private:
  std::size_t at_ = 0;
};

}  // namespace placer
