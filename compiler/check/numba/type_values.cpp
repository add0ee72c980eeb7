// The classes of `numba.types` are rows of a table with a test each. Some types are the same for Kern and not
// for Numba, as arrays of two layouts: a question that they decide has no answer here.
#include "compiler/check/numba/type_values.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/instance_names.h"
#include "compiler/check/core/report.h"
#include "compiler/check/numba/type_makers.h"

#include <algorithm>

namespace kern::checker {

namespace {

// Says whether a value stands for a type: one itself, or a tuple of such.
bool stands_for_type(const Value& value) {
  if (value.kind == ValueKind::Type) return value.text.empty();
  return is_tuple(value) && std::ranges::all_of(value.elements, stands_for_type);
}

std::span<const Type> tuple_elements(const Value& type) { return type.type->elements; }

bool is_named_tuple(const Value& value) {
  return value.kind == ValueKind::Type && is_tuple(value.type) && !is_record(value.type);
}

// Says whether all elements of a tuple of types are one type.
bool is_uniform(const Value& value) {
  if (is_named_tuple(value)) {
    std::span<const Type> elements = tuple_elements(value);
    return !elements.empty() && std::ranges::all_of(elements, [&](Type each) { return each == elements[0]; });
  }
  const std::vector<Value>& elements = value.elements;
  if (elements.empty()) return false;
  const std::string first = key_of({elements.data(), 1});
  return std::ranges::all_of(elements, [&](const Value& each) { return key_of({&each, 1}) == first; });
}

using Holds = bool (*)(const Value&);

// Says whether a type is a scalar of which something holds.
template <bool (*Test)(Type)> bool of_scalar(const Value& value) {
  return value.kind == ValueKind::Type && is_scalar(value.type) && Test(value.type);
}
bool is_whole(Type type) { return is_integer(type) && !is_boolean(type); }
bool is_real(Type type) { return is_float(type); }
bool is_truth(Type type) { return is_boolean(type); }
bool is_complex_type(Type type) { return is_complex(type); }
bool is_numeric(Type type) { return !is_boolean(type); }

bool is_array_type(const Value& value) { return value.kind == ValueKind::Type && is_array(value.type); }
bool is_record_type(const Value& value) { return value.kind == ValueKind::Type && is_record(value.type); }
bool is_any_tuple(const Value& value) { return is_tuple(value) || is_named_tuple(value); }
bool is_plain_tuple(const Value& value) { return is_tuple(value); }
bool is_uniform_tuple(const Value& value) { return is_tuple(value) && is_uniform(value); }
bool is_mixed_tuple(const Value& value) { return is_tuple(value) && !is_uniform(value); }
bool is_uniform_named(const Value& value) { return is_named_tuple(value) && is_uniform(value); }
bool is_mixed_named(const Value& value) { return is_named_tuple(value) && !is_uniform(value); }
bool is_sequence(const Value& value) { return is_any_tuple(value) && is_uniform(value); }
bool is_callable(const Value& value) { return value.kind == ValueKind::Function; }
bool is_none_of_these(const Value&) { return false; }

struct Class {
  std::string_view name;
  Holds holds;
};

constexpr Class classes[] = {
    {"Integer", of_scalar<is_whole>},
    {"Float", of_scalar<is_real>},
    {"Complex", of_scalar<is_complex_type>},
    {"Boolean", of_scalar<is_truth>},
    {"Number", of_scalar<is_numeric>},
    {"Array", is_array_type},
    {"Buffer", is_array_type},
    {"ArrayCompatible", is_array_type},
    {"BaseTuple", is_any_tuple},
    {"BaseAnonymousTuple", is_plain_tuple},
    {"UniTuple", is_uniform_tuple},
    {"Tuple", is_mixed_tuple},
    {"BaseNamedTuple", is_named_tuple},
    {"NamedUniTuple", is_uniform_named},
    {"NamedTuple", is_mixed_named},
    {"Sequence", is_sequence},
    {"Record", is_record_type},
    {"Callable", is_callable},
    {"Dispatcher", is_callable},
    // A call gives the types of its values, as Numba does first: never what a literal, an argument that is left out or a text is.
    {"Optional", is_none_of_these},
    {"Omitted", is_none_of_these},
    {"Literal", is_none_of_these},
    {"IntegerLiteral", is_none_of_these},
    {"BooleanLiteral", is_none_of_these},
    {"StringLiteral", is_none_of_these},
    {"UnicodeType", is_none_of_these},
    {"List", is_none_of_these},
    {"Set", is_none_of_these},
};

std::optional<Type> one_type(Checker& checker, const Value& value) {
  return stands_for_type(value) ? type_of_value(checker, value) : std::nullopt;
}

// Says whether two types are one; nothing where arrays differ in what Kern calls otherwise than Numba.
std::optional<bool> is_same_type(Type a, Type b) {
  if (is_array(a) && is_array(b)) {
    const bool may_be = a->scalar == b->scalar && a->rank == b->rank && is_point(a) == is_point(b);
    return may_be ? std::nullopt : std::optional(false);
  }
  const bool are_tuples = is_tuple(a) && is_tuple(b) && a->record == b->record && !is_record(a);
  if (!are_tuples || a->elements.size() != b->elements.size()) return a == b;
  for (std::size_t i = 0; i < a->elements.size(); ++i) {
    std::optional<bool> same = is_same_type(a->elements[i], b->elements[i]);
    if (!same || !*same) return same;
  }
  return true;
}

} // namespace

Value type_of_argument(Checker& checker, const Value& argument) {
  const Span span = argument.span;
  if (has_unknown(argument) || is_error(argument)) return error_value(span);
  if (argument.kind == ValueKind::None || argument.kind == ValueKind::Function)
    return read_at(argument, span);
  if (is_tuple(argument) && !is_tuple(argument.type)) {
    std::vector<Value> elements;
    for (const Value& element : argument.elements) {
      elements.push_back(type_of_argument(checker, element));
      if (is_error(elements.back())) return error_value(span);
    }
    return tuple_value(std::move(elements), span);
  }
  std::optional<Type> type = type_of(checker, argument);
  if (!type || *type == types::unknown || *type == types::none) return error_value(span);
  return type_value(default_deep(checker, *type), span);
}

std::optional<Value> type_class(std::string_view name, Span span) {
  const auto* found = std::ranges::find(classes, name, &Class::name);
  if (found == std::end(classes)) return std::nullopt;
  Value value = plain_value(ValueKind::TypeMaker, span);
  value.text = found->name;
  return value;
}

std::optional<bool> is_of_class(const Value& type, std::string_view name) {
  const auto* found = std::ranges::find(classes, name, &Class::name);
  if (found == std::end(classes)) return std::nullopt;
  // A value of Python, as a parameter has that was left out, is of no class of types.
  return found->holds(type);
}

std::optional<Value> type_part(const Value& type, std::string_view name, Span span) {
  if (is_tuple(type) && !type.elements.empty() && stands_for_type(type)) {
    if (name == "count") return int_value(static_cast<WideInt>(type.elements.size()), span);
    if (name == "types") return read_at(type, span);
    if (name == "dtype" && is_uniform(type)) return read_at(type.elements[0], span);
    return std::nullopt;
  }
  if (type.kind != ValueKind::Type || !type.text.empty()) return std::nullopt;
  if (is_array(type.type) && !is_record_array(type.type)) {
    if (name == "dtype") return type_value(element_type(type.type), span);
    if (name == "ndim") return int_value(is_point(type.type) ? 0 : type.type->rank, span);
    return std::nullopt;
  }
  if (!is_scalar(type.type) || is_boolean(type.type)) return std::nullopt;
  if (name == "bitwidth") return int_value(bit_width(type.type->scalar), span);
  if (name == "signed" && is_integer(type.type)) return bool_value(is_signed(type.type), span);
  return std::nullopt;
}

std::optional<Value> compare_types(Checker& checker, ast::CompareOp op, const Value& left, const Value& right,
                                   Span span) {
  const bool is_negative = op == ast::CompareOp::NotEqual || op == ast::CompareOp::IsNot;
  const bool is_equality = op == ast::CompareOp::Equal || op == ast::CompareOp::Is || is_negative;
  if (!is_equality || (left.kind != ValueKind::Type && right.kind != ValueKind::Type)) return std::nullopt;
  // A parameter has its default, a value of Python, only where a call leaves it out.
  const Value& other = left.kind == ValueKind::Type ? right : left;
  if (is_constant_number(other) || other.kind == ValueKind::String) return bool_value(is_negative, span);
  std::optional<Type> a = one_type(checker, left), b = one_type(checker, right);
  if (!a || !b) return std::nullopt;
  std::optional<bool> same = is_same_type(*a, *b);
  return same ? bool_value(*same != is_negative, span) : error_value(span);
}

} // namespace kern::checker
