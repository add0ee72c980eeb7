// Large arrays lie on huge pages: kernels stride through them by blocks and rows, and small pages would cost
// a table walk for each few accesses. But where a kernel reads one array and writes another from memory, and
// both begin at the same place of their huge pages, it is much slower than on small pages or with the arrays
// apart (measured on an Intel server: sobel on 64 MB, one thread, blocks of 256: 64 ms against 40; of 16 x
// 16: 127 against 43). So each begins a little later in its page than the one before.
#include "runtime/cpu/array_memory.h"

#include <sys/mman.h>

#include <atomic>

namespace kern::cpu {

static constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;
// Multiples of the step differ by their places in 4096 bytes too.
static constexpr std::uint64_t step = 5 * array_alignment, places = 16;

ArrayMemory allocate_array(std::uint64_t bytes) {
  const bool is_large = bytes >= 2 * huge_page;
  const std::uint64_t unit = is_large ? huge_page : array_alignment;
  if (bytes > PTRDIFF_MAX - 2 * huge_page) return nullptr;
  static std::atomic<std::uint64_t> count{0};
  std::uint64_t offset = is_large ? count++ % places * step : 0;
  std::uint64_t rounded = ((offset + bytes) / unit + 1) * unit;
  void* allocation = std::aligned_alloc(unit, rounded);
  if (!allocation) return nullptr;
  if (is_large) madvise(allocation, rounded, MADV_HUGEPAGE); // a wish; without it all works too
  return ArrayMemory(static_cast<char*>(allocation) + offset, FreeArrayMemory{allocation});
}

} // namespace kern::cpu
