// Expressions to values, in Python's order, each part once.
#include <algorithm>
#include <cmath>

#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/calls.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/tuples.h"
#include "compiler/check/core/wide_bits.h"
#include "compiler/check/decorators.h"
#include "compiler/check/expressions.h"
#include "compiler/check/names.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/parse.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

static Value evaluate_node(Checker& checker, const ast::Expr& expr);
static Value evaluate_conditional(Checker& checker, const ast::Conditional& expr);
static Value evaluate_bool_op(Checker& checker, const ast::BoolOp& expr);
static Value evaluate_compare(Checker& checker, const ast::Compare& expr);

Value evaluate(Checker& checker, const ast::Expr& expr) {
  if (!checker.count_steps(1, expr.span)) return error_value(expr.span);
  Value value = evaluate_node(checker, expr);
  if (!value.elements.empty() && !checker.count_steps(value.elements.size(), expr.span))
    return error_value(expr.span);
  const auto* negative = ast::as<ast::Unary>(&expr);
  value.from_end =
      negative && negative->op == ast::UnaryOp::Negative && negative->operand->kind == ast::Kind::IntLiteral;
  if (value.kind == ValueKind::Record) return whole_record(checker, value);
  if (value.kind == ValueKind::Table && checker.instance) return read_table(checker, value, expr.span);
  return value.kind == ValueKind::Rows ? rows_view(checker, value) : value;
}

Value evaluate_place(Checker& checker, const ast::Expr& expr) {
  const auto* subscript = ast::as<ast::Subscript>(&expr);
  const auto* attribute = ast::as<ast::Attribute>(&expr);
  if (!subscript && !attribute) return evaluate(checker, expr);
  Value value = subscript ? evaluate_subscript(checker, *subscript) : evaluate_attribute(checker, *attribute);
  return value.kind == ValueKind::Table && checker.instance ? read_table(checker, value, expr.span) : value;
}

static Value evaluate_tuple(Checker& checker, const ast::ExprList& elements, Span span) {
  Value tuple = tuple_value({}, span);
  std::size_t leaves = 0;
  for (const ast::Expr* element : elements) {
    // The rest of a tuple that is too long is not needed: bounded() refuses it below.
    if (leaves > limits::table_elements) break;
    if (const auto* starred = ast::as<ast::Starred>(element)) {
      Value inner = evaluate(checker, *starred->value);
      if (!is_tuple(inner)) {
        if (!is_error(inner)) checker.report(inner.span, diag::cannot_unpack, describe(checker, inner));
        return error_value(span);
      }
      leaves += leaf_count(inner);
      for (Value& value : inner.elements) tuple.elements.push_back(std::move(value));
      continue;
    }
    tuple.elements.push_back(evaluate(checker, *element));
    if (is_error(tuple.elements.back())) return error_value(span);
    leaves += leaf_count(tuple.elements.back());
  }
  return bounded(checker, std::move(tuple));
}

static Value evaluate_float(Checker& checker, const ast::FloatLiteral& expr) {
  if (std::isfinite(expr.value) || checker.rules.types_literals) return float_value(expr.value, expr.span);
  checker
      .report(expr.span, diag::literal_does_not_fit, checker.context.source(expr.span), to_string(types::f64))
      .note("infinity is `math.inf`");
  return error_value(expr.span);
}

static Value evaluate_unary(Checker& checker, const ast::Unary& expr) {
  bool is_not = expr.op == ast::UnaryOp::Not;
  return unary(checker, expr.op,
               is_not ? evaluate_condition(checker, *expr.operand) : evaluate(checker, *expr.operand),
               expr.span);
}

static Value evaluate_binary(Checker& checker, const ast::Binary& expr) {
  Value left = evaluate(checker, *expr.left);
  Value right = evaluate(checker, *expr.right);
  Value result = binary(checker, expr.op, left, right, expr.span);
  warn_shifted_out(checker, expr, left);
  return result;
}

