// The types of numbers that NumPy has, and their limits.
#include <cmath>

#include "compiler/python/interpreter.h"
#include "compiler/types/names.h"

namespace kern::python {

using values::as;
using values::Number;

std::optional<Type> dtype_of(const Value& value) {
  if (const auto* term = as<values::Term>(value)) {
    const auto* callee = as<values::Path>(term->data->callee);
    const bool is_dtype = callee && callee->name == "numpy.dtype" && term->data->args.size() == 1;
    return is_dtype ? dtype_of(term->data->args[0]) : std::nullopt;
  }
  const auto* path = as<values::Path>(value);
  const auto* string = as<values::Text>(value);
  std::string_view name = path ? path->name.substr(path->name.rfind('.') + 1) : string ? string->text : "";
  if (name == "int") return types::i64;
  if (name == "float") return types::f64;
  if (name == "complex") return types::c128;
  if (name == "bool") return types::boolean;
  if (string && !name.empty() && std::string_view("<=|").find(name[0]) != name.npos) name.remove_prefix(1);
  const std::optional<ScalarKind> kind = name.empty() ? std::nullopt : find_numpy_scalar(name);
  return kind ? std::optional(types::scalar(*kind)) : std::nullopt;
}

static std::optional<Value> limit_of(Type type, std::string_view name) {
  if (name == "bits") return static_cast<WideInt>(bit_width(type->scalar));
  const auto real = [&](double value) { return Value(Number{ir::constant_float(type, value)}); };
  if (!is_float(type)) {
    if (name == "max") return greatest_value(type->scalar);
    return name == "min" ? std::optional<Value>(least_value(type->scalar)) : std::nullopt;
  }
  // The bits behind the point, and the least exponent of a number that has all of them.
  const int fraction = type == types::f16 ? 10 : type == types::f32 ? 23 : 52;
  const int least = type == types::f16 ? -14 : type == types::f32 ? -126 : -1022;
  const double epsilon = std::ldexp(1.0, -fraction), most = std::ldexp(2 - epsilon, 1 - least);
  if (name == "max" || name == "min") return real(name == "max" ? most : -most);
  if (name == "eps") return real(epsilon);
  if (name == "epsneg") return real(epsilon / 2);
  if (name == "tiny" || name == "smallest_normal") return real(std::ldexp(1.0, least));
  if (name == "smallest_subnormal") return real(std::ldexp(1.0, least - fraction));
  return std::nullopt;
}

std::optional<Value> Interpreter::numpy_attribute(const values::Term& of, std::string_view name) {
  const auto* callee = as<values::Path>(of.data->callee);
  const Value* arg = of.data->args.size() == 1 ? of.data->args.data() : nullptr;
  if (!callee || !arg || !of.data->keywords.empty()) return std::nullopt;
  const bool is_float_info = callee->name == "numpy.finfo", is_info = callee->name == "numpy.iinfo";
  const std::optional<Type> type =
      values::is_number(*arg) ? std::optional(values::type_of_number(*arg)) : dtype_of(*arg);
  if (!type) return std::nullopt;
  if (is_info || is_float_info) {
    const Type part = is_complex(*type) ? part_type(*type) : *type;
    const bool fits = is_info ? is_integer(part) : is_float(part) && part != types::bf16;
    return fits ? limit_of(part, name) : std::nullopt;
  }
  if (callee->name != "numpy.dtype") return std::nullopt;
  const std::string_view own = is_boolean(*type) ? "bool" : long_name_of((*type)->scalar);
  if (name == "itemsize") return static_cast<WideInt>(bit_width((*type)->scalar) / 8);
  if (name == "name") return text(own);
  if (name == "type") return values::Path{arena.copy("numpy." + std::string(own))};
  return std::nullopt;
}

} // namespace kern::python
