// What the peers on the CPU share: the cases' arrays, and a thread's part of one.
#pragma once

#include <omp.h>

#include <cstdint>
#include <limits>

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

struct Array {
  void* data;
  i64 size;
  template <class T> operator T*() const { return static_cast<T*>(data); }
};

#define PEER(NAME) extern "C" void NAME(const Array* a)

inline constexpr float infinity = std::numeric_limits<float>::infinity();

// The elements of n that are a thread's own in a parallel region.
struct Part {
  i64 begin, end;
};

inline Part own_part(i64 n) {
  i64 threads = omp_get_num_threads(), thread = omp_get_thread_num();
  return {n * thread / threads, n * (thread + 1) / threads};
}
