// Blocks that leave lanes of their last warp idle.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(PartialWarps, TellsOfBlocksThatAreNoWholeWarps) {
  EXPECT_EQ(codes_of(R"(@kernel(block=100)
def k(x: f32[:]):
    x[grid(1)] = 1.0
)"),
            "W0705:2");
  EXPECT_EQ(codes_of(R"(@kernel(block=(8, 5))
def k(x: f32[:, :]):
    j, i = grid(2)
    x[i, j] = 1.0
)"),
            "W0705:2");
}

TEST(PartialWarps, LeavesOutWholeWarpsAndUnknownBlocks) {
  EXPECT_EQ(codes_of(R"(@kernel(block=(16, 4))
def k(x: f32[:, :]):
    j, i = grid(2)
    x[i, j] = 1.0

@kernel
def l(x: f32[:]):
    x[grid(1)] = 1.0
)"),
            "");
}

TEST(PartialWarps, LeavesOutBlocksOfOneThread) {
  EXPECT_EQ(codes_of(R"(@kernel(block=1)
def k(x: f32[:]):
    x[0] = 1.0
)"),
            "");
}

} // namespace
} // namespace kern
