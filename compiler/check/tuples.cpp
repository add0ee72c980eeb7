// Subscripts of tuples. A constant index picks an element. A computed one reads a constant array made of a
// constant tuple (literals wait for the type that they meet), or an array of this thread made of run-time
// elements.
#include <algorithm>
#include <array>

#include "compiler/check/checker.h"
#include "compiler/check/computed_parts.h"
#include "compiler/check/host_numbers.h"
#include "compiler/check/integers.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

// Returns the extents of a nested tuple that is a regular array of constant numbers.
static bool regular_extents(const Value& tuple, std::vector<std::int64_t>& extents, std::size_t level = 0) {
  if (!is_tuple(tuple)) return is_constant_number(tuple) && level == extents.size();
  auto count = static_cast<std::int64_t>(tuple.elements.size());
  if (level == extents.size()) {
    if (count == 0) return false;
    extents.push_back(count);
  } else if (extents[level] != count) {
    return false;
  }
  for (const Value& element : tuple.elements) {
    if (is_tuple(element) != is_tuple(tuple.elements[0])) return false;
    if (!regular_extents(element, extents, level + 1)) return false;
  }
  return true;
}

static void collect_numbers(const Value& tuple, std::vector<Value>& numbers) {
  if (!is_tuple(tuple)) return numbers.push_back(tuple);
  for (const Value& element : tuple.elements) collect_numbers(element, numbers);
}

std::optional<ConstantTable> Checker::constant_table(const Value& tuple) {
  ConstantTable table;
  if (!is_tuple(tuple) || !regular_extents(tuple, table.extents)) return std::nullopt;
  collect_numbers(tuple, table.numbers);
  table.type = types::unknown;
  for (const Value& number : table.numbers) {
    std::optional<Type> type = join_types(table.type, number.type);
    if (!type) return std::nullopt;
    table.type = *type;
  }
  return table;
}

ir::Operand Checker::constant_array(const ConstantTable& table, Type element, std::string name, Span span) {
  ir::ConstantDecl decl{std::move(name), element->scalar, table.extents, {}};
  for (const Value& number : table.numbers) {
    ir::Operand value = convert(number, element, Purpose::Assignment);
    decl.values.push_back(value.bits);
    if (is_complex(element)) decl.values.push_back(value.imag);
  }
  std::vector<ir::ConstantDecl>& constants = context.module.constants;
  auto same = [&](const ir::ConstantDecl& other) {
    return other.name == decl.name && other.element == decl.element && other.extents == decl.extents &&
           other.values == decl.values;
  };
  auto found = std::find_if(constants.begin(), constants.end(), same);
  auto id = static_cast<ir::ConstantId>(found - constants.begin());
  int rank = static_cast<int>(table.extents.size());
  if (found == constants.end()) constants.push_back(std::move(decl));
  Type type = context.module.types.array(element->scalar, rank, AddressSpace::Constant, Layout::COrder);
  return temp(type, ir::ConstantArray{id}, span);
}

static Value picked(Checker& checker, const Value& tuple, WideInt index, bool from_end,
                    const ast::Subscript& expr) {
  auto count = static_cast<WideInt>(tuple.elements.size());
  if (index < (from_end ? -count : 0) || index >= count) {
    checker.report(expr.span, diag::tuple_index,
                   fmt::format("`{}`", checker.context.source(expr.value->span)),
                   static_cast<std::int64_t>(count));
    return error_value(expr.span);
  }
  return read_at(tuple.elements[static_cast<std::size_t>(index < 0 ? index + count : index)], expr.span);
}

// A computed index into a constant tuple; a nested tuple may have several subscripts.
static Value table_element(Checker& checker, const Value& base, const Value& index,
                           const ast::Subscript& expr) {
  bool is_first = is_tuple(base);
  Value tuple = is_first ? base : base.elements[0];
  std::optional<ConstantTable> table = checker.constant_table(tuple);
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
  result.operand = is_first ? checker.constant_array(*table, element, name, expr.span) : base.operand;
  indices.push_back(checker.guarded_index(result.operand, axis, index, *root));
  result.indices = std::move(indices);
  result.text = checker.context.source(root->span);
  if (result.indices.size() < table->extents.size()) return result;
  result.kind = ValueKind::Element;
  if (is_literal(table->type)) return result;
  return runtime_value(checker.load_constant_element(result, element), expr.span);
}

ir::Operand Checker::load_constant_element(const Value& element, Type type) {
  std::optional<ConstantTable> table = constant_table(element.elements[0]);
  bool same = element.operand.type->scalar == type->scalar;
  ir::Operand array =
      same ? element.operand : constant_array(*table, type, std::string(element.text), element.span);
  ir::SlotId slot = new_slot("", type, ir::Slot::Kind::Temp, element.span);
  emit(ir::Load{slot, array, element.indices}, element.span);
  return slot_operand(slot);
}

