// A cast around a whole operand comes too late where the operand wraps, so the casts go on the parts of it (widths.cpp).
#include "compiler/check/quotients.h"

#include "compiler/check/brackets.h"
#include "compiler/check/narrow.h"
#include "compiler/check/targets.h"

namespace kern::checker {

// Says whether an operand may have wrapped in 32 bits in the expression itself: it is made of elements, or is a product of what
// a function is given. Sums of counters and sizes are small. One of 64 bits has parts of 32 where a cast makes it exact.
static bool may_wrap(const Value& operand) {
  const IntegerFacts& facts = operand.facts;
  bool is_word = is_typed_integer(operand) && (bit_width(operand.type->scalar) == 32 || exact_type(operand));
  if (!is_word || facts.wide.empty() || facts.wrapped_in || facts.xors || facts.hides_wrap) return false;
  return facts.origin == Origin::Data || (facts.by_product && facts.factors != Origin::Index);
}

// Returns an operand with casts on parts of it; the whole cast to `around` where that is given. Nothing where the text is too
// long for a message.
static std::optional<std::string> cast_parts(const Checker& checker, const Value& operand,
                                             const std::vector<Span>& parts, Type type,
                                             std::optional<Type> around = {}) {
  if (parts.empty() || parts.size() > most_leaves) return std::nullopt;
  std::string text = short_text(with_casts(checker, operand.span, parts, type));
  if (text == "...") return std::nullopt;
  return around ? fmt::format("{}({})", to_string(*around), text) : text;
}

// Returns an operand computed in 64 bits, which hold more than 32 do where they do not hold all. A u64 meets no signed integer.
static std::optional<std::string> widened_operand(const Checker& checker, const Value& operand,
                                                  const Value& other) {
  if (!may_wrap(operand)) return std::nullopt;
  bool meets_signed = !is_literal(other) && is_signed(other.type);
  bool is_natural = operand.type == types::u32 && operand.facts.reach && operand.facts.reach->least >= 0;
  Type wide = exact_type(operand).value_or(is_natural ? types::u64 : types::i64);
  return cast_parts(checker, operand, operand.facts.wide, meets_signed ? types::i64 : wide);
}

bool is_written_wider(const Checker& checker, const Value& operand, const Value& other) {
  return widened_operand(checker, operand, other).has_value();
}

// Returns an operand as a float of a type; what 64 bits do not hold is computed in that type.
static std::string float_text(const Checker& checker, const Value& operand, Type type) {
  std::string source(checker.context.source(operand.span));
  if (is_literal(operand)) return source;
  std::optional<std::string> text;
  if (may_wrap(operand)) {
    std::optional<Type> wide = exact_type(operand);
    if (wide)
      text = cast_parts(checker, operand, operand.facts.wide, *wide, type);
    else if (!operand.facts.combines_bits)
      text = cast_parts(checker, operand, operand.facts.leaves, type);
    if (!text) text = cast_parts(checker, operand, operand.facts.wide, types::i64, type);
  }
  return text.value_or(fmt::format("{}({})", to_string(type), source));
}

std::string floored_text(Checker& checker, const Value& left, const Value& right, Span span) {
  constexpr ast::BinaryOp op = ast::BinaryOp::FloorDivide;
  const std::optional<StoredSum>& sum = checker.stored_sum;
  std::optional<std::string> wide_left = widened_operand(checker, left, right),
                             wide_right = widened_operand(checker, right, left);
  if (sum && !wide_right) return fmt::format("{} //= {}", sum->target, sum->operand);
  std::string a = wide_left.value_or(std::string(checker.context.source(left.span))),
              b = wide_right.value_or(std::string(checker.context.source(right.span)));
  if (sum)
    return fmt::format("{0} = {1}({0} // {2})", sum->target, to_string(left.type), right_operand(b, op));
  std::string text = fmt::format("{} // {}", left_operand(a, op), right_operand(b, op));
  std::optional<Target> target = target_of(checker, span);
  bool converts_back = (wide_left || wide_right) && target && is_integer(target->type) &&
                       bit_width(target->type->scalar) == 32;
  return converts_back ? fmt::format("{}({})", to_string(target->type), text) : text;
}

// Says whether an integer is mostly one that an f32 rounds, and that differences are taken of: a sum or an element of 64 bits.
static bool is_wide_data(const Value& value) {
  return is_integer(value.type) && !is_literal(value.type) && bit_width(value.type->scalar) == 64 &&
         value.facts.origin == Origin::Data;
}

std::string divided_text(Checker& checker, const Value& left, const Value& right, Span span) {
  constexpr ast::BinaryOp op = ast::BinaryOp::Divide;
  const std::optional<StoredSum>& sum = checker.stored_sum;
  std::optional<Target> target = target_of(checker, span);
  // A quotient that goes back into an integer must not be rounded on the way.
  bool goes_back = target ? is_integer(target->type) : sum.has_value();
  bool is_exact =
      holds(exact_interval(types::f32), exact_of(left)) && holds(exact_interval(types::f32), exact_of(right));
  bool is_wide = goes_back ? !is_exact
                 : target  ? target->type == types::f64
                           : is_wide_data(left) || is_wide_data(right);
  Type type = is_wide ? types::f64 : types::f32;
  std::string text = fmt::format("{} / {}", left_operand(float_text(checker, left, type), op),
                                 right_operand(float_text(checker, right, type), op));
  return sum ? fmt::format("{} = {}({})", sum->target, to_string(left.type), text) : text;
}

} // namespace kern::checker
