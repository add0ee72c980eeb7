// Subscripts of tuples. A constant index picks an element. A computed one reads a constant array made of a
// constant tuple (literals wait for the type that they meet), or an array of this thread made of run-time
// elements.
#include <algorithm>
#include <array>

#include "compiler/check/arrays/computed_parts.h"
#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/tuples.h"
#include "compiler/check/expressions.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

// A computed index into a constant tuple; a nested tuple may have several subscripts.
static Value table_element(Checker& checker, const Value& base, const Value& index,
                           const ast::Subscript& expr) {
  bool is_first = is_tuple(base);
  Value tuple = is_first ? base : base.elements[0];
  std::optional<ConstantTable> table = constant_table(checker, tuple);
  if (!table) {
    checker.report(expr.span, diag::computed_tuple_index, checker.context.source(expr.value->span));
    return error_value(expr.span);
  }
  Value result = plain_value(ValueKind::Rows, expr.span);
  result.type = table->type;
  result.elements = {tuple};
  std::vector<ir::Operand> indices = base.indices;
  int axis = static_cast<int>(indices.size());
  Type element = default_type(table->type);
  const ast::Expr* root = &expr;
  while (const auto* subscript = ast::as<ast::Subscript>(root)) root = subscript->value;
  std::string name(checker.context.source(root->span));
  result.operand = is_first ? constant_array(checker, *table, element, name, expr.span) : base.operand;
  indices.push_back(guarded_index(checker, result.operand, axis, index, *root));
  result.indices = std::move(indices);
  result.text = checker.context.source(root->span);
  if (result.indices.size() < table->extents.size()) return result;
  result.kind = ValueKind::Element;
  if (is_literal(table->type)) return result;
  return runtime_value(load_constant_element(checker, result, element), expr.span);
}

// Returns the type of a tuple's elements where they are arrays of one type.
static std::optional<Type> common_array_type(const Value& tuple) {
  for (const Value& element : tuple.elements)
    if (!is_array(element) || element.type != tuple.elements[0].type) return std::nullopt;
  return tuple.elements.empty() ? std::nullopt : std::optional(tuple.elements[0].type);
}

// A computed index into arrays of one type: a variable becomes one of them. Their places are put into an array, whose
// index is guarded.
static Value chosen_array(Checker& checker, const Value& tuple, Type type, const Value& index,
                          const ast::Subscript& expr) {
  const Span span = expr.span;
  auto count = static_cast<std::int64_t>(tuple.elements.size());
  Type places_type =
      checker.context.module.types.array(ScalarKind::I64, 1, AddressSpace::Local, Layout::COrder);
  ir::Operand places = checker.temp(places_type, ir::LocalArray{{count}}, span);
  ir::Operand place = guarded_index(checker, places, 0, index, *expr.value);
  ir::Operand chosen = checker.variable(type, span);
  checker.assign(*chosen.slot, tuple.elements[0].operand, span);
  for (std::int64_t k = 1; k < count; ++k) {
    ir::Operand is_this = checker.compare(ir::CompareOp::Equal, place, ir::constant_int(types::i64, k), span);
    ir::Body inner = checker.body_of(
        [&] { checker.assign(*chosen.slot, tuple.elements[static_cast<std::size_t>(k)].operand, span); });
    checker.emit(ir::If{is_this, std::move(inner), {}}, span);
  }
  return runtime_value(chosen, span);
}

// A computed index into run-time elements of one type: they are put into an array first.
static Value spilled_element(Checker& checker, const Value& tuple, const Value& index,
                             const ast::Subscript& expr) {
  std::optional<Type> shared_type = checker.rules.chooses_arrays ? common_array_type(tuple) : std::nullopt;
  if (shared_type) return chosen_array(checker, tuple, *shared_type, index, expr);
  std::optional<Type> type = types::unknown;
  for (const Value& element : tuple.elements) {
    std::optional<Type> next = type_of(checker, element);
    type = next && type ? join_types(checker, *type, *next) : std::nullopt;
  }
  bool unknown = std::ranges::any_of(tuple.elements, has_unknown);
  if (type && (*type == types::unknown || (unknown && is_literal(*type)))) return unknown_value(expr.span);
  std::vector<const Value*> elements;
  for (const Value& element : tuple.elements) elements.push_back(&element);
  if (std::optional<Value> open = undecided(checker, type.value_or(types::error), elements, expr.span))
    return *open;
  bool is_numbers = type && !tuple.elements.empty() && (is_scalar(*type) || is_literal(*type));
  if (!is_numbers) {
    std::optional<TupleParts> parts = type ? parts_of_tuple(checker, tuple, 1) : std::nullopt;
    if (!parts) {
      checker.report(expr.span, diag::computed_tuple_index, checker.context.source(expr.value->span));
      return error_value(expr.span);
    }
    std::optional<ir::Operand> place =
        place_of_part(checker, *parts, std::array{index}, *expr.value, expr.span);
    return place ? chosen_part(checker, *parts, *place, expr.span) : error_value(expr.span);
  }
  Type element = default_type(*type);
  auto count = static_cast<std::int64_t>(tuple.elements.size());
  Type array_type =
      checker.context.module.types.array(element->scalar, 1, AddressSpace::Local, Layout::COrder);
  ir::Operand array = checker.temp(array_type, ir::LocalArray{{count}}, expr.span);
  for (std::int64_t k = 0; k < count; ++k) {
    ir::Operand value =
        convert(checker, tuple.elements[static_cast<std::size_t>(k)], element, Purpose::Store);
    checker.emit(ir::Store{array, {ir::constant_int(types::i64, k)}, value}, expr.span);
  }
  Place place;
  place.ok = true;
  place.array = array;
  place.indices = {guarded_index(checker, array, 0, index, *expr.value)};
  return load(checker, place, expr.span);
}

