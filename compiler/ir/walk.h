// Visits statements, and the operands in them, without knowing every node: what most passes need.
#pragma once

#include <functional>
#include <optional>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Calls `visit` for each statement of a body, outer before inner, in order.
void walk(const Body& body, const std::function<void(const Stmt&)>& visit);
void walk(Body& body, const std::function<void(Stmt&)>& visit);

// Says whether `matches` holds for a statement or one inside it; for any of a body's, inner ones too. Stops
// at the first. Where there is `enters`, only bodies of statements for which it holds are looked into.
using Predicate = std::function<bool(const Stmt&)>;
bool any(const Stmt& stmt, const Predicate& matches, const Predicate& enters = {});
bool any(const Body& body, const Predicate& matches, const Predicate& enters = {});

// Returns the state of a Guard or a Fit, and nothing of another statement.
std::optional<GuardState> guard_state(const Stmt& stmt);

// The element that a statement loads, stores, or changes by an atomic.
struct Element {
  const Operand& array;
  const std::vector<Operand>& indices;
};
std::optional<Element> element_of(const Stmt& stmt);

// Says whether the statement, or one inside it, assigns the slot.
bool assigns(const Stmt& stmt, SlotId slot);
bool assigns(const Body& body, SlotId slot);

// Says whether the body ends in a Return, Break or Continue.
bool ends_in_jump(const Body& body);

// Says whether the statement is a For or a While.
bool is_loop(const Stmt& stmt);

// Calls `visit` for each operand that the statement itself reads (those of inner bodies not counted).
void visit_operands(const Stmt& stmt, const std::function<void(const Operand&)>& visit);
void visit_operands(Stmt& stmt, const std::function<void(Operand&)>& visit);

// Calls `visit` for each operand of an expression.
void visit_operands(const Expr& expr, const std::function<void(const Operand&)>& visit);
void visit_operands(Expr& expr, const std::function<void(Operand&)>& visit);

// Calls `visit` for each slot that the statement itself assigns (a For assigns its variable).
void visit_results(const Stmt& stmt, const std::function<void(SlotId)>& visit);
void visit_results(Stmt& stmt, const std::function<void(SlotId&)>& visit);

// Calls `visit` for each body directly inside the statement.
void visit_bodies(const Stmt& stmt, const std::function<void(const Body&)>& visit);
void visit_bodies(Stmt& stmt, const std::function<void(Body&)>& visit);

} // namespace kern::ir
