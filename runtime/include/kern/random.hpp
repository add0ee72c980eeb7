// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random states as Numba's `create_xoroshiro128p_states` makes them, for kernels that call
// `xoroshiro128p_uniform_float32` and its kin.
#pragma once

#include <vector>

#include "kern/error.hpp"

namespace kern::inline v1 {

// Returns the states of `count` streams, two words each: a u64 array of shape (count, 2). Stream i gives other
// numbers than stream j as long as none gives more than 2**64; `subsequence` is the number of the first.
inline std::vector<std::uint64_t> random_states(std::size_t count, std::uint64_t seed,
                                                std::uint64_t subsequence = 0) {
  constexpr std::size_t most = std::size_t(1) << 58;
  if (count > most) {
    Status status;
    status.refuse([&] { return std::to_string(count) + " random states are more than any memory holds"; });
    status.raise();
  }
  std::vector<std::uint64_t> words(2 * count);
  kern_random_states(words.data(), count, seed, subsequence);
  return words;
}

} // namespace kern::inline v1
