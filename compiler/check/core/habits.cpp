// Advice, by what the operands are: each sentence ends in something to write.
#include "compiler/check/core/habits.h"

#include <array>

#include "compiler/advice/advice.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/support/split.h"

namespace kern::checker {

namespace {

bool is_float_number(const Value& value) { return is_number(value) && is_float(value.type); }

std::string element_of(const Checker& checker, const Value& value) {
  std::string text = short_text(checker.context.source(value.span));
  bool is_written = is_tuple(value) && !value.elements.empty() &&
                    value.elements[0].span.begin > value.span.begin &&
                    value.elements[0].span.end < value.span.end;
  if (is_written) return short_text(checker.context.source(value.elements[0].span));
  if (is_tuple(value)) return advice::element(text, "0");
  if (!is_array(value)) return text;
  return advice::element(text, is_point(value.type) ? "()" : value.type->rank == 1 ? "i" : "i, j");
}

std::string wrapped_in(const Checker& checker, std::string_view function, const Value& value) {
  std::string text = short_text(checker.context.source(value.span));
  return is_float_number(value) ? advice::call(function, text) : text;
}

bool has_kind(const Value& left, const Value& right, ValueKind kind) {
  return left.kind == kind || right.kind == kind;
}

void advise_kinds(Checker& checker, Report& report, const Value& left, const Value& right) {
  if (has_kind(left, right, ValueKind::None))
    report.note("`None` is no number; ask for it by `is None` before");
  if (has_kind(left, right, ValueKind::String) && !only_character(left) && !only_character(right))
    report.note("there are no strings in a kernel but in `print` and the messages of `assert` and `raise`");
  for (const Value& value : {left, right}) {
    std::string_view text = checker.context.source(value.span);
    if (value.kind == ValueKind::Type)
      report.note("a type is also the cast to it: `{}(x)`", to_string(value.type));
    if (value.kind == ValueKind::Function || value.kind == ValueKind::Builtin)
      report.note("to call it write `{}(...)`", text);
  }
}

} // namespace

void advise_operator(Checker& checker, Report& report, ast::BinaryOp op, const Value& left,
                     const Value& right) {
  note_characters(checker, report, std::array{left, right});
  advise_kinds(checker, report, left, right);
  bool arrays = is_array(left) || is_array(right), tuples = is_tuple(left) || is_tuple(right);
  bool takes_elements = (is_array(left) || is_tuple(left) || is_number(left)) &&
                        (is_array(right) || is_tuple(right) || is_number(right));
  if (op == ast::BinaryOp::MatrixMultiply) {
    report.note("a product of matrices is a loop over `k`: `acc += a[i, k] * b[k, j]`");
  } else if ((arrays || tuples) && takes_elements) {
    report.note("an operator takes one element of each: `{}`{}",
                advice::binary(element_of(checker, left), op, element_of(checker, right)),
                tuples ? "; of tuples `+` joins two, and `*` repeats one a constant number of times" : "");
  } else if (is_number(left) && is_number(right) && (is_float_number(left) || is_float_number(right))) {
    auto wrapped = [&](std::string_view function) {
      return advice::binary(wrapped_in(checker, function, left), op, wrapped_in(checker, function, right));
    };
    report.note("`{}` takes the whole part of a float, `{}` its bits", wrapped("i32"), wrapped("bits"));
  }
}

void advise_operator(Checker& checker, Report& report, ast::UnaryOp op, const Value& operand) {
  note_characters(checker, report, std::array{operand});
  if (is_array(operand) || is_tuple(operand))
    report.note("an operator takes one element: `{}`", advice::unary(op, element_of(checker, operand)));
  else if (is_float_number(operand))
    report.note("`{}` takes the whole part of a float, `{}` its bits",
                advice::unary(op, wrapped_in(checker, "i32", operand)),
                advice::unary(op, wrapped_in(checker, "bits", operand)));
}

void note_hidden_type(Checker& checker, Report& report, std::string_view name) {
  bool is_type = find_scalar(name) || name == "int" || name == "float";
  if (!is_type) return;
  std::optional<Span> definition;
  if (const Local* local = find_local(checker, name))
    definition = local->span;
  else
    definition = bound_outside(checker, name);
  if (definition)
    report.note(*definition, "`{}` is the name of a type, which this definition hides: give it another",
                name);
}

// Returns the type of the numbers in a tuple, as an array would hold them.
static Type element_guess(const Value& tuple) {
  Type type = types::int_literal;
  for (const Value& element : tuple.elements) {
    Type own = is_tuple(element) ? element_guess(element) : is_number(element) ? element.type : types::i32;
    type = join(type, own).value_or(is_float(own) ? own : type);
  }
  return type == types::int_literal ? types::i32 : type == types::float_literal ? types::f32 : type;
}

void advise_array(Checker& checker, Report& report, const Value& base) {
  report.note(base.span, "`{}` is {}", checker.context.source(base.span), describe(checker, base));
  if (!is_tuple(base)) return;
  std::string shape = std::to_string(base.elements.size());
  if (!base.elements.empty() && is_tuple(base.elements[0]))
    shape = fmt::format("({}, {})", shape, base.elements[0].elements.size());
  std::string_view name = checker.context.source(base.span);
  if (name.find_first_of("[.(") != name.npos) {
    report.note("a tuple is not changed: assign another one to `{}`", name);
    return;
  }
  report.note(
      "a tuple is not changed; an array that is, zeros at first, is made by `{} = local.array({}, {})`, "
      "one for the block by `shared.array`",
      name, shape, to_string(element_guess(base)));
}

} // namespace kern::checker
