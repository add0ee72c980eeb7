// A loop rounds its sum in each round: where ones are less than half of the last digit, the sum stays what it is.
#include "compiler/check/half_sums.h"

#include "compiler/ast/walk.h"
#include "compiler/check/integers.h"
#include "compiler/check/texts.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

static bool is_half(Type type) { return type == types::f16 || type == types::bf16; }

static bool adds(ast::BinaryOp op) { return op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract; }

// Says whether the next statement runs in a loop that is one: a loop over a tuple is written out, and its sum is a short one.
static bool is_in_loop(const Checker& checker) {
  return checker.loops.size() > static_cast<std::size_t>(checker.unrolled);
}

static Report report_sum(Checker& checker, Span span, std::string_view name, Type type,
                         std::string_view advice) {
  return checker.report(span, diag::half_sum, name, to_string(type), type == types::f16 ? 2048 : 256, advice);
}

// Warns of a local that a loop adds to.
static void warn_half_local(Checker& checker, const Local& local, Span span) {
  bool counts = checker.final && has_exact_integers(checker) && is_half(local.type) && is_in_loop(checker);
  if (!counts || !checker.context.diagnostics.enabled()) return;
  bool fresh = checker.context.reported.insert({"half_sum", local.span.file, local.span.begin}).second;
  if (!fresh) return;
  report_sum(checker, span, local.name, local.type, fmt::format("declare `{}: f32 = ...`", local.name))
      .note(local.span, "`{}` starts here", local.name);
}

void warn_half_sum(Checker& checker, const ast::Binary& sum, Span span) {
  const ast::Assign* assign = checker.assigned;
  const auto* target =
      assign && assign->targets.size() == 1 ? ast::as<ast::Name>(assign->targets[0]) : nullptr;
  if (!target || !adds(sum.op) || assign->value != &sum) return;
  auto is_target = [&](const ast::Expr* operand) {
    const auto* name = ast::as<ast::Name>(operand);
    return name && name->text == target->text;
  };
  const Local* local = checker.find_local(target->text);
  if (local && (is_target(sum.left) || (sum.op == ast::BinaryOp::Add && is_target(sum.right))))
    warn_half_local(checker, *local, span);
}

void warn_half_sum(Checker& checker, const ast::AugAssign& stmt) {
  const auto* name = ast::as<ast::Name>(stmt.target);
  const Local* local = name ? checker.find_local(name->text) : nullptr;
  if (local && adds(stmt.op)) warn_half_local(checker, *local, stmt.span);
}

// Says whether an expression gives the same in each round of the innermost loop: it is made of numbers, of what is no local, and
// of locals that one statement outside of the loop assigns.
static bool is_steady(Checker& checker, const ast::Expr& expr) {
  if (expr.kind == ast::Kind::Call || expr.kind == ast::Kind::NamedExpr) return false;
  const auto* name = ast::as<ast::Name>(&expr);
  const Local* local = name ? checker.find_local(name->text) : nullptr;
  if (local && local->assignments > 0)
    return local->assignments == 1 && local->assigned_loops < checker.loops.size();
  bool steady = true;
  ast::each_part(expr, [&](const ast::Expr& part) { steady = steady && is_steady(checker, part); });
  return steady;
}

void warn_half_element(Checker& checker, const ast::AugAssign& stmt, Type element) {
  const auto* subscript = ast::as<ast::Subscript>(stmt.target);
  bool counts = checker.final && has_exact_integers(checker) && is_half(element) && adds(stmt.op) &&
                is_in_loop(checker) && subscript;
  if (!counts) return;
  for (const ast::Expr* index : subscript->indices)
    if (!is_steady(checker, *index)) return;
  report_sum(checker, stmt.span, short_text(checker.context.source(stmt.target->span)), element,
             "add to a local that starts as `f32(0)`, and store it behind the loop");
}

void warn_half_total(Checker& checker, const Value& array, Type sum, const std::optional<Value>& start,
                     Span span) {
  if (!checker.final || !has_exact_integers(checker) || !is_half(sum)) return;
  std::string values = short_text(checker.context.source(array.span));
  std::string first =
      start ? fmt::format("f32({})", short_text(checker.context.source(start->span))) : "f32(0)";
  report_sum(checker, span, short_text(checker.context.source(span)), sum,
             fmt::format("write `sum({}, {})`", values, first));
}

} // namespace kern::checker
