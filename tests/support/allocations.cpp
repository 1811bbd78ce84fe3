#include "support/allocations.hpp"

#include <cstdlib>
#include <new>

#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

thread_local std::size_t allocations = 0;

#if !defined(PLACER_SANITIZED)
void* counted(void* memory) {
  ++allocations;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::size_t rounded_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}
#endif

}  // namespace

std::optional<std::size_t> allocation_count() {
  if (kSanitized) return std::nullopt;
  return allocations;
}

}  // namespace placer::testing

#if !defined(PLACER_SANITIZED)
// The array and nothrow forms of the library call these.
void* operator new(std::size_t bytes) {
  return placer::testing::counted(std::malloc(bytes == 0 ? 1 : bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto boundary = static_cast<std::size_t>(alignment);
  return placer::testing::counted(
      std::aligned_alloc(boundary, placer::testing::rounded_up(bytes == 0 ? 1 : bytes, boundary)));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
