#pragma once

#include <cstring>

// Loops compiled twice, for the build's vector registers and for 256-bit ones, chosen at run time.
// Both do the same operations on each element, without fused multiply-add: the same bits.

#define PLACER_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define PLACER_AVX2 [[gnu::target("avx2")]]
#else
#define PLACER_AVX2
#endif

namespace placer::nn {

using Two [[gnu::vector_size(16)]] = double;
using Four [[gnu::vector_size(32)]] = double;

template <class Vector>
PLACER_INLINE void load(Vector& to, const double* from) {
  std::memcpy(&to, from, sizeof(Vector));
}
template <class Vector>
PLACER_INLINE void store(double* to, const Vector& from) {
  std::memcpy(to, &from, sizeof(Vector));
}

template <class Vector>
PLACER_INLINE void add_to(double* to, const Vector& more) {
  Vector sum;
  load(sum, to);
  sum += more;
  store(to, sum);
}

inline bool has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace placer::nn
