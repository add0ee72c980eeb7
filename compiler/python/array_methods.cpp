// Attributes and methods of arrays and of single numbers. What is a view in NumPy is one here.
#include <algorithm>

#include "compiler/ast/host_modules.h"
#include "compiler/python/numpy_call.h"
#include "compiler/support/limits.h"
#include "compiler/types/names.h"
#include "compiler/values/fold.h"

namespace kern::python {

using values::Array;
using values::ArrayForm;
using values::as;
using values::Extents;
using values::Number;
using values::Numbers;

bool is_contiguous(const ArrayForm& form, bool is_fortran) {
  const auto step = static_cast<std::int64_t>(values::words_of(form.type));
  const Extents strides = values::strides_of(form.extents, step, is_fortran);
  const bool is_empty = values::count_of(form.extents) == 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    if (!is_empty && form.extents[axis] > 1 && form.strides[axis] != strides[axis]) return false;
  return true;
}

static Value view(Interpreter& run, const Array& array, Type type, const Extents& extents,
                  const Extents& strides, std::int64_t further = 0) {
  return Array{array.object, run.arena.make<ArrayForm>(type, run.arena.copy(extents), run.arena.copy(strides),
                                                       array.form->first + further)};
}

static Value view(Interpreter& run, const Array& array, Type type, std::int64_t further = 0) {
  const ArrayForm& form = *array.form;
  return view(run, array, type, {form.extents.begin(), form.extents.end()},
              {form.strides.begin(), form.strides.end()}, further);
}

static Value transposed(Interpreter& run, const Array& array) {
  const ArrayForm& form = *array.form;
  return view(run, array, form.type, {form.extents.rbegin(), form.extents.rend()},
              {form.strides.rbegin(), form.strides.rend()});
}

// Of a number without a type Python makes one: what `item` gives.
static Value python_number(const ir::Operand& number) {
  if (is_boolean(number.type)) return number.bits != 0;
  if (is_complex(number.type))
    return values::Complex{ir::float_value(ir::part_of(number, 0)), ir::float_value(ir::part_of(number, 1))};
  if (is_float(number.type)) return ir::float_value(number);
  return *values::integer_of(Number{number});
}

Value Interpreter::opaque_view(const Array& array) {
  in_doubt = true;
  return Array{array.object, arena.make<ArrayForm>()};
}

std::optional<Value> Interpreter::array_attribute(const Array& array, std::string_view name) {
  const ArrayForm& form = *array.form;
  if (is_opaque(form) && (name == "T" || name == "real" || name == "imag")) return array;
  if (!has_form(array)) return std::nullopt;
  const WideInt count = values::count_of(form.extents).value_or(0), bytes = bit_width(form.type->scalar) / 8;
  if (name == "shape") {
    std::vector<Value> shape;
    for (std::int64_t extent : form.extents) shape.emplace_back(static_cast<WideInt>(extent));
    return tuple(shape);
  }
  if (name == "size") return count;
  if (name == "itemsize") return bytes;
  if (name == "nbytes") return count * bytes;
  if (name == "ndim") return static_cast<WideInt>(form.extents.size());
  if (name == "T") return transposed(*this, array);
  if (name == "dtype") {
    const std::string own = is_boolean(form.type) ? "bool_" : std::string(long_name_of(form.type->scalar));
    return make_term(values::Path{"numpy.dtype"}, {{values::Path{arena.copy("numpy." + own)}}, {}});
  }
  if (name == "real" && !is_complex(form.type)) return array;
  if (name == "imag" && !is_complex(form.type)) { // one that nobody can change
    const Extents extents(form.extents.begin(), form.extents.end());
    const bool fits = may_make(static_cast<std::size_t>(count));
    const std::vector<std::uint64_t> zeros(fits ? static_cast<std::size_t>(count) : 0);
    return fits ? std::optional(new_array({form.type, extents, zeros})) : std::nullopt;
  }
  if ((name != "real" && name != "imag") || !is_complex(form.type)) return std::nullopt;
  return view(*this, array, part_type(form.type), name == "imag");
}

// The receiver of a method is its first argument here.
static const Array& self(const NumpyCall& call) { return *as<Array>(call.args.positional[0]); }

static std::optional<Numbers> numbers_in(const NumpyCall& call) {
  return call.run.numbers_from(call.args.positional[0]);
}

static Made copied(const NumpyCall& call, std::optional<Type> type, bool is_fortran) {
  const auto numbers = type ? call.run.numbers_from(call.args.positional[0], type) : std::nullopt;
  return numbers ? Made(call.run.new_array(*numbers, is_fortran)) : std::nullopt;
}

static Made as_type(const NumpyCall& call) {
  if (!call.get("dtype")) return std::nullopt;
  return copied(call, call.dtype(types::error), call.is_fortran(is_fortran(*self(call).form)));
}

// Returns the strides of a view of other extents; nothing where it takes a copy, as in NumPy: each group of axes of the one
// that is a group of the other must lie as one axis would.
static std::optional<Extents> strides_of_view(const ArrayForm& form, const Extents& extents) {
  Extents old_extents, old_strides, strides(extents.size(), 1);
  for (std::size_t axis = 0; axis < form.extents.size(); ++axis) {
    if (form.extents[axis] == 1) continue;
    old_extents.push_back(form.extents[axis]);
    old_strides.push_back(form.strides[axis]);
  }
  std::size_t first = 0, old_first = 0;
  while (first < extents.size() && old_first < old_extents.size()) {
    std::size_t end = first + 1, old_end = old_first + 1;
    std::int64_t count = extents[first], old_count = old_extents[old_first];
    while (count != old_count)
      if (count < old_count)
        count *= extents[end++];
      else
        old_count *= old_extents[old_end++];
    for (std::size_t axis = old_first; axis + 1 < old_end; ++axis)
      if (old_strides[axis] != old_extents[axis + 1] * old_strides[axis + 1]) return std::nullopt;
    strides[end - 1] = old_strides[old_end - 1];
    for (std::size_t axis = end - 1; axis > first; --axis) strides[axis - 1] = strides[axis] * extents[axis];
    first = end;
    old_first = old_end;
  }
  return strides;
}

static Made with_extents(const NumpyCall& call, const Extents& extents, bool may_step) {
  Interpreter& run = call.run;
  const ArrayForm& form = *self(call).form;
  if (is_opaque(form) || call.is_fortran(false)) return std::nullopt;
  if (std::ranges::equal(extents, form.extents) && may_step) return Value(self(call));
  const bool is_view = values::count_of(extents) != 0 && (may_step || is_contiguous(form, false));
  if (const auto strides = is_view ? strides_of_view(form, extents) : std::nullopt)
    return view(run, self(call), form.type, extents, *strides);
  auto numbers = numbers_in(call);
  if (!numbers) return std::nullopt;
  numbers->extents = extents;
  return run.new_array(*numbers);
}

static Made reshaped(const NumpyCall& call) {
  std::vector<Value> shape(call.args.positional.begin() + 1, call.args.positional.end());
  if (shape.size() == 1)
    if (const auto inner = call.run.elements_of(shape[0])) shape.assign(inner->begin(), inner->end());
  Extents extents;
  std::int64_t known = 1;
  for (const Value& each : shape) {
    const std::optional<WideInt> extent = values::integer_of(each);
    if (!extent || *extent < -1 || *extent > limits::module_array_elements) return std::nullopt;
    extents.push_back(static_cast<std::int64_t>(*extent));
    if (*extent >= 0 && __builtin_mul_overflow(known, extents.back(), &known)) return std::nullopt;
  }
  const std::int64_t count = values::count_of(self(call).form->extents).value_or(0);
  if (std::ranges::count(extents, -1) > 1) return std::nullopt;
  std::ranges::replace(extents, -1, known > 0 ? count / known : 0);
  return values::count_of(extents) == count ? with_extents(call, extents, true) : std::nullopt;
}

static Made raveled(const NumpyCall& call) {
  return with_extents(call, {values::count_of(self(call).form->extents).value_or(0)}, false);
}

static Made flattened(const NumpyCall& call) {
  const auto numbers = call.is_fortran(false) ? std::nullopt : numbers_in(call);
  if (!numbers) return std::nullopt;
  return call.run.new_array({numbers->type, {static_cast<std::int64_t>(numbers->size())}, numbers->bits});
}

// A view of another type, where the words of the numbers are the same ones.
static Made viewed(const NumpyCall& call) {
  const ArrayForm& form = *self(call).form;
  const std::optional<Type> type = call.dtype(form.type);
  if (!type) return std::nullopt;
  const bool are_integers = is_integer(form.type) && is_integer(*type) &&
                            bit_width(form.type->scalar) == bit_width((*type)->scalar);
  return form.type == *type || are_integers ? Made(view(call.run, self(call), *type)) : std::nullopt;
}

static Value as_list(Interpreter& run, const Numbers& numbers, std::size_t axis, std::size_t& next) {
  if (axis == numbers.extents.size()) return python_number(numbers.at(next++));
  std::vector<Value> elements;
  for (std::int64_t i = 0; i < numbers.extents[axis]; ++i)
    elements.push_back(as_list(run, numbers, axis + 1, next));
  return run.new_list(elements);
}

static Made listed(const NumpyCall& call) {
  const auto numbers = numbers_in(call);
  std::size_t next = 0;
  return numbers ? Made(as_list(call.run, *numbers, 0, next)) : std::nullopt;
}

static Made item(const NumpyCall& call) {
  const auto numbers = numbers_in(call);
  const std::optional<WideInt> index = call.integer("index", 0);
  if (!numbers || !index || (!call.get("index") && numbers->size() != 1)) return std::nullopt;
  const std::optional<std::size_t> at = values::index_in(*index, numbers->size());
  return at ? Made(python_number(numbers->at(*at))) : std::nullopt;
}

static Made filled_with(const NumpyCall& call) {
  const Value* value = call.get("value");
  const bool is_filled = value && values::is_number(*value) && call.run.store_numbers(self(call), *value);
  return is_filled ? Made(values::None{}) : std::nullopt;
}

static Made conjugated(const NumpyCall& call) {
  if (!is_complex(self(call).form->type)) return Value(self(call));
  auto numbers = numbers_in(call);
  if (!numbers) return std::nullopt;
  for (std::size_t i = 1; is_complex(numbers->type) && i < numbers->bits.size(); i += 2)
    numbers->bits[i] ^= std::uint64_t{1} << 63;
  return call.run.new_array(*numbers, is_fortran(*self(call).form));
}

// ---- Over all numbers ----

// Of floats the order in which NumPy adds differs between processors.
static Made total(const NumpyCall& call) {
  const auto numbers = numbers_in(call);
  if (!numbers || is_float(numbers->type) || is_complex(numbers->type)) return std::nullopt;
  const bool is_word = is_integer(numbers->type) && !is_signed(numbers->type);
  const Type type = is_word ? types::u64 : types::i64;
  std::uint64_t sum = 0;
  for (std::uint64_t bits : numbers->bits) sum += bits;
  return Number{values::wrapped(type, sum)};
}

static Made extreme(const NumpyCall& call, std::string_view name) {
  const auto numbers = numbers_in(call);
  if (!numbers || numbers->size() == 0 || is_boolean(numbers->type)) return std::nullopt;
  const values::OfNumbers function = values::ufunc(name, 2);
  std::optional<Value> best = Number{numbers->at(0)};
  for (std::size_t i = 1; best && i < numbers->size(); ++i)
    best = function(std::array<Value, 2>{*best, Number{numbers->at(i)}});
  return best;
}

static constexpr NumpyFunction methods[] = {
    {"copy", "self order",
     [](const NumpyCall& call) {
       const ArrayForm& form = *self(call).form;
       return copied(call, form.type, call.get("order") && call.is_fortran(is_fortran(form)));
     }},
    {"astype", "self dtype order", as_type},
    {"flatten", "self order", flattened},
    {"ravel", "self order", raveled},
    {"reshape", "self a b c d e f g h", reshaped},
    {"transpose", "self", [](const NumpyCall& call) { return Made(transposed(call.run, self(call))); }},
    {"view", "self dtype", viewed},
    {"tolist", "self", listed},
    {"item", "self index", item},
    {"fill", "self value", filled_with},
    {"conj", "self", conjugated},
    {"conjugate", "self", conjugated},
    {"sum", "self", total},
    {"min", "self", [](const NumpyCall& call) { return extreme(call, "minimum"); }},
    {"max", "self", [](const NumpyCall& call) { return extreme(call, "maximum"); }},
};

std::optional<Value> Interpreter::array_method(const Array& array, std::string_view name,
                                               const Arguments& args, Span span) {
  // Those that give no view and change nothing, whatever their arguments.
  constexpr std::array<std::string_view, 22> reading = {
      "sum",   "prod",    "mean",    "std",    "var",     "min",     "max",  "any",
      "all",   "dot",     "argmax",  "argmin", "tolist",  "tobytes", "item", "cumsum",
      "round", "nonzero", "argsort", "copy",   "flatten", "astype"};
  Arguments all = args;
  all.positional.insert(all.positional.begin(), Value(array));
  if (Made made = has_form(array) ? call_of(methods, name, *this, all) : std::nullopt) return made;
  const bool has_output = std::ranges::any_of(
      args.keywords, [](const auto& each) { return each.name == "out" || each.name == "copy"; });
  if (has_output || !args.is_whole) return std::nullopt;
  if (is_in(reading, name)) return unknown(Why::NotComputed, span);
  const bool is_view = ast::views_arrays(name) || name == "view" || name.starts_with("conj");
  return is_view ? std::optional(opaque_view(array)) : std::nullopt;
}

std::optional<Value> Interpreter::number_method(const Value& number, std::string_view name,
                                                const Arguments& args) {
  if (!args.keywords.empty() || !args.positional.empty()) return std::nullopt;
  const auto* complex = as<values::Complex>(number);
  const auto* typed = as<Number>(number);
  if (complex && name == "conjugate") return values::Complex{complex->real, -complex->imag};
  if (typed && name == "item") return python_number(typed->bits);
  if (!typed || !is_complex(typed->bits.type) || !name.starts_with("conj")) return std::nullopt;
  ir::Operand result = typed->bits;
  result.imag ^= std::uint64_t{1} << 63;
  return Number{result};
}

std::optional<Value> number_attribute(const Value& number, std::string_view name) {
  const bool is_imag = name == "imag";
  if (name != "real" && !is_imag) return std::nullopt;
  if (const auto* complex = as<values::Complex>(number)) return is_imag ? complex->imag : complex->real;
  const auto* typed = as<Number>(number);
  if (typed && is_complex(typed->bits.type)) return Number{ir::part_of(typed->bits, is_imag)};
  if (!is_imag) return number;
  return typed                ? Value(Number{*values::number_as(WideInt(0), typed->bits.type)})
         : as<double>(number) ? Value(0.0)
                              : Value(WideInt(0));
}

} // namespace kern::python
