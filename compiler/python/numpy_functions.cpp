// The functions of NumPy that make arrays.
#include <algorithm>
#include <cmath>

#include "compiler/python/numpy_call.h"
#include "compiler/support/limits.h"
#include "compiler/types/names.h"
#include "compiler/values/fold.h"

namespace kern::python {

using values::Array;
using values::as;
using values::Extents;
using values::Number;
using values::Numbers;

// ---- Arrays of values ----

static Made array_of(const NumpyCall& call, const Value& value, bool is_fortran, bool has_axis = false) {
  const Value* dtype = call.get("dtype");
  const std::optional<Type> type = dtype ? python::dtype_of(*dtype) : std::nullopt;
  if (dtype && !type) return std::nullopt;
  std::optional<Numbers> numbers = call.run.numbers_from(value, type);
  if (!numbers) return std::nullopt;
  if (has_axis && numbers->extents.empty()) numbers->extents = {1};
  return call.run.new_array(*numbers, is_fortran);
}

static Made make_array(const NumpyCall& call) {
  const Value *object = call.get("object"), *copy = call.get("copy");
  if (!object || (copy && values::truth_of(*copy) != true)) return std::nullopt;
  const auto* array = as<Array>(*object);
  return array_of(call, *object, call.is_fortran(array && is_fortran(*array->form)));
}

// Returns the array itself where it is one of the type and the order.
static Made as_array(const NumpyCall& call) {
  const Value* object = call.get("a");
  const auto* array = object ? as<Array>(*object) : nullptr;
  if (!object) return std::nullopt;
  const Type own = array ? array->form->type : types::error;
  const bool is_same = array && !call.get("order") && call.dtype(own) == own;
  return is_same ? *object : array_of(call, *object, call.is_fortran(array && is_fortran(*array->form)));
}

// The same of an order, with one axis at least.
static Made as_contiguous(const NumpyCall& call, bool is_fortran) {
  const Value* object = call.get("a");
  const auto* array = object ? as<Array>(*object) : nullptr;
  if (!object) return std::nullopt;
  const bool is_same =
      array && is_contiguous(*array->form, is_fortran) && call.dtype(array->form->type) == array->form->type;
  if (!is_same) return array_of(call, *object, is_fortran, /*has_axis=*/true);
  if (!array->form->extents.empty()) return *object;
  auto* form = call.run.arena.make<values::ArrayForm>(*array->form);
  form->extents = form->strides = call.run.arena.copy(Extents{1});
  return Array{array->object, form};
}

static bool append_shape(Interpreter& run, const Value& value, Extents& extents) {
  if (const auto inner = run.elements_of(value))
    return std::ranges::all_of(*inner, [&](const Value& each) { return append_shape(run, each, extents); });
  const std::optional<WideInt> extent = values::integer_of(value);
  if (!extent || *extent < 0 || *extent > limits::module_array_elements) return false;
  extents.push_back(static_cast<std::int64_t>(*extent));
  return true;
}

static Made filled(const NumpyCall& call, const Extents& extents, const Value& number, Type otherwise,
                   bool is_fortran) {
  const std::optional<Type> type = call.dtype(otherwise);
  const std::optional<std::int64_t> count = values::count_of(extents);
  const auto element = type && values::is_number(number) ? values::number_as(number, *type) : std::nullopt;
  if (!element || !count || !call.run.may_make(static_cast<std::size_t>(*count))) return std::nullopt;
  Numbers numbers{*type, extents};
  numbers.bits.reserve(static_cast<std::size_t>(*count) * values::words_of(*type));
  for (std::int64_t i = 0; i < *count; ++i) numbers.add(*element);
  return call.run.new_array(numbers, is_fortran);
}

static Made make_filled(const NumpyCall& call, const Value* number, Type otherwise) {
  const Value* shape = call.get("shape");
  Extents extents;
  if (!shape || !number || !append_shape(call.run, *shape, extents)) return std::nullopt;
  return filled(call, extents, *number, otherwise, call.is_fortran(false));
}

static Made make_full(const NumpyCall& call) {
  const Value* number = call.get("fill_value");
  const bool is_number = number && values::is_number(*number);
  return is_number ? make_filled(call, number, values::type_of_number(*number)) : std::nullopt;
}

static Made make_like(const NumpyCall& call, const Value* number) {
  const Value* like = call.get("a");
  if (!like || !number || values::is_number(*like)) return std::nullopt;
  if (const auto* array = as<Array>(*like)) {
    const auto extents = array->form->extents;
    return filled(call, {extents.begin(), extents.end()}, *number, array->form->type,
                  call.is_fortran(is_fortran(*array->form)));
  }
  const std::optional<Numbers> numbers = call.run.numbers_from(*like);
  return numbers ? filled(call, numbers->extents, *number, numbers->type, call.is_fortran(false))
                 : std::nullopt;
}

// ---- Sequences ----

// NumPy makes numbers of the first two, and goes on in their type by what they are apart.
static ir::Operand arange_element(const ir::Operand& first, const ir::Operand& second, std::int64_t i) {
  const Type type = first.type;
  if (i < 2) return i == 0 ? first : second;
  if (is_integer(type))
    return values::wrapped(type, first.bits + (second.bits - first.bits) * static_cast<std::uint64_t>(i));
  if (is_complex(type)) {
    const auto part = [&](int k) {
      return ir::float_value(arange_element(ir::part_of(first, k), ir::part_of(second, k), i));
    };
    return ir::constant_complex(type, part(0), part(1));
  }
  const double a = ir::float_value(first), b = ir::float_value(second);
  if (type == types::f64) return ir::constant_float(type, a + static_cast<double>(i) * (b - a));
  const auto x = static_cast<float>(a), step = static_cast<float>(b) - x;
  return ir::constant_float(type, static_cast<double>(x + static_cast<float>(i) * step));
}

static Made make_arange(const NumpyCall& call) {
  const Value *given = call.get("start"), *end = call.get("stop"), *step = call.get("step");
  const Value zero = WideInt(0), one = WideInt(1);
  if (!end) std::swap(given, end);
  const Value &start = given ? *given : zero, &by = step ? *step : one;
  if (!end) return std::nullopt;
  std::optional<Type> own = types::boolean;
  for (const Value& each : {start, *end, by}) {
    if (!values::is_number(each) || !values::real_of(each)) return std::nullopt;
    if (own) own = values::promoted(*own, values::type_of_number(each));
  }
  const std::optional<Type> type = own ? call.dtype(*own) : std::nullopt;
  const double a = *values::real_of(start), distance = *values::real_of(*end) - a, d = *values::real_of(by);
  const double count = d == 0 ? -1 : std::max(std::ceil(distance / d), 0.0);
  if (!type || !(count >= 0 && count <= static_cast<double>(limits::module_array_elements)))
    return std::nullopt;
  const auto size = static_cast<std::int64_t>(count);
  if ((is_boolean(*type) && size > 2) || !call.run.may_make(static_cast<std::size_t>(size)))
    return std::nullopt;
  const std::optional<Value> next = values::binary(ast::BinaryOp::Add, start, by);
  const auto first = values::number_as(start, *type);
  const auto second = next && size > 1 ? values::number_as(*next, *type) : first;
  if (!first || !second) return std::nullopt;
  Numbers numbers{*type, {size}};
  for (std::int64_t i = 0; i < size; ++i) numbers.add(arange_element(*first, *second, i));
  return call.run.new_array(numbers);
}

static Made make_linspace(const NumpyCall& call) {
  using Op = ast::BinaryOp;
  const Value *start = call.get("start"), *stop = call.get("stop"), *end = call.get("endpoint"),
              *retstep = call.get("retstep");
  const std::optional<WideInt> count = call.integer("num", 50);
  const bool includes = !end || values::truth_of(*end).value_or(true);
  if (!start || !stop || !values::is_number(*start) || !values::is_number(*stop)) return std::nullopt;
  if (!count || *count < 0 || *count > limits::module_array_elements ||
      !call.run.may_make(static_cast<std::size_t>(*count)) ||
      (retstep && values::truth_of(*retstep) != false))
    return std::nullopt;
  const Type first = values::type_of_number(*start), last = values::type_of_number(*stop);
  const auto is_narrow = [](Type type) {
    return type != types::f64 && type != types::c128 && !is_integer(type);
  };
  const Type own = is_complex(first) || is_complex(last) ? types::c128 : types::f64;
  // In which type NumPy computes between narrow floats differs between its versions.
  const bool has_narrow = is_narrow(first) || is_narrow(last);
  if (has_narrow && (is_complex(own) || is_narrow(first) == is_narrow(last))) return std::nullopt;
  const std::optional<Type> type = call.dtype(own);
  const auto number = [own](const Value& value) { return Value(Number{*values::number_as(value, own)}); };
  const auto n = static_cast<std::int64_t>(*count), div = includes ? n - 1 : n;
  const Value a = number(*start), b = number(*stop),
              parts = number(static_cast<WideInt>(std::max(div, std::int64_t{1})));
  const Value distance = *values::binary(Op::Subtract, b, a),
              step = *values::binary(Op::Divide, distance, parts);
  const bool is_flat = div > 0 && values::truth_of(step) == false;
  Numbers numbers{type.value_or(own), {n}};
  for (std::int64_t i = 0; type && i < n; ++i) {
    const Value at = number(static_cast<WideInt>(i));
    Value value = is_flat ? *values::binary(Op::Multiply, *values::binary(Op::Divide, at, parts), distance)
                          : *values::binary(Op::Multiply, at, step);
    value = includes && n > 1 && i == n - 1 ? b : *values::binary(Op::Add, value, a);
    if (is_integer(*type) && own == types::f64) value = std::floor(*values::real_of(value));
    const std::optional<ir::Operand> converted = values::number_as(value, *type);
    if (!converted) return std::nullopt;
    numbers.add(*converted);
  }
  return type ? Made(call.run.new_array(numbers)) : std::nullopt;
}

static Made make_eye(const NumpyCall& call) {
  const std::optional<WideInt> n = call.integer("N"), m = call.integer("M", n), k = call.integer("k", 0);
  const std::optional<Type> type = call.dtype(types::f64);
  constexpr WideInt most = limits::module_array_elements;
  if (!n || !m || !k || !type || *n < 0 || *m < 0 || *n > most || *m > most || *n * *m > most ||
      !call.run.may_make(static_cast<std::size_t>(*n * *m)))
    return std::nullopt;
  Numbers numbers{*type, {static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*m)}};
  for (WideInt i = 0; i < *n; ++i)
    for (WideInt j = 0; j < *m; ++j) numbers.add(*values::number_as(j - i == *k, *type));
  return call.run.new_array(numbers, call.is_fortran(false));
}

