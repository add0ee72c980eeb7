// a.shape, threadIdx.x, math.pi: attributes of arrays and numbers, and names behind the name of a module.
#include <algorithm>
#include <limits>

#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/vocabulary.h"
#include "compiler/check/expressions.h"
#include "compiler/check/host_names.h"
#include "compiler/check/names.h"
#include "compiler/check/numba/type_values.h"
#include "compiler/check/numpy/host_ufuncs.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/check/overload_names.h"
#include "compiler/check/records/records.h"
#include "compiler/check/scopes.h"
#include "compiler/check/ufunc_methods.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/types/names.h"

namespace kern::checker {

static Value array_attribute(Checker& checker, const Value& array, std::string_view name, Span span) {
  const int rank = written_rank(array.type);
  Type element = is_record_array(array.type) ? record_type(array.type) : element_type(array.type);
  const std::int64_t bytes = size_in_memory(element);
  if (name == "size") return array_size(checker, array, span);
  if (name == "ndim") return int_value(rank, span);
  if (name == "itemsize") return int_value(bytes, span);
  if (name == "dtype") return type_value(held_type(element), span);
  if (name == "nbytes")
    return binary(checker, ast::BinaryOp::Multiply, array_size(checker, array, span), int_value(bytes, span),
                  span);
  if (name == "shape" || name == "strides") {
    Value tuple = tuple_value({}, span);
    const std::int64_t step = bit_width(array.type->scalar) / 8;
    for (int axis = 0; axis < rank; ++axis) {
      if (name == "shape") {
        tuple.elements.push_back(array_extent(checker, array, axis, span));
        continue;
      }
      // In bytes, as NumPy has it.
      ir::Operand stride = checker.temp(types::i64, ir::Stride{array.operand, axis}, span);
      ir::Operand scaled =
          checker.binary(ir::BinaryOp::Multiply, stride, ir::constant_int(types::i64, step), span);
      tuple.elements.push_back(runtime_value(scaled, span));
    }
    return tuple;
  }
  if (holds_tuple(element)) {
    checker.report(span, diag::no_attribute, describe(checker, array), name)
        .note("an array of tuples has `shape`, `size`, `ndim`, `strides`, `dtype`, `itemsize` and `nbytes`");
    return error_value(span);
  }
  if (is_record_array(array.type)) return field_of(checker, array, name, span);
  bool is_part = name == "real" || name == "imag";
  if (is_part && is_complex(element_type(array.type)))
    return complex_parts(checker, array, name == "imag", span);
  if (name == "real") return read_at(array, span);
  if (std::optional<Value> form = array_form(checker, array, name, span)) return *form;
  if (name == "imag") return checker.unsupported(span, fmt::format("`.{}` of an array", name));
  Report error = checker.report(span, diag::no_attribute, describe(checker, array), name);
  error.note("an array has `shape`, `size`, `ndim`, `strides`, `dtype`, `itemsize`, `nbytes`, `T`, `flat`, "
             "`reshape`, "
             "`ravel`, `transpose`, `view`, `item` and `fill`");
  note_overloaded_attribute(checker, error, name);
  return error_value(span);
}

// f32.max, i32.min, f32.eps, f32.from_bits, x.dtype.type, x.dtype.itemsize
static Value type_attribute(Checker& checker, Type type, std::string_view name, Span span) {
  if (name == "type" && (is_scalar(type) || is_record(type))) return type_value(type, span);
  if (name == "itemsize" && is_record(type)) return int_value(size_in_memory(type), span);
  if (name == "itemsize" && is_scalar(type)) return int_value(bit_width(type->scalar) / 8, span);
  bool limits = name == "max" || name == "min";
  if (is_scalar(type) && is_integer(type) && limits) {
    WideInt value = name == "max" ? greatest_value(type->scalar) : least_value(type->scalar);
    if (!checker.rules.types_literals) return int_value(value, span);
    return runtime_value(ir::constant_int(type, static_cast<std::int64_t>(value)), span);
  }
  if (is_scalar(type) && is_float(type) && limits)
    return runtime_value(ir::constant_float(type, name == "max" ? greatest_float(type->scalar)
                                                                : -greatest_float(type->scalar)),
                         span);
  if (is_scalar(type) && is_float(type) && name == "eps")
    return runtime_value(ir::constant_float(type, epsilon(type->scalar)), span);
  if (std::optional<Builtin> builtin = find_builtin(fmt::format("{}.{}", to_string(type), name))) {
    Value value = plain_value(ValueKind::Builtin, span);
    value.builtin = *builtin;
    return value;
  }
  Report error =
      checker.report(span, diag::no_attribute, fmt::format("the type `{}`", to_string(type)), name);
  if (is_scalar(type) && is_float(type))
    error.note("a float type has `max`, `min`, `eps` and `from_bits`");
  else if (is_scalar(type) && is_integer(type))
    error.note(
        "an integer type has `max` and `min`; a cast, `{}(x)`, keeps the bits of an integer of its width",
        to_string(type));
  return error_value(span);
}

static double smallest_normal(Type type) {
  if (type == types::f16) return 0x1p-14;
  return type == types::f64 ? 0x1p-1022 : 0x1p-126;
}

// Returns a limit by its name in np.finfo or np.iinfo; those of integers are numbers of Python. Their other
// attributes are those of the type.
static std::optional<Value> limit_of(const Value& info, std::string_view name, Span span) {
  if (name == "bits") return int_value(bit_width(info.type->scalar), span);
  if (info.text == "iinfo") {
    if (name == "max") return int_value(greatest_value(info.type->scalar), span);
    return name == "min" ? std::optional(int_value(least_value(info.type->scalar), span)) : std::nullopt;
  }
  if (name == "tiny" || name == "smallest_normal")
    return runtime_value(ir::constant_float(info.type, smallest_normal(info.type)), span);
  return std::nullopt;
}

// Returns an attribute of an array that the top level or -D made.
static std::optional<Value> array_constant_attribute(const Value& array, std::string_view name, Span span) {
  std::int64_t size = 1, bytes = bit_width(array.type->scalar) / 8;
  Value shape = tuple_value({}, span);
  for (std::int64_t extent : extents_of(array)) {
    shape.elements.push_back(runtime_value(ir::constant_int(types::i64, extent), span));
    size *= extent;
  }
  if (name == "shape") return shape;
  if (name == "dtype") return type_value(array.type, span);
  if (name == "ndim") return int_value(WideInt(shape.elements.size()), span);
  if (name == "itemsize") return int_value(bytes, span);
  if (name == "size") return runtime_value(ir::constant_int(types::i64, size), span);
  if (name == "nbytes") return runtime_value(ir::constant_int(types::i64, size * bytes), span);
  return std::nullopt;
}

// v.x, v.y, v.z and v.w: of one to four numbers, as `float32x3(...)` makes them.
static std::optional<Value> vector_part(const Value& tuple, std::string_view name, Span span) {
  static constexpr std::string_view parts = "xyzw";
  std::size_t place = name.size() == 1 ? parts.find(name[0]) : parts.npos;
  if (tuple.elements.size() > parts.size() || place >= tuple.elements.size()) return std::nullopt;
  if (!std::ranges::all_of(tuple.elements,
                           [](const Value& part) { return is_number(part) || is_unknown(part); }))
    return std::nullopt;
  return read_at(tuple.elements[place], span);
}

static bool has_field(Type type, std::string_view name) {
  return is_tuple(type) && type->record &&
         std::ranges::find(type->record->fields, name, &RecordField::name) != type->record->fields.end();
}

// The type of a tuple or of a record, as an array of such is made with it.
static Value tuple_dtype(Checker& checker, const Value& tuple, Span span) {
  if (has_unknown(tuple)) return unknown_value(span);
  if (std::optional<Type> type = type_of(checker, tuple))
    return type_value(checker.final ? default_deep(checker, *type) : *type, span);
  checker.report(span, diag::no_attribute, describe(checker, tuple), "dtype");
  return error_value(span);
}

// What a file or a package defines.
static Value file_attribute(Checker& checker, const Value& value, std::string_view name, Span span) {
  FileScope& file = *value.file;
  if (file.is_numba()) {
    if (const std::optional<HostFound> found = find_host_name(checker.context, file, name))
      return host_value(checker, *found, checker.context.source(span), span);
  } else if (Symbol* symbol = find_symbol(checker.context, file, name)) {
    return symbol_value(checker, file, name, *symbol, span);
  }
  // A package and what is imported below it have one name.
  std::string below = module_below(file.file->module, name);
  if (FileScope* inner = find_file(checker.context, *checker.scope, below)) return file_value(inner, span);
  checker.report(span, diag::not_in_module, name, file.file->module);
  return error_value(span);
}

// What a type has, and `finfo` and `iinfo` of one.
static Value attribute_of_type(Checker& checker, const Value& value, std::string_view name, Span span) {
  // A string of Python is made with the name of a type.
  const bool is_named = is_scalar(value.type) && is_python(checker);
  if (is_named && (name == "__name__" || name == "name"))
    return text_value(ValueKind::String, long_name_of(value.type->scalar), span);
  if (value.text == "finfo" || value.text == "iinfo")
    if (std::optional<Value> limit = limit_of(value, name, span)) return *limit;
  return type_attribute(checker, value.type, name, span);
}

// Return what a constant array, or a number, has; nothing where it has no such attribute.
static std::optional<Value> attribute_of_constant_array(Checker& checker, const Value& value,
                                                        std::string_view name, Span span) {
  if (std::optional<Value> result = array_constant_attribute(value, name, span)) return *result;
  Value array = read_table(checker, value, value.span);
  return is_error(array) ? array : array_attribute(checker, array, name, span);
}

static std::optional<Value> number_attribute(Checker& checker, const Value& value, std::string_view name,
                                             Span span) {
  if (is_complex_number(value) && (name == "real" || name == "imag"))
    return complex_part(checker, value, name == "imag", span);
  bool is_real = checker.rules.numpy_names && !is_complex(value.type);
  if (is_real && name == "real") return read_at(value, span);
  if (is_real && name == "imag")
    return is_float(value.type)
               ? convert_value(checker, float_value(0, span), default_type(value.type), Purpose::Operand)
               : int_value(0, span);
  if (name == "dtype") {
    if (!is_literal(value.type)) return type_value(value.type, span);
    bool is_settled = checker.final || is_literal(value);
    return type_value(is_settled ? default_type(type_of(checker, value).value_or(value.type)) : value.type,
                      span);
  }
  return number_method(checker, value, name, span);
}

static Value report_no_attribute(Checker& checker, const Value& value, std::string_view name, Span span) {
  Report error = checker.report(span, diag::no_attribute, describe(checker, value), name);
  const bool is_ufunc = value.kind == ValueKind::Builtin || value.kind == ValueKind::Method;
  if (std::string_view advice = ufunc_method_advice(name); is_ufunc && !advice.empty())
    error.note("{}", advice);
  note_overloaded_attribute(checker, error, name);
  if (value.kind != ValueKind::Prefix || !error.is_kept()) return error_value(span);
  std::string_view nearest = nearest_builtin(value.text, name);
  if (nearest.empty())
    error.note("`{}` has {}", value.text, names_behind(value.text));
  else
    error.note("the nearest name is `{}`", nearest);
  return error_value(span);
}

Value attribute_of(Checker& checker, const Value& value, std::string_view name, Span span) {
  if (is_error(value)) return value;
  if (is_unknown(value)) return unknown_value(span);
  if (is_python(checker))
    if (std::optional<Value> part = type_part(value, name, span)) return *part;
  if (Value record = dereferenced(value); is_record_place(record)) {
    if (name == "dtype" && !has_field(record.type, name)) return type_value(record.type, span);
    return field_of(checker, record, name, span);
  }
  if (is_array(value) || is_record_array(value)) return array_attribute(checker, value, name, span);
  if (is_tuple(value) && name == "dtype" && !is_scalar(value.type) && !has_field(value.type, name))
    return tuple_dtype(checker, value, span);
  if (is_tuple(value) && is_tuple(value.type)) return field_of(checker, value, name, span);
  if (value.kind == ValueKind::File) return file_attribute(checker, value, name, span);
  if (value.kind == ValueKind::HostClass) return host_class_attribute(checker, value, name, span);
  if (value.kind == ValueKind::Host) return host_attribute(checker, value, name, span);
  if (value.kind == ValueKind::Type) return attribute_of_type(checker, value, name, span);
  std::optional<Value> found;
  if (value.kind == ValueKind::Prefix)
    found = vocabulary(checker, fmt::format("{}.{}", value.text, name), span);
  else if (value.kind == ValueKind::TypeMaker && value.text == "Record")
    found = plain_function(checker, "Record", name, span);
  else if (is_number(value))
    found = number_attribute(checker, value, name, span);
  if (!found && is_constant_array(value)) found = attribute_of_constant_array(checker, value, name, span);
  if (!found && is_tuple(value) && checker.rules.numpy_names) found = vector_part(value, name, span);
  if (found) return *found;
  if (const FunctionSymbol* ufunc = checker.instance ? host_ufunc(value) : nullptr)
    return report_host_attribute(checker, *ufunc, name, span);
  return report_no_attribute(checker, value, name, span);
}

Value evaluate_attribute(Checker& checker, const ast::Attribute& expr) {
  if (std::optional<Value> value = host_name_value(checker, expr)) return *value;
  auto read = [&] {
    return attribute_of(checker, evaluate_place(checker, *expr.value), expr.name, expr.span);
  };
  // What is only asked for its type is not computed: `at(x, 0).dtype` reads no element.
  if (expr.name != "dtype" || !checker.instance || !ast::as<ast::Call>(expr.value)) return read();
  Value value;
  ir::Body computed = conditional_body(checker, [&] { value = read(); });
  if (value.kind != ValueKind::Type) checker.append(std::move(computed));
  return value;
}

} // namespace kern::checker
