// Statements: blocks, assignments, loops. They say whether control can reach what follows.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// ---- statements.cpp ----
bool check_block(Checker& checker, ast::Block block); // says whether control can reach its end
bool check_statement(Checker& checker, const ast::Stmt& stmt);

// ---- assignments.cpp ----
void check_assign(Checker& checker, const ast::Assign& stmt);
void check_delete(Checker& checker, const ast::Delete& stmt);
void check_aug_assign(Checker& checker, const ast::AugAssign& stmt);
void check_ann_assign(Checker& checker, const ast::AnnAssign& stmt);
void assign_target(Checker& checker, const ast::Expr& target, const Value& value, const ast::Node& site,
                   bool consume);

// ---- loops.cpp ----
// Checks a loop, whose rounds `check_rounds` writes, with its `else`.
bool check_loop(Checker& checker, ast::Block block, ast::Block else_body, Span span,
                const std::function<bool()>& check_rounds);
bool check_for(Checker& checker, const ast::For& stmt);

} // namespace kern::checker