// Applies one index, already evaluated, to a tuple or to a row of a constant one.
static Value one_subscript(Checker& checker, const Value& value, const Value& index, bool as_table,
                           const ast::Subscript& expr) {
  std::optional<WideInt> constant = constant_integer(index);
  bool is_row = value.kind == ValueKind::Rows;
  if (is_row || (as_table && is_tuple(value))) return table_element(checker, value, index, expr);
  if (constant && is_tuple(value)) {
    std::optional<std::size_t> place = constant_place(checker, index, value.elements.size(), expr, expr.span);
    return place ? read_at(value.elements[*place], expr.span) : error_value(expr.span);
  }
  if (is_tuple(value)) return spilled_element(checker, value, index, expr);
  checker.report(expr.span, diag::not_subscriptable, describe(checker, value));
  return error_value(expr.span);
}

// Evaluates the indices and slices from left to right; nothing where one is wrong or has no type yet.
static std::optional<std::vector<IndexPart>> evaluate_parts(Checker& checker, const ast::Subscript& expr,
                                                            bool& unknown) {
  std::vector<IndexPart> parts;
  bool ok = true;
  for (const ast::Expr* each : expr.indices) {
    IndexPart& part = parts.emplace_back(IndexPart{each->span, {}, ast::as<ast::Slice>(each), {}, {}});
    if (part.slice) {
      part.bounds = evaluate_bounds(checker, *part.slice);
      unknown = unknown || part.bounds.unknown;
      ok = ok && part.bounds.ok;
      continue;
    }
    part.index = evaluate(checker, *each);
    if (is_unknown(*part.index))
      unknown = true;
    else if (!check_index(checker, *part.index))
      ok = false;
  }
  return ok && !unknown ? std::optional(std::move(parts)) : std::nullopt;
}

// A slice of a tuple, whose bounds must be constant.
static Value slice_of(Checker& checker, const Value& tuple, const IndexPart& slice, Span span) {
  if (!is_tuple(tuple)) {
    checker.report(slice.span, diag::not_subscriptable, describe(checker, tuple));
    return error_value(span);
  }
  const auto count = static_cast<std::int64_t>(tuple.elements.size());
  std::optional<ConstantSlice> taken = constant_slice(checker, slice.bounds, count, slice.span);
  if (!taken) return error_value(span);
  std::vector<Value> elements;
  for (std::int64_t k = 0; k < taken->count; ++k)
    elements.push_back(tuple.elements[static_cast<std::size_t>(taken->start + k * taken->step)]);
  return tuple_value(std::move(elements), span);
}

Value tuple_subscript(Checker& checker, const Value& base, const ast::Subscript& expr) {
  if (is_error(base) || is_unknown(base)) return base;
  bool unknown = false;
  std::optional<std::vector<IndexPart>> parts = evaluate_parts(checker, expr, unknown);
  if (!parts) return unknown ? unknown_value(expr.span) : error_value(expr.span);
  bool computed = std::ranges::any_of(
      *parts, [](const IndexPart& part) { return part.index && !constant_integer(*part.index); });
  bool as_table = computed && is_constant(base) && constant_table(checker, base).has_value();
  if (!computed && is_constant_array(base)) return array_part(checker, base, expr, *parts);
  Value value = base;
  for (const IndexPart& part : *parts) {
    value = part.index ? one_subscript(checker, value, *part.index, as_table, expr)
                       : slice_of(checker, value, part, expr.span);
    if (is_error(value) || is_unknown(value)) return value;
  }
  return value;
}

} // namespace kern::checker
