// Statements in their order. What follows a return, break, continue or raise in its block is checked and
// dropped.
#include <algorithm>

#include "compiler/advice/advice.h"
#include "compiler/ast/walk.h"
#include "compiler/check/checker.h"
#include "compiler/check/inner_functions.h"
#include "compiler/check/integers.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

static const ast::StringLiteral* docstring(const ast::Stmt& stmt) {
  const auto* expr = ast::as<ast::ExprStmt>(&stmt);
  return expr ? ast::as<ast::StringLiteral>(expr->value) : nullptr;
}

bool Checker::check_block(ast::Block block) {
  for (const ast::Stmt* stmt : block)
    if (overflowed || !check_statement(*stmt)) return overflowed;
  return true;
}

bool Checker::check_statement(const ast::Stmt& stmt) {
  switch (stmt.kind) {
  case ast::Kind::ExprStmt:
    if (!docstring(stmt)) check_effect(*ast::get<ast::ExprStmt>(stmt).value);
    return true;
  case ast::Kind::Assign: check_assign(ast::get<ast::Assign>(stmt)); return true;
  case ast::Kind::AugAssign: check_aug_assign(ast::get<ast::AugAssign>(stmt)); return true;
  case ast::Kind::AnnAssign: check_ann_assign(ast::get<ast::AnnAssign>(stmt)); return true;
  case ast::Kind::If: return check_if(ast::get<ast::If>(stmt));
  case ast::Kind::While: return check_while(ast::get<ast::While>(stmt));
  case ast::Kind::For: return check_for(ast::get<ast::For>(stmt));
  case ast::Kind::Break:
  case ast::Kind::Continue: check_jump(stmt); return false;
  case ast::Kind::Pass: return true;
  case ast::Kind::Delete: check_delete(ast::get<ast::Delete>(stmt)); return true;
  case ast::Kind::Return: return check_return(ast::get<ast::Return>(stmt));
  case ast::Kind::Assert: check_assert(ast::get<ast::Assert>(stmt)); return true;
  case ast::Kind::Raise: check_raise(ast::get<ast::Raise>(stmt)); return false;
  case ast::Kind::FunctionDef: check_inner_function(*this, ast::get<ast::FunctionDef>(stmt)); return true;
  case ast::Kind::StructDef:
    unsupported(ast::get<ast::StructDef>(stmt).name_span, "a struct inside a function");
    return true;
  case ast::Kind::Import:
  case ast::Kind::FromImport: unsupported(stmt.span, "an import inside a function"); return true;
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

void Checker::check_effect(const ast::Expr& expr) {
  Value value = evaluate(expr);
  if (!final || is_error(value) || may_act(expr)) return;
  std::string advice;
  const auto* compare = ast::as<ast::Compare>(&expr);
  if (compare && is_place(*compare->operands[0]) && compare->ops.size() == 1 &&
      compare->ops[0] == ast::CompareOp::Equal)
    advice = fmt::format("; to assign write `{} = {}`", context.source(compare->operands[0]->span),
                         context.source(compare->operands[1]->span));
  else if (value.kind == ValueKind::Function || value.kind == ValueKind::Builtin)
    advice = fmt::format("; to call it write `{}`",
                         advice::call(context.source(expr.span),
                                      value.function && value.function->def->params.empty() ? "" : "..."));
  if (scope->is_numba())
    report(expr.span, diag::unused_value, context.source(expr.span), advice);
  else
    report(expr.span, diag::no_effect, context.source(expr.span), advice);
}

// A condition that is known now leaves one branch, and the other is not looked at: `if DEBUG:`, `if bias is
// None:`.
bool Checker::check_if(const ast::If& stmt) {
  Value value = evaluate_condition(*stmt.condition);
  if (std::optional<bool> truth = constant_truth(value))
    return check_block(*truth ? stmt.then_body : stmt.else_body);
  std::optional<ir::Operand> condition = as_condition(value);
  if (!condition) condition = variable(types::boolean, stmt.condition->span);
  bool then_ends = false, else_ends = false;
  ir::Body then_body = conditional_body([&] { then_ends = check_block(stmt.then_body); });
  ir::Body else_body = conditional_body([&] { else_ends = check_block(stmt.else_body); });
  emit(ir::If{*condition, std::move(then_body), std::move(else_body)}, stmt.condition->span);
  return then_ends || else_ends;
}

bool Checker::check_while(const ast::While& stmt) {
  return check_loop(stmt.body, stmt.else_body, stmt.condition->span,
                    [&] { return check_while_rounds(stmt); });
}

bool Checker::check_while_rounds(const ast::While& stmt) {
  ir::Operand condition = ir::constant_bool(true);
  ir::Body body_ir;
  std::optional<bool> truth;
  loops.push_back(next_loop());
  ++depth;
  ir::Body head = body_of([&] {
    Value value = evaluate_condition(*stmt.condition);
    truth = constant_truth(value);
    std::optional<ir::Operand> operand = as_condition(value);
    condition = operand ? *operand : variable(types::boolean, stmt.condition->span);
  });
  bool never = truth && !*truth;
  if (!never) body_ir = body_of([&] { check_block(stmt.body); });
  forget_known(--depth);
  bool has_break = loops.back().has_break;
  loops.pop_back();
  if (never) return true;
  emit(ir::While{std::move(head), condition, std::move(body_ir)}, stmt.condition->span);
  return has_break || !truth;
}

// A `break` sets the flag that ends the rounds of an unrolled loop, each of which is a loop of its own, and that
// passes over the loop's `else`.
void Checker::check_jump(const ast::Stmt& stmt) {
  if (loops.empty()) return;
  Loop& loop = loops.back();
  bool is_break = stmt.kind == ast::Kind::Break;
  if (is_break) loop.has_break = true;
  if (is_break && loop.stop_flag) assign(*loop.stop_flag, ir::constant_bool(true), stmt.span);
  if (is_break)
    emit(ir::Break{}, stmt.span);
  else
    emit(ir::Continue{}, stmt.span);
}

bool Checker::check_return(const ast::Return& stmt) {
  Value value = stmt.value ? evaluate(*stmt.value) : plain_value(ValueKind::None, stmt.span);
  bool is_none = value.kind == ValueKind::None;
  if (instance->is_kernel) {
    if (!is_none && !is_error(value))
      report(stmt.span, diag::kernel_returns_value, instance->function->def->name);
    emit(ir::Return{}, stmt.span);
    return false;
  }
  Local& result = instance->result;
  if (is_none) {
    if (!bare_return) bare_return = stmt.span;
    emit(ir::Return{}, stmt.span);
    return false;
  }
  returns_value = true;
  std::optional<Type> type = type_of(value);
  if (!is_error(value) && (!type || !is_storable(value))) {
    report(stmt.value->span, diag::cannot_return, describe(value));
    return false;
  }
  if (result.annotated) note_meeting(value, result.type, stmt.value->span);
  if (!is_error(value) && !result.pinned) {
    // The locals of literals that the value is made of find their types first, and the result waits for them.
    if (value.literals) result.literal.waits = true;
    note_literals_of(result, value);
    if (scope->is_numba()) type = default_deep(*type);
    std::optional<Type> joined = join_types(result.now.joined, *type);
    if (joined && has_exact_integers(*this)) joined = holding_literals(result, *joined);
    if (!joined && final && is_number(value) && is_integer(value.type)) {
      report(stmt.value->span, diag::returns_differ, describe(value), to_string(result.now.joined))
          .note(result.type_span, "this returns {}", to_string(result.now.joined))
          .note("declare the result, `-> {}` or `-> i64`",
                to_string(is_word(value.type) ? value.type : result.now.joined));
      return false;
    }
    if (joined && *joined != result.now.joined) result.type_span = stmt.value->span;
    if (joined) result.now.joined = *joined;
  }
  Type to = final || result.pinned ? result.type : result.now.joined;
  ir::Return node;
  if (final && !is_error(value) && to != types::unknown) {
    bool fits = converts_deep(value, to, result.annotated) && is_tuple(value) == is_tuple(to);
    if (!fits && !result.annotated) {
      report(stmt.value->span, diag::returns_differ, describe(value), to_string(to))
          .note(result.type_span, "this returns {}", to_string(to));
      return false;
    }
    Value converted = convert_value(value, to, Purpose::Return);
    if (!is_error(converted)) flatten(converted, node.values);
  }
  emit(std::move(node), stmt.span);
  return false;
}

// Returns the text of a name for a string. What any other name is does not matter: it is no value here.
static std::optional<std::string> named_text(Checker& checker, const ast::Expr& name) {
  if (name.kind != ast::Kind::Name && name.kind != ast::Kind::Attribute) return std::nullopt;
  Diagnostics& diagnostics = checker.context.diagnostics;
  const ReportingScope quiet(diagnostics, false);
  Value value;
  checker.body_of([&] { value = checker.evaluate(name); });
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

void Checker::check_assert(const ast::Assert& stmt) {
  Value value = evaluate_condition(*stmt.condition);
  std::optional<ir::Operand> condition = as_condition(value);
  if (!condition) return;
  std::string words = message_of(*this, stmt.message, std::string(context.source(stmt.condition->span)));
  check_condition(*condition, ir::FaultKind::AssertFailed, stmt.span, std::move(words));
}

void Checker::check_raise(const ast::Raise& stmt) {
  std::string words = message_of(*this, stmt.value, "raise");
  check_condition(ir::constant_bool(false), ir::FaultKind::Raised, stmt.span, std::move(words));
}

} // namespace kern::checker
