// Statements in their order. What follows a return, break, continue or raise in its block is checked and
// dropped.

#include "compiler/check/statements.h"
#include "compiler/advice/advice.h"
#include "compiler/ast/walk.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/expressions.h"
#include "compiler/check/inner_functions.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

static void check_effect(Checker& checker, const ast::Expr& expr);
static void check_assert(Checker& checker, const ast::Assert& stmt);
static void check_raise(Checker& checker, const ast::Raise& stmt);

static const ast::StringLiteral* docstring(const ast::Stmt& stmt) {
  const auto* expr = ast::as<ast::ExprStmt>(&stmt);
  return expr ? ast::as<ast::StringLiteral>(expr->value) : nullptr;
}

bool check_block(Checker& checker, ast::Block block) {
  for (const ast::Stmt* stmt : block)
    if (checker.overflowed() || !check_statement(checker, *stmt)) return checker.overflowed();
  return true;
}

// A condition that is known now leaves one branch, and the other is not looked at: `if DEBUG:`, `if bias is
// None:`.
static bool check_if(Checker& checker, const ast::If& stmt) {
  Value value = evaluate_condition(checker, *stmt.condition);
  if (std::optional<bool> truth = constant_truth(value))
    return check_block(checker, *truth ? stmt.then_body : stmt.else_body);
  std::optional<ir::Operand> condition = as_condition(checker, value);
  if (!condition) condition = checker.variable(types::boolean, stmt.condition->span);
  bool then_ends = false, else_ends = false;
  ir::Body then_body = conditional_body(checker, [&] { then_ends = check_block(checker, stmt.then_body); });
  ir::Body else_body = conditional_body(checker, [&] { else_ends = check_block(checker, stmt.else_body); });
  checker.emit(ir::If{*condition, std::move(then_body), std::move(else_body)}, stmt.condition->span);
  return then_ends || else_ends;
}

static bool check_while_rounds(Checker& checker, const ast::While& stmt) {
  ir::Operand condition = ir::constant_bool(true);
  ir::Body head, body_ir;
  std::optional<bool> truth;
  bool never = false;
  const auto write = [&] {
    head = checker.body_of([&] {
      Value value = evaluate_condition(checker, *stmt.condition);
      truth = constant_truth(value);
      std::optional<ir::Operand> operand = as_condition(checker, value);
      condition = operand ? *operand : checker.variable(types::boolean, stmt.condition->span);
    });
    never = truth && !*truth;
    if (!never) body_ir = checker.body_of([&] { check_block(checker, stmt.body); });
  };
  const bool has_break =
      checker.loops.inside(checker.loops.take_flag(), [&] { checker.paths.branch(write); });
  if (never) return true;
  checker.emit(ir::While{std::move(head), condition, std::move(body_ir)}, stmt.condition->span);
  return has_break || !truth;
}

static bool check_while(Checker& checker, const ast::While& stmt) {
  return check_loop(checker, stmt.body, stmt.else_body, stmt.condition->span,
                    [&] { return check_while_rounds(checker, stmt); });
}

// A `break` sets the flag that ends the rounds of an unrolled loop, each of which is a loop of its own, and that
// passes over the loop's `else`.
static void check_jump(Checker& checker, const ast::Stmt& stmt) {
  if (checker.loops.empty()) return;
  OpenLoop& loop = checker.loops.innermost();
  bool is_break = stmt.kind == ast::Kind::Break;
  if (is_break) loop.has_break = true;
  if (is_break && loop.stop_flag) checker.assign(*loop.stop_flag, ir::constant_bool(true), stmt.span);
  if (is_break)
    checker.emit(ir::Break{}, stmt.span);
  else
    checker.emit(ir::Continue{}, stmt.span);
}