static Value evaluate_dict(Checker& checker, const ast::Dict& dict) {
  Value value = plain_value(ValueKind::Dict, dict.span);
  for (std::size_t i = 0; i < dict.keys.size(); ++i) {
    value.elements.push_back(evaluate(checker, *dict.keys[i]));
    // One value of a dict may be known where another is not, so errors in them are not reported here.
    const Silence silence(checker);
    value.elements.push_back(evaluate(checker, *dict.values[i]));
  }
  return value;
}

// (a := value)
static Value evaluate_named(Checker& checker, const ast::NamedExpr& expr) {
  Value value = evaluate(checker, *expr.value);
  Local* local = find_local(checker, expr.target->text);
  if (!local) return checker.unsupported(expr.span, "`:=` outside of a function");
  if (value.kind == ValueKind::None && expr.value->kind == ast::Kind::Call) {
    checker.report(expr.value->span, diag::no_value, checker.context.source(expr.value->span));
    return error_value(expr.span);
  }
  assign_local(checker, *local, value, expr, expr.value->span, false);
  return read_at(value, expr.span);
}

static Value evaluate_node(Checker& checker, const ast::Expr& expr) {
  switch (expr.kind) {
  case ast::Kind::Name: return read_name(checker, ast::get<ast::Name>(expr));
  case ast::Kind::IntLiteral: return int_value(WideInt(ast::get<ast::IntLiteral>(expr).value), expr.span);
  case ast::Kind::FloatLiteral: return evaluate_float(checker, ast::get<ast::FloatLiteral>(expr));
  case ast::Kind::ImaginaryLiteral:
    return complex_value({0, ast::get<ast::ImaginaryLiteral>(expr).value}, expr.span);
  case ast::Kind::BoolLiteral: return bool_value(ast::get<ast::BoolLiteral>(expr).value, expr.span);
  case ast::Kind::NoneLiteral: return plain_value(ValueKind::None, expr.span);
  case ast::Kind::EllipsisLiteral: return plain_value(ValueKind::Ellipsis, expr.span);
  case ast::Kind::StringLiteral:
    return text_value(ValueKind::String, ast::get<ast::StringLiteral>(expr).value, expr.span);
  case ast::Kind::Unary: return evaluate_unary(checker, ast::get<ast::Unary>(expr));
  case ast::Kind::Binary: return evaluate_binary(checker, ast::get<ast::Binary>(expr));
  case ast::Kind::Compare: return evaluate_compare(checker, ast::get<ast::Compare>(expr));
  case ast::Kind::NamedExpr: return evaluate_named(checker, ast::get<ast::NamedExpr>(expr));
  case ast::Kind::BoolOp: return evaluate_bool_op(checker, ast::get<ast::BoolOp>(expr));
  case ast::Kind::Conditional: return evaluate_conditional(checker, ast::get<ast::Conditional>(expr));
  case ast::Kind::Call: return evaluate_call(checker, ast::get<ast::Call>(expr));
  case ast::Kind::Subscript: return evaluate_subscript(checker, ast::get<ast::Subscript>(expr));
  case ast::Kind::Attribute: return evaluate_attribute(checker, ast::get<ast::Attribute>(expr));
  case ast::Kind::Tuple: return evaluate_tuple(checker, ast::get<ast::Tuple>(expr).elements, expr.span);
  case ast::Kind::List: return evaluate_tuple(checker, ast::get<ast::List>(expr).elements, expr.span);
  case ast::Kind::Dict: return evaluate_dict(checker, ast::get<ast::Dict>(expr));
  case ast::Kind::Lambda:
    return function_value(lambda_function(*checker.scope, ast::get<ast::Lambda>(expr)), expr.span);
  case ast::Kind::Set:
    checker.report(expr.span, diag::python_construct, "a set display", "use a tuple or an array");
    return error_value(expr.span);
  case ast::Kind::Comprehension:
    checker.report(expr.span, diag::python_construct, "a comprehension",
                   "write a `for` loop that fills an array");
    return error_value(expr.span);
  case ast::Kind::Slice:
  case ast::Kind::Starred:
    return checker.unsupported(expr.span, fmt::format("`{}` outside of square brackets and calls",
                                                      checker.context.source(expr.span)));
  case ast::Kind::ExprStmt:
  case ast::Kind::Assign:
  case ast::Kind::AugAssign:
  case ast::Kind::AnnAssign:
  case ast::Kind::If:
  case ast::Kind::While:
  case ast::Kind::For:
  case ast::Kind::Break:
  case ast::Kind::Continue:
  case ast::Kind::Pass:
  case ast::Kind::Delete:
  case ast::Kind::Return:
  case ast::Kind::Assert:
  case ast::Kind::Raise:
  case ast::Kind::FunctionDef:
  case ast::Kind::StructDef:
  case ast::Kind::Import:
  case ast::Kind::FromImport: break;
  }
  return error_value(expr.span);
}

