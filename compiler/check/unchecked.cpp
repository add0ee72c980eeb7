// Walks the syntax of a function that has no instance, for names only.
#include "compiler/check/unchecked.h"

#include "compiler/ast/walk.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/expressions.h"
#include "compiler/check/instances.h"
#include "compiler/check/names.h"
#include "compiler/check/numpy/host_ufuncs.h"
#include "compiler/check/overload_names.h"
#include "compiler/check/signatures.h"

namespace kern::checker {

namespace {

struct NameWalk {
  Checker& checker;

  static bool is_scope(const Value& value) {
    return value.kind == ValueKind::File || value.kind == ValueKind::HostClass;
  }

  // Returns the file, class or ufunc of the host that a path of names is, of which all is known without types.
  std::optional<Value> scope_of(const ast::Expr& expr) {
    if (const auto* name = ast::as<ast::Name>(&expr)) {
      if (find_local(checker, name->text)) return std::nullopt;
      Value value = read_name(checker, *name);
      return is_scope(value) || host_ufunc(value) ? std::optional(value) : std::nullopt;
    }
    const auto* attribute = ast::as<ast::Attribute>(&expr);
    std::optional<Value> outer = attribute ? scope_of(*attribute->value) : std::nullopt;
    if (!outer) return std::nullopt;
    Value value = attribute_of(checker, *outer, attribute->name, expr.span);
    return is_scope(value) || host_ufunc(value) ? std::optional(value) : std::nullopt;
  }

  static bool is_path(const ast::Expr& expr) {
    const auto* attribute = ast::as<ast::Attribute>(&expr);
    return attribute ? is_path(*attribute->value) : expr.kind == ast::Kind::Name;
  }

  void visit_node(const ast::Expr& expr) {
    if (is_path(expr)) {
      scope_of(expr);
      return;
    }
    const auto* call = ast::as<ast::Call>(&expr);
    const auto overload = call ? overload_without_types(checker, *call->callee) : std::nullopt;
    if (overload && *overload) check_names(checker.context, **overload);
    ast::each_part(expr, [&](const ast::Expr& part) {
      const bool is_callee = call && &part == call->callee;
      if (is_callee && overload) return;
      if (!is_callee || !is_path(part)) return visit_node(part);
      if (std::optional<Value> callee = scope_of(part); callee && host_ufunc(*callee))
        report_host_call(checker, *host_ufunc(*callee), expr.span);
    });
  }
};

} // namespace

void check_names(Context& context, const FunctionSymbol& function) {
  std::vector<Value> args(function.def->params.size(), unknown_value(function.def->name_span));
  Instance* instance =
      find_instance(context, function, std::move(args), false, nullptr, function.def->name_span);
  if (!instance) return;
  Checker checker(context, function.file, instance);
  checker.final = true;
  for (const ast::Param& param : function.def->params)
    if (param.annotation && function.file->rules.reads_annotations)
      type_of_expr(context, *function.file, *param.annotation);
  NameWalk walk{checker};
  ast::each_stmt(function.def->body, [&](const ast::Stmt& stmt) {
    ast::each_expr(stmt, [&](const ast::Expr& expr) { walk.visit_node(expr); });
  });
}

} // namespace kern::checker
