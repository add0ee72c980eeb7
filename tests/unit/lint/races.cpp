// Stores of many threads to one element, and changes of elements that others change or load.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(Races, TellsOfStoresToOneElement) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    y[0] = x[i]
)"),
            "W0702:4");
}

TEST(Races, TellsOfChangesThatAreLost) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: i32[:], bins: i32[:]):
    i = grid(1)
    bins[x[i]] += 1
)"),
            "W0745:4");
}

TEST(Races, TellsOfLoadsOfWhatNeighboursStore) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(a: f32[:]):
    i = grid(1)
    if 0 < i < a.size - 1:
        a[i] = (a[i - 1] + a[i + 1]) / 2.0
)"),
            "W0749:5");
}

TEST(Races, LooksIntoWhatKernelsCall) {
  EXPECT_EQ(codes_of(R"(@device
def put(y: f32[:], v: f32):
    y[0] += v

@kernel
def k(x: f32[:], y: f32[:]):
    put(y, x[grid(1)])
)"),
            "W0702:3");
}

TEST(Races, LeavesOutElementsOfOnesOwn) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    y[i] += x[i]
)"),
            "");
}

TEST(Races, LeavesOutOneThreadAndTheSameValue) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    if i == 0:
        y[0] = x[i]
    y[1] = 1.0
)"),
            "");
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: f32[:]):
    i = grid(1)
    if i >= 0:
        y[0] = x[i]
)"),
            "W0702:5");
}

} // namespace
} // namespace kern
