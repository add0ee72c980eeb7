#include "compiler/check/host_arrays.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "compiler/check/constant_records.h"
#include "compiler/check/fold.h"
#include "compiler/check/python.h"
#include "compiler/check/records.h"
#include "compiler/diagnostics/types.h"
#include "compiler/types/names.h"

namespace kern::checker {

namespace {

using Extents = std::vector<std::int64_t>;

Extents extents_of(const Value& value) {
  Extents extents;
  for (const Value* at = &value; is_tuple(*at); at = &at->elements.front()) {
    extents.push_back(static_cast<std::int64_t>(at->elements.size()));
    if (at->elements.empty()) break;
  }
  return extents;
}

// Returns the type that NumPy gives a number that has none.
Type array_type(const Value& number) {
  if (is_complex_literal(number)) return types::c128;
  if (is_literal(number)) return is_int_literal(number) ? types::i64 : types::f64;
  return number.type;
}

// Returns the type that the numbers of a nested tuple have in common; nothing where one is none.
std::optional<Type> common_type(const Value& value, std::optional<Type> so_far) {
  if (is_constant_array(value)) return so_far ? numba_unify(*so_far, value.type) : std::optional(value.type);
  if (is_tuple(value)) {
    for (const Value& element : value.elements)
      if (so_far = common_type(element, so_far); !so_far) return std::nullopt;
    return so_far;
  }
  if (!is_constant_number(value)) return std::nullopt;
  return so_far ? numba_unify(*so_far, array_type(value)) : std::optional(array_type(value));
}

std::optional<Type> type_of_numbers(const Value& value) {
  if (!is_tuple(value)) return common_type(value, std::nullopt);
  std::optional<Type> type;
  for (const Value& element : value.elements) {
    std::optional<Type> next = type_of_numbers(element);
    if (!next) return std::nullopt;
    type = type ? numba_unify(*type, *next) : next;
    if (!type) return std::nullopt;
  }
  return type ? type : types::f64;
}

std::optional<Value> element_as(const Value& number, Type type, Span span) {
  if (is_complex(type)) {
    std::optional<std::complex<double>> parts = constant_complex(number);
    return parts
               ? std::optional(runtime_value(ir::constant_complex(type, parts->real(), parts->imag()), span))
               : std::nullopt;
  }
  if (is_complex(number.type)) return std::nullopt;
  std::optional<ir::Operand> operand;
  if (is_int_literal(number))
    operand = constant_of(type, number.integer);
  else if (is_literal(number))
    operand = fold_convert(ir::constant_float(types::f64, number.real), type);
  else if (is_constant_number(number))
    operand = number.operand.type == type ? number.operand : fold_convert(number.operand, type);
  return operand ? std::optional(runtime_value(*operand, span)) : std::nullopt;
}

} // namespace

std::optional<Value> constant_as(const Value& number, Type type, Span span) {
  return element_as(number, type, span);
}

namespace {

// Returns a regular nested tuple as an array; nothing where it is none.
std::optional<Value> as_array(const Value& value, Type type, Span span) {
  if (!is_tuple(value)) return element_as(value, type, span);
  Value array = tuple_value({}, span);
  array.type = type;
  for (const Value& element : value.elements) {
    std::optional<Value> each = as_array(element, type, span);
    if (!each || extents_of(*each) != extents_of(array.elements.empty() ? *each : array.elements.front()))
      return std::nullopt;
    array.elements.push_back(std::move(*each));
  }
  return array;
}

// Makes an array of the numbers, from `next` on in C order.
Value shaped(std::span<const std::int64_t> extents, const std::vector<Value>& numbers, Type type,
             std::size_t& next, Span span) {
  if (extents.empty()) return numbers[next++];
  Value array = tuple_value({}, span);
  array.type = type;
  for (std::int64_t i = 0; i < extents.front(); ++i)
    array.elements.push_back(shaped(extents.subspan(1), numbers, type, next, span));
  return array;
}

Value shaped(const Extents& extents, const std::vector<Value>& numbers, Type type, Span span) {
  std::size_t next = 0;
  return shaped(extents, numbers, type, next, span);
}

void collect(const Value& value, std::vector<Value>& numbers) {
  if (!is_tuple(value)) return numbers.push_back(value);
  for (const Value& element : value.elements) collect(element, numbers);
}

std::optional<std::int64_t> size_of(const Extents& extents) {
  std::int64_t size = 1;
  for (std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  bool fits = size <= static_cast<std::int64_t>(limits::table_elements) &&
              extents.size() <= static_cast<std::size_t>(limits::array_rank);
  return fits ? std::optional(size) : std::nullopt;
}

std::optional<Extents> shape_of(const Value& value) {
  Extents extents;
  std::vector<Value> numbers;
  collect(value, numbers);
  for (const Value& number : numbers) {
    std::optional<WideInt> extent = constant_integer(number);
    if (!extent || *extent < 0 || *extent > static_cast<WideInt>(limits::table_elements)) return std::nullopt;
    extents.push_back(static_cast<std::int64_t>(*extent));
  }
  return extents;
}

// ---- Calls ----

// The arguments of a call of NumPy by the names of its parameters.
struct Arguments {
  Checker& checker;
  const ast::Call& call;
  std::vector<std::string_view> params;

  const ast::Expr* written(std::string_view name) const {
    for (const ast::Keyword& keyword : call.keywords)
      if (keyword.name == name) return keyword.value;
    auto index = static_cast<std::size_t>(std::ranges::find(params, name) - params.begin());
    return index < call.args.size() ? call.args[index] : nullptr;
  }

  // Nothing where the argument is not given or no constant.
  std::optional<Value> get(std::string_view name) const {
    const ast::Expr* expr = written(name);
    if (!expr) return std::nullopt;
    Value value = checker.evaluate(*expr);
    return is_error(value) ? std::nullopt : std::optional(std::move(value));
  }

  std::optional<Type> dtype(Type otherwise) const {
    if (!written("dtype") || written("dtype")->kind == ast::Kind::NoneLiteral) return otherwise;
    std::optional<Value> value = get("dtype");
    if (!value) return std::nullopt;
    if (value->kind == ValueKind::Type && is_scalar(value->type)) return value->type;
    std::optional<ScalarKind> kind =
        value->kind == ValueKind::String ? find_numba_scalar(value->text) : std::nullopt;
    return kind ? std::optional(types::scalar(*kind)) : std::nullopt;
  }
};

using Made = std::optional<Value>;

Made filled(const Arguments& args, const Extents& extents, const Value& number, Type otherwise) {
  std::optional<Type> type = args.dtype(otherwise);
  std::optional<std::int64_t> size = size_of(extents);
  std::optional<Value> element = type ? element_as(number, *type, args.call.span) : std::nullopt;
  if (!size || !element) return std::nullopt;
  return shaped(extents, std::vector<Value>(static_cast<std::size_t>(*size), *element), *type,
                args.call.span);
}

Made make_array_of(const Arguments& args) {
  std::optional<Value> value = args.get("object");
  if (!value) return std::nullopt;
  std::optional<Value> dtype = args.get("dtype");
  if (std::optional<Value> fields =
          dtype ? record_dtype(args.checker, *dtype, false, args.call.span) : std::nullopt)
    dtype = *fields;
  if (dtype && dtype->kind == ValueKind::Type && is_record(dtype->type))
    return record_table(args.checker, *value, dtype->type, args.call.span);
  std::optional<Type> own = type_of_numbers(*value);
  std::optional<Type> type = own ? args.dtype(*own) : std::nullopt;
  return type ? as_array(*value, *type, args.call.span) : std::nullopt;
}

Made make_filled(const Arguments& args, int number) {
  std::optional<Value> shape = args.get("shape");
  std::optional<Extents> extents = shape ? shape_of(*shape) : std::nullopt;
  return extents ? filled(args, *extents, int_value(number, args.call.span), types::f64) : std::nullopt;
}

Made make_full(const Arguments& args) {
  std::optional<Value> shape = args.get("shape"), value = args.get("fill_value");
  std::optional<Extents> extents = shape ? shape_of(*shape) : std::nullopt;
  if (!extents || !value || !is_constant_number(*value)) return std::nullopt;
  return filled(args, *extents, *value, array_type(*value));
}

Made make_like(const Arguments& args, std::optional<int> number) {
  std::optional<Value> like = args.get("prototype"), value = args.get("fill_value");
  if (number) value = int_value(*number, args.call.span);
  if (!like || !value || !is_constant_array(*like) || !is_constant_number(*value)) return std::nullopt;
  return filled(args, extents_of(*like), *value, like->type);
}

// One number of `start + i * step` in the type of the array, as NumPy fills it.
Value sequence_element(Type type, double start, double step, std::int64_t i, Span span) {
  double value = type == types::f32
                     ? static_cast<float>(start) + static_cast<float>(i) * static_cast<float>(step)
                     : start + static_cast<double>(i) * step;
  return runtime_value(ir::constant_float(type, value), span);
}

Made make_arange(const Arguments& args) {
  std::optional<Value> first = args.get("start"), second = args.get("stop"), step = args.get("step");
  if (!first || (args.written("step") && !step)) return std::nullopt;
  Value start = second ? *first : int_value(0, args.call.span), stop = second ? *second : *first;
  Value by = step ? *step : int_value(1, args.call.span);
  Value all = tuple_value({start, stop, by}, args.call.span);
  std::optional<Type> own = type_of_numbers(all);
  std::optional<Type> type = own ? args.dtype(*own) : std::nullopt;
  std::optional<double> a = constant_real(start), b = constant_real(stop), d = constant_real(by);
  if (!type || !a || !b || !d || *d == 0) return std::nullopt;
  double count = std::ceil((*b - *a) / *d);
  if (!(count <= static_cast<double>(limits::table_elements))) return std::nullopt;
  std::vector<Value> numbers;
  std::optional<WideInt> whole = constant_integer(start), stride = constant_integer(by);
  double delta = (*a + *d) - *a;
  if (*type == types::f32) delta = static_cast<float>(*a + *d) - static_cast<float>(*a);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(std::max(count, 0.0)); ++i) {
    std::optional<Value> number;
    if (is_complex(*type))
      number = element_as(sequence_element(types::f64, *a, delta, i, args.call.span), *type, args.call.span);
    else if (is_float(*type))
      number = sequence_element(*type, *a, delta, i, args.call.span);
    else if (whole && stride)
      number = element_as(int_value(*whole + *stride * i, args.call.span), *type, args.call.span);
    if (!number) return std::nullopt;
    numbers.push_back(std::move(*number));
  }
  return shaped({static_cast<std::int64_t>(numbers.size())}, numbers, *type, args.call.span);
}

Made make_linspace(const Arguments& args) {
  std::optional<Value> start = args.get("start"), stop = args.get("stop"), num = args.get("num"),
                       end = args.get("endpoint");
  std::optional<Type> type = args.dtype(types::f64);
  bool is_given = start && stop && type && (num || !args.written("num"));
  if (!is_given || !is_constant_number(*start) || !is_constant_number(*stop)) return std::nullopt;
  double a = constant_real(*start).value_or(0), b = constant_real(*stop).value_or(0);
  WideInt count = num ? constant_integer(*num).value_or(-1) : WideInt(50);
  bool includes = !end || constant_integer(*end).value_or(1) != 0;
  if (count < 0 || count > static_cast<WideInt>(limits::table_elements)) return std::nullopt;
  auto n = static_cast<std::int64_t>(count), div = includes ? n - 1 : n;
  double step = div > 0 ? (b - a) / static_cast<double>(div) : b - a;
  std::vector<Value> numbers;
  for (std::int64_t i = 0; i < n; ++i) {
    double value = static_cast<double>(i) * step + a;
    if (step == 0 && div > 0) value = static_cast<double>(i) / static_cast<double>(div) * (b - a) + a;
    if (includes && n > 1 && i == n - 1) value = b;
    if (!is_float(*type) && !is_complex(*type)) value = std::floor(value);
    std::optional<Value> number = element_as(float_value(value, args.call.span), *type, args.call.span);
    if (!number) return std::nullopt;
    numbers.push_back(std::move(*number));
  }
  return shaped({n}, numbers, *type, args.call.span);
}

Made make_eye(const Arguments& args) {
  std::optional<Value> rows = args.get("N"), columns = args.get("M"), diagonal = args.get("k");
  std::optional<WideInt> n = rows ? constant_integer(*rows) : std::nullopt;
  std::optional<WideInt> m = columns ? constant_integer(*columns) : n;
  std::optional<WideInt> k = diagonal ? constant_integer(*diagonal) : WideInt(0);
  std::optional<Type> type = args.dtype(types::f64);
  constexpr auto most = static_cast<WideInt>(limits::table_elements);
  if (!n || !m || !k || !type || *n < 0 || *m < 0 || *n > most || *m > most || *n * *m > most)
    return std::nullopt;
  std::vector<Value> numbers;
  for (WideInt i = 0; i < *n; ++i)
    for (WideInt j = 0; j < *m; ++j)
      numbers.push_back(*element_as(int_value(j - i == *k, args.call.span), *type, args.call.span));
  return shaped({static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*m)}, numbers, *type,
                args.call.span);
}

// The functions of NumPy that make arrays.
Made numpy_call(Checker& checker, std::string_view name, const ast::Call& call) {
  // The order of the elements in memory is no part of a constant.
  if (name == "array" || name == "asarray" || name == "ascontiguousarray" || name == "asfortranarray")
    return make_array_of({checker, call, {"object", "dtype"}});
  if (name == "zeros" || name == "empty") return make_filled({checker, call, {"shape", "dtype"}}, 0);
  if (name == "ones") return make_filled({checker, call, {"shape", "dtype"}}, 1);
  if (name == "full") return make_full({checker, call, {"shape", "fill_value", "dtype"}});
  if (name == "zeros_like" || name == "empty_like")
    return make_like({checker, call, {"prototype", "dtype"}}, 0);
  if (name == "ones_like") return make_like({checker, call, {"prototype", "dtype"}}, 1);
  if (name == "full_like")
    return make_like({checker, call, {"prototype", "fill_value", "dtype"}}, std::nullopt);
  if (name == "arange") return make_arange({checker, call, {"start", "stop", "step", "dtype"}});
  if (name == "linspace")
    return make_linspace({checker, call, {"start", "stop", "num", "endpoint", "retstep", "dtype"}});
  if (name == "eye") return make_eye({checker, call, {"N", "M", "k", "dtype"}});
  if (name == "identity") return make_eye({checker, call, {"N", "dtype"}});
  return std::nullopt;
}

Made reshaped(const Arguments& args, const Value& array) {
  Value shape = tuple_value({}, args.call.span);
  for (const ast::Expr* arg : args.call.args) shape.elements.push_back(args.checker.evaluate(*arg));
  std::vector<Value> given, numbers;
  collect(shape, given);
  collect(array, numbers);
  Extents extents;
  std::int64_t known = 1, open = -1;
  for (const Value& each : given) {
    std::optional<WideInt> extent = constant_integer(each);
    bool fits = extent && *extent >= -1 && *extent <= static_cast<WideInt>(numbers.size());
    if (!fits || (*extent == -1 && open >= 0)) return std::nullopt;
    if (*extent == -1) open = static_cast<std::int64_t>(extents.size());
    known *= *extent == -1 ? 1 : std::max<std::int64_t>(static_cast<std::int64_t>(*extent), 0);
    extents.push_back(static_cast<std::int64_t>(*extent));
    if (known > static_cast<std::int64_t>(numbers.size())) return std::nullopt;
  }
  auto count = static_cast<std::int64_t>(numbers.size());
  if (open >= 0) extents[static_cast<std::size_t>(open)] = known > 0 ? count / known : 0;
  if (size_of(extents) != count) return std::nullopt;
  return shaped(extents, numbers, array.type, args.call.span);
}

// The methods of an array that give another one.
Made method_call(Checker& checker, const Value& array, std::string_view name, const ast::Call& call) {
  Arguments args{checker, call, {"dtype"}};
  if (name == "copy") return array;
  if (name == "astype") {
    std::optional<Type> type = args.written("dtype") ? args.dtype(types::f64) : std::nullopt;
    return type ? as_array(array, *type, call.span) : std::nullopt;
  }
  if (name == "reshape") return reshaped(args, array);
  if (name == "ravel" || name == "flatten") {
    std::vector<Value> numbers;
    collect(array, numbers);
    return shaped({static_cast<std::int64_t>(numbers.size())}, numbers, array.type, call.span);
  }
  return std::nullopt;
}

} // namespace

