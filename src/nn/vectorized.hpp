#pragma once

#include <cstring>

// Loops compiled several times, for the build's vector registers and for those of 256 and 512 bits,
// and chosen at run time. All do the same operations on each element, without fused multiply-add:
// the same bits.

#define PLACER_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define PLACER_AVX2 [[gnu::target("avx2")]]
#define PLACER_AVX512 [[gnu::target("avx512f")]]
#endif

namespace placer::nn {

using One [[gnu::vector_size(8)]] = double;
using Two [[gnu::vector_size(16)]] = double;
using Four [[gnu::vector_size(32)]] = double;
using Eight [[gnu::vector_size(64)]] = double;

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

#if defined(__x86_64__)
template <class Kernel, class... Arguments>
PLACER_AVX512 void run_eight(const Arguments&... arguments) {
  Kernel::template run<Eight>(arguments...);
}
template <class Kernel, class... Arguments>
PLACER_AVX2 void run_four(const Arguments&... arguments) {
  Kernel::template run<Four>(arguments...);
}
#endif

/// Kernel::run<Vector>(arguments...), which is to be inline, for the widest vectors that the
/// processor has registers for.
template <class Kernel, class... Arguments>
void run_widest(const Arguments&... arguments) {
#if defined(__x86_64__)
  static const bool eight = __builtin_cpu_supports("avx512f") != 0;
  static const bool four = __builtin_cpu_supports("avx2") != 0;
  if (eight) return run_eight<Kernel>(arguments...);
  if (four) return run_four<Kernel>(arguments...);
#endif
  Kernel::template run<Two>(arguments...);
}

}  // namespace placer::nn
