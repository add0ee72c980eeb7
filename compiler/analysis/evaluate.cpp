// The value of an expression. Every result is exact or opaque: where an operation may wrap in its type it
// becomes an atom with the whole range of the type, the same for the same operands, and nothing is known of
// how it relates to them.
#include <algorithm>

#include "compiler/analysis/symbolic.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

// The codes of operations, so that equal ones are one atom: a group, an operator, the type.
enum class Group : std::uint32_t { Wrapped = 1, Exact, Converted };

std::uint32_t code_of(Group group, std::uint32_t op, Type type) {
  return static_cast<std::uint32_t>(group) << 16 | op << 8 | static_cast<std::uint32_t>(type->scalar);
}

std::uint32_t code_of(Group group, ir::BinaryOp op, Type type) {
  return code_of(group, static_cast<std::uint32_t>(op), type);
}

constexpr Wide largest_divisor = Wide{1} << 40; // that may be a coefficient
constexpr Interval unlimited{-(Wide{1} << 66),
                             Wide{1} << 66}; // what an exact operation on values of any type gives
constexpr Interval unclamped{-(Wide{1} << 65), Wide{1} << 65}; // where such an atom is the exact result
constexpr std::ptrdiff_t most_products = 32; // that a quotient or another product is compared with

// Returns the constant that a form is, if it may be a coefficient.
std::optional<std::int64_t> factor_of(const Affine& form) {
  if (!form.is_constant() || form.constant > largest_divisor || form.constant < -largest_divisor)
    return std::nullopt;
  return static_cast<std::int64_t>(form.constant);
}

// Returns 2^n - 1 for the smallest n that covers the value, which is not negative.
Wide mask_over(Wide value) {
  Wide mask = 0;
  while (mask < value) mask = mask * 2 + 1;
  return mask;
}

} // namespace

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
  auto code = code_of(Group::Wrapped, ir::BinaryOp::Subtract, type);
  return make(fitted(combine(affine(base), 1, operand, -1), type, code, affine(base), operand));
}

Value Symbolic::binary(const ir::Binary& binary, Type type) {
  if (is_boolean(type) && is_boolean(binary.left.type)) return make(combine_bools(binary));
  if (!is_integer(type)) return unknown(type);
  Affine left = integer(binary.left), right = integer(binary.right);
  switch (binary.op) {
  case ir::BinaryOp::Add:
    return make(fitted(add(left, right), type, code_of(Group::Wrapped, binary.op, type), left, right));
  case ir::BinaryOp::Subtract:
    return make(fitted(subtract(left, right), type, code_of(Group::Wrapped, binary.op, type), left, right));
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
    auto type_code = code_of(Group::Wrapped, 0, type);
    return affine(facts.operation(Facts::Kind::Wrapped, type_code, *exact, {}, range));
  }
  return affine(facts.operation(Facts::Kind::Opaque, code, left, right, range));
}

Reason Symbolic::reason_of(const Affine& first, const Affine& second) const {
  Reason reason = facts.reason_of(first);
  return is_place(reason) ? reason : facts.reason_of(second);
}

Affine Symbolic::multiply_forms(Type type, const Affine& left, const Affine& right) {
  auto wrapped = code_of(Group::Wrapped, ir::BinaryOp::Multiply, type);
  if (auto factor = factor_of(right)) return fitted(scale(left, *factor), type, wrapped, left, right);
  if (auto factor = factor_of(left)) return fitted(scale(right, *factor), type, wrapped, right, left);
  // The product as if it could not wrap; it is the value only if it is known to fit the type.
  Affine product = exact_product(left, right);
  Interval range = multiply(facts.bounds(left), facts.bounds(right));
  range = {std::max(range.low, unlimited.low), std::min(range.high, unlimited.high)};
  facts.assume_within(product, range, reason_of(left, right));
  relate_product(*single_atom(product));
  relate_quotient(*single_atom(product));
  return fitted(product, type, wrapped, left, right);
}

