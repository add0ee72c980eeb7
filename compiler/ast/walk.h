// The parts of an expression, for whoever looks for something in all of them.
#pragma once

#include <array>

#include "compiler/ast/ast.h"

namespace kern::ast {

// Calls `visit` with each expression that an expression is made of, from left to right.
template <class Visit> void each_part(const Expr& expr, const Visit& visit) {
  auto one = [&](const Expr* part) {
    if (part) visit(*part);
  };
  auto list = [&](ExprList parts) {
    for (const Expr* part : parts) one(part);
  };
  if (const auto* named = as<NamedExpr>(&expr)) one(named->value);
  if (const auto* unary = as<Unary>(&expr)) one(unary->operand);
  if (const auto* binary = as<Binary>(&expr)) list(std::array{binary->left, binary->right});
  if (const auto* compare = as<Compare>(&expr)) list(compare->operands);
  if (const auto* both = as<BoolOp>(&expr)) list(both->operands);
  if (const auto* choice = as<Conditional>(&expr))
    list(std::array{choice->condition, choice->then_value, choice->else_value});
  if (const auto* call = as<Call>(&expr)) {
    one(call->callee);
    list(call->args);
    for (const Keyword& keyword : call->keywords) one(keyword.value);
  }
  if (const auto* subscript = as<Subscript>(&expr)) {
    one(subscript->value);
    list(subscript->indices);
  }
  if (const auto* slice = as<Slice>(&expr)) list(std::array{slice->start, slice->stop, slice->step});
  if (const auto* attribute = as<Attribute>(&expr)) one(attribute->value);
  if (const auto* tuple = as<Tuple>(&expr)) list(tuple->elements);
  if (const auto* elements = as<List>(&expr)) list(elements->elements);
  if (const auto* set = as<Set>(&expr)) list(set->elements);
  if (const auto* starred = as<Starred>(&expr)) one(starred->value);
}

} // namespace kern::ast
