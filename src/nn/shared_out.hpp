#pragma once

#include <algorithm>
#include <functional>

#include "nn/matrix.hpp"

namespace placer::nn {

/// Multiplications that are worth a thread of their own: two to ten microseconds of them.
inline constexpr Index kPart = 1 << 17;
/// What moving a number through memory takes, in multiplications.
inline constexpr Index kMove = 4;

/// While it is there, its thread shares nothing out: the others have work of their own.
class Alone {
 public:
  Alone() { ++depth; }
  ~Alone() { --depth; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  static bool here() { return depth > 0; }

 private:
  static inline thread_local int depth = 0;
};

/// Calls part(first, last) for parts of `least` items or more that together are 0 ... `count`, on
/// the threads of the arena that the caller runs in.
void run_parts(Index count, Index least, const std::function<void(Index, Index)>& part);

/// The same with parts of kPart multiplications or more, of which each item takes `cost`. For what
/// takes each item by itself, so that the bits do not depend on the parts.
template <class Part>
void share_out(Index count, Index cost, const Part& part) {
  const Index least = std::max<Index>(kPart / std::max<Index>(cost, 1), 1);
  if (count < 2 * least || Alone::here()) return part(Index{0}, count);
  run_parts(count, least, std::cref(part));
}

}  // namespace placer::nn
