// The type of a result is that of its first number; an array of none asks what the numbers 1 would give.
#include "compiler/values/arrays.h"

#include <algorithm>
#include <cmath>

#include "compiler/support/limits.h"
#include "compiler/values/arithmetic.h"
#include "compiler/values/fold.h"

namespace kern::values {

std::size_t words_of(Type type) { return is_complex(type) ? 2 : 1; }

std::optional<std::int64_t> count_of(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  const bool fits = count <= limits::module_array_elements &&
                    extents.size() <= static_cast<std::size_t>(limits::array_rank);
  return fits ? std::optional(count) : std::nullopt;
}

std::optional<Type> promoted(Type a, Type b) {
  if (a == b || is_boolean(b)) return a;
  if (is_boolean(a)) return b;
  if (is_integer(a) && is_integer(b)) return numba_unify(a, b);
  // As many bits as the floats have, and as an integer needs.
  const auto bits = [](Type type) {
    const int own = bit_width(type->scalar);
    return is_complex(type) ? own / 2 : is_float(type) ? own : std::clamp(own * 2, 16, 64);
  };
  const int most = std::max(bits(a), bits(b));
  if (is_complex(a) || is_complex(b)) return most == 64 ? types::c128 : types::c64;
  return most == 64 ? types::f64 : most == 32 ? types::f32 : types::f16;
}

std::optional<Numbers> converted(const Numbers& numbers, Type type) {
  if (numbers.type == type) return numbers;
  Numbers result{type, numbers.extents};
  result.bits.reserve(numbers.size() * words_of(type));
  const bool cuts = is_complex(numbers.type) && !is_complex(type) && !is_boolean(type);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const ir::Operand number = numbers.at(i);
    const auto as_type = number_as(Number{cuts ? ir::part_of(number, 0) : number}, type);
    if (!as_type) return std::nullopt;
    result.add(*as_type);
  }
  return result;
}

Extents strides_of(std::span<const std::int64_t> extents, std::int64_t step, bool is_fortran) {
  Extents strides(extents.size());
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::size_t axis = is_fortran ? k : extents.size() - 1 - k;
    strides[axis] = step;
    step *= extents[axis];
  }
  return strides;
}

Numbers transposed(const Numbers& numbers) {
  Numbers result{numbers.type, {numbers.extents.rbegin(), numbers.extents.rend()}};
  Walk walk{result.extents, strides_of(result.extents, 1, true)};
  for (std::size_t n = 0; n < numbers.size(); ++n, walk.next())
    result.add(numbers.at(static_cast<std::size_t>(walk.place)));
  return result;
}

static Extents extents_of(const Element& element) {
  const auto* numbers = std::get_if<Numbers>(&element);
  return numbers ? numbers->extents : Extents{};
}

// Returns how an operand goes with the axes of the result, which it may lack or have one element along.
static std::optional<Walk> walk_in(const Extents& result, const Element& operand) {
  const Extents own = extents_of(operand), steps = strides_of(own, 1);
  const std::size_t lacking = result.size() - own.size();
  Walk walk{result, Extents(result.size(), 0)};
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (own[axis] != result[lacking + axis] && own[axis] != 1) return std::nullopt;
    if (own[axis] != 1) walk.strides[lacking + axis] = steps[axis];
  }
  return walk;
}

Extents broadcast(std::span<const Element> operands) {
  Extents result;
  for (const Element& operand : operands) {
    const Extents own = extents_of(operand);
    if (own.size() > result.size()) result.insert(result.begin(), own.size() - result.size(), 1);
    for (std::size_t k = 1; k <= own.size(); ++k)
      if (own[own.size() - k] != 1) result[result.size() - k] = own[own.size() - k];
  }
  return result;
}

static Value number_at(const Element& operand, std::int64_t place) {
  const auto* numbers = std::get_if<Numbers>(&operand);
  if (!numbers) return std::get<Value>(operand);
  if (numbers->bits.empty()) return Number{*number_as(WideInt(1), numbers->type)};
  return Number{numbers->at(static_cast<std::size_t>(place))};
}

