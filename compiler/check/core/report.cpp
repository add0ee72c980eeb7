// What is said of values: their types in words, where these come from, and in which call of the program something is wrong.
#include <algorithm>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

Report::~Report() {
  std::size_t shown = 0;
  for (const Instance* at = instance_; at && at->caller && shown < 4; at = at->caller, ++shown)
    builder_.note(at->call_span, "in `{}`, called here", at->function->def->name);
}

// ---- Errors in the standard library ----

static bool is_library(const Context& context, Span span) {
  return context.program.sources->file(span.file).name.starts_with("<stdlib>/");
}

const Instance* Reporter::library_call(Span span) const {
  if (!instance || !is_library(context, span)) return nullptr;
  const Instance* called = instance;
  while (called->caller && is_library(context, called->call_span)) called = called->caller;
  return called->caller ? called : nullptr;
}

Report Reporter::report_library_call(const Instance& called, Span span, std::string message) {
  Span place = called.call_span;
  bool fresh = context.reported.insert({diag::library_arguments.code, place.file, place.begin}).second;
  std::string taken;
  bool has_tuple = false;
  for (const Value& arg : called.args) {
    has_tuple = has_tuple || is_tuple(arg);
    if (arg.kind != ValueKind::Function) taken += (taken.empty() ? "" : ", ") + describe(*this, arg);
  }
  if (!fresh) return silent();
  Diagnostics::Builder error = context.diagnostics.report(
      place, diag::library_arguments, called.function->def->name, taken.empty() ? "this" : taken);
  if (has_tuple) {
    error.note("threads exchange numbers, and tuples and records that are made of them");
    error.note("{}", packing_advice);
  }
  error.note(span, "{}", printable(message));
  return {error, called.caller};
}

Value Reporter::unsupported(Span span, std::string_view what) {
  report(span, diag::not_supported, what);
  return error_value(span);
}

bool is_unpacked(const Checker& checker, const Value& value) {
  return checker.unpacked && checker.unpacked->span == value.span;
}

std::string_view source_of(const Checker& checker, const Value& value) {
  return is_unpacked(checker, value) ? checker.unpacked->text : checker.context.source(value.span);
}

// ---- Types, and what has them ----

std::optional<Type> type_of(const Reporter& reporter, const Value& value) {
  switch (value.kind) {
  case ValueKind::Error:
  case ValueKind::Unknown: return types::unknown;
  case ValueKind::Literal:
    if (reporter.scope->rules.types_literals && is_int_literal(value) &&
        !literal_fits(value.integer, types::i64))
      return types::u64;
    return value.type;
  case ValueKind::Runtime:
  case ValueKind::Choice:
  case ValueKind::Deferred:
  case ValueKind::Element: return value.type;
  case ValueKind::None: return types::none;
  case ValueKind::Tuple: {
    std::vector<Type> elements;
    for (const Value& element : value.elements) {
      std::optional<Type> type = type_of(reporter, element);
      if (!type || *type == types::none) return std::nullopt;
      elements.push_back(*type);
    }
    if (is_record(value.type)) return value.type;
    return reporter.context.module.types.named(elements, is_tuple(value.type) ? value.type->record : nullptr);
  }
  case ValueKind::Record: return value.type;
  case ValueKind::Table:
  case ValueKind::Rows:
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
  case ValueKind::Zip: return std::nullopt;
  }
  return std::nullopt;
}

static Span literal_span(const Value& value) { return value.written == Span{} ? value.span : value.written; }

// Says whether there is an integer in an expression of float literals, which is an f64 where it meets no float type.
static bool waits_for_integer(const Value& value) {
  if (value.kind != ValueKind::Deferred) return value.kind == ValueKind::Runtime;
  return std::ranges::any_of(value.elements, waits_for_integer);
}