// Says whether an expression may be evaluated for its type alone: it calls nothing but casts and what is
// pure.
static bool is_plain(Checker& checker, const ast::Expr& expr) {
  if (const auto* unary = ast::as<ast::Unary>(&expr)) return is_plain(checker, *unary->operand);
  if (const auto* binary = ast::as<ast::Binary>(&expr))
    return is_plain(checker, *binary->left) && is_plain(checker, *binary->right);
  if (const auto* subscript = ast::as<ast::Subscript>(&expr)) {
    return is_plain(checker, *subscript->value) &&
           std::ranges::all_of(subscript->indices,
                               [&](const ast::Expr* index) { return is_plain(checker, *index); });
  }
  if (const auto* attribute = ast::as<ast::Attribute>(&expr)) return is_plain(checker, *attribute->value);
  if (const auto* call = ast::as<ast::Call>(&expr)) {
    Value callee = evaluate(checker, *call->callee);
    bool is_pure = callee.kind == ValueKind::Type ||
                   (callee.kind == ValueKind::Builtin && row(callee.builtin).effects == Effects::Pure);
    return is_pure && call->keywords.empty() &&
           std::ranges::all_of(call->args, [&](const ast::Expr* arg) { return is_plain(checker, *arg); });
  }
  return expr.kind == ast::Kind::Name || expr.kind == ast::Kind::IntLiteral ||
         expr.kind == ast::Kind::FloatLiteral || expr.kind == ast::Kind::BoolLiteral;
}

// Returns what the end of a conditional that is not taken would be; nothing is written or reported for it.
static Value untaken_end(Checker& checker, const ast::Expr& expr) {
  Value value = error_value(expr.span);
  const Silence silence(checker);
  std::vector<Span> widening = checker.widening;
  checker.body_of([&] {
    if (is_plain(checker, expr)) value = evaluate(checker, expr);
  });
  checker.widening = std::move(widening);
  return value;
}

static Value evaluate_conditional(Checker& checker, const ast::Conditional& expr) {
  Value condition = evaluate_condition(checker, *expr.condition);
  if (std::optional<bool> truth = constant_truth(condition)) {
    Value taken = evaluate(checker, *truth ? *expr.then_value : *expr.else_value);
    if (!is_number(taken)) return taken;
    Value other = untaken_end(checker, *truth ? *expr.else_value : *expr.then_value);
    return joined_with(checker, std::move(taken), other, expr.span);
  }
  std::optional<ir::Operand> operand = as_condition(checker, condition);
  if (!operand) {
    if (is_error(condition)) return condition;
    operand = ir::Operand{types::boolean, std::nullopt, 0};
    if (!is_unknown(condition)) return error_value(expr.span);
    operand = checker.variable(types::boolean, expr.span);
  }
  return merge(
      checker, expr.span, *operand, [&] { return evaluate(checker, *expr.then_value); },
      [&] { return evaluate(checker, *expr.else_value); });
}

