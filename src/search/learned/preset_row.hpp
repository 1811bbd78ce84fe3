#pragma once

#include "placer/base/options.hpp"

namespace placer {

template <auto kMember>
constexpr auto preset_row() {
  return option<kMember>("preset",
                         "the defaults of the other options: the paper's, or what finds more here");
}

}  // namespace placer
