// Casts of floats that were rounded to an i64 first, which wrap.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(RoundedCasts, TellsOfACastThatWraps) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: u8[:]):
    i = grid(1)
    y[i] = u8(round(x[i]))
)"),
            "W0735:4");
}

TEST(RoundedCasts, LeavesOutACastOfTheFloat) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: u8[:]):
    i = grid(1)
    y[i] = u8(x[i])
)"),
            "");
}

TEST(RoundedCasts, LeavesOutWhatIsHeldBetweenBounds) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:], y: u8[:]):
    i = grid(1)
    y[i] = u8(min(max(round(x[i]), 0), 255))
)"),
            "");
}

} // namespace
} // namespace kern