std::optional<Numbers> each_of(std::span<const Element> operands, const OfNumbers& function) {
  Numbers result;
  result.extents = broadcast(operands);
  const std::optional<std::int64_t> count = count_of(result.extents);
  std::vector<Walk> walks;
  for (const Element& operand : operands) {
    const std::optional<Walk> walk = walk_in(result.extents, operand);
    if (!walk || !count) return std::nullopt;
    walks.push_back(*walk);
  }
  std::vector<Value> numbers(operands.size());
  for (std::int64_t n = 0; n < std::max<std::int64_t>(*count, 1); ++n) {
    for (std::size_t i = 0; i < operands.size(); ++i) numbers[i] = number_at(operands[i], walks[i].place);
    const std::optional<Value> one = function(numbers);
    if (!one || !is_number(*one)) return std::nullopt;
    if (n == 0) result.type = type_of_number(*one);
    const std::optional<ir::Operand> number = number_as(*one, result.type);
    if (!number) return std::nullopt;
    if (*count == 0) break;
    result.add(*number);
    for (Walk& walk : walks) walk.next();
  }
  return result;
}

// ---- Powers ----

// An array to the power of a single number is a product, a root or a quotient where NumPy makes it one.
static std::optional<Value> quick_power(const Value& element, const Value& exponent) {
  const double power = real_of(exponent).value_or(0);
  if (power != 2 && power != 0.5 && power != -1) return std::nullopt;
  const Type type = type_of_number(element);
  if (is_complex(type)) {
    if (power == 2) return binary(ast::BinaryOp::Multiply, element, element);
    return complex_root_or_inverse(as<Number>(element)->bits, power == 0.5);
  }
  const bool squares_float = power == 2 && is_float(type_of_number(exponent));
  if (!is_float(type) && !squares_float) return std::nullopt;
  const std::optional<ir::Operand> x = number_as(element, is_float(type) ? type : types::f64);
  if (!x) return std::nullopt;
  const auto result = power == 2     ? fold_binary(ir::BinaryOp::Multiply, *x, *x)
                      : power == 0.5 ? fold_builtin(Builtin::Sqrt, x->type, std::array{*x})
                                     : fold_binary(ir::BinaryOp::Divide, ir::constant_float(x->type, 1), *x);
  return result ? std::optional<Value>(Number{*result}) : std::nullopt;
}

std::optional<Numbers> array_binary(ast::BinaryOp op, const Element& left, const Element& right) {
  const bool may_be_quick =
      op == ast::BinaryOp::Power && std::holds_alternative<Numbers>(left) && extents_of(right).empty();
  return each_of(std::array{left, right}, [&](std::span<const Value> x) -> std::optional<Value> {
    // Which type a power of bools has differs between versions of NumPy.
    if (may_be_quick && is_boolean(type_of_number(x[0]))) return std::nullopt;
    if (may_be_quick)
      if (std::optional<Value> result = quick_power(x[0], x[1])) return result;
    return binary(op, x[0], x[1]);
  });
}

// ---- Functions ----

