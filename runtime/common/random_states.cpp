// The generator is that of Blackman and Vigna, with the rotations 55, 14 and 36 of its first version, which Numba
// has. stdlib/xoroshiro.kern is the same on a device.
#include "runtime/common/random_states.h"

#include <bit>

namespace kern {

namespace {

struct State {
  std::uint64_t s0, s1;
};

State seeded(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return {z, z};
}

void advance(State& state) {
  std::uint64_t mixed = state.s1 ^ state.s0;
  state = {std::rotl(state.s0, 55) ^ mixed ^ mixed << 14, std::rotl(mixed, 36)};
}

// Moves on by 2**64 numbers.
void jump(State& state) {
  State sum{0, 0};
  for (std::uint64_t word : {std::uint64_t{0xbeac0467eba5facb}, std::uint64_t{0xd86b048b86aa9922}})
    for (int bit = 0; bit < 64; ++bit) {
      if (word >> bit & 1) sum = {sum.s0 ^ state.s0, sum.s1 ^ state.s1};
      advance(state);
    }
  state = sum;
}

} // namespace

void fill_random_states(std::span<std::uint64_t> words, std::uint64_t seed, std::uint64_t subsequence) {
  State state = seeded(seed);
  if (words.size() < 2) return;
  for (std::uint64_t i = 0; i < subsequence; ++i) jump(state);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (i > 0) jump(state);
    words[i] = state.s0;
    words[i + 1] = state.s1;
  }
}

} // namespace kern
