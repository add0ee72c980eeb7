// Accesses by which neighbouring threads touch elements far apart.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(Coalesce, TellsOfAnArrayOnce) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:, :], z: f32[:]):
    i, j = grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        z[i * 32] = x[i, j] + x[i, 0]
)"),
            "W0704:5 W0704:5");
}

TEST(Coalesce, LeavesOutNeighbours) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:, :], z: f32[:]):
    i, j = grid(2)
    if j < x.shape[0] and i < x.shape[1]:
        x[j, i] = z[i]
)"),
            "");
}

// From 8 elements on they are far apart; the channels of a pixel are near.
TEST(Coalesce, LeavesOutShortStepsAndLoopsOverTheLastAxis) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], image: f32[:, :]):
    i = grid(1)
    x[i * 7] = 1.0
    for c in range(3):
        image[i, c] = 0.0
)"),
            "");
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:]):
    i = grid(1)
    x[i * 8] = 1.0
)"),
            "W0704:4");
}

} // namespace
} // namespace kern
