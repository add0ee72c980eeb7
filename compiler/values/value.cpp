// Equality is that of Python where both values are known; a typed number keeps its type.
#include "compiler/values/value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compiler/ir/print.h"
#include "compiler/values/fold.h"

namespace kern::values {

bool is_number(const Value& value) {
  return as<bool>(value) || as<WideInt>(value) || as<double>(value) || as<Complex>(value) ||
         as<Number>(value);
}

std::optional<WideInt> integer_of(const Value& value) {
  if (const auto* truth = as<bool>(value)) return *truth;
  if (const auto* integer = as<WideInt>(value)) return *integer;
  const auto* number = as<Number>(value);
  if (!number || is_float(number->bits.type) || is_complex(number->bits.type)) return std::nullopt;
  if (is_integer(number->bits.type) && is_signed(number->bits.type)) return ir::int_value(number->bits);
  return static_cast<WideInt>(number->bits.bits);
}

std::optional<double> real_of(const Value& value) {
  if (const auto* real = as<double>(value)) return *real;
  if (const auto* number = as<Number>(value); number && is_float(number->bits.type))
    return ir::float_value(number->bits);
  const std::optional<WideInt> integer = integer_of(value);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

Type type_of_number(const Value& number) {
  if (as<bool>(number)) return types::boolean;
  if (as<WideInt>(number)) return types::i64;
  if (as<Complex>(number)) return types::c128;
  const auto* typed = as<Number>(number);
  return typed ? typed->bits.type : types::f64;
}

std::optional<ir::Operand> number_as(const Value& number, Type type) {
  if (!is_number(number)) return std::nullopt;
  const auto* typed = as<Number>(number);
  const bool is_complex_number = as<Complex>(number) || (typed && is_complex(typed->bits.type));
  if (is_boolean(type)) return ir::constant_bool(*truth_of(number));
  if (is_complex(type)) {
    if (typed && is_complex_number)
      return ir::constant_complex(type, ir::float_value(ir::part_of(typed->bits, 0)),
                                  ir::float_value(ir::part_of(typed->bits, 1)));
    if (const auto* complex = as<Complex>(number))
      return ir::constant_complex(type, complex->real, complex->imag);
    return ir::constant_complex(type, *real_of(number), 0);
  }
  if (is_complex_number) return std::nullopt;
  if (is_integer(type)) {
    // What a float becomes that is near no integer of the type differs between processors.
    if (typed && !is_float(typed->bits.type)) return fold_convert(typed->bits, type);
    const double real = std::trunc(real_of(number).value_or(0));
    const bool is_near = std::fabs(real) < 0x1p64;
    const std::optional<WideInt> integer = integer_of(number);
    const WideInt whole = integer ? *integer : is_near ? static_cast<WideInt>(real) : WideInt(1) << 70;
    return literal_fits(whole, type) ? std::optional(constant_of(type, whole)) : std::nullopt;
  }
  if (typed) return fold_convert(typed->bits, type);
  return fold_convert(ir::constant_float(types::f64, *real_of(number)), type);
}

static bool is_same_list(std::span<const Value> a, std::span<const Value> b) {
  return std::ranges::equal(a, b, [](const Value& x, const Value& y) { return is_same(x, y); });
}

namespace {

// Compares two values of one kind.
struct Same {
  bool operator()(const Unknown& a, const Unknown& b) const { return a.why == b.why && a.where == b.where; }
  bool operator()(None, None) const { return true; }
  bool operator()(Ellipsis, Ellipsis) const { return true; }
  bool operator()(bool a, bool b) const { return a == b; }
  bool operator()(WideInt a, WideInt b) const { return a == b; }
  bool operator()(double a, double b) const {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
  bool operator()(const Complex& a, const Complex& b) const {
    return (*this)(a.real, b.real) && (*this)(a.imag, b.imag);
  }
  bool operator()(const Number& a, const Number& b) const { return a.bits == b.bits; }
  bool operator()(const Text& a, const Text& b) const { return a.text == b.text; }
  bool operator()(const Tuple& a, const Tuple& b) const { return is_same_list(a.elements, b.elements); }
  bool operator()(const List& a, const List& b) const { return a.object == b.object; }
  bool operator()(const Dict& a, const Dict& b) const { return a.object == b.object; }
  bool operator()(const Class& a, const Class& b) const { return a.object == b.object; }
  bool operator()(const Array& a, const Array& b) const {
    const ArrayForm &x = *a.form, &y = *b.form;
    return a.object == b.object && x.type == y.type && x.first == y.first &&
           std::ranges::equal(x.extents, y.extents) && std::ranges::equal(x.strides, y.strides);
  }
  bool operator()(const Range& a, const Range& b) const {
    return a.start == b.start && a.stop == b.stop && a.step == b.step;
  }
  bool operator()(const Function& a, const Function& b) const { return a.data == b.data; }
  bool operator()(const File& a, const File& b) const { return a.index == b.index; }
  bool operator()(const Member& a, const Member& b) const { return a.file == b.file && a.name == b.name; }
  bool operator()(const Path& a, const Path& b) const { return a.name == b.name; }
  bool operator()(Foreign a, Foreign b) const { return a.index == b.index; }
  bool operator()(const Term& a, const Term& b) const {
    if (a.data == b.data) return true;
    if (a.data->object || b.data->object) return false;
    return is_same(a.data->callee, b.data->callee) && is_same_list(a.data->args, b.data->args) &&
           std::ranges::equal(a.data->keywords, b.data->keywords, [](const auto& x, const auto& y) {
             return x.name == y.name && is_same(x.value, y.value);
           });
  }
  template <class A, class B> bool operator()(const A&, const B&) const { return false; }
};

std::string print_list(std::span<const Value> values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + print(value);
  return text;
}

// Prints a value of one kind.
struct Print {
  std::string operator()(const Unknown& value) const {
    constexpr std::string_view names[] = {"bound",    "changed", "launched",
                                          "captured", "missing", "not computed"};
    return fmt::format("unknown ({})", names[static_cast<std::size_t>(value.why)]);
  }
  std::string operator()(None) const { return "None"; }
  std::string operator()(Ellipsis) const { return "..."; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(WideInt value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    std::string text = fmt::format("{}", value);
    return text.find_first_not_of("-0123456789") == text.npos ? text + ".0" : text;
  }
  std::string operator()(const Complex& value) const {
    return fmt::format("complex({}, {})", (*this)(value.real), (*this)(value.imag));
  }
  std::string operator()(const Number& value) const {
    if (is_boolean(value.bits.type)) return value.bits.bits ? "True" : "False";
    return fmt::format("{} {}", to_string(value.bits.type), ir::print(value.bits, {}));
  }
  std::string operator()(const Text& value) const { return fmt::format("'{}'", value.text); }
  std::string operator()(const Tuple& value) const {
    return fmt::format("({}{})", print_list(value.elements), value.elements.size() == 1 ? "," : "");
  }
  std::string operator()(const List&) const { return "list"; }
  std::string operator()(const Dict&) const { return "dict"; }
  std::string operator()(const Class& value) const { return fmt::format("class {}", value.statement->name); }
  std::string operator()(const Array&) const { return "array"; }
  std::string operator()(const Range& value) const {
    return fmt::format("range({}, {}, {})", value.start, value.stop, value.step);
  }
  std::string operator()(const Function&) const { return "function"; }
  std::string operator()(const File& value) const { return fmt::format("file {}", value.index); }
  std::string operator()(const Member& value) const { return fmt::format("member {}", value.name); }
  std::string operator()(const Path& value) const { return std::string(value.name); }
  std::string operator()(Foreign value) const { return fmt::format("foreign {}", value.index); }
  std::string operator()(const Term& value) const {
    std::string args = print_list(value.data->args);
    for (const NamedValue& each : value.data->keywords)
      args += fmt::format("{}{}={}", args.empty() ? "" : ", ", each.name, print(each.value));
    return fmt::format("{}({})", print(value.data->callee), args);
  }
};

} // namespace

bool is_same(const Value& a, const Value& b) {
  return std::visit(Same{}, static_cast<const Value::variant&>(a), static_cast<const Value::variant&>(b));
}

std::string print(const Value& value) {
  return std::visit(Print{}, static_cast<const Value::variant&>(value));
}

std::optional<bool> truth_of(const Value& value) {
  if (as<None>(value)) return false;
  if (const auto* complex = as<Complex>(value)) return complex->real != 0 || complex->imag != 0;
  if (const auto* text = as<Text>(value)) return !text->text.empty();
  if (const auto* tuple = as<Tuple>(value)) return !tuple->elements.empty();
  if (as<Function>(value) || as<Class>(value) || as<File>(value) || as<Path>(value)) return true;
  if (const auto* number = as<Number>(value); number && is_complex(number->bits.type))
    return ir::float_value(ir::part_of(number->bits, 0)) != 0 ||
           ir::float_value(ir::part_of(number->bits, 1)) != 0;
  const std::optional<double> real = real_of(value);
  return real ? std::optional(*real != 0) : std::nullopt;
}

} // namespace kern::values
