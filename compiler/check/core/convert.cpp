// Values to operands of a type: the one conversion rule, the literals that take the type they meet, and the
// errors that write the cast.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/advice/advice.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/shared_literals.h"
#include "compiler/check/core/stored_sums.h"
#include "compiler/check/core/tuples.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/split.h"
#include "compiler/values/fold.h"

namespace kern::checker {

// Returns an operand of a type for what was reported already, or has no type yet.
static ir::Operand placeholder(Checker& checker, Type type, Span span) {
  if (is_scalar(type) && (is_integer(type) || is_boolean(type))) return ir::constant_int(type, 0);
  if (is_scalar(type) && is_float(type)) return ir::constant_float(type, 0);
  if (is_scalar(type) && is_complex(type)) return ir::constant_complex(type, 0, 0);
  return checker.slot_operand(checker.new_slot("", type, ir::Slot::Kind::Variable, span));
}

static ir::Operand literal_operand(Checker& checker, const Value& literal, Type type) {
  if (is_complex(type)) {
    std::complex<double> value = *constant_complex(literal);
    return ir::constant_complex(type, value.real(), value.imag());
  }
  if (is_int_literal(literal)) return constant_of(type, literal.integer);
  return cast(checker, ir::constant_float(types::f64, literal.real()), type, literal.span);
}

// Says whether a word takes the low bits of a literal: of one that is inverted, `w & ~3`, `crc: u32 = ~0`.
static bool takes_low_bits(const Value& literal, Type type) { return literal.of_literals && is_word(type); }

// Says whether a literal becomes a value of a type, by itself.
static bool literal_converts(const Value& literal, Type type, bool casts) {
  if (!is_scalar(type) || (is_complex_literal(literal) && !is_complex(type))) return false;
  if (is_complex(type) && casts) return true;
  if (is_complex_literal(literal))
    return literal_fits(literal.real(), type) && literal_fits(literal.imaginary(), type);
  // Only top-level code of a .py file computes integers of more than 64 bits.
  if (casts)
    return !is_int_literal(literal) || is_float(type) || literal_fits(literal.integer, types::i64) ||
           literal_fits(literal.integer, types::u64);
  if (is_boolean(type)) return false;
  return is_int_literal(literal) ? literal_fits(literal.integer, type)
                                 : !is_integer(type) && literal_fits(literal.real(), type);
}

// Notes the declaration that lets a local start with a literal beyond the type that it becomes.
static void note_declaration(Checker& checker, Report& error, const Value& literal, Span place) {
  if (!is_int_literal(literal) || !checker.instance) return;
  for (const auto& [name, local] : checker.instance->locals) {
    Type type = literal.integer >= 0 ? types::u64 : types::i64;
    if (local.span != place || local.annotated || !literal_fits(literal.integer, type)) continue;
    error.note("declare it where it starts: `{}`",
               advice::declaration(name, type, short_text(checker.context.source(literal.span))));
  }
}

static void report_conversion(Checker& checker, const Value& value, Type type, Purpose purpose) {
  if (is_complex_number(value) && is_scalar(type) && !is_complex(type))
    return report_complex_to_real(checker, value, type);
  if (is_literal(value) && is_scalar(type) && !is_boolean(type)) {
    Span literal = value.written == Span{} ? value.span : value.written;
    Report error = checker.report(value.span, diag::literal_does_not_fit,
                                  std::string(checker.context.source(literal)), to_string(type));
    if (!(literal == value.span)) error.note(literal, "it stands here");
    if (purpose.kind == Purpose::Assignment) note_declaration(checker, error, value, purpose.place);
    bool is_known = purpose.place == Span{} || note_origin(checker, error, purpose.place, type);
    if (!is_known && purpose.kind != Purpose::Store && purpose.kind != Purpose::Param)
      error.note(purpose.place, "`{}` is {}", short_text(checker.context.source(purpose.place)),
                 to_string(type));
    return;
  }
  std::string from = describe(checker, value);
  if (!is_number(value) || !is_scalar(type)) {
    Report error = checker.report(value.span, diag::wrong_type, from, to_string(type));
    if (is_scalar(type) && is_integer(type)) note_characters(checker, error, {&value, 1});
    return;
  }
  std::optional<StoredSum> sum = stored_sum(checker, value.span);
  std::string words = sum ? sum->assigned(advice::cast(sum->text(), type))
                          : cast_text(checker, value, purpose.kind == Purpose::Index ? types::i64 : type);
  bool is_part = is_unpacked(checker, value);
  Span place = is_part ? checker.unpacked->target : value.span;
  Report error = checker.report(place, diag::needs_cast, from, to_string(type), words);
  if (is_part)
    note_origin(checker, error, checker.unpacked->whole, value.type);
  else
    note_origin(checker, error, value, type);
  if (purpose.kind == Purpose::Store) note_origin(checker, error, purpose.place, type);
}

// Says whether a conversion is into a place, where an integer is checked: an operand has to be of its type.
static bool is_place(const Purpose& purpose) {
  return purpose.kind != Purpose::Operand && purpose.kind != Purpose::Index;
}

// Returns the words for what a value goes into; nothing where the source has none.
static std::string place_words(const Checker& checker, const Purpose& purpose) {
  auto quoted = [](std::string_view text) {
    std::string words = short_text(text);
    return words == "..." ? "" : fmt::format("`{}`", words);
  };
  switch (purpose.kind) {
  case Purpose::Store: return quoted(checker.context.source(purpose.place));
  case Purpose::Return:
    return fmt::format("the result of `{}`", checker.instance ? checker.instance->result.name : "");
  case Purpose::Param: return fmt::format("the parameter `{}`", checker.context.source(purpose.place));
  case Purpose::Assignment: {
    if (!checker.instance || purpose.place == Span{}) return "";
    auto found = std::ranges::find_if(checker.instance->locals,
                                      [&](const auto& named) { return named.second.span == purpose.place; });
    return found == checker.instance->locals.end() ? "" : quoted(found->second.name);
  }
  case Purpose::Operand:
  case Purpose::Argument:
  case Purpose::Index: break;
  }
  return "";
}

// Emits the check of an integer that a type may not hold, and returns it in that type.
static ir::Operand checked_fit(Checker& checker, const Value& value, Type type, Purpose purpose) {
  std::string a_type = fmt::format("{} {}", is_signed(type) ? "an" : "a", to_string(type));
  std::string place = place_words(checker, purpose);
  if (!place.empty()) place += ", ";
  ir::SiteId site = checker.site(ir::fit_kind(value.type, type), value.span, place + a_type);
  checker.emit(ir::Fit{value.operand, type, site}, value.span);
  return cast(checker, value.operand, type, value.span);
}

// Returns a value of the running program in another type; nothing where it does not become one.
static std::optional<ir::Operand> convert_runtime(Checker& checker, const Value& value, Type type,
                                                  const Purpose& purpose) {
  if (value.type == type) return value.operand;
  bool numbers = is_number(value) && is_scalar(type);
  bool drops = numbers && is_complex(value.type) && !is_complex(type);
  if (drops) return std::nullopt;
  if (numbers && is_literal(value.type)) return placeholder(checker, type, value.span);
  if (numbers && (checker.rules.casts_numbers || converts(value.type, type)))
    return cast(checker, value.operand, type, value.span);
  if (has_exact_integers(checker) && goes_into(value, type))
    return cast(checker, value.operand, type, value.span);
  // A word takes the low bits of what is made of literals.
  if (purpose.kind == Purpose::Operand && value.of_literals && is_word(type))
    return cast(checker, value.operand, type, value.span);
  if (is_place(purpose) && goes_by_check(checker, value, type))
    return checked_fit(checker, value, type, purpose);
  if (is_array(value.type) && is_array(type) && converts(value.type, type))
    return checker.temp(type, ir::Copy{value.operand}, value.span);
  return std::nullopt;
}

ir::Operand convert(Checker& checker, const Value& value, Type type, Purpose purpose) {
  if (is_error(value) || is_unknown(value) || type == types::error || type == types::unknown)
    return placeholder(checker, type == types::unknown ? types::error : type, value.span);
  if (is_literal(type) && is_number(value)) {
    // Only in the rounds of inference: a local that met nothing but literals so far.
    if (value.kind == ValueKind::Runtime) return value.operand;
    return placeholder(checker, type, value.span);
  }
  note_reading(checker, value, type);
  switch (value.kind) {
  case ValueKind::Literal:
    if (literal_converts(value, type, checker.rules.casts_numbers) || takes_low_bits(value, type)) {
      if (is_boolean(type))
        return ir::constant_bool(is_int_literal(value) ? value.integer != 0 : value.real() != 0);
      return literal_operand(checker, value, type);
    }
    break;
  case ValueKind::Choice: {
    ir::Operand yes = convert(checker, value.elements[0], type, purpose),
                no = convert(checker, value.elements[1], type, purpose);
    return checker.select(value.operand, yes, no, value.span);
  }
  case ValueKind::Deferred:
    if (!is_scalar(type) || is_boolean(type) || is_integer(type)) break;
    return convert_deferred(checker, value, type, purpose);
  case ValueKind::Element:
    if (is_scalar(type) && (is_complex(type) || !is_complex(value.type)))
      return load_constant_element(checker, value, type);
    break;
  case ValueKind::Runtime:
    if (std::optional<ir::Operand> operand = convert_runtime(checker, value, type, purpose)) return *operand;
    break;
  case ValueKind::Error:
  case ValueKind::Unknown:
  case ValueKind::Rows:
  case ValueKind::Table:
  case ValueKind::Record:
  case ValueKind::Tuple:
  case ValueKind::None:
  case ValueKind::String:
  case ValueKind::Ellipsis:
  case ValueKind::Type:
  case ValueKind::Function:
  case ValueKind::File:
  case ValueKind::HostClass:
  case ValueKind::Host:
  case ValueKind::Prefix:
  case ValueKind::Dict:
  case ValueKind::Builtin:
  case ValueKind::Method:
  case ValueKind::Range:
  case ValueKind::Enumerate:
  case ValueKind::Reversed:
  case ValueKind::TypeMaker:
  case ValueKind::Zip: break;
  }
  report_conversion(checker, value, type, purpose);
  return placeholder(checker, type, value.span);
}

Value convert_value(Checker& checker, const Value& value, Type type, Purpose purpose) {
  bool is_same = !is_record(type) || value.type == type;
  if (is_tuple(value) && is_tuple(type) && is_same && value.elements.size() == type->elements.size()) {
    Value result = tuple_like(type, value.span);
    for (std::size_t i = 0; i < value.elements.size(); ++i)
      result.elements.push_back(convert_value(checker, value.elements[i], type->elements[i], purpose));
    return result;
  }
  if (is_tuple(type)) {
    if (!is_error(value) && !is_unknown(value))
      checker.report(value.span, diag::wrong_type, describe(checker, value), to_string(type));
    return error_value(value.span);
  }
  Value result = runtime_value(convert(checker, value, type, purpose), value.span);
  result.most = most_bits_as(value, type);
  result.positive = value.positive;
  result.extents = value.extents;
  if (result.type == value.type) result.of_literals = value.of_literals, result.is_made = value.is_made;
  return result;
}

ir::Operand as_operand(Checker& checker, const Value& value) {
  if (value.kind == ValueKind::Runtime) return value.operand;
  if (is_error(value) || is_unknown(value)) return placeholder(checker, types::error, value.span);
  Type type = default_type(value.type);
  if (is_int_literal(value) && !literal_fits(value.integer, types::i64)) type = types::u64;
  return convert(checker, value, type, Purpose::Operand);
}

bool check_index(Checker& checker, const Value& value) {
  if (is_error(value) || is_unknown(value)) return false;
  bool is_int = is_number(value) && (is_integer(value.type) || is_boolean(value.type));
  if (!is_int) checker.report(value.span, diag::not_an_integer, describe(checker, value));
  return is_int;
}

std::optional<ir::Operand> as_index(Checker& checker, const Value& value) {
  if (!check_index(checker, value)) return std::nullopt;
  if (value.kind == ValueKind::Runtime && !is_literal(value.type))
    return cast(checker, value.operand, types::i64, value.span);
  return convert(checker, value, types::i64, Purpose::Index);
}

std::optional<bool> constant_truth(const Value& value) {
  if (value.kind == ValueKind::None) return false;
  if (value.kind == ValueKind::String) return !value.text.empty();
  if (value.kind == ValueKind::Tuple) return !value.elements.empty();
  if (value.kind == ValueKind::Function) return true;
  std::optional<std::complex<double>> number = constant_complex(value);
  if (!number) return std::nullopt;
  return *number != 0.0;
}

std::optional<ir::Operand> as_condition(Checker& checker, const Value& value) {
  if (is_error(value) || is_unknown(value)) return std::nullopt;
  if (std::optional<bool> truth = constant_truth(value)) return ir::constant_bool(*truth);
  if (!is_number(value)) {
    checker.report(value.span, diag::not_a_condition, describe(checker, value));
    return std::nullopt;
  }
  if (is_literal(value.type) && value.kind == ValueKind::Runtime)
    return placeholder(checker, types::boolean, value.span);
  ir::Operand operand = as_operand(checker, value);
  return cast(checker, operand, types::boolean, value.span);
}

// float("inf"), float("nan")
static std::optional<double> special_float(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "inf" || text == "infinity" || text == "Infinity") return negative ? -INFINITY : INFINITY;
  if (text == "nan" || text == "NaN") return NAN;
  return std::nullopt;
}

