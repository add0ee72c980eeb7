#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/arrays/places.h"

#include <algorithm>

#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"
#include "compiler/values/arrays.h"

namespace kern::checker {

Extents extents_of(const Value& value) {
  if (value.kind == ValueKind::Table) return value.table->extents;
  Extents extents;
  for (const Value* at = &value; is_tuple(*at); at = &at->elements.front()) {
    extents.push_back(static_cast<std::int64_t>(at->elements.size()));
    if (at->elements.empty()) break;
  }
  return extents;
}

Type type_of_number(const Value& number) {
  if (is_complex_literal(number)) return types::c128;
  if (is_literal(number)) return is_int_literal(number) ? types::i64 : types::f64;
  return number.type;
}

// ---- Between values and numbers ----

static void append(const Value& value, Numbers& numbers) {
  if (!is_tuple(value)) {
    if (const std::optional<ir::Operand> number = number_as(value, numbers.type)) numbers.add(*number);
    return;
  }
  for (const Value& element : value.elements) append(element, numbers);
}

Numbers numbers_of(const Value& array) {
  if (array.kind == ValueKind::Table) return {array.type, array.table->extents, array.table->values};
  Numbers numbers{array.type, extents_of(array)};
  append(array, numbers);
  return numbers;
}

// Makes a nested tuple of the numbers from `next` on.
static Value nested(const Numbers& numbers, std::size_t axis, std::size_t& next, Span span) {
  if (axis == numbers.extents.size()) return runtime_value(numbers.at(next++), span);
  Value array = tuple_value({}, span);
  array.type = numbers.type;
  for (std::int64_t i = 0; i < numbers.extents[axis]; ++i)
    array.elements.push_back(nested(numbers, axis + 1, next, span));
  return array;
}

Value array_value(Checker& checker, Numbers numbers, Span span) {
  std::size_t next = 0;
  if (numbers.size() <= limits::table_elements) return nested(numbers, 0, next, span);
  Value value = plain_value(ValueKind::Table, span);
  value.type = numbers.type;
  value.extents = numbers.extents;
  value.table = &checker.context.tables.emplace_back(
      ir::ConstantDecl{"", numbers.type->scalar, std::move(numbers.extents), std::move(numbers.bits)});
  return value;
}

// ---- Subscripts ----

Value array_part(Checker& checker, const Value& array, const ast::Subscript& expr,
                 const std::vector<IndexPart>& parts) {
  Numbers from = numbers_of(array);
  if (parts.size() > from.extents.size()) {
    checker.report(expr.span, diag::not_subscriptable, to_string(array.type));
    return error_value(expr.span);
  }
  Extents strides(from.extents.size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * from.extents[axis];
  Numbers part{from.type};
  Extents steps;
  std::int64_t first = 0;
  for (std::size_t axis = 0; axis < from.extents.size(); ++axis) {
    const std::int64_t count = from.extents[axis];
    const IndexPart* given = axis < parts.size() ? &parts[axis] : nullptr;
    if (!given || given->slice) {
      std::optional<ConstantSlice> taken =
          given ? constant_slice(checker, given->bounds, count, given->span) : ConstantSlice{0, 1, count};
      if (!taken) return error_value(expr.span);
      first += taken->start * strides[axis];
      part.extents.push_back(taken->count);
      steps.push_back(taken->step * strides[axis]);
      continue;
    }
    const std::optional<std::size_t> place =
        constant_place(checker, *given->index, static_cast<std::size_t>(count), expr, expr.span);
    if (!place) return error_value(expr.span);
    first += static_cast<std::int64_t>(*place) * strides[axis];
  }
  values::Walk walk{part.extents, steps, first};
  for (std::int64_t rest = count_of(part.extents).value_or(0); rest > 0; --rest, walk.next())
    part.add(from.at(static_cast<std::size_t>(walk.place)));
  return array_value(checker, std::move(part), expr.span);
}

// ---- In functions ----

static Value read_numbers(Checker& checker, const ir::ConstantDecl& array, Type type, Extents extents,
                          Span span) {
  Context& context = checker.context;
  const std::string_view name = context.source(span);
  std::vector<ir::ConstantDecl>& constants = context.module.constants;
  auto found = std::ranges::find_if(constants, [&](const ir::ConstantDecl& other) {
    return other.name == name && other.element == array.element && other.extents == array.extents &&
           other.values == array.values;
  });
  const auto id = static_cast<ir::ConstantId>(found - constants.begin());
  if (found == constants.end())
    constants.push_back({std::string(name), array.element, array.extents, array.values});
  Value value = runtime_value(checker.temp(type, ir::ConstantArray{id}, span), span);
  value.extents = std::move(extents);
  return value;
}

Value read_table(Checker& checker, const Value& array, Span span) {
  if (is_array(array.type)) return read_numbers(checker, *array.table, array.type, array.extents, span);
  Extents extents = extents_of(array);
  if (extents.size() > static_cast<std::size_t>(limits::array_rank))
    return checker.unsupported(span, fmt::format("an array of more than {} axes", limits::array_rank));
  Type type = checker.context.module.types.array(array.type->scalar, static_cast<int>(extents.size()),
                                                 AddressSpace::Constant, Layout::COrder);
  if (array.kind == ValueKind::Table)
    return read_numbers(checker, *array.table, type, std::move(extents), span);
  Numbers numbers = numbers_of(array);
  return read_numbers(checker, {"", array.type->scalar, extents, std::move(numbers.bits)}, type, extents,
                      span);
}

} // namespace kern::checker
