// Shifts and operations on bits as the prover sees them: by powers of two they are products and quotients.
#include <algorithm>

#include "compiler/analysis/guards/operation_codes.h"
#include "compiler/analysis/guards/symbolic.h"

namespace kern {

// Returns 2^n - 1 for the smallest n that covers the value, which is not negative.
static Wide mask_over(Wide value) {
  Wide mask = 0;
  while (mask < value) mask = mask * 2 + 1;
  return mask;
}

Affine Symbolic::shift_forms(Type type, ir::BinaryOp op, const Affine& left, const Affine& count) {
  auto code = code_of(OperationGroup::Wrapped, op, type);
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
  AtomId atom = facts.operation(Facts::Kind::Opaque, code_of(OperationGroup::Wrapped, op, type), left, right,
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

} // namespace kern
