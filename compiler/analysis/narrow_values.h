// Integers of 64 bits that always hold what 32 bits can, and are made of such alone: by their type 64 bits are what they
// mean, and to compute them in 32 loses nothing. A GPU has registers of 32 bits, and of a CPU's vectors each holds twice as
// many.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct NarrowValues {
  std::vector<bool> slots; // which are temporaries or variables of type i64 of that kind
  // Assigns of quotients of two such, which fit as well but for that of the least i32 and -1.
  std::unordered_set<const void*> quotients;
};

// Finds them. What an index, the bounds of an array or a loop are made of is left alone: addresses have 64 bits.
NarrowValues find_narrow_values(const ir::Module& module, ir::FunctionId id);

// Says whether 32 bits compute an expression of i64s: given that the result and all operands that are one value of a
// choice, or of an operator, fit an i32. The count of a shift is no such operand.
bool is_narrowable(const ir::Expr& expr);
// Calls a function with each of these operands.
template <class AnyExpr, class Visit> void visit_narrowed(AnyExpr& expr, const Visit& visit) {
  if (auto* copy = std::get_if<ir::Copy>(&expr)) visit(copy->value);
  if (auto* unary = std::get_if<ir::Unary>(&expr)) visit(unary->value);
  if (auto* binary = std::get_if<ir::Binary>(&expr)) {
    visit(binary->left);
    if (binary->op != ir::BinaryOp::ShiftLeft && binary->op != ir::BinaryOp::ShiftRight) visit(binary->right);
  }
  if (auto* select = std::get_if<ir::Select>(&expr)) {
    visit(select->then_value);
    visit(select->else_value);
  }
  if (auto* call = std::get_if<ir::CallPure>(&expr))
    for (auto& arg : call->args) visit(arg);
}

} // namespace kern