// ---- Several arrays ----

// Where NumPy goes from one kind of numbers to another without being asked: from bools to complex numbers.
static int kind_rank(Type type) {
  return is_boolean(type) ? 0 : is_complex(type) ? 3 : is_float(type) ? 2 : 1;
}

static Made make_concatenation(const NumpyCall& call) {
  const Value* written = call.get("arrays");
  const auto parts = written ? call.run.iterate(*written) : std::nullopt;
  const std::optional<WideInt> axis = call.integer("axis", 0);
  const bool is_flat = call.given("axis") && !call.get("axis");
  if (!parts || parts->empty() || !axis || is_flat || call.get("out")) return std::nullopt;
  std::vector<Numbers> all;
  bool is_any_fortran = true;
  for (const Value& part : *parts) {
    std::optional<Numbers> numbers = call.run.numbers_from(part);
    if (!numbers) return std::nullopt;
    const auto* array = as<Array>(part);
    is_any_fortran = is_any_fortran && array && is_fortran(*array->form);
    all.push_back(std::move(*numbers));
  }
  std::optional<Type> own = all[0].type;
  for (const Numbers& each : all) own = own ? values::promoted(*own, each.type) : own;
  const std::optional<Type> type = own ? call.dtype(*own) : std::nullopt;
  if (!type || kind_rank(*type) < kind_rank(*own)) return std::nullopt;
  const auto rank = static_cast<WideInt>(all[0].extents.size());
  const auto at = static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
  if (*axis < -rank || *axis >= rank) return std::nullopt;
  Numbers result{*type, all[0].extents};
  std::int64_t rows = 1;
  for (std::size_t i = 0; i < at; ++i) rows *= result.extents[i];
  result.extents[at] = 0;
  for (Numbers& each : all) {
    Extents others = each.extents;
    if (others.size() == result.extents.size()) others[at] = result.extents[at];
    if (others != result.extents) return std::nullopt;
    result.extents[at] += each.extents[at];
    std::optional<Numbers> part = values::converted(each, *type);
    if (!part) return std::nullopt;
    each = std::move(*part);
  }
  if (!values::count_of(result.extents)) return std::nullopt;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const Numbers& each : all) {
      const auto width = static_cast<std::ptrdiff_t>(each.bits.size()) / rows;
      const auto first = each.bits.begin() + row * width;
      result.bits.insert(result.bits.end(), first, first + width);
    }
  return call.run.new_array(result, is_any_fortran);
}

