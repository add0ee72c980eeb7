// The parts of expressions, statements and host code, for whoever looks for something in all of them.
#pragma once

#include <array>
#include <string>

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
  if (const auto* made = as<Comprehension>(&expr)) {
    for (const ComprehensionClause& clause : made->clauses) one(clause.iterable), list(clause.conditions);
    one(made->key), one(made->element);
  }
  if (const auto* starred = as<Starred>(&expr)) one(starred->value);
}

// Calls `visit` with each expression that stands in a statement itself, not in the blocks inside of it.
template <class Visit> void each_expr(const Stmt& stmt, const Visit& visit) {
  auto one = [&](const Expr* part) {
    if (part) visit(*part);
  };
  if (const auto* call = as<ExprStmt>(&stmt)) one(call->value);
  if (const auto* assign = as<Assign>(&stmt)) {
    for (const Expr* target : assign->targets) one(target);
    one(assign->value);
  }
  if (const auto* augmented = as<AugAssign>(&stmt)) one(augmented->target), one(augmented->value);
  if (const auto* annotated = as<AnnAssign>(&stmt)) one(annotated->target), one(annotated->value);
  if (const auto* branch = as<If>(&stmt)) one(branch->condition);
  if (const auto* loop = as<While>(&stmt)) one(loop->condition);
  if (const auto* loop = as<For>(&stmt)) one(loop->target), one(loop->iterable);
  if (const auto* result = as<Return>(&stmt)) one(result->value);
  if (const auto* check = as<Assert>(&stmt)) one(check->condition);
}

// Calls `visit` with each statement of a block and of the blocks inside of it, in their order.
template <class Visit> void each_stmt(Block block, const Visit& visit) {
  for (const Stmt* stmt : block) {
    visit(*stmt);
    if (const auto* branch = as<If>(stmt))
      each_stmt(branch->then_body, visit), each_stmt(branch->else_body, visit);
    if (const auto* loop = as<While>(stmt)) each_stmt(loop->body, visit), each_stmt(loop->else_body, visit);
    if (const auto* loop = as<For>(stmt)) each_stmt(loop->body, visit), each_stmt(loop->else_body, visit);
  }
}

// Calls `visit` with the code of each block inside of a statement of the host.
template <class Visit> void each_block(const HostStatement& statement, const Visit& visit) {
  if (statement.code) visit(*statement.code);
  for (const HostClause& clause : statement.clauses) visit(*clause.code);
}

// Returns a name with its attributes as it is written, "np.linalg.norm"; "" where an expression is none.
inline std::string dotted_name(const Expr& expr) {
  if (const auto* name = as<Name>(&expr)) return std::string(name->text);
  const auto* attribute = as<Attribute>(&expr);
  const std::string front = attribute ? dotted_name(*attribute->value) : "";
  return front.empty() ? "" : front + "." + std::string(attribute->name);
}

} // namespace kern::ast
