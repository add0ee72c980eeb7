// Looks at what a call is given: as many arguments as the algorithm has, arrays that suit each other, numbers that fit.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "runtime/api/error.h"
#include "runtime/api/overlap.h"
#include "runtime/plans/lines.h"
#include "runtime/plans/table.h"

namespace kern::algorithms {

namespace {

[[noreturn]] void refuse(std::string message) { runtime::fail(KERN_ARGUMENT_ERROR, std::move(message)); }

bool is_integer(std::uint32_t type) { return type >= KERN_I8 && type <= KERN_U64; }
bool is_signed(std::uint32_t type) { return type >= KERN_I8 && type <= KERN_I64; }

std::string quoted(const char* name) { return "`" + std::string(name) + "`"; }

std::string signature_of(const Algorithm& algorithm) {
  std::string text = std::string(algorithm.name) + "(";
  std::string closing;
  for (std::size_t i = 0; i < algorithm.all().size(); ++i) {
    const Parameter& each = algorithm.all()[i];
    const bool opens = i == algorithm.needed || each.role == Role::Limit;
    if (opens) closing += "]";
    text += (i ? opens ? "[, " : ", " : "") + std::string(each.name);
  }
  return text + closing + ")";
}

// ---- Numbers ----

// Returns an integer of a type that is stored in a scalar; of an u64 beyond an i64 nothing.
std::optional<std::int64_t> integer_of(const kern_argument& scalar) {
  const std::uint64_t bits = scalar.scalar[0];
  if (scalar.type == KERN_BOOL) return bits & 1;
  const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes_of(scalar.type));
  if (is_signed(scalar.type)) return static_cast<std::int64_t>(bits << shift) >> shift;
  const std::uint64_t whole = bits << shift >> shift;
  if (whole > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

std::optional<double> real_of(const kern_argument& scalar) {
  if (scalar.type == KERN_F64) return std::bit_cast<double>(scalar.scalar[0]);
  if (scalar.type == KERN_F32) return std::bit_cast<float>(static_cast<std::uint32_t>(scalar.scalar[0]));
  if (const auto integer = integer_of(scalar);
      integer && (scalar.type == KERN_BOOL || is_integer(scalar.type)))
    return static_cast<double>(*integer);
  return std::nullopt;
}

bool holds(std::uint32_t type, std::int64_t value) {
  const unsigned bits = 8 * static_cast<unsigned>(bytes_of(type));
  if (is_signed(type))
    return bits == 64 || (value >= -(std::int64_t(1) << (bits - 1)) && value < std::int64_t(1) << (bits - 1));
  return value >= 0 && (bits == 64 || value < std::int64_t(1) << bits);
}

// Makes a scalar one of another type, where its value stays the same; of a float it is rounded.
bool convert(kern_argument& scalar, std::uint32_t type) {
  if (scalar.type == type) return true;
  std::uint64_t bits = 0;
  if (is_integer(type)) {
    const std::optional<std::int64_t> value =
        scalar.type == KERN_BOOL || is_integer(scalar.type) ? integer_of(scalar) : std::nullopt;
    if (!value || !holds(type, *value)) return false;
    bits = static_cast<std::uint64_t>(*value);
  } else if (type == KERN_F32 || type == KERN_F64) {
    const std::optional<double> value = real_of(scalar);
    if (!value) return false;
    if (type == KERN_F32 && std::isfinite(*value) && std::fabs(*value) > std::numeric_limits<float>::max())
      return false;
    bits = type == KERN_F64 ? std::bit_cast<std::uint64_t>(*value)
                            : std::bit_cast<std::uint32_t>(static_cast<float>(*value));
  } else {
    return false;
  }
  scalar.type = type;
  scalar.scalar[0] = bits;
  scalar.scalar[1] = 0;
  return true;
}

// ---- Each by itself ----

std::optional<std::uint32_t> wanted_type(Element element, std::span<const kern_argument> arguments) {
  switch (element) {
  case Element::OfFirst: return arguments[0].type;
  case Element::OfSecond: return arguments[1].type;
  case Element::I64: return KERN_I64;
  case Element::U64: return KERN_U64;
  case Element::F64: return KERN_F64;
  case Element::Any:
  case Element::LikeFirst:
  case Element::Computed:
  case Element::Integer:
  case Element::Signed:
  case Element::Place:
  case Element::Bound:
  case Element::Mean:
  case Element::Float:
  case Element::Real:
  case Element::Word: return std::nullopt;
  }
  return std::nullopt;
}

// Returns which types a class of them has, for messages; null where any type will do, or one.
const char* types_of(Element element) {
  switch (element) {
  case Element::Integer:
  case Element::Place:
  case Element::Bound: return "integers";
  case Element::Signed: return "signed integers";
  case Element::Mean: return "floats or complex numbers";
  case Element::Float: return "floats";
  case Element::Real: return "f32 or f64";
  case Element::Word: return "u32 or u64";
  case Element::Any:
  case Element::OfFirst:
  case Element::OfSecond:
  case Element::LikeFirst:
  case Element::Computed:
  case Element::I64:
  case Element::U64:
  case Element::F64: return nullptr;
  }
  return nullptr;
}

bool suits(Element element, std::uint32_t type) {
  const bool is_complex = type == KERN_C64 || type == KERN_C128;
  const bool is_float = !is_complex && !is_integer(type) && type != KERN_BOOL;
  if (element == Element::Mean) return is_float || is_complex;
  if (element == Element::Float) return is_float;
  if (element == Element::Real) return type == KERN_F32 || type == KERN_F64;
  if (element == Element::Word) return type == KERN_U32 || type == KERN_U64;
  return element == Element::Signed ? is_signed(type) : is_integer(type);
}

std::string elements_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

void check_number(const Parameter& parameter, kern_argument& given,
                  std::span<const kern_argument> arguments) {
  const std::optional<std::uint32_t> wanted = wanted_type(parameter.element, arguments);
  const std::uint32_t type = given.type;
  if (wanted && !convert(given, *wanted))
    refuse(quoted(parameter.name) + " is a number of " + type_name(*wanted) + ", and is given one of " +
           type_name(type) + " that is none");
}

void check_array(const Parameter& parameter, kern_argument& given, std::span<const kern_argument> arguments) {
  const std::string name = quoted(parameter.name);
  const bool is_written = parameter.role == Role::Out || parameter.role == Role::InOut;
  if (is_written && !given.writable) refuse(name + " is written, and is given an array that is only read");
  if (parameter.role != Role::Out && given.kind == KERN_HOST_OUT)
    refuse(name +
           " is read, and is given host memory that is not copied to the device: in(...) or inout(...) does");
  if (is_written && given.kind == KERN_HOST_IN)
    refuse(name +
           " is written, and is given host memory that is not copied back: out(...) or inout(...) does");
  const std::optional<std::uint32_t> wanted = wanted_type(parameter.element, arguments);
  if (wanted && given.type != *wanted)
    refuse(name + " is an array of " + type_name(*wanted) + ", and is given one of " + type_name(given.type));
  const bool is_place = parameter.element == Element::Place, is_bound = parameter.element == Element::Bound;
  if (const char* types = types_of(parameter.element); types && !suits(parameter.element, given.type))
    refuse(name + " is an array of " + types + ", and is given one of " + type_name(given.type));
  const std::int64_t elements = count({arguments[0].extents, arguments[0].rank});
  if ((is_place && !holds(given.type, std::max<std::int64_t>(elements - 1, 0))) ||
      (is_bound && !holds(given.type, elements)))
    refuse(name + " is an array of " + type_name(given.type) + ", which does not hold the places of " +
           elements_text(elements));
}

// A kernel of the library takes one axis: what lies without gaps has one.
void give_one_axis(const Parameter& parameter, kern_argument& given) {
  if (given.rank == 1) return;
  if (!is_dense(given))
    refuse(quoted(parameter.name) + " has the shape " + text_of({given.extents, given.rank}) +
           " and gaps between its elements: it has one axis, or none");
  flatten(std::span(&given, 1));
}

// ---- Beside each other ----

std::int64_t common(Size size, const kern_argument& given) {
  return size == Size::MoreThanM ? given.extents[0] - 1 : given.extents[0];
}

bool keeps_axes(Size size) { return size == Size::AnyShape || size == Size::Lines || size == Size::OfLines; }

Size class_of(Size size) { return size == Size::MoreThanM ? Size::M : size; }

void check_sizes(std::span<const Parameter> parameters, std::span<const kern_argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Size size = parameters[i].size;
    const bool has_any = size == Size::Any || size == Size::AtMostN || keeps_axes(size);
    if (has_any || !is_array(arguments[i])) continue;
    if (size == Size::One && arguments[i].extents[0] != 1)
      refuse(quoted(parameters[i].name) + " has one element, and is given " +
             elements_text(arguments[i].extents[0]));
    if (size == Size::MoreThanM && arguments[i].extents[0] < 1)
      refuse(quoted(parameters[i].name) + " has at least one element, and is given none");
    if (size == Size::Two && arguments[i].extents[0] != 2)
      refuse(quoted(parameters[i].name) + " has two elements, and is given " +
             elements_text(arguments[i].extents[0]));
    if (size == Size::One || size == Size::Two) continue;
    for (std::size_t other = 0; other < i; ++other) {
      if (class_of(parameters[other].size) != class_of(size)) continue;
      if (common(parameters[other].size, arguments[other]) == common(size, arguments[i])) break;
      refuse(quoted(parameters[i].name) + " has " + elements_text(arguments[i].extents[0]) + ", and " +
             quoted(parameters[other].name) + " has " + elements_text(arguments[other].extents[0]) +
             (size == parameters[other].size ? "" : ": the bounds are one more than what lies between them"));
    }
  }
}

void check_overlaps(const Algorithm& algorithm, std::span<const kern_argument> arguments) {
  const bool in_place = arguments.size() == algorithm.needed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Role role = algorithm.all()[i].role;
    if (role != Role::Out && !(role == Role::InOut && in_place)) continue;
    for (std::size_t other = 0; other < arguments.size(); ++other) {
      if (other == i || !is_array(arguments[other]) ||
          !runtime::share_elements(arguments[i], arguments[other]))
        continue;
      const bool is_key = std::string_view(algorithm.all()[other].name) == "keys";
      const bool is_same =
          arguments[i].type == arguments[other].type && is_same_array(arguments[i], arguments[other]);
      const bool is_size = algorithm.all()[other].role == Role::Limit;
      if (algorithm.works_in_place && !is_key && !is_size && is_same) continue;
      refuse(quoted(algorithm.all()[i].name) + " is a result and shares elements with " +
             quoted(algorithm.all()[other].name));
    }
  }
}

} // namespace

