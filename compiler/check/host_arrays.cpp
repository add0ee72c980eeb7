// Computes the arrays that calls of NumPy make of constants. Nothing is reported here: a call that cannot be
// followed makes its name one of the host, which may be no error at all.
#include "compiler/check/host_arrays.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/check/constant_records.h"
#include "compiler/check/python.h"
#include "compiler/check/records.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"
#include "compiler/types/names.h"
#include "compiler/values/fold.h"

namespace kern::checker {

namespace {

// Returns the type that the numbers of a nested tuple have in common; nothing where one is none.
std::optional<Type> type_of_numbers(const Value& value) {
  if (is_constant_array(value)) return value.type;
  if (!is_tuple(value))
    return is_constant_number(value) ? std::optional(type_of_number(value)) : std::nullopt;
  std::optional<Type> type;
  for (const Value& element : value.elements) {
    std::optional<Type> next = type_of_numbers(element);
    if (!next) return std::nullopt;
    type = type ? numba_unify(*type, *next) : next;
    if (!type) return std::nullopt;
  }
  return type ? type : types::f64;
}

// Appends the numbers of a shape, which may be a tuple.
bool append_shape(const Value& value, Extents& extents) {
  if (is_tuple(value))
    return std::ranges::all_of(value.elements,
                               [&](const Value& each) { return append_shape(each, extents); });
  std::optional<WideInt> extent = constant_integer(value);
  if (!extent || *extent < -1 || *extent > limits::module_array_elements) return false;
  extents.push_back(static_cast<std::int64_t>(*extent));
  return true;
}

std::optional<Extents> shape_of(const Value& value) {
  Extents extents;
  if (value.kind == ValueKind::Table || !append_shape(value, extents)) return std::nullopt;
  return std::ranges::all_of(extents, [](std::int64_t extent) { return extent >= 0; })
             ? std::optional(std::move(extents))
             : std::nullopt;
}

// ---- Calls ----

// The arguments of a call of NumPy by the names of its parameters.
struct Arguments {
  Checker& checker;
  const ast::Call& call;
  std::vector<std::string_view> params;
  std::optional<Type> called = {}; // what is called is a type: that of the elements

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
    if (called) return called;
    if (!written("dtype") || written("dtype")->kind == ast::Kind::NoneLiteral) return otherwise;
    std::optional<Value> value = get("dtype");
    if (!value) return std::nullopt;
    if (value->kind == ValueKind::Type && is_scalar(value->type)) return value->type;
    std::optional<ScalarKind> kind =
        value->kind == ValueKind::String ? find_numpy_scalar(value->text) : std::nullopt;
    return kind ? std::optional(types::scalar(*kind)) : std::nullopt;
  }
};

using Made = std::optional<Value>;

Made value_of(const Arguments& args, Numbers numbers) {
  return array_value(args.checker, std::move(numbers), args.call.span);
}

Made filled(const Arguments& args, const Extents& extents, const Value& number, Type otherwise) {
  std::optional<Type> type = args.dtype(otherwise);
  std::optional<std::int64_t> size = count_of(extents);
  std::optional<ir::Operand> element = type ? number_as(number, *type) : std::nullopt;
  if (!size || !element) return std::nullopt;
  Numbers numbers{*type, extents};
  if (is_complex(*type))
    for (std::int64_t i = 0; i < *size; ++i) numbers.add(*element);
  else
    numbers.bits.assign(static_cast<std::size_t>(*size), element->bits);
  return value_of(args, std::move(numbers));
}

// ---- Lists that are written out ----

const ast::ExprList* written_elements(const ast::Expr& expr) {
  if (const auto* list = ast::as<ast::List>(&expr)) return &list->elements;
  const auto* tuple = ast::as<ast::Tuple>(&expr);
  return tuple ? &tuple->elements : nullptr;
}

std::size_t count_written(const ast::Expr& expr) {
  const ast::ExprList* elements = written_elements(expr);
  if (!elements) return 1;
  std::size_t count = 0;
  for (const ast::Expr* element : *elements) count += count_written(*element);
  return count;
}

// Goes over the numbers of lists that are written out, and of arrays in them. A list of more numbers than a tuple may have is
// never a value: the elements are evaluated one by one.
struct WrittenList {
  Checker& checker;
  Extents extents = {};
  bool has_leaf = false; // `extents` are whole

