// Warns of hashes and random numbers in 32 bits, u32s that became i64s beside a signed integer, as an index
// is: they no longer wrap. A sum of the two is as exact as it looks, so the warning waits for what only
// hashes do: an odd factor of many digits, bits that are shifted right and combined with the number itself,
// or any other use behind `x ^ x << n`.
#include "compiler/check/narrow.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

// A hash or a random number: what an index is scaled by is small, or even.
static constexpr WideInt least_mixer = 65'536;

// Returns the signed one of two operands of which the other one is a u32.
static const Value* signed_operand(const Value& left, const Value& right) {
  if (!is_typed_integer(left) || !is_typed_integer(right)) return nullptr;
  if (left.type == types::u32 && is_signed(right.type)) return &right;
  return right.type == types::u32 && is_signed(left.type) ? &left : nullptr;
}

// Returns the index that is multiplied as hashes of 32 bits are: by an odd literal that an i32 does not hold and a u32 does.
// An index that is cast to an i64 is meant to be one and does not count.
static const Value* hashed_index(ast::BinaryOp op, const Value& left, const Value& right) {
  auto is_hash = [](const Value& index, const Value& factor) {
    std::optional<WideInt> number = is_int_literal(factor) ? constant_integer(factor) : std::nullopt;
    bool is_word = number && (*number & 1) == 1 && holds(interval_of(types::u32), {*number, *number}) &&
                   !holds(interval_of(types::i32), {*number, *number});
    return is_word && is_typed_integer(index) && index.type == types::i64 &&
           index.facts.origin == Origin::Index && !index.facts.is_cast;
  };
  if (op != ast::BinaryOp::Multiply) return nullptr;
  return is_hash(left, right) ? &left : is_hash(right, left) ? &right : nullptr;
}

static void warn(Checker& checker, const Mixed& mixed, Span span, std::string_view use) {
  if (!checker.final || !checker.context.diagnostics.enabled()) return;
  bool fresh = checker.context.reported.insert({"mixed", mixed.operand.file, mixed.operand.begin}).second;
  if (!fresh) return;
  std::string operand = short_text(checker.context.source(mixed.operand));
  checker
      .report(span, diag::mixed_local, short_text(checker.context.source(span)), use,
              fmt::format("u32({})", operand))
      .note(mixed.operand, "{}",
            mixed.is_index
                ? fmt::format("`{}` is an i64, and so is what it is multiplied to", operand)
                : fmt::format("`{}` is signed, and what was a u32 becomes an i64 with it", operand));
}

static bool is_mixer(const Value& factor, bool is_assigned) {
  std::optional<WideInt> number = constant_integer(factor);
  bool is_odd = number && (*number & 1) == 1;
  return interval_of(factor).least >= least_mixer && (is_odd || is_assigned);
}

// Warns where a number is shifted right and combined with what it came from, or multiplied as hashes are.
static void warn_scrambled(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right) {
  const std::optional<Mixed>&a = left.facts.mixed, &b = right.facts.mixed;
  bool combines = op == ast::BinaryOp::BitXor || op == ast::BinaryOp::BitOr || op == ast::BinaryOp::Add;
  if (combines && a && b && (a->shifted || b->shifted))
    warn(checker, *(a->shifted ? a : b), *(a->shifted ? a : b)->shifted, "shifted right");
  if (op != ast::BinaryOp::Multiply) return;
  if (a && !a->is_index && is_mixer(right, a->is_assigned)) warn(checker, *a, left.span, "multiplied");
  if (b && !b->is_index && is_mixer(left, b->is_assigned)) warn(checker, *b, right.span, "multiplied");
}

void note_mixed(Checker& checker, IntegerFacts& facts, ast::BinaryOp op, const Value& left,
                const Value& right, Type type) {
  bool shift = op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight;
  bool divides = op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::Modulo;
  if (divides) {
    warn_mixed(checker, left, "divided");
    warn_mixed(checker, right, "divided");
  }
  if (op == ast::BinaryOp::ShiftRight) warn_mixed(checker, left, "shifted right");
  if (!shift) warn_scrambled(checker, op, left, right);
  if (divides || type != types::i64) return;
  // A mask that leaves no more than 32 bits makes a u32 of it again, whatever stands above.
  if (facts.interval && holds(interval_of(types::u32), *facts.interval)) return;
  facts.mixed = left.facts.mixed ? left.facts.mixed : shift ? std::nullopt : right.facts.mixed;
  if (const Value* operand = shift ? nullptr : signed_operand(left, right); operand && !facts.mixed)
    facts.mixed = Mixed{operand->span};
  if (const Value* index = hashed_index(op, left, right); index && !facts.mixed) {
    facts.mixed = Mixed{index->span};
    facts.mixed->is_index = true;
  }
  if (!facts.mixed) return;
  auto was_raised = [](const Value& value) { return value.facts.mixed && value.facts.mixed->is_raised; };
  bool raised = was_raised(left) || (!shift && was_raised(right));
  facts.mixed->is_raised = raised || op == ast::BinaryOp::ShiftLeft;
  facts.mixed->is_hash = facts.mixed->is_hash || (op == ast::BinaryOp::BitXor && raised);
  facts.mixed->shifted = op == ast::BinaryOp::ShiftRight ? std::optional(left.span) : std::nullopt;
}

void note_mixed(Local& local, const Value& left, const Value& right, const Value& result) {
  bool was_word = !local.annotated && local.starts_with == Span{} && local.joined == types::u32;
  const Value* operand = was_word && result.type == types::i64 ? signed_operand(left, right) : nullptr;
  if (operand && !(local.mixed && local.mixed->is_assigned)) local.mixed = Mixed{operand->span, true};
}

void note_mixed(Local& local, const Value& value) {
  if (local.annotated || !value.facts.mixed) return;
  if (!local.mixed) {
    local.mixed = Mixed{value.facts.mixed->operand};
    local.mixed->is_index = value.facts.mixed->is_index;
  }
  local.mixed->is_raised = local.mixed->is_raised || value.facts.mixed->is_raised;
  local.mixed->is_hash = local.mixed->is_hash || value.facts.mixed->is_hash;
}

void read_mixed(const Local& local, Value& value) {
  if (local.mixed && value.type == types::i64 && value.kind == ValueKind::Runtime)
    value.facts.mixed = local.mixed;
}

void advise_mixed(const Checker& checker, Report& error, const Value& value) {
  if (!value.facts.mixed) return;
  Span operand = value.facts.mixed->operand;
  std::string text = short_text(checker.context.source(operand));
  error.note(operand, "`{0}` makes an i64 of a u32: what is to wrap at 32 bits takes `u32({0})` here", text);
}

void warn_mixed(Checker& checker, const Value& value, std::string_view use) {
  const std::optional<Mixed>& mixed = value.facts.mixed;
  bool is_bits = use == "shifted right" || use == "used in `~`";
  if (mixed && (mixed->is_hash || (mixed->is_assigned && is_bits))) warn(checker, *mixed, value.span, use);
}

} // namespace kern::checker