static Made copy_of(const NumpyCall& call) {
  const Value* object = call.get("a");
  const auto* array = object ? as<Array>(*object) : nullptr;
  return object ? array_of(call, *object, call.is_fortran(array && is_fortran(*array->form))) : std::nullopt;
}

static const Value zero = WideInt(0), one = WideInt(1);

static constexpr NumpyFunction makers[] = {
    {"array", "object dtype copy order", make_array},
    {"asarray", "a dtype order", as_array},
    {"asanyarray", "a dtype order", as_array},
    {"ascontiguousarray", "a dtype", [](const NumpyCall& call) { return as_contiguous(call, false); }},
    {"asfortranarray", "a dtype", [](const NumpyCall& call) { return as_contiguous(call, true); }},
    {"copy", "a order", copy_of},
    // What `empty` holds is nothing that a program relies on.
    {"empty", "shape dtype order",
     [](const NumpyCall& call) { return make_filled(call, &zero, types::f64); }},
    {"zeros", "shape dtype order",
     [](const NumpyCall& call) { return make_filled(call, &zero, types::f64); }},
    {"ones", "shape dtype order", [](const NumpyCall& call) { return make_filled(call, &one, types::f64); }},
    {"full", "shape fill_value dtype order", make_full},
    {"empty_like", "a dtype order", [](const NumpyCall& call) { return make_like(call, &zero); }},
    {"zeros_like", "a dtype order", [](const NumpyCall& call) { return make_like(call, &zero); }},
    {"ones_like", "a dtype order", [](const NumpyCall& call) { return make_like(call, &one); }},
    {"full_like", "a fill_value dtype order",
     [](const NumpyCall& call) { return make_like(call, call.get("fill_value")); }},
    {"arange", "start stop step dtype", make_arange},
    {"linspace", "start stop num endpoint retstep dtype", make_linspace},
    {"eye", "N M k dtype order", make_eye},
    {"identity", "N dtype", make_eye},
    {"concatenate", "arrays axis out dtype", make_concatenation},
};

