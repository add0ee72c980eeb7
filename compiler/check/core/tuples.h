// Constant tuples as arrays of constants.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// A tuple, perhaps nested, as an array of constants.
struct ConstantTable {
  std::vector<std::int64_t> extents;
  std::vector<Value> numbers; // in C order
  Type type = types::unknown; // what they join to
};

std::optional<ConstantTable> constant_table(Checker& checker, const Value& tuple);
ir::Operand constant_array(Checker& checker, const ConstantTable& table, Type element, std::string name,
                           Span span);
ir::Operand load_constant_element(Checker& checker, const Value& element, Type type);
Value rows_view(Checker& checker, const Value& rows);

} // namespace kern::checker