// int(x) and float(x) keep the type of what is an integer or a float already; literals stay literals.
static Value cast_by_python_name(Checker& checker, Type type, const Value& value, Span span) {
  bool to_int = type == types::i64;
  if (is_literal(value) && !to_int) return float_value(*constant_real(value), span);
  if (is_int_literal(value)) return int_value(value.integer, span);
  if (is_literal(value)) {
    if (std::fabs(value.real()) < 0x1p63)
      return int_value(static_cast<WideInt>(std::trunc(value.real())), span);
    return runtime_value(cast(checker, ir::constant_float(types::f64, value.real()), types::i64, span), span);
  }
  ir::Operand operand = as_operand(checker, value);
  bool keeps = to_int ? is_integer(operand.type) : is_float(operand.type);
  Value result = runtime_value(keeps ? operand : cast(checker, operand, type, span), span);
  result.most = most_bits_as(value, result.type);
  return result;
}

Value explicit_cast(Checker& checker, Type type, const Value& value, Span span, bool from_python_name) {
  if (is_error(value)) return value;
  if (is_unknown(value)) return value;
  if (value.kind == ValueKind::String && is_float(type))
    if (std::optional<double> special = special_float(value.text)) return float_value(*special, span);
  if (!is_scalar(type) || !is_number(value)) {
    checker.report(span, diag::cannot_cast, describe(checker, value), to_string(type));
    return error_value(span);
  }
  if (is_complex(type)) return construct_complex(checker, type, {&value, 1}, span);
  if (is_complex(value.type) && !is_boolean(type)) {
    report_complex_to_real(checker, value, type);
    return error_value(span);
  }
  if (value.kind == ValueKind::Runtime && is_literal(value.type)) {
    // int(x) and float(x) keep what is one already.
    bool keeps = from_python_name && is_integer(value.type) == is_integer(type);
    std::optional<Value> same =
        keeps ? undecided(checker, value.type, std::array{&value}, span) : std::nullopt;
    return same ? *same : runtime_value(placeholder(checker, type, span), span);
  }
  if (is_boolean(type)) {
    std::optional<ir::Operand> truth = as_condition(checker, value);
    return truth ? runtime_value(*truth, span) : error_value(span);
  }
  if (from_python_name) return cast_by_python_name(checker, type, value, span);
  if (value.kind == ValueKind::Element)
    return runtime_value(load_constant_element(checker, value, type), span);
  if (value.kind == ValueKind::Literal) return runtime_value(literal_operand(checker, value, type), span);
  Value result = runtime_value(cast(checker, as_operand(checker, value), type, span), span);
  result.most = most_bits_as(value, type);
  return result;
}

void flatten(Checker& checker, const Value& value, std::vector<ir::Operand>& leaves) {
  if (!is_tuple(value)) return leaves.push_back(as_operand(checker, value));
  for (const Value& element : value.elements) flatten(checker, element, leaves);
}

} // namespace kern::checker
