// Every builtin that says where a thread is, and no other one.
#include "compiler/analysis/threads/special_register.h"

#include <gtest/gtest.h>

#include <string>

namespace kern {
namespace {

TEST(SpecialRegister, is_what_the_name_says) {
  constexpr std::string_view kinds[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  std::size_t found = 0;
  for (const BuiltinRow& row : all_builtins()) {
    const std::optional<SpecialRegister> read = special_register(row.id);
    const std::size_t dot = row.name.find('.');
    const auto* kind = std::find(std::begin(kinds), std::end(kinds), row.name.substr(0, dot));
    if (row.id == Builtin::LaneId) {
      EXPECT_TRUE(read && read->kind == SpecialRegister::Kind::LaneId);
    } else if (kind == std::end(kinds) || dot == row.name.npos) {
      EXPECT_FALSE(read) << row.name;
    } else {
      ASSERT_TRUE(read) << row.name;
      EXPECT_EQ(static_cast<std::ptrdiff_t>(read->kind), kind - std::begin(kinds)) << row.name;
      EXPECT_EQ(row.name.substr(dot + 1), std::string(1, static_cast<char>('x' + read->axis)));
      ++found;
    }
  }
  EXPECT_EQ(found, 12u);
}

} // namespace
} // namespace kern