// Functions that are methods of arrays too.
static constexpr std::string_view methods[] = {"reshape", "ravel", "transpose", "sum", "min", "max"};

std::optional<Value> Interpreter::numpy_function(std::string_view name, const Arguments& args, Span span) {
  const auto is_known = [&](const Value& value) {
    const auto* array = as<Array>(value);
    return !array || has_form(*array);
  };
  if (!std::ranges::all_of(args.positional, is_known)) return std::nullopt;
  if (!std::ranges::all_of(args.keywords, is_known, &values::NamedValue::value)) return std::nullopt;
  if (Made made = call_of(makers, name, *this, args)) return made;
  const std::vector<Value>& given = args.positional;
  if (!args.is_whole || given.empty()) return std::nullopt;
  const auto* array = as<Array>(given[0]);
  if (array && is_in(methods, name)) {
    Arguments rest = args;
    rest.positional.erase(rest.positional.begin());
    return array_method(*array, name, rest, span);
  }
  if (!args.keywords.empty()) return std::nullopt;
  if (const values::OfNumbers function = values::ufunc(name, given.size())) {
    const bool is_plain = std::ranges::none_of(
        given, [](const Value& each) { return as<Number>(each) || !values::is_number(each); });
    const Made result = is_plain ? function(given) : each_of(given, function);
    // Of Python's own floats it is one here.
    const bool is_f64 = is_plain && result && values::type_of_number(*result) == types::f64;
    return is_f64 ? Made(*values::real_of(*result)) : result;
  }
  // np.float64([1, 2]), which is np.asarray([1, 2], np.float64)
  const std::optional<ScalarKind> kind = find_numpy_scalar(name);
  const bool is_cast = kind && given.size() == 1 && !values::is_number(given[0]);
  const bool is_same = array && !array->form->extents.empty() && array->form->type->scalar == kind;
  if (is_cast && is_same) return given[0];
  const auto numbers = is_cast ? numbers_from(given[0], types::scalar(*kind)) : std::nullopt;
  return numbers ? Made(number_or_array(*numbers, array && is_fortran(*array->form))) : std::nullopt;
}

} // namespace kern::python
