#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace placer {

/// The value of an enum whose values have `names`, in the order of the enum; `name` is one of them.
template <class Enum>
Enum named(std::span<const std::string> names, std::string_view name) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

}  // namespace placer
