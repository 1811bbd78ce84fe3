#pragma once

#include <algorithm>
#include <functional>

#include "nn/matrix.hpp"

namespace placer::nn {

/// Multiplications that are worth a thread of their own: five to twenty microseconds of them.
inline constexpr Index kPart = 1 << 18;
/// What moving a number through memory takes, in multiplications.
inline constexpr Index kMove = 4;

/// Calls part(first, last) for parts of `least` items or more that together are 0 ... `count`, on
/// the threads of the arena that the caller runs in.
void run_parts(Index count, Index least, const std::function<void(Index, Index)>& part);

/// The same with parts of kPart multiplications or more, of which each item takes `cost`. For what
/// takes each item by itself, so that the bits do not depend on the parts.
template <class Part>
void share_out(Index count, Index cost, const Part& part) {
  const Index least = std::max<Index>(kPart / std::max<Index>(cost, 1), 1);
  if (count < 2 * least) return part(Index{0}, count);
  run_parts(count, least, std::cref(part));
}

}  // namespace placer::nn
