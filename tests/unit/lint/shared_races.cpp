// Elements of shared memory that no barrier orders, or that nobody has stored.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(SharedRaces, TellsOfALoadWithNoBarrierBetween) {
  EXPECT_EQ(codes_of(R"(@kernel(block=128)
def k(x: f32[:], y: f32[:]):
    s = shared.array(128, f32)
    i = grid(1)
    t = threadIdx.x
    s[t] = x[i]
    y[i] = s[t ^ 1]
)"),
            "W0716:7");
}

TEST(SharedRaces, LeavesOutWhatABarrierOrders) {
  EXPECT_EQ(codes_of(R"(@kernel(block=128)
def k(x: f32[:], y: f32[:]):
    s = shared.array(128, f32)
    i = grid(1)
    t = threadIdx.x
    s[t] = x[i]
    syncthreads()
    y[i] = s[t ^ 1]
)"),
            "");
}

TEST(SharedRaces, LeavesOutAnElementOfOnesOwn) {
  EXPECT_EQ(codes_of(R"(@kernel(block=128)
def k(x: f32[:], y: f32[:]):
    s = shared.array(128, f32)
    i = grid(1)
    t = threadIdx.x
    s[t] = x[i]
    y[i] = s[t]
)"),
            "");
}

TEST(SharedRaces, TellsOfWhatNobodyStored) {
  EXPECT_EQ(codes_of(R"(@kernel(block=128)
def k(x: f32[:], y: f32[:]):
    s = shared.array(128, f32)
    syncthreads()
    y[grid(1)] = s[threadIdx.x]
)"),
            "W0717:5");
}

// A contract that blocks are whole leaves nobody out.
TEST(SharedRaces, TellsOfWhatThoseWhoLeftDidNotStore) {
  EXPECT_EQ(codes_of(R"(@kernel(block=128)
def k(x: f32[:], y: f32[:]):
    s = shared.array(128, f32)
    i = grid(1)
    if i >= x.size:
        return
    s[threadIdx.x] = x[i]
    syncthreads()
    y[i] = s[127 - threadIdx.x]
)"),
            "W0717:9");
  EXPECT_EQ(codes_of(R"(@kernel(block=128)
def k(x: f32[:], y: f32[:]):
    assert x.size % 128 == 0
    s = shared.array(128, f32)
    i = grid(1)
    if i >= x.size:
        return
    s[threadIdx.x] = x[i]
    syncthreads()
    y[i] = s[127 - threadIdx.x]
)"),
            "");
}

} // namespace
} // namespace kern
