// Constant tuples as arrays of constants.
#include <algorithm>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/tuples.h"

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

std::optional<ConstantTable> constant_table(Checker& checker, const Value& tuple) {
  ConstantTable table;
  if (!is_tuple(tuple) || !regular_extents(tuple, table.extents)) return std::nullopt;
  collect_numbers(tuple, table.numbers);
  table.type = types::unknown;
  for (const Value& number : table.numbers) {
    std::optional<Type> type = join_types(checker, table.type, number.type);
    if (!type) return std::nullopt;
    table.type = *type;
  }
  return table;
}

ir::Operand constant_array(Checker& checker, const ConstantTable& table, Type element, std::string name,
                           Span span) {
  ir::ConstantDecl decl{std::move(name), element->scalar, table.extents, {}};
  for (const Value& number : table.numbers) {
    ir::Operand value = convert(checker, number, element, Purpose::Assignment);
    decl.values.push_back(value.bits);
    if (is_complex(element)) decl.values.push_back(value.imag);
  }
  std::vector<ir::ConstantDecl>& constants = checker.context.module.constants;
  auto same = [&](const ir::ConstantDecl& other) {
    return other.name == decl.name && other.element == decl.element && other.extents == decl.extents &&
           other.values == decl.values;
  };
  auto found = std::find_if(constants.begin(), constants.end(), same);
  auto id = static_cast<ir::ConstantId>(found - constants.begin());
  int rank = static_cast<int>(table.extents.size());
  if (found == constants.end()) constants.push_back(std::move(decl));
  Type type =
      checker.context.module.types.array(element->scalar, rank, AddressSpace::Constant, Layout::COrder);
  return checker.temp(type, ir::ConstantArray{id}, span);
}

ir::Operand load_constant_element(Checker& checker, const Value& element, Type type) {
  std::optional<ConstantTable> table = constant_table(checker, element.elements[0]);
  bool same = element.operand.type->scalar == type->scalar;
  ir::Operand array =
      same ? element.operand : constant_array(checker, *table, type, std::string(element.text), element.span);
  ir::SlotId slot = checker.new_slot("", type, ir::Slot::Kind::Temp, element.span);
  checker.emit(ir::Load{slot, array, element.indices}, element.span);
  return checker.slot_operand(slot);
}

Value rows_view(Checker& checker, const Value& rows) {
  std::optional<ConstantTable> table = constant_table(checker, rows.elements[0]);
  Type element = default_type(table->type);
  ir::Operand array = rows.operand;
  std::vector<ir::ViewAxis> axes;
  ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
  for (ir::Operand index : rows.indices) axes.push_back({ir::ViewAxis::Kind::Index, index, {}, {}});
  for (std::size_t axis = rows.indices.size(); axis < table->extents.size(); ++axis)
    axes.push_back(
        {ir::ViewAxis::Kind::Range, zero, ir::constant_int(types::i64, table->extents[axis]), one});
  int rank = static_cast<int>(table->extents.size() - rows.indices.size());
  Type type =
      checker.context.module.types.array(element->scalar, rank, AddressSpace::Constant, Layout::COrder);
  return runtime_value(checker.temp(type, ir::View{array, std::move(axes)}, rows.span), rows.span);
}

} // namespace kern::checker
