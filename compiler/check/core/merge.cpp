// What two ends of a conditional have in common: a variable that each of them assigns.
#include <algorithm>
#include <cmath>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// A tuple that holds another one twice is twice as large: a few lines of it would be too much.
Value bounded(Checker& checker, Value tuple) {
  auto most = static_cast<std::size_t>(limits::tuple_elements);
  std::size_t leaves = leaf_count(tuple);
  if (leaves > most && !is_constant(tuple))
    checker.report(tuple.span, diag::tuple_too_long, limits::tuple_elements);
  else if (leaves > limits::table_elements)
    checker.report(tuple.span, diag::tuple_too_long, static_cast<std::int64_t>(limits::table_elements));
  else if (tuple_depth(tuple) > limits::tuple_nesting)
    checker.report(tuple.span, diag::nesting_too_deep, limits::tuple_nesting,
                   "let the tuples stand side by side");
  else
    return tuple;
  return error_value(tuple.span);
}

// Returns what a slot assigned on both paths would hold: the join, tuples element by element.
static std::optional<Type> merged_type(Checker& checker, const Value& yes, const Value& no) {
  std::optional<Type> a = type_of(checker, yes), b = type_of(checker, no);
  if (!a || !b || *a == types::none || *b == types::none) return std::nullopt;
  if (has_exact_integers(checker) && is_number(yes) && is_number(no)) {
    if (is_integer(yes.type) && is_integer(no.type)) return chosen_type(checker, std::array{yes, no});
    auto own = [](const Value& value, Type type, Type other) {
      return fits_by_type(value, other) ? other : type;
    };
    bool has_float = (is_scalar(*a) && is_float(*a)) || (is_scalar(*b) && is_float(*b));
    if (has_float) return join_types(checker, own(yes, *a, *b), own(no, *b, *a));
  }
  return join_types(checker, *a, *b);
}

static void write_variables(Checker& checker, const std::vector<ir::Operand>& variables, const Value& value,
                            Type type, const Value& other) {
  Value converted = convert_value(checker, value, type, {Purpose::Operand, other.span});
  if (is_error(converted)) return;
  std::vector<ir::Operand> leaves;
  flatten(checker, converted, leaves);
  for (std::size_t i = 0; i < leaves.size() && i < variables.size(); ++i)
    checker.retarget(*variables[i].slot, leaves[i], value.span);
}

// Says whether statements may run where their values are not needed.
static bool is_pure(const ir::Body& body) {
  for (const ir::Stmt& stmt : body) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign || std::holds_alternative<ir::LocalArray>(assign->value)) return false;
  }
  return true;
}

// Evaluates both ways into bodies of an `if`; what comes out is a variable that each assigns. Two literals
// wait for the type that they meet.
Value merge(Checker& checker, Span span, ir::Operand condition, const std::function<Value()>& yes,
            const std::function<Value()>& no) {
  Value then_value, else_value;
  ir::Body then_body = conditional_body(checker, [&] { then_value = yes(); });
  ir::Body else_body = conditional_body(checker, [&] { else_value = no(); });
  if (is_error(then_value) || is_error(else_value)) return error_value(span);
  auto is_choice = [](const Value& value) {
    return is_literal(value) || value.kind == ValueKind::Choice || value.kind == ValueKind::Deferred;
  };
  bool waits = is_choice(then_value) && is_choice(else_value) && !checker.rules.types_literals;
  if (waits && is_pure(then_body) && is_pure(else_body)) {
    checker.append(std::move(then_body));
    checker.append(std::move(else_body));
    Value choice = plain_value(ValueKind::Choice, span);
    bool ints = then_value.type == types::int_literal && else_value.type == types::int_literal;
    bool complex = is_complex(then_value.type) || is_complex(else_value.type);
    choice.type = ints ? types::int_literal : complex ? types::complex_literal : types::float_literal;
    choice.operand = condition;
    choice.elements = {std::move(then_value), std::move(else_value)};
    return choice;
  }
  std::optional<Type> type = merged_type(checker, then_value, else_value);
  if (!type) {
    Report error =
        checker.report(span, diag::ends_differ, describe(checker, then_value), describe(checker, else_value));
    if (mixes_words(then_value.type, else_value.type))
      error.note("write {}", both_casts(checker, then_value, else_value));
    return error_value(span);
  }
  // The type of a literal beside a value that has no type yet is not known.
  bool unknown = has_unknown(then_value) || has_unknown(else_value);
  bool is_open = unknown && !checker.rules.types_literals && default_deep(checker, *type) != *type;
  if (*type == types::unknown || is_open) return unknown_value(span);
  note_operands_meet(checker, then_value, else_value);
  if (std::optional<Value> value =
          undecided_operation(checker, ast::BinaryOp::Add, *type, then_value, else_value, span))
    return *value;
  bool open = !checker.final && !checker.rules.types_literals &&
              (has_open_part(then_value) || has_open_part(else_value));
  if (!open) type = default_deep(checker, *type);
  std::vector<ir::Operand> variables;
  Value result = value_of_leaves(
      *type, span, [&](Type leaf) { return variables.emplace_back(checker.variable(leaf, span)); });
  auto write = [&](ir::Body& into, const Value& value, const Value& other) {
    checker.write_into(into, [&] { write_variables(checker, variables, value, *type, other); });
  };
  write(then_body, then_value, else_value);
  write(else_body, else_value, then_value);
  checker.emit(ir::If{condition, std::move(then_body), std::move(else_body)}, span);
  result.most = std::max(most_bits_as(then_value, *type), most_bits_as(else_value, *type));
  if (has_exact_integers(checker)) take_making(result, std::array<const Value*, 2>{&then_value, &else_value});
  mark_waiting(result);
  keep_literal_locals(checker, result, std::array<const Value*, 2>{&then_value, &else_value});
  return result;
}

Value joined_with(Checker& checker, Value taken, const Value& other, Span span) {
  if (!is_number(taken) || !is_number(other)) return taken;
  std::optional<Type> type = merged_type(checker, taken, other);
  if (!type || *type == types::unknown || !(is_scalar(*type) || is_literal(*type))) return taken;
  if (*type == taken.type) return taken;
  note_operands_meet(checker, taken, other);
  if (is_literal(taken) && *type == types::complex_literal)
    return complex_value(*constant_complex(taken), span);
  if (is_literal(taken) && is_literal(*type)) return float_value(*constant_real(taken), span);
  if (is_literal(*type)) return taken;
  Value result = convert_value(checker, taken, *type, Purpose::Operand);
  if (has_exact_integers(checker)) result.span = span;
  return result;
}

} // namespace kern::checker
