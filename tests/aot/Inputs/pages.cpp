// Arrays of every length up to 70 at both ends of a page that has no neighbours: whoever reads beyond it
// dies.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "pages.kern.hpp"

static constexpr std::size_t page = 4096;

// A page between two that nobody may touch.
static std::byte* lone_page() {
  void* pages = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* middle = static_cast<std::byte*>(pages) + page;
  if (pages == MAP_FAILED || mprotect(middle, page, PROT_READ | PROT_WRITE) != 0) std::abort();
  return middle;
}

// `count` numbers at one end of it.
template <typename T> static T* at_end(std::byte* memory, std::size_t count, bool last) {
  auto* first = reinterpret_cast<T*>(memory + (last ? page - count * sizeof(T) : 0));
  for (std::size_t i = 0; i < count; ++i) first[i] = static_cast<T>(7919 * i + 13 * count);
  return first;
}

static std::int64_t pixels(const std::uint8_t* p, std::int64_t step, std::int64_t n, std::int64_t i) {
  std::int64_t total = 0;
  for (std::int64_t k = -2; k < 3; ++k) {
    std::int64_t j = std::max<std::int64_t>(0, std::min(i + k, n - 1));
    total = total * 3 + p[j * step] + 7 * p[(n - 1 - j) * step];
  }
  return total;
}

int main() {
  kern::Device device = kern::Device::best();
  auto library = pages::load(device);
  std::byte *bytes = lone_page(), *halves = lone_page();
  int wrong = 0, launches = 0;
  for (std::int64_t n = 1; n <= 70; ++n) {
    for (bool last : {false, true}) {
      std::vector<std::int64_t> result(n);
      for (std::int64_t channels : {1, 2, 3, 4, 5}) {
        const auto* p = at_end<std::uint8_t>(bytes, n * channels, last);
        library.pixels(kern::over(n), kern::View<const std::uint8_t, 2>(p, {n, channels}),
                       kern::inout(result));
        for (std::int64_t i = 0; i < n; ++i) wrong += result[i] != pixels(p, channels, n, i);
        ++launches;
      }
      const auto* x = at_end<std::uint8_t>(bytes, n, last);
      const auto* h = at_end<std::int16_t>(halves, n, last);
      std::fill(result.begin(), result.end(), 0);
      library.line(kern::over(n), kern::View<const std::uint8_t>(x, {n}),
                   kern::View<const std::int16_t>(h, {n}), kern::inout(result));
      for (std::int64_t i = 1; i < n - 1; ++i)
        wrong += result[i] != x[i - 1] + 3 * x[i] + 5 * x[i + 1] + h[i + 1];
      ++launches;
    }
  }
  std::printf("%d launches, %d wrong\n", launches, wrong);
}