void Symbolic::relate_product(AtomId id) {
  const Facts::Atom& product = facts.atom(id);
  std::ptrdiff_t tried = 0;
  for (std::size_t i = products_.size(); i-- > 0 && tried < most_products; ++tried) {
    const Facts::Atom& known = facts.atom(products_[i]);
    bool exact = contains(unclamped, facts.bounds(affine(products_[i])));
    if (products_[i] == id || !exact) continue;
    for (const auto& [width, row] :
         {std::pair(product.left, product.right), std::pair(product.right, product.left)}) {
      if (facts.bounds(width).low < 0 || (!(known.left == width) && !(known.right == width))) continue;
      const Affine& height = known.left == width ? known.right : known.left;
      // row < height and width >= 0 give row * width + width <= height * width.
      auto below = subtract(height, row);
      if (below) below = offset(*below, -1);
      if (!below || !facts.prove(*below, quick)) continue;
      auto place = std::ranges::find_if(facts.reasons(), is_place);
      Reason reason = place == facts.reasons().end() ? Reason{} : *place;
      auto fits = combine(affine(products_[i]), 1, affine(id), -1);
      if (fits) fits = subtract(*fits, width);
      if (fits) facts.assume(*fits, reason);
    }
  }
}

void Symbolic::relate_quotient(AtomId id) {
  const Facts::Atom& product = facts.atom(id);
  for (const auto& [number, factor] :
       {std::pair(product.left, product.right), std::pair(product.right, product.left)}) {
    auto only = single_atom(number);
    if (!only || facts.atom(*only).kind != Facts::Kind::FloorDivide) continue;
    // With q = n // d and d >= 1: q * d is at most n and more than n - d, and for n >= 0 and 0 <= a < d also a * q
    // + q is at most n.
    const Facts::Atom& quotient = facts.atom(*only);
    const Affine &dividend = quotient.left, &divisor = quotient.right;
    if (facts.bounds(divisor).low < 1) continue;
    bool whole = factor == divisor;
    auto smaller = subtract(divisor, factor);
    if (smaller) smaller = offset(*smaller, -1);
    bool is_part = !whole && facts.bounds(dividend).low >= 0 && facts.bounds(factor).low >= 0 && smaller &&
                   facts.prove(*smaller, quick);
    if (!whole && !is_part) continue;
    auto below = subtract(dividend, affine(id));
    if (below && is_part) below = subtract(*below, number);
    if (below) facts.assume(*below, {});
    auto above = whole ? subtract(affine(id), dividend) : std::nullopt;
    if (above) above = add(*above, divisor);
    if (above) above = offset(*above, -1);
    if (above) facts.assume(*above, {});
  }
}

Affine Symbolic::exact_product(const Affine& left, const Affine& right) {
  auto code = code_of(Group::Exact, ir::BinaryOp::Multiply, types::i64);
  auto by_atom = [](const Term& a, const Term& b) { return a.atom < b.atom; };
  bool swaps = std::ranges::lexicographical_compare(right.view(), left.view(), by_atom);
  const Affine &first = swaps ? right : left, &second = swaps ? left : right;
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, first, second, unlimited);
  auto recent = std::ssize(products_) < most_products ? products_.begin() : products_.end() - most_products;
  if (std::find(recent, products_.end(), atom) == products_.end()) products_.push_back(atom);
  return affine(atom);
}

std::optional<Fact> Symbolic::quotient_limit(const Affine& left, const Affine& divisor) {
  if (facts.bounds(left).low < 0) return std::nullopt;
  std::ptrdiff_t tried = 0;
  for (std::size_t i = products_.size(); i-- > 0 && tried < most_products; ++tried) {
    const Facts::Atom& product = facts.atom(products_[i]);
    if (!(product.left == divisor) && !(product.right == divisor)) continue;
    const Affine& other = product.left == divisor ? product.right : product.left;
    if (facts.bounds(divisor).low < 0 || facts.bounds(other).low < 0) continue;
    auto below = subtract(affine(products_[i]), left);
    if (below) below = offset(*below, -1);
    if (!below || !facts.prove(*below, quick)) continue;
    // 0 <= left < other * divisor: neither is 0.
    auto place = std::ranges::find_if(facts.reasons(), is_place);
    Reason reason = place == facts.reasons().end() ? Reason{} : *place;
    if (auto some = offset(divisor, -1)) facts.assume(*some, reason);
    if (auto some = offset(other, -1)) facts.assume(*some, reason);
    return Fact{other, reason};
  }
  return std::nullopt;
}

