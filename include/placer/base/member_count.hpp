#pragma once

#include <cstddef>
#include <type_traits>

namespace placer {
namespace detail {

/// Two kinds, since an optional number is made of any number as well as of an optional.
struct AnyNumber {
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr operator T() const;  // NOLINT(google-explicit-constructor): only ever named, not called
};
struct AnyOther {
  template <class T>
  requires(!std::is_arithmetic_v<T>) constexpr operator T()
      const;  // NOLINT(google-explicit-constructor): only ever named, not called
};

template <class T, class... Values>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Values{}..., AnyOther{}}; }) {
    return count_members<T, Values..., AnyOther>();
  } else if constexpr (requires { T{Values{}..., AnyNumber{}}; }) {
    return count_members<T, Values..., AnyNumber>();
  } else {
    return sizeof...(Values);
  }
}

}  // namespace detail

/// The number of members of the aggregate `O`, for a `static_assert` that its table has a row for
/// each.
template <class O>
inline constexpr std::size_t member_count = detail::count_members<O>();

}  // namespace placer
