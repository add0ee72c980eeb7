// Functions of Python and NumPy that are answered while the types are found: isinstance, tuple, np.dtype; and those
// of NumPy that are methods of arrays too.
#include <algorithm>

#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/dtypes.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/numba/type_values.h"
#include "compiler/check/numpy/array_reductions.h"
#include "compiler/check/numpy/made_arrays.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

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
  if (type.kind == ValueKind::TypeMaker && is_python(checker))
    if (std::optional<bool> result = is_of_class(value, type.text)) return result;
  if (type.kind != ValueKind::Type) {
    checker.report(type.span, diag::not_a_type, checker.context.source(type.span));
    return std::nullopt;
  }
  if (is_record(type.type)) return value.type == type.type;
  // As in Numba `int` is int64 and `float` float64: an int32 is neither.
  return is_number(value) && default_type(value.type) == type.type;
}

Value call_isinstance(Checker& checker, const Args& args, Span span) {
  if (args.positional.size() != 2 || !args.keywords.empty())
    return wrong_arguments(checker, "`isinstance` takes a value and a type, or a tuple of types", span);
  const Value& value = args.positional[0];
  // A value whose type follows from elsewhere in this round has none yet.
  if (value.kind == ValueKind::Runtime && is_literal(value.type)) return unknown_value(span);
  std::optional<bool> result = is_of(checker, value, args.positional[1]);
  return result ? bool_value(*result, span) : error_value(span);
}

// tuple(range(4)), of a range that is known.
std::optional<Value> tuple_of_range(const Value& range, Span span) {
  if (range.kind != ValueKind::Range) return std::nullopt;
  std::optional<WideInt> start = constant_integer(range.elements[0]),
                         stop = constant_integer(range.elements[1]),
                         step = constant_integer(range.elements[2]);
  if (!start || !stop || !step || *step == 0) return std::nullopt;
  std::vector<Value> elements;
  for (WideInt i = *start; *step > 0 ? i < *stop : i > *stop; i += *step) {
    if (elements.size() > limits::table_elements) return std::nullopt;
    elements.push_back(int_value(i, span));
  }
  return tuple_value(std::move(elements), span);
}

Value call_tuple(Checker& checker, const Args& args, Span span) {
  if (args.positional.size() == 1 && args.keywords.empty())
    if (std::optional<Value> counted = tuple_of_range(args.positional[0], span)) return *counted;
  bool is_one = args.positional.size() == 1 && args.keywords.empty() && is_tuple(args.positional[0]);
  if (args.positional.empty() && args.keywords.empty()) return tuple_value({}, span);
  if (is_one) return read_at(args.positional[0], span);
  return wrong_arguments(checker, "`tuple` takes a tuple; the elements of others are written in brackets",
                         span);
}

// np.dtype('f4'), np.dtype([('x', 'f4'), ('y', 'i4')], align=True), np.dtype(dtype='f4')
Value call_dtype(Checker& checker, const Args& given, Span span) {
  Args args = given;
  auto named = std::ranges::find(args.keywords, "dtype", [](const auto& keyword) { return keyword.first; });
  if (named != args.keywords.end() && args.positional.empty()) {
    args.positional.push_back(named->second);
    args.keywords.erase(named);
  }
  bool align = false, fits = !args.positional.empty() && args.positional.size() <= 2;
  if (args.positional.size() == 2) align = constant_truth(args.positional[1]).value_or(false);
  for (const auto& [name, value] : args.keywords) {
    std::optional<bool> truth = constant_truth(value);
    fits = fits && truth && (name == "align" || name == "copy");
    if (fits && name == "align") align = *truth;
  }
  if (!fits)
    return wrong_arguments(checker, "`np.dtype` takes a type, its name in a string, or a list of fields",
                           span);
  if (std::optional<Value> record = record_dtype(checker, args.positional[0], align, span)) return *record;
  Value type = as_dtype(checker, args.positional[0]);
  if (type.kind == ValueKind::Type) return read_at(type, span);
  checker.report(args.positional[0].span, diag::not_a_type, checker.context.source(args.positional[0].span));
  return error_value(span);
}

