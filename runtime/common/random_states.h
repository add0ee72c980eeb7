// States of xoroshiro128+ as Numba makes them, for the runtime and for `kernc run`.
#pragma once

#include <cstdint>
#include <span>

namespace kern {

// Fills two words a stream: the first is seeded by SplitMix64 and moved on by `subsequence` times 2**64 numbers,
// each one behind it by 2**64 numbers more.
void fill_random_states(std::span<std::uint64_t> words, std::uint64_t seed, std::uint64_t subsequence);

} // namespace kern
