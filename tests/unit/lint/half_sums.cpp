// Sums of f16 and bf16 that a loop makes.
#include <gtest/gtest.h>

#include "tests/unit/lint/linted.h"

namespace kern {
namespace {

using kern::test::codes_of;

TEST(HalfSums, TellsOfALocalOnce) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(x: f16[:], y: f32[:]):
    s = f16(0)
    t = bf16(1)
    for v in x:
        s += v
        s -= v
        t = 1 + t
    y[0] = s
    y[1] = t
)"),
            "W0747:6 W0747:8");
}

TEST(HalfSums, TellsOfAnElementOfAllRounds) {
  EXPECT_EQ(codes_of(R"(@kernel
def k(y: f16[:], n: i64):
    a = local.array(4, f16)
    for j in range(n):
        a[0] += y[j]
        a[threadIdx.x % 4] -= y[j]
    y[grid(1)] = a[0]
)"),
            "W0747:5 W0747:6");
}

TEST(HalfSums, TellsOfTheTotalOfAnArray) {
  EXPECT_EQ(codes_of(R"(@kernel(block=1)
def k(x: f16[:], y: f32[:]):
    y[0] = sum(x)
    y[1] = sum(x, f16(2))
    y[2] = sum(x, f32(0))
)"),
            "W0747:3 W0747:4");
}

TEST(HalfSums, LooksIntoWhatKernelsCall) {
  EXPECT_EQ(codes_of(R"(@device
def total(x, n):
    s = x[0]
    for k in range(n):
        s += x[k]
    return s

@kernel(block=1)
def k(x: f16[:], b: bf16[:], y: f32[:]):
    y[0] = total(x, 3) + f16(total(b, 4))
)"),
            "W0747:5");
}

// A loop over a tuple is written out, what stands in it is one.
TEST(HalfSums, TellsOfALoopInALoopOverATuple) {
  EXPECT_EQ(codes_of(R"(@kernel(block=1)
def k(x: f16[:], y: f32[:], n: i64):
    s = f16(0)
    for p in (1, 2):
        for j in range(n):
            s += x[p]
    y[0] = s
)"),
            "W0747:6");
}

TEST(HalfSums, LeavesOutSumsThatAreWiderOrShort) {
  EXPECT_EQ(codes_of(R"(@kernel(block=1)
def k(x: f16[:], y: f32[:]):
    s: f32 = 0
    t = f16(0)
    for v in x:
        s += v
    for u in (x[0], x[1]):
        t += u
    t += x[2]
    y[0] = s + t
)"),
            "");
}

TEST(HalfSums, LeavesOutAnElementOfEachRound) {
  EXPECT_EQ(codes_of(R"(@kernel(block=1)
def k(x: f16[:], n: i64):
    a = local.array(4, f16)
    for j in range(n):
        a[j] += x[j]
        i = j // 2
        a[i] += x[j]
        a[min(j, 3)] += x[j]
    x[0] = a[0]
)"),
            "");
}

// A product, another variable, and a sum that is a part of the value.
TEST(HalfSums, LeavesOutOtherAssignments) {
  EXPECT_EQ(codes_of(R"(@kernel(block=1)
def k(x: f16[:], n: i64):
    s = f16(1)
    t = f16(1)
    for v in x:
        s *= v
        t = s + v
        s = (s + v) * v
    x[0] = t
)"),
            "");
}

TEST(HalfSums, LeavesToNumbaWhatItMeans) {
  EXPECT_EQ(codes_of(R"(from numba import cuda
@cuda.jit('void(float16[:], float16[:])')
def k(x, y):
    s = x[0]
    for j in range(4):
        s = s + x[j]
    y[cuda.grid(1)] = s
)",
                     "test.py"),
            "");
}

} // namespace
} // namespace kern