// np.finfo(t) and np.iinfo(t): the type, whose attributes are its limits.
Value limits_of(Checker& checker, const Args& args, bool of_integers, Span span) {
  std::string_view name = of_integers ? "iinfo" : "finfo";
  Value type = args.positional.size() == 1 && args.keywords.empty() ? as_dtype(checker, args.positional[0])
                                                                    : error_value(span);
  if (is_number(type)) type = type_value(default_type(type.type), span);
  bool fits = type.kind == ValueKind::Type && is_scalar(type.type) &&
              (of_integers ? is_integer(type.type) : is_float(type.type));
  if (!fits)
    return wrong_arguments(
        checker, fmt::format("`np.{}` takes a type of {}", name, of_integers ? "integers" : "floats"), span);
  Value result = type_value(type.type, span);
  result.text = name;
  return result;
}

Value call_finfo(Checker& checker, const Args& args, Span span) {
  return limits_of(checker, args, false, span);
}

Value call_iinfo(Checker& checker, const Args& args, Span span) {
  return limits_of(checker, args, true, span);
}

// numba.from_dtype(t) is t, as a type of Numba; `kernc run` writes a dtype of fields itself.
Value call_from_dtype(Checker& checker, const Args& args, Span span) {
  const bool is_aligned = args.keywords.size() == 1 && args.keywords[0].first == "align";
  if (args.positional.size() != 1 || !(args.keywords.empty() || is_aligned))
    return wrong_arguments(checker, "`from_dtype` takes a dtype", span);
  return call_dtype(checker, args, span);
}

// Record.make_c_struct([('x', float32)]), with C's layout.
Value call_c_struct(Checker& checker, const Args& args, Span span) {
  std::optional<Value> record = args.positional.size() == 1 && args.keywords.empty()
                                    ? record_dtype(checker, args.positional[0], true, span)
                                    : std::nullopt;
  if (record) return *record;
  return wrong_arguments(checker, "`make_c_struct` takes a list of fields, each a name and a type", span);
}

// namedtuple('Point', 'x y'), namedtuple('Point', ['x', 'y'])
Value call_namedtuple(Checker& checker, const Args& args, Span span) {
  auto wrong = [&] {
    return wrong_arguments(checker, "`namedtuple` takes a name, and the names of its elements as strings",
                           span);
  };
  bool fits =
      args.positional.size() == 2 && args.keywords.empty() && args.positional[0].kind == ValueKind::String;
  if (!fits) return wrong();
  std::vector<std::string_view> names;
  const Value& fields = args.positional[1];
  if (is_tuple(fields)) {
    for (const Value& field : fields.elements) {
      if (field.kind != ValueKind::String) return wrong();
      names.push_back(field.text);
    }
  } else if (fields.kind == ValueKind::String) {
    std::string_view rest = fields.text;
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find_first_of(" ,"), rest.size());
      if (end > 0) names.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  } else {
    return wrong();
  }
  TypeTable& types = checker.context.module.types;
  return type_value(types.named({}, types.names(args.positional[0].text, names)), span);
}

// np.reshape(a, shape) is a.reshape(shape).
Value call_as_method(Checker& checker, std::string_view name, Args args, Span span) {
  if (args.positional.empty() || !is_array(args.positional[0]))
    return wrong_arguments(checker, fmt::format("the first argument of `np.{}` is an array", name), span);
  Value method = plain_value(ValueKind::Method, span);
  method.text = name;
  method.elements = {args.positional[0]};
  args.positional.erase(args.positional.begin());
  return call_method(checker, method, args, span);
}
Value call_reshape(Checker& checker, const Args& args, Span span) {
  return call_as_method(checker, "reshape", args, span);
}
Value call_ravel(Checker& checker, const Args& args, Span span) {
  return call_as_method(checker, "ravel", args, span);
}
Value call_transpose(Checker& checker, const Args& args, Span span) {
  return call_as_method(checker, "transpose", args, span);
}

struct Row {
  std::string_view module, name;
  Value (*call)(Checker&, const Args&, Span);
};
constexpr Row rows[] = {
    {"", "isinstance", call_isinstance},
    {"", "tuple", call_tuple},
    {"numba", "from_dtype", call_from_dtype},
    {"Record", "make_c_struct", call_c_struct},
    {"collections", "namedtuple", call_namedtuple},
    {"numpy", "dtype", call_dtype},
    {"numpy", "finfo", call_finfo},
    {"numpy", "iinfo", call_iinfo},
    {"numpy", "reshape", call_reshape},
    {"numpy", "ravel", call_ravel},
    {"numpy", "transpose", call_transpose},
};

