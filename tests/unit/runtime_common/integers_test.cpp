// Division as Python has it, over every pair of small and extreme numbers: q * d + r is the number, and r has
// the divisor's sign and is less than it.
#include "runtime/common/integers.h"

#include <gtest/gtest.h>

#include <vector>

namespace kern {
namespace {

std::vector<std::int64_t> numbers() {
  std::vector<std::int64_t> result;
  for (std::int64_t near :
       {INT64_MIN, std::int64_t{INT32_MIN}, std::int64_t{0}, std::int64_t{INT32_MAX}, INT64_MAX})
    for (std::int64_t by = -9; by <= 9; ++by) {
      __int128 number = __int128{near} + by;
      if (number >= INT64_MIN && number <= INT64_MAX) result.push_back(static_cast<std::int64_t>(number));
    }
  return result;
}

template <class Int> void check(Int value, Int divisor) {
  const auto quotient = __int128{floor_divide(value, divisor)}, rest = __int128{floor_modulo(value, divisor)};
  const auto text = testing::Message()
                    << static_cast<std::int64_t>(value) << " // " << static_cast<std::int64_t>(divisor);
  EXPECT_TRUE(quotient * divisor + rest == value) << text;
  EXPECT_TRUE(divisor > 0 ? rest >= 0 && rest < divisor : rest <= 0 && rest > divisor) << text;
}

template <class Value, class Divisor>
concept divides = requires(Value value, Divisor divisor) { floor_divide(value, divisor); };
static_assert(divides<__int128, __int128> && divides<std::int64_t, std::int64_t> && divides<int, int>);
static_assert(!divides<__int128, std::int64_t> && !divides<std::int64_t, int>, "a number would be cut");

TEST(Integers, QuotientsGoDownAndRestsHaveTheDivisorsSign) {
  for (std::int64_t value : numbers())
    for (std::int64_t divisor : numbers()) {
      if (divisor == 0) continue;
      check<__int128>(value, divisor);
      if (value == INT64_MIN && divisor == -1) continue;
      check<std::int64_t>(value, divisor);
    }
}

TEST(Integers, TheOneThatDoesNotFitWraps) {
  EXPECT_EQ(floor_divide(INT64_MIN, std::int64_t{-1}), INT64_MIN);
  EXPECT_EQ(floor_modulo(INT64_MIN, std::int64_t{-1}), 0);
}

} // namespace
} // namespace kern