Affine Symbolic::indivisible_part(const Affine& left, Wide divisor) const {
  Affine rest;
  rest.constant = left.constant - floor_divide(left.constant, divisor) * divisor;
  for (const Term& term : left.view()) {
    if (term.coefficient % divisor != 0) rest.terms[rest.size++] = term;
  }
  // The whole is a value of some type; a part of it may be anything.
  return contains(unclamped, facts.bounds(rest)) ? rest : left;
}

Affine Symbolic::quotient(const Affine& left, Wide divisor) {
  // (divisor * whole + rest) // divisor is whole + rest // divisor.
  Affine rest = indivisible_part(left, divisor);
  Affine whole;
  if (!(rest == left)) {
    whole.constant = floor_divide(left.constant, divisor);
    for (const Term& term : left.view()) {
      if (term.coefficient % divisor == 0)
        whole.terms[whole.size++] = {term.atom, static_cast<std::int64_t>(term.coefficient / divisor)};
    }
  }
  Interval range = facts.bounds(rest);
  range = {floor_divide(range.low, divisor), floor_divide(range.high, divisor)};
  if (range == Interval{}) return whole;
  auto code = code_of(Group::Exact, ir::BinaryOp::FloorDivide, types::i64);
  AtomId atom = facts.operation(Facts::Kind::FloorDivide, code, rest, affine(divisor), unlimited);
  if (divisor <= largest_divisor) {
    // divisor * q <= rest <= divisor * q + divisor - 1
    auto factor = static_cast<std::int64_t>(divisor);
    auto below = combine(rest, 1, affine(atom), -factor);
    auto above = combine(affine(atom), factor, rest, -1);
    if (above) above = offset(*above, divisor - 1);
    if (below) facts.axiom(atom, *below);
    if (above) facts.axiom(atom, *above);
  }
  facts.assume_within(affine(atom), range, facts.reason_of(rest));
  auto sum = add(whole, affine(atom));
  return sum ? *sum : affine(facts.fresh(unlimited));
}

Affine Symbolic::floor_divide_forms(Type type, const Affine& left, const Affine& right) {
  auto wrapped = code_of(Group::Wrapped, ir::BinaryOp::FloorDivide, type);
  if (right.is_constant() && right.constant > 0) return quotient(left, right.constant);
  if (right.is_constant() && right.constant < 0) {
    // The smallest value of a type divided by -1 wraps.
    auto negative = scale(left, -1);
    std::optional<Affine> exact;
    if (negative) exact = quotient(*negative, -right.constant);
    return fitted(exact, type, wrapped, left, right);
  }
  std::optional<Fact> limit = quotient_limit(left, right);
  AtomId atom = facts.operation(Facts::Kind::FloorDivide, wrapped, left, right, type_interval(type));
  std::optional<Affine> below;
  if (limit) below = combine(limit->form, 1, affine(atom), -1);
  if (below) below = offset(*below, -1);
  if (below) facts.assume(*below, limit->reason);
  Interval dividend = facts.bounds(left);
  if (facts.bounds(right).low < 1) return affine(atom);
  // Dividing by 1 or more brings a value towards 0, or -1 from below.
  facts.assume_within(affine(atom), {std::min<Wide>(dividend.low, 0), std::max<Wide>(dividend.high, -1)},
                      reason_of(left, right));
  if (dividend.low >= 0) {
    if (auto below = subtract(left, affine(atom))) facts.assume(*below, reason_of(left, right));
  }
  return affine(atom);
}

Affine Symbolic::remainder(const Affine& left, Wide divisor) {
  Affine rest = indivisible_part(left, divisor);
  if (contains({0, divisor - 1}, facts.bounds(rest))) return rest;
  auto code = code_of(Group::Exact, ir::BinaryOp::Modulo, types::i64);
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, rest, affine(divisor), {0, divisor - 1});
  if (divisor > largest_divisor) return affine(atom);
  // rest = divisor * q + remainder
  auto whole = combine(rest, 1, quotient(rest, divisor), -static_cast<std::int64_t>(divisor));
  if (whole) whole = subtract(*whole, affine(atom));
  auto negative = whole ? scale(*whole, -1) : std::nullopt;
  if (!negative) return affine(atom);
  facts.axiom(atom, *whole);
  facts.axiom(atom, *negative);
  // The dividend is found by them too.
  facts.assume(*whole, {});
  facts.assume(*negative, {});
  return affine(atom);
}