  // Calls a function with each number; false where the lists are not regular or the function says so.
  template <class Visit> bool visit_all(const ast::Expr& expr, std::size_t axis, Visit visit) {
    if (const ast::ExprList* elements = written_elements(expr)) {
      auto count = static_cast<std::int64_t>(elements->size());
      if (axis == extents.size() && !has_leaf) extents.push_back(count);
      if (axis >= extents.size() || extents[axis] != count) return false;
      for (const ast::Expr* element : *elements)
        if (!visit_all(*element, axis + 1, visit)) return false;
      return true;
    }
    const Value value = checker.evaluate(expr);
    const bool is_array = is_constant_array(value);
    if (!is_array && !is_constant_number(value)) return false;
    const Extents own = is_array ? extents_of(value) : Extents{};
    if (!std::exchange(has_leaf, true)) extents.insert(extents.end(), own.begin(), own.end());
    if (extents.size() < axis || !std::equal(extents.begin() + static_cast<std::ptrdiff_t>(axis),
                                             extents.end(), own.begin(), own.end()))
      return false;
    if (!is_array) return visit(value);
    const Numbers numbers = numbers_of(value);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!visit(runtime_value(numbers.at(i), value.span))) return false;
    return true;
  }
};

Made make_long_list(const Arguments& args, const ast::Expr& list) {
  std::optional<Type> own;
  WrittenList written{args.checker};
  bool fits = written.visit_all(list, 0, [&](const Value& number) {
    own = own ? numba_unify(*own, type_of_number(number)) : std::optional(type_of_number(number));
    return own.has_value();
  });
  std::optional<Type> type = fits && own && count_of(written.extents) ? args.dtype(*own) : std::nullopt;
  if (!type) return std::nullopt;
  Numbers numbers{*type, written.extents};
  fits = written.visit_all(list, 0, [&](const Value& number) {
    std::optional<ir::Operand> operand = number_as(number, *type);
    if (operand) numbers.add(*operand);
    return operand.has_value();
  });
  return fits ? value_of(args, std::move(numbers)) : std::nullopt;
}

// np.array(range(n)), np.array(list(range(n)))
std::optional<Numbers> numbers_of_range(Checker& checker, const ast::Expr& expr) {
  const ast::Expr* range = &expr;
  const auto* call = ast::as<ast::Call>(range);
  const auto* callee = call && call->args.size() == 1 ? ast::as<ast::Name>(call->callee) : nullptr;
  if (callee && (callee->text == "list" || callee->text == "tuple")) range = call->args[0];
  if (range->kind != ast::Kind::Call) return std::nullopt;
  const Value value = checker.evaluate(*range);
  if (value.kind != ValueKind::Range) return std::nullopt;
  std::optional<WideInt> start = constant_integer(value.elements[0]),
                         stop = constant_integer(value.elements[1]),
                         step = constant_integer(value.elements[2]);
  if (!start || !stop || !step || *step == 0) return std::nullopt;
  const WideInt distance = *step > 0 ? *stop - *start : *start - *stop, stride = *step > 0 ? *step : -*step;
  const WideInt count = distance > 0 ? (distance + stride - 1) / stride : 0;
  if (count > limits::module_array_elements) return std::nullopt;
  Numbers numbers{types::i64, {static_cast<std::int64_t>(count)}};
  for (WideInt i = 0; i < count; ++i) {
    std::optional<ir::Operand> number = constant_of(types::i64, *start + i * *step);
    if (!number) return std::nullopt;
    numbers.add(*number);
  }
  return numbers;
}

