// What several lints find of accesses comes in the order of the program.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(Accesses, ComeInTheOrderOfTheProgram) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f32[:, :], y: f32[:], z: f32[:]):
    i, j = grid(2)
    y[0] = f32(i)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] = 1.0
    z[0] += f32(i)

@kernel
def l(x: f32[:]):
    x[grid(1) * 16] = 1.0
)"),
            "W0702:4 W0704:6 W0702:7 W0704:11");
}

} // namespace
} // namespace kern
