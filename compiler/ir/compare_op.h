// Facts about comparison operators that do not depend on their operands.
#pragma once

#include "compiler/ir/ir.h"

namespace kern::ir {

// Returns the comparison that says the same with its operands swapped.
constexpr CompareOp mirrored(CompareOp op) {
  switch (op) {
  case CompareOp::Equal:
  case CompareOp::NotEqual: return op;
  case CompareOp::Less: return CompareOp::Greater;
  case CompareOp::LessEqual: return CompareOp::GreaterEqual;
  case CompareOp::Greater: return CompareOp::Less;
  case CompareOp::GreaterEqual: return CompareOp::LessEqual;
  }
  __builtin_unreachable();
}

// Returns the comparison of integers that holds where this one does not.
constexpr CompareOp opposite(CompareOp op) {
  switch (op) {
  case CompareOp::Equal: return CompareOp::NotEqual;
  case CompareOp::NotEqual: return CompareOp::Equal;
  case CompareOp::Less: return CompareOp::GreaterEqual;
  case CompareOp::LessEqual: return CompareOp::Greater;
  case CompareOp::Greater: return CompareOp::LessEqual;
  case CompareOp::GreaterEqual: return CompareOp::Less;
  }
  __builtin_unreachable();
}

} // namespace kern::ir
