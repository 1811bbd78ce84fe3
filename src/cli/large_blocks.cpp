// Large blocks of memory lie on large pages, where the system has them on request: an array of
// millions of entries is then found with fewer page walks, and given back in one step for 512 small
// pages.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

void ask_for_large_pages(void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const auto first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const auto last = (begin + bytes) / kLargePage * kLargePage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

/// A block from `allocate`, which returns null where memory lacks.
template <class Allocate>
void* block_from(Allocate allocate, std::size_t bytes) {
  for (;;) {
    void* block = allocate();
    if (block != nullptr) {
      if (bytes >= 2 * kLargePage) ask_for_large_pages(block, bytes);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  return block_from([&] { return std::malloc(bytes > 0 ? bytes : 1); }, bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  if (bytes > SIZE_MAX - step) throw std::bad_alloc();
  const std::size_t whole = (bytes + step - 1) / step * step;
  return block_from([&] { return std::aligned_alloc(step, whole > 0 ? whole : step); }, whole);
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}
