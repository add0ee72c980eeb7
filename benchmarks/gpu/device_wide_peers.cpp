// The cases of device_wide_cases.py on the CPU as C++ has them with OpenMP: one function each for ctypes, which takes its
// arrays in the order in which the case names them. Sorts are in device_wide_sorts.cpp.

// glibc has these for whole vectors too, in libmvec, but says so under -ffast-math alone.
extern "C" {
#pragma omp declare simd notinbranch
float logf(float) noexcept;
#pragma omp declare simd notinbranch
float cosf(float) noexcept;
}

#include "device_wide_peers.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

// Each thread calls measure(part), and when all have, emit(part, before, end): the sums of what the parts before it
// measured, and of these and its own. Returns the sum of all.
template <class T, class Measure, class Emit> static T two_passes(i64 n, Measure measure, Emit emit) {
  std::vector<T> sums(omp_get_max_threads() + 1);
#pragma omp parallel
  {
    Part part = own_part(n);
    int thread = omp_get_thread_num();
    sums[thread + 1] = measure(part);
#pragma omp barrier
#pragma omp single
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
    emit(part, sums[thread], sums[thread + 1]);
  }
  return sums.back();
}

// GCC makes vectors of loops over arguments, not over what a lambda has captured.
static float sum(const float* x, Part part) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (i64 i = part.begin; i < part.end; ++i) total += x[i];
  return total;
}

static void running_sums(const float* x, float* y, Part part, float total) {
#pragma omp simd reduction(inscan, + : total)
  for (i64 i = part.begin; i < part.end; ++i) {
    total += x[i];
#pragma omp scan inclusive(total)
    y[i] = total;
  }
}

template <class Keep> static u32 count(const u32* x, Part part, Keep keep) {
  u32 kept = 0;
#pragma omp simd reduction(+ : kept)
  for (i64 i = part.begin; i < part.end; ++i) kept += keep(x + i);
  return kept;
}

PEER(reduce) {
  const float* x = a[0];
  float* out = a[1];
  float total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (i64 i = 0; i < a[0].size; ++i) total += x[i];
  *out = total;
}

PEER(argmin) {
  const float* x = a[0];
  float* value = a[1];
  i64* place = a[2];
  std::pair<float, i64> least = {infinity, a[0].size};
#pragma omp parallel
  {
    // The least of a block takes vectors; only where it is less than any before it, its place is of interest.
    Part part = own_part(a[0].size);
    float own = infinity;
    i64 own_block = part.begin;
    for (i64 block = part.begin; block < part.end; block += 4096) {
      float of_block = infinity;
      i64 end = std::min(block + 4096, part.end);
#pragma omp simd reduction(min : of_block)
      for (i64 i = block; i < end; ++i) of_block = x[i] < of_block ? x[i] : of_block;
      if (of_block < own) own = of_block, own_block = block;
    }
    i64 own_place = std::find(x + own_block, x + part.end, own) - x;
#pragma omp critical
    least = std::min(least, {own, own_place});
  }
  std::tie(*value, *place) = least;
}

PEER(scan) {
  const float* x = a[0];
  float* y = a[1];
  two_passes<float>(
      a[0].size, [=](Part part) { return sum(x, part); },
      [=](Part part, float before, float) { running_sums(x, y, part, before); });
}

// Keeps the elements of n that keep(pointer to one) is true of. Returns how many there are.
template <class Keep> static i64 select(const u32* x, i64 n, u32* y, Keep keep) {
  return two_passes<i64>(
      n, [=](Part part) { return count(x, part, keep); },
      [=](Part part, i64 to, i64 end) {
        // A store that the next one overwrites costs less than a branch that nobody can foresee.
        for (i64 i = part.begin; to < end; ++i) {
          y[to] = x[i];
          to += keep(x + i);
        }
      });
}

static bool differs(const u32* x) { return x[0] != x[-1]; }

PEER(select_even) {
  const u32* x = a[0];
  u32* y = a[1];
  i64* kept = a[2];
  *kept = select(x, a[0].size, y, [](const u32* at) { return *at % 2 == 0; });
}

PEER(unique) {
  const u32* x = a[0];
  u32* y = a[1];
  i64* kept = a[2];
  y[0] = x[0];
  *kept = 1 + select(x + 1, a[0].size - 1, y + 1, [](const u32* at) { return differs(at); });
}

