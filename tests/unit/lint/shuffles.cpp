// Shuffles that read a lane which has left, or goes another way.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(Shuffles, TellsOfLanesThatHaveLeft) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    if i >= x.size:
        return
    v = x[i]
    y[i] = shfl_down_sync(0xffffffff, v, 1)
)"),
            "W0715:7");
}

TEST(Shuffles, TellsOfLanesThatGoAnotherWay) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    v = x[i]
    if threadIdx.x % 2 == 0:
        v += shfl_down_sync(0xffffffff, v, 1)
    y[i] = v
)"),
            "W0715:6");
}

TEST(Shuffles, LeavesOutShufflesOfAllLanes) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    v = x[i] if i < x.size else 0.0
    v += shfl_down_sync(0xffffffff, v, 1)
    if i < x.size:
        y[i] = v
)"),
            "");
}

TEST(Shuffles, LeavesOutWhatAllLanesOfAWarpDecideAlike) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:], n: i32):
    i = grid(1)
    v = x[i]
    if n > 3:
        v += shfl_down_sync(0xffffffff, v, 1)
    y[i] = v
)"),
            "");
}

} // namespace
} // namespace kern
