// The test of a fit is that of an index, and tells the value again.
#include <gtest/gtest.h>

#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::ir {
namespace {

const Type integers[] = {types::i8, types::i16, types::i32, types::i64,
                         types::u8, types::u16, types::u32, types::u64};

bool holds(Type type, WideInt value) {
  return least_value(type->scalar) <= value && value <= greatest_value(type->scalar);
}

// Returns what the runtime makes of a record.
WideInt read_back(FaultKind kind, std::uint64_t index, std::uint64_t extent) {
  if (kind == FaultKind::FitsWord) return index;
  return static_cast<std::int64_t>(kind == FaultKind::FitsSigned ? index - extent / 2 : index);
}

TEST(Fit, HoldsWhereTheTypeHoldsTheValue) {
  std::vector<WideInt> values{0, 1, -1};
  for (Type type : integers)
    for (WideInt end : {least_value(type->scalar), greatest_value(type->scalar)})
      values.insert(values.end(), {end - 1, end, end + 1});
  for (Type from : integers)
    for (Type to : integers)
      for (WideInt value : values) {
        const bool holds_all =
            holds(to, least_value(from->scalar)) && holds(to, greatest_value(from->scalar));
        if (!holds(from, value) || holds_all) continue;
        const FitTest test = fit_test(from, to);
        const std::uint64_t index = static_cast<std::uint64_t>(value) + test.offset;
        EXPECT_EQ(index < test.extent, holds(to, value));
        EXPECT_EQ(read_back(test.kind, index, test.extent), value);
      }
}

} // namespace
} // namespace kern::ir