std::optional<Value> array_call(Checker& checker, const ast::Call& call) {
  Context& context = checker.context;
  bool was_enabled = context.diagnostics.enabled();
  Made made;
  context.diagnostics.set_enabled(false);
  if (const auto* attribute = ast::as<ast::Attribute>(call.callee)) {
    Value base = checker.evaluate(*attribute->value);
    if (base.kind == ValueKind::Host && base.text == "numpy")
      made = numpy_call(checker, attribute->name, call);
    if (is_constant_array(base)) made = method_call(checker, base, attribute->name, call);
  } else if (const auto* name = ast::as<ast::Name>(call.callee)) {
    const Symbol* symbol = find_symbol(context, *checker.scope, name->text, checker.reader_of(name->span));
    bool is_numpy = symbol && symbol->kind == Symbol::Kind::FromImport && symbol->module == "numpy";
    if (is_numpy) made = numpy_call(checker, symbol->text, call);
  }
  context.diagnostics.set_enabled(was_enabled);
  return made;
}

// ---- Operators ----

Value array_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  if (!is_tuple(operand)) return checker.unary(op, operand, span);
  Value result = tuple_value({}, span);
  for (const Value& element : operand.elements) {
    result.elements.push_back(array_unary(checker, op, element, span));
    if (is_error(result.elements.back())) return error_value(span);
    result.type = result.elements.back().type;
  }
  if (result.elements.empty()) result.type = operand.type;
  return result;
}

