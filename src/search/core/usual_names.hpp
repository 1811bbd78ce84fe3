#pragma once

#include <span>
#include <string_view>

namespace placer {

/// What an algorithm, or the one of ours that is nearest to it, is called elsewhere.
struct UsualName {
  std::string_view elsewhere;  // in small letters, with dashes
  std::string_view here;
};
std::span<const UsualName> usual_names();

}  // namespace placer