// np.array([0.5] * n)
std::optional<Numbers> numbers_repeated(Checker& checker, const ast::Expr& expr) {
  const auto* product = ast::as<ast::Binary>(&expr);
  const auto* list =
      product && product->op == ast::BinaryOp::Multiply ? ast::as<ast::List>(product->left) : nullptr;
  if (!list) return std::nullopt;
  const Value once = checker.evaluate(*list);
  std::optional<WideInt> count = constant_integer(checker.evaluate(*product->right));
  std::optional<Type> type = is_tuple(once) ? type_of_numbers(once) : std::nullopt;
  std::optional<Numbers> part = type ? numbers_as(once, *type) : std::nullopt;
  if (!part || !count || *count < 0 || *count > limits::module_array_elements) return std::nullopt;
  Numbers numbers{*type, part->extents};
  if (__builtin_mul_overflow(part->extents[0], static_cast<std::int64_t>(*count), &numbers.extents[0]) ||
      !count_of(numbers.extents))
    return std::nullopt;
  for (WideInt i = 0; i < *count; ++i)
    numbers.bits.insert(numbers.bits.end(), part->bits.begin(), part->bits.end());
  return numbers;
}

Made converted(const Arguments& args, const Numbers& numbers) {
  std::optional<Type> type = args.dtype(numbers.type);
  std::optional<Numbers> result =
      type ? numbers_as(array_value(args.checker, numbers, args.call.span), *type) : std::nullopt;
  return result ? std::optional(array_value(args.checker, std::move(*result), args.call.span)) : std::nullopt;
}

Made make_array_of(const Arguments& args) {
  const ast::Expr* object = args.written("object");
  if (object && count_written(*object) > limits::table_elements) return make_long_list(args, *object);
  if (object)
    if (std::optional<Numbers> numbers = numbers_of_range(args.checker, *object))
      return converted(args, *numbers);
  std::optional<Value> value = args.get("object");
  if (!value && object)
    if (std::optional<Numbers> numbers = numbers_repeated(args.checker, *object))
      return converted(args, *numbers);
  if (!value) return object && written_elements(*object) ? make_long_list(args, *object) : std::nullopt;
  std::optional<Value> dtype = args.get("dtype");
  if (std::optional<Value> fields =
          dtype ? record_dtype(args.checker, *dtype, false, args.call.span) : std::nullopt)
    dtype = *fields;
  if (dtype && dtype->kind == ValueKind::Type && is_record(dtype->type))
    return record_table(args.checker, *value, dtype->type, args.call.span);
  std::optional<Type> own = type_of_numbers(*value);
  std::optional<Type> type = own ? args.dtype(*own) : std::nullopt;
  if (!type) return std::nullopt;
  if (!is_tuple(*value) && value->kind != ValueKind::Table) {
    std::optional<ir::Operand> number = number_as(*value, *type);
    return number ? std::optional(runtime_value(*number, args.call.span)) : std::nullopt;
  }
  std::optional<Numbers> numbers = numbers_as(*value, *type);
  return numbers ? value_of(args, std::move(*numbers)) : std::nullopt;
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
  return filled(args, *extents, *value, type_of_number(*value));
}

Made make_like(const Arguments& args, std::optional<int> number) {
  std::optional<Value> like = args.get("prototype"), value = args.get("fill_value");
  if (number) value = int_value(*number, args.call.span);
  if (!like || !value || !is_constant_array(*like) || !is_constant_number(*value)) return std::nullopt;
  return filled(args, extents_of(*like), *value, like->type);
}