// ---- The module operator ----

template <class Op> struct OperatorRow {
  std::string_view name;
  Op op;
};
constexpr OperatorRow<ast::BinaryOp> binary_operators[] = {
    {"operator.add", ast::BinaryOp::Add},
    {"operator.sub", ast::BinaryOp::Subtract},
    {"operator.mul", ast::BinaryOp::Multiply},
    {"operator.truediv", ast::BinaryOp::Divide},
    {"operator.floordiv", ast::BinaryOp::FloorDivide},
    {"operator.mod", ast::BinaryOp::Modulo},
    {"operator.pow", ast::BinaryOp::Power},
    {"operator.lshift", ast::BinaryOp::ShiftLeft},
    {"operator.rshift", ast::BinaryOp::ShiftRight},
    {"operator.and_", ast::BinaryOp::BitAnd},
    {"operator.or_", ast::BinaryOp::BitOr},
    {"operator.xor", ast::BinaryOp::BitXor},
};
constexpr OperatorRow<ast::CompareOp> comparisons[] = {
    {"operator.eq", ast::CompareOp::Equal},   {"operator.ne", ast::CompareOp::NotEqual},
    {"operator.lt", ast::CompareOp::Less},    {"operator.le", ast::CompareOp::LessEqual},
    {"operator.gt", ast::CompareOp::Greater}, {"operator.ge", ast::CompareOp::GreaterEqual},
    {"operator.is_", ast::CompareOp::Is},     {"operator.is_not", ast::CompareOp::IsNot},
};
constexpr OperatorRow<ast::UnaryOp> unary_operators[] = {
    {"operator.neg", ast::UnaryOp::Negative},  {"operator.pos", ast::UnaryOp::Positive},
    {"operator.invert", ast::UnaryOp::Invert}, {"operator.inv", ast::UnaryOp::Invert},
    {"operator.not_", ast::UnaryOp::Not},
};

// Returns the name with which an operator's row begins; "" where the module has none of that name here.
std::string_view operator_name(std::string_view name) {
  auto is = [&](const auto& row) { return row.name.substr(row.name.find('.') + 1) == name; };
  std::string_view found;
  auto look = [&](const auto& rows) {
    for (const auto& row : rows)
      if (is(row)) found = row.name;
  };
  look(binary_operators);
  look(comparisons);
  look(unary_operators);
  return found;
}

Value call_operator(Checker& checker, std::string_view name, const Args& args, Span span) {
  const auto* found = std::ranges::find(unary_operators, name, &OperatorRow<ast::UnaryOp>::name);
  const bool is_unary = found != std::end(unary_operators);
  if (args.positional.size() != (is_unary ? 1u : 2u) || !args.keywords.empty())
    return wrong_arguments(checker, fmt::format("`{}` takes {}", name, is_unary ? "a value" : "two values"),
                           span);
  if (is_unary) return unary(checker, found->op, args.positional[0], span);
  const Value &left = args.positional[0], &right = args.positional[1];
  const auto* of_two = std::ranges::find(binary_operators, name, &OperatorRow<ast::BinaryOp>::name);
  if (of_two != std::end(binary_operators)) return binary(checker, of_two->op, left, right, span);
  const auto* comparison = std::ranges::find(comparisons, name, &OperatorRow<ast::CompareOp>::name);
  return compare_values(checker, comparison->op, left, right, span);
}

// ---- Methods of numbers ----

// x.view(dtype): the same bits as a number of another type of the same size.
Value view_number(Checker& checker, const Value& number, const Args& args, Span span) {
  std::optional<Value> wanted;
  if (args.positional.size() == 1 && args.keywords.empty()) wanted = args.positional[0];
  if (args.positional.empty() && args.keywords.size() == 1 && args.keywords[0].first == "dtype")
    wanted = args.keywords[0].second;
  if (!wanted) return wrong_arguments(checker, "`view` of a number takes the type", span);
  Value type = as_dtype(checker, *wanted);
  ir::Operand operand = as_operand(checker, number);
  bool fits = type.kind == ValueKind::Type && is_scalar(type.type) && !is_complex(type.type) &&
              !is_boolean(type.type) && !is_boolean(operand.type) && !is_complex(operand.type);
  if (!fits || bit_width(type.type->scalar) != bit_width(operand.type->scalar))
    return wrong_arguments(checker, "`view` of a number takes a type of the same size", span);
  Value bits = call_by_signature(checker, Builtin::Bits, {{runtime_value(operand, span)}, {}, {}}, span);
  if (is_error(bits)) return bits;
  std::optional<Builtin> back = find_builtin(fmt::format("{}.from_bits", to_string(type.type)));
  if (is_float(type.type) && back) return call_by_signature(checker, *back, {{bits}, {}, {}}, span);
  return runtime_value(checker.plain_cast(as_operand(checker, bits), type.type, span), span);
}