// Returns the value of an operand of `and` or `or`; only its truth, as a bool, where no more is asked.
static Value operand_of(Checker& checker, const ast::Expr& expr, bool truth_only) {
  if (!truth_only) return evaluate(checker, expr);
  Value value = evaluate_condition(checker, expr);
  if (is_error(value) || is_unknown(value) || constant_truth(value)) return value;
  std::optional<ir::Operand> truth = as_condition(checker, value);
  return truth ? runtime_value(*truth, value.span) : error_value(value.span);
}

// `a and b` is b if a is true, else a; of two bools it is a bool.
static Value combine(Checker& checker, const ast::BoolOp& expr, bool truth_only) {
  bool is_and = expr.op == ast::BoolOpKind::And;
  Value left = operand_of(checker, *expr.operands[0], truth_only);
  for (std::size_t index = 1; index < expr.operands.size(); ++index) {
    if (is_error(left)) return left;
    std::optional<bool> truth = constant_truth(left);
    bool joins = truth && !truth_only && is_number(left);
    if (truth && *truth != is_and) {
      for (; joins && index < expr.operands.size(); ++index)
        left = joined_with(checker, left, untaken_end(checker, *expr.operands[index]), expr.span);
      return left;
    }
    if (truth) {
      Value before = left;
      left = operand_of(checker, *expr.operands[index], truth_only);
      if (joins) left = joined_with(checker, left, before, expr.span);
      continue;
    }
    ir::Operand condition = is_unknown(left) ? checker.variable(types::boolean, expr.span) : ir::Operand{};
    if (!is_unknown(left)) {
      std::optional<ir::Operand> operand = as_condition(checker, left);
      if (!operand) return error_value(expr.span);
      condition = *operand;
    }
    const ast::Expr& next = *expr.operands[index];
    Span span = cover(expr.operands[0]->span, next.span);
    Value kept = left;
    auto rest = [&] { return operand_of(checker, next, truth_only); };
    auto keep = [&] { return kept; };
    left = is_and ? merge(checker, span, condition, rest, keep) : merge(checker, span, condition, keep, rest);
  }
  return left;
}

static Value evaluate_bool_op(Checker& checker, const ast::BoolOp& expr) {
  return combine(checker, expr, false);
}

// Evaluates what only its truth is asked of: `if a and b:` needs no type that a and b have in common.
Value evaluate_condition(Checker& checker, const ast::Expr& expr) {
  if (const auto* both = ast::as<ast::BoolOp>(&expr)) return combine(checker, *both, true);
  return evaluate(checker, expr);
}

// Compares operand i with operand i + 1, then, only where that holds, i + 1 with i + 2, inside each other.
static Value compare_chain(Checker& checker, const ast::Compare& expr, std::size_t i, const Value& left) {
  Value right = evaluate(checker, *expr.operands[i + 1]);
  // Brackets around the first and last operand are part of the whole alone.
  bool is_whole = expr.ops.size() == 1;
  Span span = is_whole ? expr.span : cover(expr.operands[i]->span, expr.operands[i + 1]->span);
  Value result = compare_values(checker, expr.ops[i], left, right, span);
  if (i + 1 == expr.ops.size() || is_error(result)) return result;
  auto rest = [&] { return compare_chain(checker, expr, i + 1, right); };
  if (std::optional<bool> truth = constant_truth(result)) return *truth ? rest() : result;
  ir::Operand condition = is_unknown(result) ? checker.variable(types::boolean, span) : result.operand;
  Span whole = cover(expr.operands[i]->span, expr.operands.back()->span);
  return merge(checker, whole, condition, rest, [&] { return bool_value(false, span); });
}

// a < b < c: b is evaluated once, c only where a < b.
static Value evaluate_compare(Checker& checker, const ast::Compare& expr) {
  Value left = evaluate(checker, *expr.operands[0]);
  return compare_chain(checker, expr, 0, left);
}

} // namespace kern::checker