Value array_binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (!is_tuple(left) && !is_tuple(right)) return checker.binary(op, left, right, span);
  std::size_t deep = tuple_depth(left), flat = tuple_depth(right);
  std::size_t a = deep >= flat ? left.elements.size() : 1, b = flat >= deep ? right.elements.size() : 1;
  bool fits = a == b || a == 1 || b == 1;
  if (!fits) {
    checker.report(span, diag::not_constant, checker.context.source(span));
    return error_value(span);
  }
  Value result = tuple_value({}, span);
  result.type = is_constant_array(left) ? left.type : right.type;
  for (std::size_t i = 0; i < (a == 1 ? b : a); ++i) {
    const Value& x = deep >= flat ? left.elements[a == 1 ? 0 : i] : left;
    const Value& y = flat >= deep ? right.elements[b == 1 ? 0 : i] : right;
    result.elements.push_back(array_binary(checker, op, x, y, span));
    if (is_error(result.elements.back())) return error_value(span);
    result.type = result.elements.back().type;
  }
  return result;
}

// ---- Subscripts ----

static Value part_of(Checker& checker, const Value& array, const ast::Subscript& expr,
                     const std::vector<Value>& indices, std::size_t axis) {
  if (axis == indices.size()) return read_at(array, expr.span);
  if (!is_tuple(array)) {
    checker.report(expr.span, diag::not_subscriptable, checker.describe(array));
    return error_value(expr.span);
  }
  auto count = static_cast<WideInt>(array.elements.size());
  if (const auto* slice = ast::as<ast::Slice>(expr.indices[axis])) {
    std::optional<std::vector<Value>> elements = checker.slice_tuple(array, *slice);
    if (!elements) return error_value(expr.span);
    Value result = tuple_value({}, expr.span);
    result.type = array.type;
    for (const Value& element : *elements) {
      result.elements.push_back(part_of(checker, element, expr, indices, axis + 1));
      if (is_error(result.elements.back())) return error_value(expr.span);
    }
    return result;
  }
  WideInt index = *constant_integer(indices[axis]);
  bool from_end = index < 0 && checker.counts_from_end(indices[axis]);
  if (index < (from_end ? -count : 0) || index >= count) {
    checker.report(expr.span, diag::tuple_index,
                   fmt::format("`{}`", checker.context.source(expr.value->span)),
                   static_cast<std::int64_t>(count));
    return error_value(expr.span);
  }
  return part_of(checker, array.elements[static_cast<std::size_t>(index < 0 ? index + count : index)], expr,
                 indices, axis + 1);
}

Value array_part(Checker& checker, const Value& array, const ast::Subscript& expr,
                 const std::vector<Value>& indices) {
  return part_of(checker, array, expr, indices, 0);
}

} // namespace kern::checker