void complete_arguments(const Algorithm& algorithm, std::span<kern_argument> arguments,
                        const Settings& settings) {
  const std::span<const Parameter> parameters = algorithm.all();
  const std::size_t unsized_count = parameters.size() - algorithm.may_be_sized();
  if (arguments.size() != algorithm.needed && arguments.size() != unsized_count &&
      arguments.size() != parameters.size())
    refuse("this is " + signature_of(algorithm) + ", and is given " + std::to_string(arguments.size()) +
           (arguments.size() == 1 ? " argument" : " arguments"));
  const bool has_results = arguments.size() > algorithm.needed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    kern_argument& given = arguments[i];
    Parameter parameter = parameters[i];
    if (parameter.role == Role::InOut && has_results) parameter.role = Role::In;
    if (given.kind == KERN_EMPTY)
      refuse(quoted(parameter.name) + " is empty: it was never made, could not be made, or was moved from");
    if (given.kind > KERN_EMPTY || given.type > KERN_C128 || given.rank > 8)
      refuse(quoted(parameter.name) + " is no argument of a kernel");
    if ((parameter.role == Role::Number) == is_array(given))
      refuse(quoted(parameter.name) + (is_array(given) ? " is a number, and is given an array"
                                                       : " is an array, and is given a number"));
    if (parameter.role == Role::Number) {
      check_number(parameter, given, arguments);
      continue;
    }
    check_array(parameter, given, arguments);
    given.writable = parameter.role == Role::Out || parameter.role == Role::InOut;
    if (!keeps_axes(parameter.size)) give_one_axis(parameter, given);
  }
  check_sizes(parameters, arguments);
  check_overlaps(algorithm, arguments);
  if (algorithm.goes_along()) give_lines(algorithm, arguments, axis_set(settings));
}

} // namespace kern::algorithms
