#include "compiler/builtins/builtins.h"

#include <gtest/gtest.h>

namespace kern {
namespace {

TEST(Builtins, AreFoundByTheirNames) {
  for (const BuiltinRow& row : all_builtins()) {
    EXPECT_EQ(find_builtin(row.name) == row.id, !row.name.starts_with('_')) << row.name;
    EXPECT_EQ(&kern::row(row.id), &row);
    EXPECT_TRUE(row.doc.ends_with('.')) << row.name;
  }
  EXPECT_EQ(row(Builtin::AtomicAdd).name, "atomic.add");
  EXPECT_EQ(row(Builtin::ThreadIndexX).name, "threadIdx.x");
  EXPECT_EQ(find_builtin("math.sin"), Builtin::Sin);
  EXPECT_EQ(find_builtin("math"), std::nullopt);
  EXPECT_EQ(find_builtin(""), std::nullopt);
}

} // namespace
} // namespace kern
