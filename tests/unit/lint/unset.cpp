// Reads of variables that a path leaves unset.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(Unset, TellsOfAPathWithoutAnAssignment) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], n: i32):
    if n > 3:
        a = x[0]
    x[1] = a
    for i in range(n):
        b = x[i]
    x[2] = b
)"),
            "W0703:5 W0703:8");
}

TEST(Unset, LeavesOutOneThatAllPathsAssign) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], n: i32):
    if n > 3:
        a = x[0]
    else:
        a = x[1]
    x[2] = a
)"),
            "");
}

// The first test of both is the same, another one is not.
TEST(Unset, TakesATestThatIsRepeatedForTheSame) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], n: i32):
    if n > 3:
        a = x[0]
    syncthreads()
    if n > 3:
        x[1] = a
)"),
            "");
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], n: i32):
    if n > 3:
        a = x[0]
    syncthreads()
    if n > 2:
        x[1] = a
)"),
            "W0703:7");
}

} // namespace
} // namespace kern