Affine Symbolic::modulo_forms(Type type, const Affine& left, const Affine& right) {
  if (right.is_constant() && right.constant > 0) return remainder(left, right.constant);
  auto code = code_of(Group::Wrapped, ir::BinaryOp::Modulo, type);
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, left, right, type_interval(type));
  quotient_limit(left, right);
  Interval divisor = facts.bounds(right);
  if (divisor.low < 1) return affine(atom);
  facts.assume_within(affine(atom), {0, divisor.high - 1}, facts.reason_of(right));
  auto below = combine(right, 1, affine(atom), -1);
  if (below) below = offset(*below, -1);
  if (below) facts.assume(*below, facts.reason_of(right));
  if (facts.bounds(left).low >= 0) {
    if (auto smaller = subtract(left, affine(atom))) facts.assume(*smaller, {});
  }
  return affine(atom);
}

Affine Symbolic::shift_forms(Type type, ir::BinaryOp op, const Affine& left, const Affine& count) {
  auto code = code_of(Group::Wrapped, op, type);
  int bits = bit_width(type->scalar);
  if (count.is_constant()) {
    // The low bits of the count; for a negative one they are those of its two's complement.
    auto places = static_cast<int>(static_cast<std::uint64_t>(static_cast<std::int64_t>(count.constant)) &
                                   static_cast<std::uint64_t>(bits - 1));
    if (op == ir::BinaryOp::ShiftRight) return quotient(left, Wide{1} << places);
    if (places < 40) return fitted(scale(left, std::int64_t{1} << places), type, code, left, count);
  }
  AtomId atom = facts.operation(Facts::Kind::Opaque, code, left, count, type_interval(type));
  if (op == ir::BinaryOp::ShiftRight && facts.bounds(left).low >= 0) {
    facts.assume_within(affine(atom), {0, facts.bounds(left).high}, facts.reason_of(left));
    if (auto smaller = subtract(left, affine(atom))) facts.assume(*smaller, facts.reason_of(left));
  }
  return affine(atom);
}

Affine Symbolic::bitwise_forms(Type type, ir::BinaryOp op, const Affine& left, const Affine& right) {
  Interval first = facts.bounds(left), second = facts.bounds(right);
  if (op == ir::BinaryOp::BitAnd) {
    // A mask of low bits is a remainder, of negative values too.
    if (right.is_constant() && right.constant >= 0 && mask_over(right.constant) == right.constant)
      return remainder(left, right.constant + 1);
    if (left.is_constant() && !right.is_constant()) return bitwise_forms(type, op, right, left);
  }
  AtomId atom = facts.operation(Facts::Kind::Opaque, code_of(Group::Wrapped, op, type), left, right,
                                type_interval(type));
  Affine result = affine(atom);
  if (op == ir::BinaryOp::BitAnd) {
    // Never negative if one operand is not, and then at most that one.
    for (const Affine* operand : {&left, &right}) {
      if (facts.bounds(*operand).low < 0) continue;
      facts.assume_within(result, {0, facts.bounds(*operand).high}, facts.reason_of(*operand));
      if (auto below = subtract(*operand, result)) facts.assume(*below, facts.reason_of(*operand));
    }
  } else if (first.low >= 0 && second.low >= 0) {
    facts.assume_within(result, {0, mask_over(std::max(first.high, second.high))}, reason_of(left, right));
  }
  if (op != ir::BinaryOp::BitAnd && right.is_constant()) relate_low_bits(atom, left, right.constant);
  if (op != ir::BinaryOp::BitAnd && left.is_constant()) relate_low_bits(atom, right, left.constant);
  return result;
}

void Symbolic::relate_low_bits(AtomId id, const Affine& left, Wide bits) {
  if (bits < 0 || bits >= largest_divisor) return;
  // Both have the same bits above those, of negative values too.
  Wide mask = mask_over(bits);
  auto least = subtract(left, remainder(left, mask + 1));
  auto below = least ? subtract(affine(id), *least) : std::nullopt;
  auto above = least ? subtract(*least, affine(id)) : std::nullopt;
  if (above) above = offset(*above, mask);
  // Not axioms: the remainder may be one by what is known here only.
  if (below) facts.assume(*below, {});
  if (above) facts.assume(*above, {});
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
  return make(fitted(form, type, code_of(Group::Converted, 0, type), form, {}));
}

} // namespace kern