static bool check_return(Checker& checker, const ast::Return& stmt) {
  Value value = stmt.value ? evaluate(checker, *stmt.value) : plain_value(ValueKind::None, stmt.span);
  bool is_none = value.kind == ValueKind::None;
  if (checker.instance->is_kernel) {
    if (!is_none && !is_error(value))
      checker.report(stmt.span, diag::kernel_returns_value, checker.instance->function->def->name);
    checker.emit(ir::Return{}, stmt.span);
    return false;
  }
  Local& result = checker.instance->result;
  if (is_none) {
    if (!checker.bare_return) checker.bare_return = stmt.span;
    checker.emit(ir::Return{}, stmt.span);
    return false;
  }
  checker.returns_value = true;
  std::optional<Type> type = type_of(checker, value);
  if (!is_error(value) && (!type || !is_storable(value))) {
    checker.report(stmt.value->span, diag::cannot_return, describe(checker, value));
    return false;
  }
  if (result.annotated) note_meeting(checker, value, result.type, stmt.value->span);
  if (!is_error(value) && !result.pinned) {
    // The locals of literals that the value is made of find their types first, and the result waits for them.
    if (value.literals) result.literal.waits = true;
    note_literals_of(result, value);
    if (checker.rules.types_literals) type = default_deep(checker, *type);
    std::optional<Type> joined = join_types(checker, result.now.joined, *type);
    if (joined && has_exact_integers(checker)) joined = holding_literals(result, *joined);
    if (!joined && checker.final && is_number(value) && is_integer(value.type)) {
      checker
          .report(stmt.value->span, diag::returns_differ, describe(checker, value),
                  to_string(result.now.joined))
          .note(result.type_span, "this returns {}", to_string(result.now.joined))
          .note("declare the result, `-> {}` or `-> i64`",
                to_string(is_word(value.type) ? value.type : result.now.joined));
      return false;
    }
    if (joined && *joined != result.now.joined) result.type_span = stmt.value->span;
    if (joined) result.now.joined = *joined;
  }
  Type to = checker.final || result.pinned ? result.type : result.now.joined;
  ir::Return node;
  if (checker.final && !is_error(value) && to != types::unknown) {
    bool fits = converts_deep(checker, value, to, result.annotated) && is_tuple(value) == is_tuple(to);
    if (!fits && !result.annotated) {
      checker.report(stmt.value->span, diag::returns_differ, describe(checker, value), to_string(to))
          .note(result.type_span, "this returns {}", to_string(to));
      return false;
    }
    Value converted = convert_value(checker, value, to, Purpose::Return);
    if (!is_error(converted)) flatten(checker, converted, node.values);
  }
  checker.emit(std::move(node), stmt.span);
  return false;
}

bool check_statement(Checker& checker, const ast::Stmt& stmt) {
  switch (stmt.kind) {
  case ast::Kind::ExprStmt:
    if (!docstring(stmt)) check_effect(checker, *ast::get<ast::ExprStmt>(stmt).value);
    return true;
  case ast::Kind::Assign: check_assign(checker, ast::get<ast::Assign>(stmt)); return true;
  case ast::Kind::AugAssign: check_aug_assign(checker, ast::get<ast::AugAssign>(stmt)); return true;
  case ast::Kind::AnnAssign: check_ann_assign(checker, ast::get<ast::AnnAssign>(stmt)); return true;
  case ast::Kind::If: return check_if(checker, ast::get<ast::If>(stmt));
  case ast::Kind::While: return check_while(checker, ast::get<ast::While>(stmt));
  case ast::Kind::For: return check_for(checker, ast::get<ast::For>(stmt));
  case ast::Kind::Break:
  case ast::Kind::Continue: check_jump(checker, stmt); return false;
  case ast::Kind::Pass: return true;
  case ast::Kind::Delete: check_delete(checker, ast::get<ast::Delete>(stmt)); return true;
  case ast::Kind::Return: return check_return(checker, ast::get<ast::Return>(stmt));
  case ast::Kind::Assert: check_assert(checker, ast::get<ast::Assert>(stmt)); return true;
  case ast::Kind::Raise: check_raise(checker, ast::get<ast::Raise>(stmt)); return false;
  case ast::Kind::FunctionDef: check_inner_function(checker, ast::get<ast::FunctionDef>(stmt)); return true;
  case ast::Kind::StructDef:
    checker.unsupported(ast::get<ast::StructDef>(stmt).name_span, "a struct inside a function");
    return true;
  case ast::Kind::Import:
  case ast::Kind::FromImport: checker.unsupported(stmt.span, "an import inside a function"); return true;
  case ast::Kind::Dict:
  case ast::Kind::Lambda:
  case ast::Kind::Name:
  case ast::Kind::IntLiteral:
  case ast::Kind::FloatLiteral:
  case ast::Kind::ImaginaryLiteral:
  case ast::Kind::BoolLiteral:
  case ast::Kind::NoneLiteral:
  case ast::Kind::EllipsisLiteral:
  case ast::Kind::StringLiteral:
  case ast::Kind::NamedExpr:
  case ast::Kind::Unary:
  case ast::Kind::Binary:
  case ast::Kind::Compare:
  case ast::Kind::BoolOp:
  case ast::Kind::Conditional:
  case ast::Kind::Call:
  case ast::Kind::Subscript:
  case ast::Kind::Slice:
  case ast::Kind::Attribute:
  case ast::Kind::Tuple:
  case ast::Kind::List:
  case ast::Kind::Set:
  case ast::Kind::Comprehension:
  case ast::Kind::Starred: break;
  }
  return true;
}

