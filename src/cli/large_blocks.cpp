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

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    void* block = std::malloc(bytes > 0 ? bytes : 1);
    if (block != nullptr) {
      if (bytes >= 2 * kLargePage) ask_for_large_pages(block, bytes);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { std::free(block); }