namespace {

// What is the same for integers and makes floats of them, or is for floats alone.
constexpr std::pair<std::string_view, Builtin> of_floats[] = {
    {"sqrt", Builtin::Sqrt}, {"fabs", Builtin::Fabs},   {"floor", Builtin::Floor},
    {"ceil", Builtin::Ceil}, {"trunc", Builtin::Trunc}, {"rint", Builtin::Rint},
};

// Returns the float type in which NumPy computes such a function.
Type float_type_of(const Value& number) {
  const Type type = type_of_number(number);
  if (is_float(type)) return type;
  return is_boolean(type) ? types::f16 : *promoted(type, types::f16);
}

std::optional<Value> of_float(Builtin builtin, const Value& number) {
  const Type type = float_type_of(number);
  const bool keeps = builtin == Builtin::Floor || builtin == Builtin::Ceil || builtin == Builtin::Trunc;
  // Whether these keep integers differs between versions of NumPy.
  if (is_complex(type) || (keeps && !is_float(type_of_number(number)))) return std::nullopt;
  const std::optional<ir::Operand> x = number_as(number, type);
  const auto result = x ? fold_builtin(builtin, type, std::array{*x}) : std::nullopt;
  return result ? std::optional<Value>(Number{*result}) : std::nullopt;
}

constexpr std::pair<std::string_view, ast::BinaryOp> operators[] = {
    {"add", ast::BinaryOp::Add},
    {"subtract", ast::BinaryOp::Subtract},
    {"multiply", ast::BinaryOp::Multiply},
    {"divide", ast::BinaryOp::Divide},
    {"true_divide", ast::BinaryOp::Divide},
    {"floor_divide", ast::BinaryOp::FloorDivide},
    {"mod", ast::BinaryOp::Modulo},
    {"remainder", ast::BinaryOp::Modulo},
    {"power", ast::BinaryOp::Power},
    {"bitwise_and", ast::BinaryOp::BitAnd},
    {"bitwise_or", ast::BinaryOp::BitOr},
    {"bitwise_xor", ast::BinaryOp::BitXor},
    {"left_shift", ast::BinaryOp::ShiftLeft},
    {"right_shift", ast::BinaryOp::ShiftRight},
};

// Two numbers of Python's own have types here.
std::optional<Value> operate(ast::BinaryOp op, const Value& x, const Value& y) {
  const bool has_type = as<Number>(x) || as<Number>(y);
  const std::optional<ir::Operand> a = number_as(x, type_of_number(x)), b = number_as(y, type_of_number(y));
  const auto result = has_type ? binary(op, x, y)
                      : a && b ? binary(op, Number{*a}, Number{*b})
                               : std::nullopt;
  // Powers of floats NumPy computes in its own way.
  const bool is_own = op == ast::BinaryOp::Power && result && !is_integer(type_of_number(*result));
  return is_own ? std::nullopt : result;
}

std::optional<Value> absolute(const Value& number) {
  if (is_boolean(type_of_number(number))) return number;
  return call("numpy.abs", std::array{number});
}

std::optional<Value> extreme_of(bool greatest, const Value& x, const Value& y) {
  const std::optional<Value> sum = binary(ast::BinaryOp::Add, x, y); // for the type alone
  const Type type = sum ? type_of_number(*sum) : types::error;
  const std::optional<ir::Operand> a = sum ? number_as(x, type) : std::nullopt,
                                   b = sum ? number_as(y, type) : std::nullopt;
  if (!a || !b || is_complex(type)) return std::nullopt;
  if (is_float(type) && std::isnan(ir::float_value(*a))) return Number{*a};
  if (is_float(type) && std::isnan(ir::float_value(*b))) return Number{*b};
  const bool less = compare(ast::CompareOp::Less, Number{*a}, Number{*b}).value_or(false);
  const bool equal = compare(ast::CompareOp::Equal, Number{*a}, Number{*b}).value_or(false);
  if (equal && a->bits != b->bits) return std::nullopt; // zeros, of which processors take either
  return Number{less == greatest ? *b : *a};
}

} // namespace

OfNumbers ufunc(std::string_view name, std::size_t count) {
  using Args = std::span<const Value>;
  const bool greatest = name == "maximum";
  if (count == 2 && (greatest || name == "minimum"))
    return [greatest](Args x) { return extreme_of(greatest, x[0], x[1]); };
  for (const auto& [own, op] : operators)
    if (count == 2 && own == name) return [op](Args x) { return operate(op, x[0], x[1]); };
  if (count != 1) return nullptr;
  for (const auto& [own, builtin] : of_floats)
    if (own == name) return [builtin](Args x) { return of_float(builtin, x[0]); };
  if (name == "negative") return [](Args x) { return unary(ast::UnaryOp::Negative, x[0]); };
  if (name == "positive") return [](Args x) { return unary(ast::UnaryOp::Positive, x[0]); };
  if (name == "invert" || name == "bitwise_not")
    return [](Args x) { return unary(ast::UnaryOp::Invert, x[0]); };
  if (name == "abs" || name == "absolute") return [](Args x) { return absolute(x[0]); };
  if (name == "square") return [](Args x) { return binary(ast::BinaryOp::Multiply, x[0], x[0]); };
  return nullptr;
}

} // namespace kern::values
