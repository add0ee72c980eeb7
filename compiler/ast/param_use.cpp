// Goes by subscripts and attributes, which only arrays have, and by what atomics are given. A function that
// is given the parameter says nothing of it.
#include "compiler/ast/param_use.h"

#include <algorithm>

#include "compiler/ast/walk.h"

namespace kern::ast {

static bool is_name(const Expr* expr, std::string_view name) {
  const auto* found = as<Name>(expr);
  return found && found->text == name;
}

static std::string_view last_name(const Expr* expr) {
  const auto* attribute = as<Attribute>(expr);
  const auto* name = as<Name>(expr);
  return attribute ? attribute->name : name ? name->text : "";
}

// Returns the axes of which an expression itself, and no part of it, knows.
static std::size_t axes_known(const Expr& expr, std::string_view param) {
  if (const auto* subscript = as<Subscript>(&expr)) {
    if (is_name(subscript->value, param)) return subscript->indices.size();
    const std::size_t outer = axes_known(*subscript->value, param);
    return subscript->value->kind == Kind::Subscript && outer > 0 ? outer + subscript->indices.size() : 0;
  }
  if (const auto* attribute = as<Attribute>(&expr)) return is_name(attribute->value, param);
  const auto* call = as<Call>(&expr);
  if (!call || call->args.empty() || !is_name(call->args[0], param)) return 0;
  const auto* member = as<Attribute>(call->callee);
  return last_name(call->callee) == "len" || (member && last_name(member->value) == "atomic");
}

static void note_uses(const Expr& expr, std::string_view param, std::size_t& axes, bool& is_used) {
  is_used = is_used || is_name(&expr, param);
  axes = std::max(axes, axes_known(expr, param));
  each_part(expr, [&](const Expr& part) { note_uses(part, param, axes, is_used); });
}

std::string used_type(const FunctionDef& function, std::string_view param, std::string_view element,
                      std::string_view number) {
  std::size_t axes = 0;
  bool is_used = false;
  each_stmt(function.body, [&](const Stmt& stmt) {
    each_expr(stmt, [&](const Expr& expr) { note_uses(expr, param, axes, is_used); });
    if (const auto* loop = as<For>(&stmt); loop && is_name(loop->iterable, param))
      axes = std::max<std::size_t>(axes, 1);
  });
  if (axes == 0 && is_used) return std::string(number);
  std::string type = std::string(element) + "[:";
  for (std::size_t axis = 1; axis < axes; ++axis) type += ", :";
  return type + "]";
}

} // namespace kern::ast