std::string describe(const Reporter& reporter, const Value& value) {
  switch (value.kind) {
  case ValueKind::Error:
  case ValueKind::Unknown: return "an unknown type";
  case ValueKind::Runtime: return to_string(value.type);
  case ValueKind::Literal: {
    std::string text(reporter.context.source(literal_span(value)));
    bool is_short = text.size() <= 24 && text.find('\n') == std::string::npos;
    return is_short                    ? fmt::format("the literal `{}`", text)
           : is_int_literal(value)     ? "an integer literal"
           : is_complex_literal(value) ? "a complex literal"
                                       : "a float literal";
  }
  case ValueKind::Choice:
  case ValueKind::Element:
    return value.type == types::int_literal       ? "integer literals"
           : value.type == types::complex_literal ? "complex literals"
                                                  : "float literals";
  case ValueKind::Deferred: return waits_for_integer(value) ? "f64" : "an expression of float literals";
  case ValueKind::Rows: return "a row of a constant tuple";
  case ValueKind::Table: return "a constant array";
  case ValueKind::Record: return to_string(value.type);
  case ValueKind::Tuple: {
    std::optional<Type> type = type_of(reporter, value);
    if (type) return to_string(*type);
    return fmt::format("a tuple of {}", value.elements.size());
  }
  case ValueKind::None: return "`None`";
  case ValueKind::String: return "a string";
  case ValueKind::Ellipsis: return "`...`";
  case ValueKind::Type: return "a type";
  case ValueKind::Function: return fmt::format("the function `{}`", value.function->def->name);
  case ValueKind::File:
  case ValueKind::HostClass:
  case ValueKind::Host: return "a module";
  case ValueKind::Prefix: return fmt::format("`{}`", value.text);
  case ValueKind::Dict: return "a dict";
  case ValueKind::Builtin: return fmt::format("the builtin `{}`", row(value.builtin).name);
  case ValueKind::Method: return fmt::format("the function `{}`", value.text);
  case ValueKind::Range: return "a range";
  case ValueKind::Enumerate: return "an enumerate";
  case ValueKind::Zip: return "a zip";
  case ValueKind::TypeMaker: return fmt::format("the type `{}` without its arguments", value.text);
  case ValueKind::Reversed: return "a reversed range";
  }
  return "";
}

// Returns the name that a text begins with, where the rest is nothing, or one pair of square brackets.
static std::string_view base_name(std::string_view text, bool& is_element) {
  std::size_t end = text.find('[');
  is_element = end != std::string_view::npos;
  return is_element && text.find(']') + 1 != text.size() ? "" : text.substr(0, end);
}

bool note_origin(Checker& checker, Report& report, Span place, Type type) {
  bool is_element = false;
  std::string_view name = base_name(checker.context.source(place), is_element);
  const Local* local = name.empty() ? nullptr : find_local(checker, name);
  if (!local || local->type_span == Span{} || !is_scalar(type)) return false;
  if (is_element)
    report.note(local->type_span, "the elements of `{}` are {}", name, to_string(type));
  else
    report.note(local->type_span, "`{}` is {} from here", name, to_string(type));
  return true;
}

bool note_origin(Checker& checker, Report& report, const Value& value, std::optional<Type> wanted) {
  return note_literal_locals(checker, report, value, wanted) ||
         note_origin(checker, report, value.span, value.type);
}

void note_operands(Checker& checker, Report& report, const Value& left, const Value& right) {
  bool first = true;
  for (const Value& operand : {left, right}) {
    std::string_view text = checker.context.source(operand.span);
    bool again = !first && checker.context.source(left.span) == text;
    Type other = first ? right.type : left.type;
    first = false;
    if (is_literal(operand) || again || note_origin(checker, report, operand, other)) continue;
    report.note(operand.span, "`{}` is {}", text, describe(checker, operand));
  }
}

void note_characters(Checker& checker, Report& report, std::span<const Value> values) {
  for (const Value& value : values)
    if (only_character(value))
      report.note(value.span, "the number of a character is written `ord({})`",
                  checker.context.source(value.span));
}

} // namespace kern::checker