// Python counts the bits of the magnitude.
Value bit_count(Checker& checker, const Value& number, Span span) {
  Value size = call_by_signature(checker, Builtin::Abs, {{number}, {}, {}}, span);
  return call_by_signature(checker, Builtin::Popc, {{size}, {}, {}}, span);
}

// Methods of numbers, which take no argument.
struct NumberMethod {
  std::string_view name;
  bool of_integers;
  Value (*call)(Checker&, const Value&, Span);
};
constexpr NumberMethod number_methods[] = {{"conjugate", false, conjugate}, {"bit_count", true, bit_count}};

Value call_number_method(Checker& checker, const Value& method, const Args& args, Span span) {
  if (method.text == "view") return view_number(checker, method.elements[0], args, span);
  if (!args.positional.empty() || !args.keywords.empty())
    return wrong_arguments(checker, fmt::format("`{}` takes no argument", method.text), span);
  const auto* row = std::ranges::find(number_methods, method.text, &NumberMethod::name);
  return row->call(checker, method.elements[0], span);
}

} // namespace

std::optional<Value> number_method(Checker& checker, const Value& number, std::string_view name, Span span) {
  const auto* row = std::ranges::find(number_methods, name, &NumberMethod::name);
  bool is_view = name == "view" && checker.rules.numpy_names;
  if (!is_view && row == std::end(number_methods)) return std::nullopt;
  if (!is_view && row->of_integers && !is_integer(number.type)) return std::nullopt;
  Value method = plain_value(ValueKind::Method, span);
  method.text = is_view ? "view" : row->name;
  method.elements = {number};
  return method;
}

std::optional<Value> plain_function(Checker& checker, std::string_view module, std::string_view name,
                                    Span span) {
  auto method = [&](std::string_view text) {
    Value value = plain_value(ValueKind::Method, span);
    value.text = text;
    return value;
  };
  for (const Row& row : rows)
    if (row.module == module && row.name == name && (checker.rules.numpy_names || !name.ends_with("info")))
      return method(row.name);
  if (module == "operator")
    if (std::string_view known = operator_name(name); !known.empty()) return method(known);
  if (module == "numpy")
    if (std::string_view ufunc = ufunc_name(name); !ufunc.empty()) return method(ufunc);
  if (module == "numpy" && checker.instance && checker.rules.numpy_names)
    if (std::string_view reduction = reduction_name(name, false); !reduction.empty())
      return method(reduction);
  if (module == "numpy" && checker.instance && checker.rules.numpy_names)
    if (std::string_view maker = made_array_name(name); !maker.empty()) return method(maker);
  return std::nullopt;
}

Value call_method(Checker& checker, const Value& method, const Args& args, Span span) {
  auto unknown = [](const Value& value) { return has_unknown(value); };
  bool waits = std::ranges::any_of(args.positional, unknown);
  for (const auto& [keyword, value] : args.keywords) waits = waits || unknown(value);
  if (waits) return unknown_value(span);
  if (!method.elements.empty())
    return is_array(method.elements[0]) ? call_array_method(checker, method, args, span)
                                        : call_number_method(checker, method, args, span);
  if (!reduction_name(method.text, false).empty()) {
    if (args.positional.size() == 1 && args.keywords.empty())
      return call_reduction(checker, method.text, args.positional[0], span);
    return wrong_arguments(
        checker, fmt::format("`np.{}` takes an array, all of whose elements it goes over", method.text),
        span);
  }
  if (!made_array_name(method.text).empty()) return call_made_array(checker, method.text, args, span);
  for (const Row& row : rows)
    if (row.name == method.text) return row.call(checker, args, span);
  if (method.text.starts_with("operator.")) return call_operator(checker, method.text, args, span);
  return call_ufunc(checker, method.text, args, span);
}

} // namespace kern::checker