PEER(by_key) {
  const u32* keys = a[0];
  u32* keys_out = a[2];
  const float* x = a[1];
  float* out = a[3];
  i64 *runs = a[4], n = a[0].size;
  // A run belongs to the thread in whose part it starts.
  auto measure = [=](Part part) {
    bool first = part.begin == 0 && part.end > 0;
    return first + count(keys, {part.begin + first, part.end}, differs);
  };
  *runs = two_passes<i64>(n, measure, [=](Part part, i64 to, i64 end) {
    i64 i = part.begin;
    while (i > 0 && i < part.end && !differs(keys + i)) ++i;
    for (; to < end; ++to) {
      float total = x[i];
      keys_out[to] = keys[i];
      while (++i < n && !differs(keys + i)) total += x[i];
      out[to] = total;
    }
  });
}

PEER(histogram) {
  const u8* x = a[0];
  u32* counts = a[1];
  std::fill_n(counts, 256, 0);
#pragma omp parallel
  {
    // In one table equal neighbours would wait for each other's count.
    u32 own[4][256] = {};
    Part part = own_part(a[0].size);
    i64 i = part.begin;
    for (; i + 4 <= part.end; i += 4)
      for (int table = 0; table < 4; ++table) ++own[table][x[i + table]];
    for (; i < part.end; ++i) ++own[0][x[i]];
#pragma omp critical
    for (int bin = 0; bin < 256; ++bin) counts[bin] += own[0][bin] + own[1][bin] + own[2][bin] + own[3][bin];
  }
}

PEER(segmented) {
  const float* x = a[0];
  float* out = a[2];
  const int* offsets = a[1];
#pragma omp parallel for
  for (i64 i = 0; i < a[2].size; ++i) out[i] = sum(x, {offsets[i], offsets[i + 1]});
}

static constexpr i64 side_of_tile = 32;

static void transpose_tile(const float* x, float* y, i64 side, i64 row, i64 column) {
  for (i64 j = column; j < std::min(column + side_of_tile, side); ++j)
    for (i64 i = row; i < std::min(row + side_of_tile, side); ++i) y[j * side + i] = x[i * side + j];
}

PEER(transpose) {
  i64 side = std::lround(std::sqrt(static_cast<double>(a[0].size)));
#pragma omp parallel for collapse(2)
  for (i64 row = 0; row < side; row += side_of_tile)
    for (i64 column = 0; column < side; column += side_of_tile) transpose_tile(a[0], a[1], side, row, column);
}

// The numbers of `fill` of stdlib/random.kern, with the cases' seed: Philox4x32-10 of 32 lanes, whose first numbers lie
// side by side, then their second ones. make gives two numbers of two words.
template <class T, class Make> static void fill(const Array* a, Make make) {
  constexpr i64 lanes = 32, tile = 4 * lanes;
#pragma omp parallel for
  for (i64 first = 0; first < a[0].size; first += tile) {
    T numbers[4][lanes];
#pragma omp simd
    for (i64 lane = 0; lane < lanes; ++lane) {
      u64 group = first / 4 + lane;
      u32 c0 = 0, c1 = 0, c2 = static_cast<u32>(group), c3 = static_cast<u32>(group >> 32), k0 = 7, k1 = 0;
#pragma GCC unroll 10
      for (int round = 0; round < 10; ++round) {
        u64 p = u64{0xD2511F53} * c0, q = u64{0xCD9E8D57} * c2;
        c0 = static_cast<u32>(q >> 32) ^ c1 ^ k0, c1 = static_cast<u32>(q);
        c2 = static_cast<u32>(p >> 32) ^ c3 ^ k1, c3 = static_cast<u32>(p);
        k0 += 0x9E3779B9, k1 += 0xBB67AE85;
      }
      make(c0, c1, numbers[0][lane], numbers[1][lane]);
      make(c2, c3, numbers[2][lane], numbers[3][lane]);
    }
    std::copy_n(numbers[0], std::min(tile, a[0].size - first), static_cast<T*>(a[0]) + first);
  }
}

static float uniform(u32 word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

PEER(random_bits) {
  fill<u32>(a, [](u32 first, u32 second, u32& one, u32& other) { one = first, other = second; });
}

PEER(random_uniform) {
  fill<float>(a, [](u32 first, u32 second, float& one, float& other) {
    one = uniform(first), other = uniform(second);
  });
}

// A sine is a cosine a quarter of a turn later: GCC has no vectors of a sine and a cosine of one angle.
PEER(random_normal) {
  fill<float>(a, [](u32 first, u32 second, float& one, float& other) {
    constexpr float turn = 2 * std::numbers::pi_v<float>;
    float radius = std::sqrt(-2 * logf(1 - uniform(first)));
    one = radius * cosf(turn * uniform(second)), other = radius * cosf(turn * (uniform(second) - 0.25f));
  });
}
