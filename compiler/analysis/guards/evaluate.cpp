// The value of an expression. Every result is exact or opaque: where an operation may wrap in its type it
// becomes an atom with the whole range of the type, the same for the same operands, and nothing is known of
// how it relates to them. Products and quotients are in products.cpp, shifts and bits in bits.cpp.
#include <bit>
#include <cmath>

#include "compiler/analysis/guards/operation_codes.h"
#include "compiler/analysis/guards/symbolic.h"
#include "compiler/support/overloaded.h"

namespace kern {

static constexpr Interval exact_reals{-(Wide{1} << 53), Wide{1} << 53}; // that a float of 64 bits holds

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
      [&](const ir::Stride&) { return unknown(type); },
      [&](const ir::Misalignment&) { return unknown(type); },
      [&](const ir::View& node) { return view(node); },
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
      [&](const ir::ConstantArray& node) { return constant_array(node.id); });
}

Value Symbolic::constant_array(const std::vector<std::int64_t>& extents) {
  std::vector<Affine> forms;
  for (std::int64_t extent : extents) forms.push_back(affine(extent));
  return make_array(std::move(forms));
}

Value Symbolic::constant_array(ir::ConstantId id) {
  const ir::ConstantDecl& constant = module_.constants[static_cast<std::size_t>(id)];
  const auto [known, is_new] = constant_ranges_.try_emplace(id);
  if (is_new) known->second = range_of(constant);
  const Value array = constant_array(constant.extents);
  if (known->second) elements_.emplace(array.index, *known->second);
  return array;
}

Value Symbolic::element(const ir::Operand& array, Type type) {
  const Value held = value(array);
  const auto known = held.kind == Value::Kind::Array ? elements_.find(held.index) : elements_.end();
  return known == elements_.end() ? unknown(type) : make(affine(facts.fresh(known->second)));
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
  if (type == types::f64 && binary.op == ir::BinaryOp::Divide) return divide_reals(binary);
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
  if (exact && (facts.fits(*exact, range) || extremes.fits(*exact, range))) return *exact;
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

// Says whether the first of two values is the second counted from the end of an axis, and the second is made of scalars that
// are wanted not to be negative.
bool Symbolic::is_from_the_end(Value left, Value right) {
  if (left.kind != Value::Kind::Integer || right.kind != Value::Kind::Integer) return false;
  const auto difference = subtract(form(left), form(right));
  const auto only = difference ? single_atom(*difference) : std::nullopt;
  return only && extremes.is_extent(*only) && extremes.want_numbers(form(right));
}

Value Symbolic::select(ConditionId condition, Value left, Value right, Type type) {
  if (auto known = decide(condition)) return *known ? left : right;
  if (extremes.asks() && is_from_the_end(left, right)) return right;
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

Value Symbolic::make_ratio(const Affine& dividend, const Affine& divisor) {
  ratios_.push_back({dividend, divisor});
  return {Value::Kind::Ratio, static_cast<std::uint32_t>(ratios_.size() - 1)};
}

// Returns what a float is, if that is known: a constant may be an integer.
Value Symbolic::real(const ir::Operand& operand) {
  if (operand.slot) return slot(*operand.slot);
  const auto number = std::bit_cast<double>(operand.bits);
  const bool is_whole =
      std::abs(number) <= static_cast<double>(exact_reals.high) && std::trunc(number) == number;
  return is_whole ? make_ratio(affine(static_cast<std::int64_t>(number)), affine(1)) : Value{};
}

Value Symbolic::divide_reals(const ir::Binary& binary) {
  const Value left = real(binary.left), right = real(binary.right);
  if (left.kind != Value::Kind::Ratio || right.kind != Value::Kind::Ratio) return {};
  const Affine dividend = ratio(left).dividend, divisor = ratio(right).dividend;
  const bool are_whole = ratio(left).divisor == affine(1) && ratio(right).divisor == affine(1);
  return are_whole ? make_ratio(dividend, divisor) : Value{};
}

// Says whether a divisor is positive; while it is asked, that is asked as well.
bool Symbolic::has_divisor(const Ratio& ratio) {
  const auto some = offset(ratio.divisor, -1);
  return extremes.asks() || (some && facts.prove(*some, quick));
}

// A quotient of integers that a float holds exactly is rounded by less than what it is away from the next integer, so
// that `int(a / b)` is a // b where neither is negative (emit/integer_quotients.cpp has the proof).
Value Symbolic::truncate(const ir::Operand& operand, Type type) {
  const Value held = real(operand);
  if (held.kind != Value::Kind::Ratio) return unknown(type);
  const Affine dividend = ratio(held).dividend, divisor = ratio(held).divisor;
  if (!facts.prove(dividend, quick) || !has_divisor(ratio(held))) return unknown(type);
  const Affine quotient = floor_divide_forms(types::i64, dividend, divisor);
  return make(fitted(quotient, type, code_of(OperationGroup::Converted, 0, type), quotient, {}));
}

Value Symbolic::convert(const ir::Operand& operand, Type type) {
  Type from = operand.type;
  if (is_boolean(type)) {
    if (is_boolean(from)) return value(operand);
    return is_integer(from) ? make(negate(equals_zero(integer(operand), {}))) : unknown(type);
  }
  if (type == types::f64 && is_integer(from) && !is_boolean(from)) {
    const Affine form = integer(operand);
    const bool is_exact =
        facts.fits(form, exact_reals) || extremes.asks() || extremes.fits(form, exact_reals);
    return is_exact ? make_ratio(form, affine(1)) : Value{};
  }
  if (!is_integer(type)) return unknown(type);
  if (is_boolean(from)) return select(condition(operand), make(affine(1)), make(affine(0)), type);
  if (from == types::f64) return truncate(operand, type);
  if (!is_integer(from)) return unknown(type);
  Affine form = integer(operand);
  return make(fitted(form, type, code_of(OperationGroup::Converted, 0, type), form, {}));
}

} // namespace kern
