// Parts of a tuple by computed indices, where a part is a number, a record or a tuple of such: each number of the part is
// selected among those of all parts, which needs no memory and suits lanes. Numbers alone are put into an array (tuples.cpp).
#include "compiler/check/arrays/computed_parts.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/report.h"

#include <algorithm>

namespace kern::checker {

namespace {

// Appends the extents of a nested tuple down to a depth, and its parts there in C order; false where it is not regular.
bool collect_parts(const Value& tuple, std::size_t rank, std::size_t axis, TupleParts& found) {
  if (axis == rank) {
    found.parts.push_back(tuple);
    return true;
  }
  auto count = static_cast<std::int64_t>(tuple.elements.size());
  if (!is_tuple(tuple) || count == 0) return false;
  if (axis == found.extents.size()) found.extents.push_back(count);
  if (found.extents[axis] != count) return false;
  for (const Value& element : tuple.elements)
    if (!collect_parts(element, rank, axis + 1, found)) return false;
  return true;
}

bool is_of_numbers(Type type) {
  if (is_scalar(type)) return true;
  return is_tuple(type) && std::ranges::all_of(type->elements, is_of_numbers);
}

// Returns one of two values of the same form.
Value selected(Checker& checker, ir::Operand condition, const Value& yes, const Value& no, Span span) {
  if (!is_tuple(yes))
    return runtime_value(checker.select(condition, as_operand(checker, yes), as_operand(checker, no), span),
                         span);
  Value result = tuple_like(yes.type, span);
  for (std::size_t i = 0; i < yes.elements.size(); ++i)
    result.elements.push_back(selected(checker, condition, yes.elements[i], no.elements[i], span));
  return result;
}

ir::Operand is_place(Checker& checker, ir::Operand place, std::size_t number, Span span) {
  return checker.compare(ir::CompareOp::Equal, place,
                         ir::constant_int(types::i64, static_cast<std::int64_t>(number)), span);
}

} // namespace

std::optional<TupleParts> parts_of_tuple(Checker& checker, const Value& tuple, std::size_t rank) {
  TupleParts found;
  if (!collect_parts(tuple, rank, 0, found)) return std::nullopt;
  std::optional<Type> type = types::unknown;
  for (const Value& part : found.parts) {
    std::optional<Type> next = type_of(checker, part);
    type = next && type ? join_types(checker, *type, *next) : std::nullopt;
  }
  if (!type || !is_of_numbers(default_deep(checker, *type))) return std::nullopt;
  found.type = default_deep(checker, *type);
  for (Value& part : found.parts) part = convert_value(checker, part, found.type, Purpose::Store);
  return found;
}

std::optional<ir::Operand> place_of_part(Checker& checker, const TupleParts& tuple,
                                         std::span<const Value> indices, const ast::Expr& base, Span span) {
  // A guard is one of an array; nothing is in this one.
  Type type = checker.context.module.types.array(ScalarKind::U8, static_cast<int>(tuple.extents.size()),
                                                 AddressSpace::Local, Layout::COrder);
  Value array = runtime_value(checker.temp(type, ir::LocalArray{tuple.extents}, span), span);
  array.extents = tuple.extents;
  ir::Operand place = ir::constant_int(types::i64, 0);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (!check_constant_index(checker, array, static_cast<int>(axis), indices[axis], base))
      return std::nullopt;
    ir::Operand index = guarded_index(checker, array.operand, static_cast<int>(axis), indices[axis], base);
    ir::Operand extent = ir::constant_int(types::i64, tuple.extents[axis]);
    ir::Operand row = checker.binary(ir::BinaryOp::Multiply, place, extent, span);
    place = axis == 0 ? index : checker.binary(ir::BinaryOp::Add, row, index, span);
  }
  return place;
}

Value chosen_part(Checker& checker, const TupleParts& tuple, ir::Operand place, Span span) {
  Value result = read_at(tuple.parts[0], span);
  for (std::size_t k = 1; k < tuple.parts.size(); ++k)
    result = selected(checker, is_place(checker, place, k, span), tuple.parts[k], result, span);
  return result;
}

Value with_chosen_part(Checker& checker, const TupleParts& tuple, ir::Operand place, const Value& value,
                       Span span) {
  std::vector<Value> parts;
  for (std::size_t k = 0; k < tuple.parts.size(); ++k)
    parts.push_back(selected(checker, is_place(checker, place, k, span), value, tuple.parts[k], span));
  for (std::size_t axis = tuple.extents.size(); axis-- > 0;) {
    std::vector<Value> rows;
    auto count = static_cast<std::ptrdiff_t>(tuple.extents[axis]);
    for (auto at = parts.begin(); at != parts.end(); at += count)
      rows.push_back(tuple_value({at, at + count}, span));
    parts = std::move(rows);
  }
  return parts[0];
}

} // namespace kern::checker