Value Checker::rows_view(const Value& rows) {
  std::optional<ConstantTable> table = constant_table(rows.elements[0]);
  Type element = default_type(table->type);
  ir::Operand array = rows.operand;
  std::vector<ir::ViewAxis> axes;
  ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
  for (ir::Operand index : rows.indices) axes.push_back({ir::ViewAxis::Kind::Index, index, {}, {}});
  for (std::size_t axis = rows.indices.size(); axis < table->extents.size(); ++axis)
    axes.push_back(
        {ir::ViewAxis::Kind::Range, zero, ir::constant_int(types::i64, table->extents[axis]), one});
  int rank = static_cast<int>(table->extents.size() - rows.indices.size());
  Type type = context.module.types.array(element->scalar, rank, AddressSpace::Constant, Layout::COrder);
  return runtime_value(temp(type, ir::View{array, std::move(axes)}, rows.span), rows.span);
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
  ir::Operand place = checker.guarded_index(places, 0, index, *expr.value);
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
  std::optional<Type> shared_type = checker.scope->is_numba() ? common_array_type(tuple) : std::nullopt;
  if (shared_type) return chosen_array(checker, tuple, *shared_type, index, expr);
  std::optional<Type> type = types::unknown;
  for (const Value& element : tuple.elements) {
    std::optional<Type> next = checker.type_of(element);
    type = next && type ? checker.join_types(*type, *next) : std::nullopt;
  }
  bool unknown = std::ranges::any_of(tuple.elements, has_unknown);
  if (type && (*type == types::unknown || (unknown && is_literal(*type)))) return unknown_value(expr.span);
  std::vector<const Value*> elements;
  for (const Value& element : tuple.elements) elements.push_back(&element);
  if (std::optional<Value> open = checker.undecided(type.value_or(types::error), elements, expr.span))
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
    ir::Operand value = checker.convert(tuple.elements[static_cast<std::size_t>(k)], element, Purpose::Store);
    checker.emit(ir::Store{array, {ir::constant_int(types::i64, k)}, value}, expr.span);
  }
  Checker::Place place;
  place.ok = true;
  place.array = array;
  place.indices = {checker.guarded_index(array, 0, index, *expr.value)};
  return checker.load(place, expr.span);
}

// Applies one index, already evaluated, to a tuple or to a row of a constant one.
static Value one_subscript(Checker& checker, const Value& value, const Value& index, bool as_table,
                           const ast::Subscript& expr) {
  std::optional<WideInt> constant = constant_integer(index);
  bool is_row = value.kind == ValueKind::Rows;
  if (is_row || (as_table && is_tuple(value))) return table_element(checker, value, index, expr);
  if (constant && is_tuple(value))
    return picked(checker, value, *constant, checker.counts_from_end(index), expr);
  if (is_tuple(value)) return spilled_element(checker, value, index, expr);
  checker.report(expr.span, diag::not_subscriptable, checker.describe(value));
  return error_value(expr.span);
}

// Evaluates the indices from left to right; nothing where one is wrong or has no type yet.
static std::optional<std::vector<Value>> evaluate_indices(Checker& checker, const ast::Subscript& expr,
                                                          bool& unknown) {
  std::vector<Value> indices;
  bool ok = true;
  for (const ast::Expr* each : expr.indices) {
    if (each->kind == ast::Kind::Slice) {
      indices.push_back(error_value(each->span));
      continue;
    }
    indices.push_back(checker.evaluate(*each));
    if (is_unknown(indices.back()))
      unknown = true;
    else if (!checker.check_index(indices.back()))
      ok = false;
  }
  return ok && !unknown ? std::optional(std::move(indices)) : std::nullopt;
}

Value Checker::tuple_subscript(const Value& base, const ast::Subscript& expr) {
  if (is_error(base) || is_unknown(base)) return base;
  bool unknown = false;
  std::optional<std::vector<Value>> indices = evaluate_indices(*this, expr, unknown);
  if (!indices) return unknown ? unknown_value(expr.span) : error_value(expr.span);
  bool computed = std::any_of(indices->begin(), indices->end(), [](const Value& index) {
    return !is_error(index) && !constant_integer(index);
  });
  bool as_table = computed && is_constant(base) && constant_table(base).has_value();
  if (!computed && is_constant_array(base)) return array_part(*this, base, expr, *indices);
  Value value = base;
  for (std::size_t i = 0; i < expr.indices.size(); ++i) {
    const auto* slice = ast::as<ast::Slice>(expr.indices[i]);
    if (!slice) {
      value = one_subscript(*this, value, (*indices)[i], as_table, expr);
    } else if (is_tuple(value)) {
      std::optional<std::vector<Value>> elements = slice_tuple(value, *slice);
      value = elements ? tuple_value(std::move(*elements), expr.span) : error_value(expr.span);
    } else {
      report(slice->span, diag::not_subscriptable, describe(value));
      return error_value(expr.span);
    }
    if (is_error(value) || is_unknown(value)) return value;
  }
  return value;
}

} // namespace kern::checker
