// Functions of Python and NumPy that are answered while the types are found: isinstance, tuple, np.dtype; and those
// of NumPy that are methods of arrays too.
#include <algorithm>

#include "compiler/check/checker.h"
#include "compiler/check/complex.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

Value wrong_arguments(Checker& checker, std::string_view words, Span span) {
  checker.report(span, diag::builtin_arguments, std::string(words));
  return error_value(span);
}

// Says whether a value is of a type, or of one of a tuple of them; nothing where that is no type.
std::optional<bool> is_of(Checker& checker, const Value& value, const Value& type) {
  if (is_tuple(type)) {
    bool any = false;
    for (const Value& each : type.elements) {
      std::optional<bool> one = is_of(checker, value, each);
      if (!one) return std::nullopt;
      any = any || *one;
    }
    return any;
  }
  if (type.kind == ValueKind::Method && type.text == "tuple") return is_tuple(value);
  if (type.kind == ValueKind::Builtin && type.builtin == Builtin::Range)
    return value.kind == ValueKind::Range;
  if (type.kind == ValueKind::None) return value.kind == ValueKind::None;
  if (type.kind != ValueKind::Type) {
    checker.report(type.span, diag::not_a_type, checker.context.source(type.span));
    return std::nullopt;
  }
  // As in Numba `int` is int64 and `float` float64: an int32 is neither.
  return is_number(value) && default_type(value.type) == type.type;
}

Value call_isinstance(Checker& checker, const Checker::Args& args, Span span) {
  if (args.positional.size() != 2 || !args.keywords.empty())
    return wrong_arguments(checker, "`isinstance` takes a value and a type, or a tuple of types", span);
  const Value& value = args.positional[0];
  // What takes its type from elsewhere in this round has none yet.
  if (value.kind == ValueKind::Runtime && is_literal(value.type)) return unknown_value(span);
  std::optional<bool> result = is_of(checker, value, args.positional[1]);
  return result ? bool_value(*result, span) : error_value(span);
}

Value call_tuple(Checker& checker, const Checker::Args& args, Span span) {
  bool is_one = args.positional.size() == 1 && args.keywords.empty() && is_tuple(args.positional[0]);
  if (args.positional.empty() && args.keywords.empty()) return tuple_value({}, span);
  if (is_one) return read_at(args.positional[0], span);
  return wrong_arguments(checker, "`tuple` takes a tuple; the elements of others are written in brackets",
                         span);
}

Value call_dtype(Checker& checker, const Checker::Args& args, Span span) {
  if (args.positional.size() == 1 && args.keywords.empty()) {
    Value type = checker.as_dtype(args.positional[0]);
    if (type.kind == ValueKind::Type) return read_at(type, span);
    checker.report(args.positional[0].span, diag::not_a_type,
                   checker.context.source(args.positional[0].span));
    return error_value(span);
  }
  return wrong_arguments(checker, "`np.dtype` takes a type, or its name in a string", span);
}

// np.reshape(a, shape) is a.reshape(shape).
Value call_as_method(Checker& checker, std::string_view name, Checker::Args args, Span span) {
  if (args.positional.empty() || !is_array(args.positional[0]))
    return wrong_arguments(checker, fmt::format("the first argument of `np.{}` is an array", name), span);
  Value method = plain_value(ValueKind::Method, span);
  method.text = name;
  method.elements = {args.positional[0]};
  args.positional.erase(args.positional.begin());
  return checker.call_method(method, args, span);
}
Value call_reshape(Checker& checker, const Checker::Args& args, Span span) {
  return call_as_method(checker, "reshape", args, span);
}
Value call_ravel(Checker& checker, const Checker::Args& args, Span span) {
  return call_as_method(checker, "ravel", args, span);
}
Value call_transpose(Checker& checker, const Checker::Args& args, Span span) {
  return call_as_method(checker, "transpose", args, span);
}

struct Row {
  std::string_view module, name;
  Value (*call)(Checker&, const Checker::Args&, Span);
};
constexpr Row rows[] = {
    {"", "isinstance", call_isinstance}, {"", "tuple", call_tuple},
    {"numpy", "dtype", call_dtype},      {"numpy", "reshape", call_reshape},
    {"numpy", "ravel", call_ravel},      {"numpy", "transpose", call_transpose},
};

// Python counts the bits of the magnitude.
Value bit_count(Checker& checker, const Value& number, Span span) {
  Value size = checker.call_by_signature(Builtin::Abs, {{number}, {}, {}}, span);
  return checker.call_by_signature(Builtin::Popc, {{size}, {}, {}}, span);
}

// Methods of numbers, which take no argument.
struct NumberMethod {
  std::string_view name;
  bool of_integers;
  Value (*call)(Checker&, const Value&, Span);
};
constexpr NumberMethod number_methods[] = {{"conjugate", false, conjugate}, {"bit_count", true, bit_count}};

Value call_number_method(Checker& checker, const Value& method, const Checker::Args& args, Span span) {
  if (!args.positional.empty() || !args.keywords.empty())
    return wrong_arguments(checker, fmt::format("`{}` takes no argument", method.text), span);
  const auto* row = std::ranges::find(number_methods, method.text, &NumberMethod::name);
  return row->call(checker, method.elements[0], span);
}

} // namespace

std::optional<Value> Checker::number_method(const Value& number, std::string_view name, Span span) {
  const auto* row = std::ranges::find(number_methods, name, &NumberMethod::name);
  if (row == std::end(number_methods) || (row->of_integers && !is_integer(number.type))) return std::nullopt;
  Value method = plain_value(ValueKind::Method, span);
  method.text = row->name;
  method.elements = {number};
  return method;
}

std::optional<Value> Checker::plain_function(std::string_view module, std::string_view name, Span span) {
  auto method = [&](std::string_view text) {
    Value value = plain_value(ValueKind::Method, span);
    value.text = text;
    return value;
  };
  for (const Row& row : rows)
    if (row.module == module && row.name == name) return method(row.name);
  if (module == "numpy")
    if (std::string_view ufunc = ufunc_name(name); !ufunc.empty()) return method(ufunc);
  return std::nullopt;
}

Value Checker::call_method(const Value& method, const Args& args, Span span) {
  auto unknown = [](const Value& value) { return has_unknown(value); };
  bool waits = std::ranges::any_of(args.positional, unknown);
  for (const auto& [keyword, value] : args.keywords) waits = waits || unknown(value);
  if (waits) return unknown_value(span);
  if (!method.elements.empty())
    return is_array(method.elements[0]) ? call_array_method(method, args, span)
                                        : call_number_method(*this, method, args, span);
  for (const Row& row : rows)
    if (row.name == method.text) return row.call(*this, args, span);
  return call_ufunc(method.text, args, span);
}

} // namespace kern::checker
