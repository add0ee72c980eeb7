// One template a question, for const and for editable statements; the faces only choose between the two.
#include "compiler/ir/walk.h"

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

// What a node holds; const or not, as the node is. A lambda with `auto&` for each kind keeps this one list
// for both.
template <class AnyExpr, class Visit> void expr_operands(AnyExpr& expr, const Visit& visit) {
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Copy> || std::is_same_v<Node, Unary> ||
                      std::is_same_v<Node, Convert>) {
          visit(node.value);
        } else if constexpr (std::is_same_v<Node, Binary> || std::is_same_v<Node, Compare>) {
          visit(node.left);
          visit(node.right);
        } else if constexpr (std::is_same_v<Node, Select>) {
          visit(node.condition);
          visit(node.then_value);
          visit(node.else_value);
        } else if constexpr (std::is_same_v<Node, Fma>) {
          visit(node.a);
          visit(node.b);
          visit(node.c);
        } else if constexpr (std::is_same_v<Node, CallPure>) {
          each(node.args, visit);
        } else if constexpr (std::is_same_v<Node, Extent> || std::is_same_v<Node, Stride>) {
          visit(node.array);
        } else if constexpr (std::is_same_v<Node, View>) {
          visit(node.array);
          view_operands(node.axes, visit);
        } else if constexpr (std::is_same_v<Node, SharedArray>) {
          each(node.extents, visit);
        } else {
          static_assert(std::is_same_v<Node, LocalArray> || std::is_same_v<Node, ConstantArray>);
        }
      },
      expr);
}

template <class AnyStmt, class Visit> void stmt_operands(AnyStmt& stmt, const Visit& visit) {
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Assign>) {
          expr_operands(node.value, visit);
        } else if constexpr (std::is_same_v<Node, Load>) {
          visit(node.array);
          each(node.indices, visit);
        } else if constexpr (std::is_same_v<Node, Store>) {
          visit(node.array);
          each(node.indices, visit);
          visit(node.value);
        } else if constexpr (std::is_same_v<Node, Atomic>) {
          visit(node.array);
          each(node.indices, visit);
          each(node.args, visit);
        } else if constexpr (std::is_same_v<Node, CallEffect> || std::is_same_v<Node, Call> ||
                             std::is_same_v<Node, Print>) {
          each(node.args, visit);
        } else if constexpr (std::is_same_v<Node, Guard>) {
          visit(node.array);
          visit(node.index);
        } else if constexpr (std::is_same_v<Node, Check> || std::is_same_v<Node, If> ||
                             std::is_same_v<Node, While>) {
          visit(node.condition);
        } else if constexpr (std::is_same_v<Node, For>) {
          visit(node.start);
          visit(node.step);
          visit(node.count);
          if (node.stop) visit(*node.stop);
        } else if constexpr (std::is_same_v<Node, Return>) {
          each(node.values, visit);
        } else {
          static_assert(std::is_same_v<Node, Break> || std::is_same_v<Node, Continue> ||
                        std::is_same_v<Node, Segment>);
        }
      },
      stmt.node);
}

template <class AnyStmt, class Visit> void stmt_results(AnyStmt& stmt, const Visit& visit) {
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Assign> || std::is_same_v<Node, Load>) {
          visit(node.slot);
        } else if constexpr (std::is_same_v<Node, Atomic> || std::is_same_v<Node, CallEffect>) {
          if (node.slot) visit(*node.slot);
        } else if constexpr (std::is_same_v<Node, Call>) {
          each(node.results, visit);
        } else if constexpr (std::is_same_v<Node, For>) {
          visit(node.variable);
        }
      },
      stmt.node);
}

template <class AnyStmt, class Visit> void stmt_bodies(AnyStmt& stmt, const Visit& visit) {
  std::visit(
      [&](auto& node) {
        using Node = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, If>) {
          visit(node.then_body);
          visit(node.else_body);
        } else if constexpr (std::is_same_v<Node, While>) {
          visit(node.head);
          visit(node.body);
        } else if constexpr (std::is_same_v<Node, For> || std::is_same_v<Node, Segment>) {
          visit(node.body);
        }
      },
      stmt.node);
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

std::vector<std::size_t> count_reads(const Function& function) {
  std::vector<std::size_t> reads(function.slots.size());
  walk(function.body, [&](const Stmt& stmt) {
    visit_operands(stmt, [&](const Operand& operand) {
      if (operand.slot) ++reads[static_cast<std::size_t>(*operand.slot)];
    });
  });
  return reads;
}

std::vector<std::size_t> count_writes(const Function& function) {
  std::vector<std::size_t> writes(function.slots.size());
  walk(function.body, [&](const Stmt& stmt) {
    visit_results(stmt, [&](SlotId slot) { ++writes[static_cast<std::size_t>(slot)]; });
  });
  return writes;
}

} // namespace kern::ir