// One number of `start + i * step` in the type of the array, as NumPy fills it.
ir::Operand sequence_element(Type type, double start, double step, std::int64_t i) {
  double value = type == types::f32
                     ? static_cast<float>(start) + static_cast<float>(i) * static_cast<float>(step)
                     : start + static_cast<double>(i) * step;
  return ir::constant_float(type, value);
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
  if (!(count <= static_cast<double>(limits::module_array_elements))) return std::nullopt;
  auto size = static_cast<std::int64_t>(std::max(count, 0.0));
  Numbers numbers{*type, {size}};
  std::optional<WideInt> whole = constant_integer(start), stride = constant_integer(by);
  if (!is_float(*type) && !is_complex(*type) && !(whole && stride)) {
    // NumPy makes integers of the first two, and goes on by what they are apart.
    std::optional<ir::Operand> one = number_as(float_value(*a, args.call.span), *type),
                               two = number_as(float_value(*a + *d, args.call.span), *type);
    if (!one || !two) return std::nullopt;
    whole = constant_integer(runtime_value(*one, args.call.span));
    stride = *constant_integer(runtime_value(*two, args.call.span)) - *whole;
  }
  double delta = (*a + *d) - *a;
  if (*type == types::f32) delta = static_cast<float>(*a + *d) - static_cast<float>(*a);
  for (std::int64_t i = 0; i < size; ++i) {
    std::optional<ir::Operand> number;
    if (is_complex(*type))
      number = number_as(runtime_value(sequence_element(types::f64, *a, delta, i), args.call.span), *type);
    else if (is_float(*type))
      number = sequence_element(*type, *a, delta, i);
    else if (whole && stride)
      number = constant_of(*type, *whole + *stride * i);
    if (!number) return std::nullopt;
    numbers.add(*number);
  }
  return value_of(args, std::move(numbers));
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
  if (count < 0 || count > limits::module_array_elements) return std::nullopt;
  auto n = static_cast<std::int64_t>(count), div = includes ? n - 1 : n;
  double step = div > 0 ? (b - a) / static_cast<double>(div) : b - a;
  Numbers numbers{*type, {n}};
  for (std::int64_t i = 0; i < n; ++i) {
    double value = static_cast<double>(i) * step + a;
    if (step == 0 && div > 0) value = static_cast<double>(i) / static_cast<double>(div) * (b - a) + a;
    if (includes && n > 1 && i == n - 1) value = b;
    if (!is_float(*type) && !is_complex(*type)) value = std::floor(value);
    std::optional<ir::Operand> number = number_as(float_value(value, args.call.span), *type);
    if (!number) return std::nullopt;
    numbers.add(*number);
  }
  return value_of(args, std::move(numbers));
}

Made make_eye(const Arguments& args) {
  std::optional<Value> rows = args.get("N"), columns = args.get("M"), diagonal = args.get("k");
  std::optional<WideInt> n = rows ? constant_integer(*rows) : std::nullopt;
  std::optional<WideInt> m = columns ? constant_integer(*columns) : n;
  std::optional<WideInt> k = diagonal ? constant_integer(*diagonal) : WideInt(0);
  std::optional<Type> type = args.dtype(types::f64);
  constexpr WideInt most = limits::module_array_elements;
  if (!n || !m || !k || !type || *n < 0 || *m < 0 || *n > most || *m > most || *n * *m > most)
    return std::nullopt;
  Numbers numbers{*type, {static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*m)}};
  const ir::Operand zero = *number_as(int_value(0, args.call.span), *type),
                    one = *number_as(int_value(1, args.call.span), *type);
  for (WideInt i = 0; i < *n; ++i)
    for (WideInt j = 0; j < *m; ++j) numbers.add(j - i == *k ? one : zero);
  return value_of(args, std::move(numbers));
}

