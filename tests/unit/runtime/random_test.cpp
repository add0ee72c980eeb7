// Random states against numbers that a model in Python's integers gives: SplitMix64 of the seed, then jumps.
#include <gtest/gtest.h>

#include "kern/kern.hpp"

namespace {

TEST(RandomStates, AreThoseOfNumba) {
  std::vector<std::uint64_t> expected = {0x910a2dec89025cc1, 0x910a2dec89025cc1, 0x73c19a5348fc9098,
                                         0x6c96c932f21d71ee, 0x0b3d0cd6ddfa7a4c, 0xd3c2c33e9b8e707a};
  EXPECT_EQ(kern::random_states(3, 1), expected);
  EXPECT_EQ(kern::random_states(1, 1, 2), std::vector(expected.begin() + 4, expected.end()));
  EXPECT_TRUE(kern::random_states(0, 1).empty());
}

TEST(RandomStates, AreMadeFromC) {
  std::uint64_t words[5] = {0, 0, 0, 0, 7};
  kern_random_states(words, 2, 1, 1);
  EXPECT_EQ(words[0], 0x73c19a5348fc9098);
  EXPECT_EQ(words[3], 0xd3c2c33e9b8e707a);
  EXPECT_EQ(words[4], 7u);
}

} // namespace
