// What the host says of a value that does not fit, by a record that may hold anything.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "runtime/common/fault.h"

namespace kern {
namespace {

constexpr std::uint32_t does_not_fit = 17, fits_signed = 18, fits_word = 19;

std::string text_of(std::uint32_t site_kind, std::int64_t index, std::int64_t extent) {
  kern_fault_record fault{};
  fault.kind = does_not_fit;
  fault.index = index;
  fault.extent = extent;
  std::string text = fault_text(as_written(fault, site_kind), site_kind, "`y[i]`, an i8");
  return text.substr(0, text.find(", block"));
}

TEST(Fault, ValueThatDoesNotFit) {
  EXPECT_EQ(text_of(does_not_fit, -1, 256), "the value -1 does not fit `y[i]`, an i8");
  EXPECT_EQ(text_of(fits_signed, 300 + 128, 256), "the value 300 does not fit `y[i]`, an i8");
  EXPECT_EQ(text_of(fits_signed, -129 + 128, 256), "the value -129 does not fit `y[i]`, an i8");
  EXPECT_EQ(text_of(fits_word, -1, 256), "the value 18446744073709551615 does not fit `y[i]`, an i8");
}

TEST(Fault, ValueOfADamagedRecord) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(text_of(fits_signed, least, 2), "the value 9223372036854775807 does not fit `y[i]`, an i8");
}

TEST(Fault, HintOfWrapping) {
  kern_fault_record fault{};
  fault.kind = does_not_fit;
  EXPECT_EQ(fault_hints(fault, does_not_fit, "`y[i]`, an i8", "", {}, {}, {}),
            std::vector<std::string>{"where wrapping is meant, write `i8(...)`"});
}

} // namespace
} // namespace kern