// Says whether an expression calls or assigns something; `...` stands for nothing, as `pass` does.
static bool may_act(const ast::Expr& expr) {
  if (expr.kind == ast::Kind::Call || expr.kind == ast::Kind::EllipsisLiteral) return true;
  bool acts = expr.kind == ast::Kind::NamedExpr;
  ast::each_part(expr, [&](const ast::Expr& part) { acts = acts || may_act(part); });
  return acts;
}

// Says whether an expression is one that is assigned to.
static bool is_place(const ast::Expr& expr) {
  return expr.kind == ast::Kind::Name || expr.kind == ast::Kind::Subscript ||
         expr.kind == ast::Kind::Attribute;
}

// Checks an expression that is a statement.
static void check_effect(Checker& checker, const ast::Expr& expr) {
  Value value = evaluate(checker, expr);
  if (!checker.final || is_error(value) || may_act(expr)) return;
  std::string advice;
  const auto* compare = ast::as<ast::Compare>(&expr);
  if (compare && is_place(*compare->operands[0]) && compare->ops.size() == 1 &&
      compare->ops[0] == ast::CompareOp::Equal)
    advice = fmt::format("; to assign write `{} = {}`", checker.context.source(compare->operands[0]->span),
                         checker.context.source(compare->operands[1]->span));
  else if (value.kind == ValueKind::Function || value.kind == ValueKind::Builtin)
    advice = fmt::format("; to call it write `{}`",
                         advice::call(checker.context.source(expr.span),
                                      value.function && value.function->def->params.empty() ? "" : "..."));
  if (checker.scope->is_numba())
    checker.report(expr.span, diag::unused_value, checker.context.source(expr.span), advice);
  else
    checker.report(expr.span, diag::no_effect, checker.context.source(expr.span), advice);
}

// Returns the text of a name for a string. What any other name is does not matter: it is no value here.
static std::optional<std::string> named_text(Checker& checker, const ast::Expr& name) {
  if (name.kind != ast::Kind::Name && name.kind != ast::Kind::Attribute) return std::nullopt;
  const Silence silence(checker);
  Value value;
  checker.body_of([&] { value = evaluate(checker, name); });
  if (value.kind != ValueKind::String) return std::nullopt;
  return std::string(value.text);
}

// Returns the words of an assert or raise: its message, or the condition as written.
static std::string message_of(Checker& checker, const ast::Expr* message, std::string otherwise) {
  if (!message) return otherwise;
  if (const auto* text = ast::as<ast::StringLiteral>(message)) return std::string(text->value);
  if (const auto* call = ast::as<ast::Call>(message)) {
    if (call->args.empty()) return std::string(checker.context.source(call->callee->span));
    return message_of(checker, call->args[0], std::move(otherwise));
  }
  return named_text(checker, *message).value_or(std::string(checker.context.source(message->span)));
}

static void check_assert(Checker& checker, const ast::Assert& stmt) {
  Value value = evaluate_condition(checker, *stmt.condition);
  std::optional<ir::Operand> condition = as_condition(checker, value);
  if (!condition) return;
  std::string words =
      message_of(checker, stmt.message, std::string(checker.context.source(stmt.condition->span)));
  checker.check_condition(*condition, ir::FaultKind::AssertFailed, stmt.span, std::move(words));
}

static void check_raise(Checker& checker, const ast::Raise& stmt) {
  std::string words = message_of(checker, stmt.value, "raise");
  checker.check_condition(ir::constant_bool(false), ir::FaultKind::Raised, stmt.span, std::move(words));
}

} // namespace kern::checker
