// Sorts and the top k on the CPU, as device_wide_peers.cpp has the other cases: the parallel sorts of the standard library,
// which are TBB's.
#include "device_wide_peers.h"

#include <algorithm>
#include <execution>
#include <utility>
#include <vector>

template <class T> static T* copied(const Array* a) {
  const T* x = a[0];
  T* y = a[1];
#pragma omp parallel for simd
  for (i64 i = 0; i < a[0].size; ++i) y[i] = x[i];
  return y;
}

template <class T> static void sort(const Array* a) {
  T* keys = copied<T>(a);
  std::sort(std::execution::par, keys, keys + a[0].size);
}

PEER(sort_u32) { sort<u32>(a); }
PEER(sort_f32) { sort<float>(a); }
PEER(sort_u64) { sort<u64>(a); }

PEER(merge_sort) {
  auto* keys = copied<float>(a);
  std::stable_sort(std::execution::par, keys, keys + a[0].size);
}

PEER(sort_pairs) {
  struct Pair {
    u32 key, value;
    bool operator<(const Pair& other) const { return key < other.key; }
  };
  // Its memory stays for the next call, as Kern's does.
  static std::vector<Pair> pairs;
  const u32 *keys = a[0], *values = a[1];
  u32 *keys_out = a[2], *values_out = a[3];
  pairs.resize(a[0].size);
#pragma omp parallel for
  for (i64 i = 0; i < a[0].size; ++i) pairs[i] = {keys[i], values[i]};
  std::stable_sort(std::execution::par, pairs.begin(), pairs.end());
#pragma omp parallel for
  for (i64 i = 0; i < a[0].size; ++i) keys_out[i] = pairs[i].key, values_out[i] = pairs[i].value;
}

// A key with its sign changed, and its place: what comes first is less.
using Candidates = std::vector<std::pair<float, i64>>;

static void keep_least(Candidates& candidates, i64 k) {
  if (std::ssize(candidates) <= k) return;
  std::nth_element(candidates.begin(), candidates.begin() + k - 1, candidates.end());
  candidates.resize(k);
}

// Each thread looks only for what is among the first k of its own part so far; of those of all threads k stay.
PEER(top_k) {
  const float* x = a[0];
  float* out = a[1];
  i64* places = a[2];
  i64 k = a[1].size;
  Candidates all;
#pragma omp parallel
  {
    Candidates own;
    Part part = own_part(a[0].size);
    float least = -infinity;
    for (i64 i = part.begin; i < part.end; ++i) {
      if (x[i] < least) continue;
      own.emplace_back(-x[i], i);
      if (std::ssize(own) < 2 * k) continue;
      keep_least(own, k);
      least = -own.back().first;
    }
    keep_least(own, k);
#pragma omp critical
    all.insert(all.end(), own.begin(), own.end());
  }
  keep_least(all, k);
  for (i64 i = 0; i < k; ++i) places[i] = all[i].second;
  std::sort(places, places + k);
  for (i64 i = 0; i < k; ++i) out[i] = x[places[i]];
}
