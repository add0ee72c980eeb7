// The value of an expression. Every result is exact or opaque: where an operation may wrap in its type it
// becomes an atom with the whole range of the type, the same for the same operands, and nothing is known of
// how it relates to them. Products and quotients are in products.cpp, shifts and bits in bits.cpp.
#include "compiler/analysis/operation_codes.h"
#include "compiler/analysis/symbolic.h"
#include "compiler/support/overloaded.h"

namespace kern {

Value Symbolic::evaluate(const ir::Expr& expr, Type type, Span span) {
  return match(
      expr, [&](const ir::Copy& copy) { return value(copy.value); },
      [&](const ir::Unary& node) { return unary(node, type); },
      [&](const ir::Binary& node) { return binary(node, type); },
      [&](const ir::Compare& node) { return make(compare(node, span)); },
      [&](const ir::Convert& node) { return convert(node.value, type); },
      [&](const ir::Select& node) {
        return select(condition(node.condition), value(node.then_value), value(node.else_value), type);
      },
      [&](const ir::Fma&) { return unknown(type); },
      [&](const ir::CallPure& node) { return call(node, type); },
      [&](const ir::Extent& node) { return make(extent(node.array, node.axis)); },
      [&](const ir::Stride&) { return unknown(type); }, [&](const ir::View& node) { return view(node); },
      [&](const ir::Restride& node) {
        std::vector<Affine> extents;
        for (const ir::Operand& extent : node.extents) extents.push_back(integer(extent));
        return make_array(std::move(extents));
      },
      [&](const ir::SharedArray& node) {
        std::vector<Affine> extents;
        for (const ir::Operand& extent : node.extents) extents.push_back(integer(extent));
        return make_array(std::move(extents));
      },
      [&](const ir::LocalArray& node) { return constant_array(node.extents); },
      [&](const ir::ConstantArray& node) {
        return constant_array(module_.constants[static_cast<std::size_t>(node.id)].extents);
      });
}

Value Symbolic::constant_array(const std::vector<std::int64_t>& extents) {
  std::vector<Affine> forms;
  for (std::int64_t extent : extents) forms.push_back(affine(extent));
  return make_array(std::move(forms));
}

Value Symbolic::view(const ir::View& view) {
  std::vector<Affine> extents;
  for (const ir::ViewAxis& axis : view.axes) {
    if (axis.kind == ir::ViewAxis::Kind::Range) extents.push_back(integer(axis.count));
  }
  return make_array(std::move(extents));
}

Value Symbolic::unary(const ir::Unary& unary, Type type) {
  if (unary.op == ir::UnaryOp::Not) return make(negate(condition(unary.value)));
  if (!is_integer(type)) return unknown(type);
  Affine operand = integer(unary.value);
  // ~a is -a - 1, and for an unsigned type the largest value minus a.
  bool negate = unary.op == ir::UnaryOp::Negate;
  Wide base = negate ? 0 : is_signed(type) ? -1 : type_interval(type).high;
  auto code = code_of(OperationGroup::Wrapped, ir::BinaryOp::Subtract, type);
  return make(fitted(combine(affine(base), 1, operand, -1), type, code, affine(base), operand));
}

Value Symbolic::binary(const ir::Binary& binary, Type type) {
  if (is_boolean(type) && is_boolean(binary.left.type)) return make(combine_bools(binary));
  if (!is_integer(type)) return unknown(type);
  Affine left = integer(binary.left), right = integer(binary.right);
  switch (binary.op) {
  case ir::BinaryOp::Add:
    return make(
        fitted(add(left, right), type, code_of(OperationGroup::Wrapped, binary.op, type), left, right));
  case ir::BinaryOp::Subtract:
    return make(
        fitted(subtract(left, right), type, code_of(OperationGroup::Wrapped, binary.op, type), left, right));
  case ir::BinaryOp::Multiply: return make(multiply_forms(type, left, right));
  case ir::BinaryOp::FloorDivide: return make(floor_divide_forms(type, left, right));
  case ir::BinaryOp::Modulo: return make(modulo_forms(type, left, right));
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight: return make(shift_forms(type, binary.op, left, right));
  case ir::BinaryOp::BitAnd:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: return make(bitwise_forms(type, binary.op, left, right));
  case ir::BinaryOp::Divide: return unknown(type);
  }
  return unknown(type);
}

ConditionId Symbolic::combine_bools(const ir::Binary& binary) {
  ConditionId left = condition(binary.left), right = condition(binary.right);
  if (binary.op == ir::BinaryOp::BitAnd) return choose(left, right, constant_condition(false));
  if (binary.op == ir::BinaryOp::BitOr) return choose(left, constant_condition(true), right);
  if (binary.op == ir::BinaryOp::BitXor) return choose(left, negate(right), right);
  return unknown_condition();
}

Affine Symbolic::fitted(const std::optional<Affine>& exact, Type type, std::uint32_t code, const Affine& left,
                        const Affine& right) {
  Interval range = type_interval(type);
  if (exact && facts.fits(*exact, range)) return *exact;
  if (exact) {
    auto type_code = code_of(OperationGroup::Wrapped, 0, type);
    return affine(facts.operation(Facts::Kind::Wrapped, type_code, *exact, {}, range));
  }
  return affine(facts.operation(Facts::Kind::Opaque, code, left, right, range));
}

Reason Symbolic::reason_of(const Affine& first, const Affine& second) const {
  Reason reason = facts.reason_of(first);
  return is_place(reason) ? reason : facts.reason_of(second);
}

bool Symbolic::equal_here(Value left, Value right) {
  if (left.kind != Value::Kind::Integer || right.kind != Value::Kind::Integer) return false;
  auto difference = subtract(form(left), form(right));
  return difference && facts.fits(*difference, {0, 0});
}

Value Symbolic::select(ConditionId condition, Value left, Value right, Type type) {
  if (auto known = decide(condition)) return *known ? left : right;
  Mark before = mark();
  assume(condition, true);
  Branch taken = branch(before, true);
  bool right_serves = equal_here(left, right);
  rollback(before);
  if (right_serves) return right;
  assume(condition, false);
  Branch other = branch(before, true);
  bool left_serves = equal_here(left, right);
  rollback(before);
  if (left_serves) return left;
  Join join{condition, first_facts(taken), first_facts(other), {{ir::SlotId{}, left, right}}, {}};
  join_ranges(join);
  return join_values(join, type, join.slots.front());
}

Value Symbolic::convert(const ir::Operand& operand, Type type) {
  Type from = operand.type;
  if (is_boolean(type)) {
    if (is_boolean(from)) return value(operand);
    return is_integer(from) ? make(negate(equals_zero(integer(operand), {}))) : unknown(type);
  }
  if (!is_integer(type)) return unknown(type);
  if (is_boolean(from)) return select(condition(operand), make(affine(1)), make(affine(0)), type);
  if (!is_integer(from)) return unknown(type);
  Affine form = integer(operand);
  return make(fitted(form, type, code_of(OperationGroup::Converted, 0, type), form, {}));
}

} // namespace kern