// np.concatenate((a, b)), along the first axis.
Made make_concatenation(const Arguments& args) {
  const ast::Expr* written = args.written("arrays");
  const ast::ExprList* parts = written ? written_elements(*written) : nullptr;
  std::optional<Value> axis = args.get("axis");
  if (!parts || parts->empty() || (args.written("axis") && (!axis || constant_integer(*axis) != WideInt(0))))
    return std::nullopt;
  std::vector<Value> values;
  std::optional<Type> own;
  for (const ast::Expr* part : *parts) {
    values.push_back(args.checker.evaluate(*part));
    std::optional<Type> type =
        is_constant_array(values.back()) ? std::optional(values.back().type) : std::nullopt;
    own = type && own ? numba_unify(*own, *type) : values.size() == 1 ? type : std::nullopt;
    if (!own) return std::nullopt;
  }
  std::optional<Type> type = args.dtype(*own);
  std::optional<Numbers> result;
  for (const Value& value : values) {
    std::optional<Numbers> part = type ? numbers_as(value, *type) : std::nullopt;
    if (!part) return std::nullopt;
    if (!result) {
      result = std::move(part);
      continue;
    }
    const bool fits = part->extents.size() == result->extents.size() &&
                      std::equal(part->extents.begin() + 1, part->extents.end(), result->extents.begin() + 1);
    if (!fits) return std::nullopt;
    result->extents[0] += part->extents[0];
    result->bits.insert(result->bits.end(), part->bits.begin(), part->bits.end());
  }
  return count_of(result->extents) ? value_of(args, std::move(*result)) : std::nullopt;
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
  if (name == "concatenate") return make_concatenation({checker, call, {"arrays", "axis", "out", "dtype"}});
  if (name == "identity") return make_eye({checker, call, {"N", "dtype"}});
  // np.float64([1, 2]), which is np.array([1, 2], np.float64)
  std::optional<ScalarKind> scalar = find_numpy_scalar(name);
  if (!scalar || call.args.size() != 1 || !call.keywords.empty()) return std::nullopt;
  if (!written_elements(*call.args[0]) && !is_constant_array(checker.evaluate(*call.args[0])))
    return std::nullopt;
  return make_array_of({checker, call, {"object"}, types::scalar(*scalar)});
}

Made reshaped(const Arguments& args, Numbers numbers) {
  Extents extents;
  for (const ast::Expr* arg : args.call.args)
    if (!append_shape(args.checker.evaluate(*arg), extents)) return std::nullopt;
  auto count = static_cast<std::int64_t>(numbers.size());
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == -1 && open) return std::nullopt;
    if (extents[axis] == -1)
      open = axis;
    else if (__builtin_mul_overflow(known, extents[axis], &known))
      return std::nullopt;
  }
  if (open) extents[*open] = known > 0 ? count / known : 0;
  if (count_of(extents) != count) return std::nullopt;
  numbers.extents = std::move(extents);
  return value_of(args, std::move(numbers));
}

// The methods of an array that give another one.
Made method_call(Checker& checker, const Value& array, std::string_view name, const ast::Call& call) {
  Arguments args{checker, call, {"dtype"}};
  if (name == "copy") return array;
  if (name == "transpose" && call.args.empty() && call.keywords.empty())
    return value_of(args, transposed(numbers_of(array)));
  if (name == "astype") {
    std::optional<Type> type = args.written("dtype") ? args.dtype(types::f64) : std::nullopt;
    std::optional<Numbers> numbers = type ? numbers_as(array, *type) : std::nullopt;
    return numbers ? value_of(args, std::move(*numbers)) : std::nullopt;
  }
  if (name == "reshape") return reshaped(args, numbers_of(array));
  if (name != "ravel" && name != "flatten") return std::nullopt;
  Numbers numbers = numbers_of(array);
  numbers.extents = {static_cast<std::int64_t>(numbers.size())};
  return value_of(args, std::move(numbers));
}

} // namespace

std::optional<Value> array_call(Checker& checker, const ast::Call& call) {
  Context& context = checker.context;
  Made made;
  const ReportingScope quiet(context.diagnostics, false);
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
  return made;
}

} // namespace kern::checker
