// The facts under which indices are taken as i32: wherever they hold, no place in the array and no sum on the way to
// one leaves 32 bits, whatever a launch may pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "compiler/analysis/ranges.h"
#include "compiler/transform/widths/narrow.h"
#include "runtime/common/program.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

struct Layouts {
  ir::Module module;
  std::vector<Expression> facts;
  int rank;
  bool contiguous;

  Layouts(int axes, bool is_contiguous) : rank(axes), contiguous(is_contiguous) {
    FunctionBuilder f(module, "kernel", true);
    f.param("first", types::i32);
    f.param("u", module.types.array(ScalarKind::F32, axes, AddressSpace::Global,
                                    is_contiguous ? Layout::COrder : Layout::Any));
    facts = span_facts(f.function(), 1);
  }

  bool hold(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) const {
    std::vector<std::uint64_t> params{0, 0};
    for (std::int64_t extent : extents) params.push_back(static_cast<std::uint64_t>(extent));
    for (std::int64_t stride : strides) params.push_back(static_cast<std::uint64_t>(stride));
    params.push_back(0);
    ExpressionInput input;
    input.params = params;
    return std::ranges::all_of(facts, [&](const Expression& fact) { return Program(fact).holds(input); });
  }
};

// Whether each element of an array is found with sums that stay within 32 bits, by numbers that do not wrap.
bool is_safe(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
  if (std::ranges::count(extents, 0) != 0) return true; // there is none
  Wide low = 0, high = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    // The product is of two numbers cut to 32 bits, unless one of them is 0.
    const Wide last = Wide{extents[axis]} - 1, stride = strides[axis];
    if (last * stride == 0) continue;
    if (last > most || stride > most || stride < -most - 1) return false;
    (stride < 0 ? low : high) += last * stride;
    if (low < -Wide{most} - 1 || high > most) return false;
  }
  return true;
}

TEST(NarrowOperands, FactsEndWhereThirtyTwoBitsEnd) {
  const Layouts matrix(2, true);
  EXPECT_TRUE(matrix.hold({32768, 65536}, {65536, 1}));  // the last place is 2^31 - 1
  EXPECT_FALSE(matrix.hold({32769, 65536}, {65536, 1})); // 2^31 + 65535
  EXPECT_FALSE(matrix.hold({32768, 65537}, {65536, 1})); // overlapping rows, one too long: 2^31
  EXPECT_TRUE(matrix.hold({1 << 30, 1 << 30}, {0, 1}));  // one row, again and again
  EXPECT_TRUE(matrix.hold({2, 1 << 30}, {1 << 30, 1}));  // 2^31 - 1
  EXPECT_FALSE(matrix.hold({3, 1 << 30}, {1 << 30, 1}));
  EXPECT_FALSE(matrix.hold({4, 4}, {-4, 1}));
  EXPECT_FALSE(matrix.hold({1 << 30, 1 << 30}, {1 << 30, 1}));
  EXPECT_FALSE(
      matrix.hold({(std::int64_t{1} << 33) + 1, 4}, {1 << 30, 1})); // the product wraps to 2^63, and on
  EXPECT_FALSE(matrix.hold({2, 4}, {(std::int64_t{1} << 62), 1}));
  EXPECT_TRUE(matrix.hold({1, 1}, {1, 1}));
}

// Extents and strides about the powers of two at which something may wrap, for each rank and layout.
TEST(NarrowOperands, FactsAreEnoughForEveryLayout) {
  std::mt19937_64 random(33);
  const std::vector<std::int64_t> turns{0,  1,  2,  3,  15, 16, 20, 21, 29, 30,
                                        31, 32, 33, 41, 42, 46, 60, 61, 62};
  auto number = [&](bool is_extent) {
    const auto value = (std::int64_t{1} << turns[random() % turns.size()]) + std::int64_t(random() % 5) - 2;
    if (is_extent) return std::max<std::int64_t>(value, 0);
    const auto kind = random() % 8;
    return kind == 0 ? 0 : kind == 1 ? -value : value;
  };
  int held = 0;
  for (int rank = 2; rank <= 8; ++rank) {
    for (const bool contiguous : {true, false}) {
      const Layouts layouts(rank, contiguous);
      for (int round = 0; round < 20'000; ++round) {
        std::vector<std::int64_t> extents, strides;
        const bool is_small = random() % 2;
        for (int axis = 0; axis < rank; ++axis) {
          extents.push_back(is_small && random() % 3 ? std::int64_t(random() % 9) : number(true));
          strides.push_back(is_small && random() % 3 ? std::int64_t(random() % 9) : number(false));
        }
        if (contiguous) strides.back() = 1;
        if (!layouts.hold(extents, strides)) continue;
        ++held;
        ASSERT_TRUE(is_safe(extents, strides))
            << ::testing::PrintToString(extents) << " by " << ::testing::PrintToString(strides);
      }
    }
  }
  EXPECT_GT(held, 1'000);
}

} // namespace
} // namespace kern
