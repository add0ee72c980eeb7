// One template a question, for const and for editable statements; the faces only choose between the two.
#include "compiler/ir/walk.h"

#include <algorithm>
#include <concepts>

#include "compiler/support/overloaded.h"

namespace kern::ir {

namespace {

template <class Operands, class Visit> void each(Operands& operands, const Visit& visit) {
  for (auto& operand : operands) visit(operand);
}

template <class Axes, class Visit> void view_operands(Axes& axes, const Visit& visit) {
  for (auto& axis : axes) {
    visit(axis.start);
    if (axis.kind == ViewAxis::Kind::Index) continue;
    visit(axis.count);
    visit(axis.step);
  }
}

// A node of one of these kinds, const or not.
template <class Node, class... Kinds>
concept OneOf = (std::same_as<std::remove_const_t<Node>, Kinds> || ...);

// These visit what a node holds. Each names every kind of node: one that it forgets does not compile.
template <class AnyExpr, class Visit> void expr_operands(AnyExpr& expr, const Visit& visit) {
  match(
      expr, [&](OneOf<Copy, Unary, Convert> auto& node) { visit(node.value); },
      [&](OneOf<Binary, Compare> auto& node) {
        visit(node.left);
        visit(node.right);
      },
      [&](OneOf<Select> auto& node) {
        visit(node.condition);
        visit(node.then_value);
        visit(node.else_value);
      },
      [&](OneOf<Fma> auto& node) {
        visit(node.a);
        visit(node.b);
        visit(node.c);
      },
      [&](OneOf<CallPure> auto& node) { each(node.args, visit); },
      [&](OneOf<Extent, Stride, Misalignment> auto& node) { visit(node.array); },
      [&](OneOf<Restride> auto& node) {
        visit(node.array);
        each(node.extents, visit);
        each(node.strides, visit);
      },
      [&](OneOf<View> auto& node) {
        visit(node.array);
        view_operands(node.axes, visit);
      },
      [&](OneOf<SharedArray> auto& node) { each(node.extents, visit); },
      [](OneOf<LocalArray, ConstantArray> auto&) {});
}

template <class AnyStmt, class Visit> void stmt_operands(AnyStmt& stmt, const Visit& visit) {
  match(
      stmt.node, [&](OneOf<Assign> auto& node) { expr_operands(node.value, visit); },
      [&](OneOf<Load> auto& node) {
        visit(node.array);
        each(node.indices, visit);
      },
      [&](OneOf<Store> auto& node) {
        visit(node.array);
        each(node.indices, visit);
        visit(node.value);
      },
      [&](OneOf<Atomic> auto& node) {
        visit(node.array);
        each(node.indices, visit);
        each(node.args, visit);
      },
      [&](OneOf<CallEffect, Call, Print> auto& node) { each(node.args, visit); },
      [&](OneOf<Guard> auto& node) {
        visit(node.array);
        visit(node.index);
      },
      [&](OneOf<Fit> auto& node) { visit(node.value); },
      [&](OneOf<Check, If, While> auto& node) { visit(node.condition); },
      [&](OneOf<For> auto& node) {
        visit(node.start);
        visit(node.step);
        visit(node.count);
        if (node.stop) visit(*node.stop);
      },
      [&](OneOf<Return> auto& node) { each(node.values, visit); },
      [](OneOf<Break, Continue, Segment> auto&) {});
}

template <class AnyStmt, class Visit> void stmt_results(AnyStmt& stmt, const Visit& visit) {
  match(
      stmt.node, [&](OneOf<Assign, Load> auto& node) { visit(node.slot); },
      [&](OneOf<Atomic, CallEffect> auto& node) {
        if (node.slot) visit(*node.slot);
      },
      [&](OneOf<Call> auto& node) { each(node.results, visit); },
      [&](OneOf<For> auto& node) { visit(node.variable); },
      [](OneOf<Store, Print, Guard, Fit, Check, If, While, Break, Continue, Return, Segment> auto&) {});
}

template <class AnyStmt, class Visit> void stmt_bodies(AnyStmt& stmt, const Visit& visit) {
  match(
      stmt.node,
      [&](OneOf<If> auto& node) {
        visit(node.then_body);
        visit(node.else_body);
      },
      [&](OneOf<While> auto& node) {
        visit(node.head);
        visit(node.body);
      },
      [&](OneOf<For, Segment> auto& node) { visit(node.body); },
      [](OneOf<Assign, Load, Store, Atomic, CallEffect, Call, Print, Guard, Fit, Check, Break, Continue,
               Return> auto&) {});
}

template <class AnyBody, class Visit> void walk_body(AnyBody& body, const Visit& visit) {
  for (auto& stmt : body) {
    visit(stmt);
    stmt_bodies(stmt, [&](auto& inner) { walk_body(inner, visit); });
  }
}

} // namespace

void walk(const Body& body, const std::function<void(const Stmt&)>& visit) { walk_body(body, visit); }
void walk(Body& body, const std::function<void(Stmt&)>& visit) { walk_body(body, visit); }

std::optional<GuardState> guard_state(const Stmt& stmt) {
  if (const auto* guard = std::get_if<Guard>(&stmt.node)) return guard->state;
  const auto* fit = std::get_if<Fit>(&stmt.node);
  return fit ? std::optional(fit->state) : std::nullopt;
}

std::optional<Element> element_of(const Stmt& stmt) {
  return match(
      stmt.node,
      [](const OneOf<Load, Store, Atomic> auto& node) {
        return std::optional(Element{node.array, node.indices});
      },
      [](const auto&) { return std::optional<Element>(); });
}

bool any(const Stmt& stmt, const Predicate& matches, const Predicate& enters) {
  if (matches(stmt)) return true;
  if (enters && !enters(stmt)) return false;
  bool found = false;
  stmt_bodies(stmt, [&](const Body& body) { found = found || any(body, matches, enters); });
  return found;
}

bool any(const Body& body, const Predicate& matches, const Predicate& enters) {
  return std::ranges::any_of(body, [&](const Stmt& stmt) { return any(stmt, matches, enters); });
}

static Predicate assigns_slot(SlotId slot) {
  return [slot](const Stmt& stmt) {
    bool found = false;
    stmt_results(stmt, [&](SlotId result) { found = found || result == slot; });
    return found;
  };
}

bool assigns(const Stmt& stmt, SlotId slot) { return any(stmt, assigns_slot(slot)); }
bool assigns(const Body& body, SlotId slot) { return any(body, assigns_slot(slot)); }

bool ends_in_jump(const Body& body) {
  if (body.empty()) return false;
  const auto& last = body.back().node;
  return std::holds_alternative<Return>(last) || std::holds_alternative<Break>(last) ||
         std::holds_alternative<Continue>(last);
}

bool is_loop(const Stmt& stmt) {
  return std::holds_alternative<While>(stmt.node) || std::holds_alternative<For>(stmt.node);
}

void visit_operands(const Expr& expr, const std::function<void(const Operand&)>& visit) {
  expr_operands(expr, visit);
}
void visit_operands(Expr& expr, const std::function<void(Operand&)>& visit) { expr_operands(expr, visit); }
void visit_operands(const Stmt& stmt, const std::function<void(const Operand&)>& visit) {
  stmt_operands(stmt, visit);
}
void visit_operands(Stmt& stmt, const std::function<void(Operand&)>& visit) { stmt_operands(stmt, visit); }

void visit_results(const Stmt& stmt, const std::function<void(SlotId)>& visit) { stmt_results(stmt, visit); }
void visit_results(Stmt& stmt, const std::function<void(SlotId&)>& visit) { stmt_results(stmt, visit); }

void visit_bodies(const Stmt& stmt, const std::function<void(const Body&)>& visit) {
  stmt_bodies(stmt, visit);
}
void visit_bodies(Stmt& stmt, const std::function<void(Body&)>& visit) { stmt_bodies(stmt, visit); }

} // namespace kern::ir
