// Functions inside of the kernels and device functions of a .py file. Such a function is one of its own that gets the
// variables which it reads of the one around it with each call, behind its own parameters: so it reads what they are
// when it is called, as in Python.
#include "compiler/check/inner_functions.h"
#include "compiler/check/calls.h"
#include "compiler/check/core/locals.h"

#include <algorithm>
#include <set>

#include "compiler/ast/walk.h"

namespace kern::checker {

namespace {

using Names = std::set<std::string_view>;

// The names that stand in an expression.
void add_names(const ast::Expr& expr, Names& names) {
  if (const auto* name = ast::as<ast::Name>(&expr)) names.insert(name->text);
  if (const auto* named = ast::as<ast::NamedExpr>(&expr)) names.insert(named->target->text);
  ast::each_part(expr, [&](const ast::Expr& part) { add_names(part, names); });
}

// The names that an expression assigns, where it is the target of a statement or holds `:=`.
void add_bound(const ast::Expr& expr, bool is_target, Names& names) {
  const auto* name = ast::as<ast::Name>(&expr);
  if (name && is_target) names.insert(name->text);
  if (const auto* named = ast::as<ast::NamedExpr>(&expr)) names.insert(named->target->text);
  bool holds_targets = is_target && (expr.kind == ast::Kind::Tuple || expr.kind == ast::Kind::List);
  ast::each_part(expr, [&](const ast::Expr& part) { add_bound(part, holds_targets, names); });
}

// The names that a function reads and does not bind itself.
Names free_names(const ast::FunctionDef& def) {
  Names read, bound;
  for (const ast::Param& param : def.params) bound.insert(param.name);
  ast::each_stmt(def.body, [&](const ast::Stmt& stmt) {
    const auto* assign = ast::as<ast::Assign>(&stmt);
    const auto* augmented = ast::as<ast::AugAssign>(&stmt);
    const auto* annotated = ast::as<ast::AnnAssign>(&stmt);
    const auto* loop = ast::as<ast::For>(&stmt);
    ast::each_expr(stmt, [&](const ast::Expr& expr) {
      bool is_target = (assign && &expr != assign->value) || (augmented && &expr == augmented->target) ||
                       (annotated && &expr == annotated->target) || (loop && &expr == loop->target);
      add_bound(expr, is_target, bound);
      add_names(expr, read);
    });
    if (const auto* inner = ast::as<ast::FunctionDef>(&stmt)) {
      bound.insert(inner->name);
      read.merge(free_names(*inner));
    }
  });
  std::erase_if(read, [&](std::string_view name) { return bound.contains(name); });
  return read;
}

// Returns the function of this name that stands in the body of another, null where there is none.
const ast::FunctionDef* function_inside(const ast::FunctionDef& around, std::string_view name) {
  const ast::FunctionDef* found = nullptr;
  ast::each_stmt(around.body, [&](const ast::Stmt& stmt) {
    const auto* def = ast::as<ast::FunctionDef>(&stmt);
    if (def && def->name == name && !found) found = def;
  });
  return found;
}

// Returns the names of this function that one inside of it reads: variables, other functions inside of it,
// and the names that those read.
Names captured_names(const Instance& around, const ast::FunctionDef& def) {
  Names captured, seen;
  std::vector<const ast::FunctionDef*> open{&def};
  while (!open.empty()) {
    Names names = free_names(*open.back());
    open.pop_back();
    for (std::string_view name : names) {
      const ast::FunctionDef* inner = function_inside(*around.function->def, name);
      if ((!inner && !around.locals.contains(name)) || !seen.insert(name).second) continue;
      captured.insert(name);
      if (inner) open.push_back(inner);
    }
  }
  return captured;
}

// The parameters that stand for variables of the function around are added: their place is that of the name.
bool is_captured(const ast::FunctionDef& def, const ast::Param& param) { return param.span == def.name_span; }

const ast::FunctionDef* with_captured(Checker& checker, const ast::FunctionDef& def) {
  std::vector<ast::Param> params(def.params.begin(), def.params.end());
  for (std::string_view name : captured_names(*checker.instance, def)) {
    ast::Param param;
    param.name = name;
    param.span = def.name_span;
    params.push_back(param);
  }
  Arena& arena = *checker.context.program.arena;
  auto* result = arena.make<ast::FunctionDef>(def);
  result->params = arena.copy(params);
  return result;
}

// Says whether the variables that a function inside of another reads are those of the function that is checked: it is
// the one around it, or got it from there as it got these.
bool has_captured(const Checker& checker, const ast::FunctionDef& def) {
  if (!checker.instance) return false;
  const ast::FunctionDef& here = *checker.instance->function->def;
  const ast::FunctionDef* inside = function_inside(here, def.name);
  if (inside && inside->name_span == def.name_span) return true;
  return std::ranges::any_of(here.params, [&](const ast::Param& param) {
    return param.name == def.name && is_captured(here, param);
  });
}

} // namespace

void check_inner_function(Checker& checker, const ast::FunctionDef& def) {
  bool is_one_of_two = function_inside(*checker.instance->function->def, def.name) != &def;
  if (is_one_of_two || find_local(checker, def.name))
    checker.unsupported(def.name_span,
                        "a name inside of a function that is a function and something else too");
}

std::optional<Value> inner_function(Checker& checker, std::string_view name, Span span) {
  if (!checker.instance || !checker.scope->is_numba()) return std::nullopt;
  const ast::FunctionDef* def = function_inside(*checker.instance->function->def, name);
  if (!def) return std::nullopt;
  std::unique_ptr<FunctionSymbol>& made = checker.scope->made_functions[def];
  if (!made) {
    made = std::make_unique<FunctionSymbol>();
    made->file = checker.scope;
    made->def = with_captured(checker, *def);
  }
  return function_value(made.get(), span);
}

bool add_captured(Checker& checker, const FunctionSymbol& callee, Args& args, Span span) {
  for (const ast::Param& param : callee.def->params) {
    if (!is_captured(*callee.def, param)) continue;
    if (!has_captured(checker, *callee.def)) {
      checker.unsupported(span, "the call of a function that reads variables of another function");
      return false;
    }
    Local* local = find_local(checker, param.name);
    std::optional<Value> value =
        local ? read_local(checker, *local, span) : inner_function(checker, param.name, span);
    if (!value || is_error(*value)) return false;
    args.keywords.emplace_back(param.name, std::move(*value));
    args.keyword_spans.push_back(span);
  }
  return true;
}

} // namespace kern::checker
