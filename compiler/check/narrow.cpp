// The rules of docs/language.md, "Integers narrower than 32 bits", in the order of narrow.h.
#include "compiler/check/narrow.h"

#include <algorithm>

namespace kern::checker {

namespace {

bool is_integral(Type type) { return is_integer(type) || is_boolean(type); }
bool is_unsigned_word(Type type) { return type == types::u32 || type == types::u64; }

// Says whether arithmetic of a value is that of narrow integers: it is one, or waits for their type.
bool is_small(const Value& value) {
  Type type = value.type;
  return type == types::int_literal || is_boolean(type) || is_narrow(type) || value.facts.promoted;
}

// Says whether the operator's result has the right low bits where its operands do.
bool is_modular(ast::BinaryOp op) {
  switch (op) {
  case ast::BinaryOp::Add:
  case ast::BinaryOp::Subtract:
  case ast::BinaryOp::Multiply:
  case ast::BinaryOp::Power:
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor: return true;
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::FloorDivide:
  case ast::BinaryOp::Modulo:
  case ast::BinaryOp::ShiftRight:
  case ast::BinaryOp::MatrixMultiply: return false;
  }
  return false;
}

bool is_bits(ast::BinaryOp op) {
  return op == ast::BinaryOp::BitAnd || op == ast::BinaryOp::BitOr || op == ast::BinaryOp::BitXor;
}

// Returns the parts of an operand that are converted for an operator to compute in a wider type.
std::vector<Span> leaves_of(const Value& value) {
  if (!value.facts.leaves.empty()) return value.facts.leaves;
  return {value.span};
}

std::vector<Span> leaves_of(ast::BinaryOp op, const Value& left, const Value& right) {
  if (op == ast::BinaryOp::ShiftLeft) return leaves_of(left);
  // An exponent without a sign is another one.
  if (op == ast::BinaryOp::Power) return is_literal(right) ? leaves_of(left) : std::vector<Span>{};
  // A bit operator does not wrap itself: it has nothing to convert unless its operands compute something.
  if (is_bits(op) && left.facts.leaves.empty() && right.facts.leaves.empty()) return {};
  // A literal takes the type of the other, but no type without a sign holds a negative one.
  std::vector<Span> leaves;
  for (const Value* operand : {&left, &right})
    if (!is_literal(*operand) || interval_of(*operand).least < 0) append_spans(leaves, leaves_of(*operand));
  return leaves;
}

// The operand with which all that follows it is computed in 64 bits.
std::vector<Span> first_leaf(ast::BinaryOp op, const Value& left, const Value& right) {
  bool counts = op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::Power;
  bool second = is_literal(left) && !counts;
  return {leaves_of(second ? right : left).front()};
}

// The interval of an operand as the operator finds it: wrapped, except for one that takes its bits alone.
Interval operand_interval(const Value& value, bool modular) {
  Interval interval = interval_of(value);
  if (modular || !is_scalar(value.type) || is_literal(value.type)) return interval;
  Interval own = interval_of(value.type);
  return holds(own, interval) ? interval : own;
}

// Says whether a value may have wrapped, in its expression or in that of a local which it is made of.
bool may_have_wrapped(const IntegerFacts& facts) { return !facts.wrapped.empty() || facts.wrapped_in; }

// Says whether all that may have wrapped did so only because a literal has the type of its count.
bool wraps_by_count(const IntegerFacts& facts) { return !may_have_wrapped(facts) || facts.by_count; }

bool wraps_by_shift(const IntegerFacts& facts) { return !may_have_wrapped(facts) || facts.by_shift; }

// Takes over from operands that they may have wrapped.
void take_wrapped(IntegerFacts& facts, const IntegerFacts& from) {
  facts.by_count = wraps_by_count(facts) && wraps_by_count(from);
  facts.by_shift = wraps_by_shift(facts) && wraps_by_shift(from);
  facts.by_product = facts.by_product || from.by_product;
  facts.factors = std::max(facts.factors, from.factors);
  facts.xors = facts.xors || from.xors;
  append_spans(facts.wrapped, from.wrapped);
  if (!facts.wrapped_in) facts.wrapped_in = from.wrapped_in;
}

// Says whether a literal has the type of its count or exponent, which may be too narrow for the result.
bool takes_count_type(ast::BinaryOp op, const Value& left, const Value& right, const Interval& exact,
                      Type type) {
  bool is_one = (op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::Power) && is_int_literal(left);
  bool is_word = is_scalar(type) && is_integer(type) && bit_width(type->scalar) == 32;
  if (!is_one || !is_word || is_literal(right)) return false;
  Interval counts{0, bit_width(type->scalar) - 1};
  return !holds(interval_of(type), exact) ||
         (op == ast::BinaryOp::ShiftLeft && !holds(counts, interval_of(right)));
}

// The least factor of a product with a literal that is warned of: smaller ones mostly leave room.
constexpr WideInt least_factor = 100;

bool is_variable(const Value& value) {
  return value.kind == ValueKind::Runtime && is_scalar(value.type) && is_integer(value.type) &&
         !is_constant_number(value);
}

bool is_great(const Value& factor) {
  Interval interval = interval_of(factor);
  return is_constant_number(factor) && (interval.greatest >= least_factor || interval.least <= -least_factor);
}

// Says whether a product or a power of variables is computed in 32 bits, which may not hold it. That of a u32 and a literal
// is mostly a hash, which wraps.
bool is_word_product(ast::BinaryOp op, const Value& left, const Value& right, Type type) {
  if (!is_scalar(type) || bit_width(type->scalar) != 32) return false;
  bool both = is_variable(left) && is_variable(right);
  bool one =
      is_signed(type) && ((is_variable(left) && is_great(right)) || (is_great(left) && is_variable(right)));
  bool multiplies = op == ast::BinaryOp::Multiply && (both || one);
  bool raises =
      op == ast::BinaryOp::Power && is_variable(left) && holds(interval_of(type), interval_of(right));
  return (multiplies || raises) &&
         !holds(interval_of(type), interval_of(op, exact_of(left), exact_of(right), 64));
}

// Says whether a shift of a variable is computed in 32 bits, which may not hold it, by enough to be warned of.
bool is_word_shift(ast::BinaryOp op, const Value& left, const Value& right, Type type) {
  constexpr WideInt least_count = 7;
  if (op != ast::BinaryOp::ShiftLeft || !is_scalar(type) || bit_width(type->scalar) != 32) return false;
  return is_variable(left) && interval_of(right).greatest >= least_count &&
         !holds(interval_of(type), interval_of(op, exact_of(left), interval_of(right), 64));
}

// Returns what the result of an operator is made of: a product with a counter is no larger than indices are, unless
// elements are multiplied.
Origin origin_of(ast::BinaryOp op, const Value& left, const Value& right) {
  bool shift = op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight;
  Origin a = left.facts.origin, b = right.facts.origin;
  if (is_constant_number(left)) return b;
  if (shift || is_constant_number(right)) return a;
  bool multiplies = op == ast::BinaryOp::Multiply && a != Origin::Data && b != Origin::Data;
  return multiplies ? std::min(a, b) : std::max(a, b);
}

// Says whether a value is a whole number as a float of 24 digits or more, with nothing but a few literals around it.
bool stays_rounded(const Value& rounded, const Value& other) {
  Interval small{-(WideInt(1) << 16), WideInt(1) << 16};
  return rounded.facts.rounded && is_int_literal(other) && holds(small, interval_of(other)) &&
         (rounded.facts.rounded->type == types::f32 || rounded.facts.rounded->type == types::f64);
}

std::optional<Rounded> rounded_sum(ast::BinaryOp op, const Value& left, const Value& right) {
  bool computes = op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract || op == ast::BinaryOp::Multiply;
  if (!computes) return std::nullopt;
  const Value* value = stays_rounded(left, right) ? &left : stays_rounded(right, left) ? &right : nullptr;
  if (!value) return std::nullopt;
  Rounded result = *value->facts.rounded;
  result.is_whole = false;
  return result;
}

// Gives a result its interval; says whether it may be beyond its type. Only of a promoted value the interval
// stays as it would be without wrapping.
bool settle(IntegerFacts& facts, const Interval& exact, Type type) {
  bool fits = holds(interval_of(type), exact);
  facts.interval = fits || facts.promoted ? exact : interval_of(type);
  return !fits;
}

} // namespace

void append_spans(std::vector<Span>& spans, const std::vector<Span>& more) {
  for (Span span : more)
    if (std::ranges::find(spans, span) == spans.end()) spans.push_back(span);
  if (spans.size() > most_leaves) spans.resize(most_leaves + 1);
}

bool is_narrow(Type type) { return is_scalar(type) && is_integer(type) && bit_width(type->scalar) < 32; }

bool keeps_intervals(const Checker& checker) {
  return checker.rules.arithmetic == Rules::arithmetic_rule::SmallestJoin;
}

Type type_beside(const Value& value, Type other) {
  if (!is_number(value)) return value.type;
  bool waits = value.type == types::int_literal && value.kind != ValueKind::Runtime;
  if (waits && is_narrow(other) && !holds(interval_of(other), interval_of(value))) return types::i32;
  bool is_real = is_scalar(other) && is_float(other);
  if (is_real && !is_float(value.type) && fits_by_interval(value, other)) return other;
  if (value.facts.promoted && is_unsigned_word(other) && interval_of(value).least >= 0) return other;
  return value.type;
}

Type operand_type(const Value& value, Type other) {
  bool takes = is_scalar(other) && (is_float(other) || is_complex(other));
  return takes && is_number(value) && goes_into(value, other) ? other : type_beside(value, other);
}

bool meets_integer(const Value& real, const Value& integer) {
  bool is_open = takes_type(real) && real.type == types::float_literal;
  return is_open && is_number(integer) && !takes_type(integer) && is_integer(integer.type) &&
         goes_into(integer, types::f64);
}

std::vector<Type> types_beside(std::span<const Value> values) {
  Type narrow = types::unknown;
  bool only_narrow = true;
  std::optional<Type> word;
  for (const Value& value : values) {
    if (is_unsigned_word(value.type) && (!word || *word == types::u32)) word = value.type;
    if (is_narrow(value.type)) narrow = join(narrow, value.type).value_or(types::i32);
    only_narrow = only_narrow && (is_narrow(value.type) || is_literal(value.type) || is_boolean(value.type));
  }
  std::vector<Type> result;
  for (const Value& value : values) {
    Type other = word ? *word : only_narrow ? narrow : types::unknown;
    result.push_back(type_beside(value, other));
  }
  return result;
}

NarrowTypes narrow_types(ast::BinaryOp op, Type joined, const Value& right) {
  if (!is_narrow(joined)) return {joined, joined};
  switch (op) {
  case ast::BinaryOp::Add:
  case ast::BinaryOp::Subtract:
  case ast::BinaryOp::Multiply:
  case ast::BinaryOp::Power:
  case ast::BinaryOp::ShiftLeft: return {types::i32, types::i32};
  // Quotients of unsigned numbers are no greater than they are: the narrow division gives the same.
  case ast::BinaryOp::FloorDivide: return {is_signed(joined) ? types::i32 : joined, types::i32};
  case ast::BinaryOp::ShiftRight: {
    Interval counts = interval_of(right);
    bool is_plain = counts.least >= 0 && counts.greatest < bit_width(joined->scalar);
    return {is_plain ? joined : types::i32, joined};
  }
  case ast::BinaryOp::Modulo:
  case ast::BinaryOp::BitAnd:
  case ast::BinaryOp::BitOr:
  case ast::BinaryOp::BitXor:
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::MatrixMultiply: break;
  }
  return {joined, joined};
}

IntegerFacts binary_facts(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                          Type type) {
  IntegerFacts facts;
  bool shift = op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight;
  bool modular = is_modular(op);
  if (!modular) {
    std::string_view use = op == ast::BinaryOp::ShiftRight ? "shifted right" : "divided";
    warn_wrapped(checker, left, use);
    warn_grown(checker, left, use);
    if (!shift) warn_wrapped(checker, right, use);
    if (!shift) warn_grown(checker, right, use);
  } else if (op == ast::BinaryOp::BitXor) {
    warn_grown(checker, left, "used in `^`");
    warn_grown(checker, right, "used in `^`");
  }
  // A literal that is shifted has the type of its count.
  bool by_right = !shift || is_literal(left.type);
  bool small = is_small(left) && (!by_right || is_small(right));
  bool grown = left.facts.grown || (!shift && right.facts.grown);
  facts.promoted = type == types::i32 && small;
  facts.grown = grown && type == types::i32 && (is_small(left) || left.facts.grown) &&
                (shift || is_small(right) || right.facts.grown);
  bool lessens = op == ast::BinaryOp::FloorDivide || op == ast::BinaryOp::ShiftRight;
  facts.saturates = op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract ||
                    op == ast::BinaryOp::Multiply || (lessens && facts.promoted);
  Interval a = operand_interval(left, modular), b = operand_interval(right, modular && !shift);
  Type width = is_narrow(type) ? types::i32 : type;
  Interval exact = interval_of(op, a, b, bit_width(width->scalar));
  facts.origin = origin_of(op, left, right);
  facts.rounded = rounded_sum(op, left, right);
  note_addends(facts, op, left, right);
  warn_sum_halved(checker, op, left, right);
  auto rotates = [](const Value& up, const Value& down) { return up.facts.by_shift && down.facts.falls; };
  facts.falls = op == ast::BinaryOp::ShiftRight;
  facts.xors = op == ast::BinaryOp::BitXor || left.facts.xors || (!shift && right.facts.xors) ||
               rotates(left, right) || rotates(right, left);
  if (checker.final && !is_narrow(type))
    note_widths(facts, op, left, right, type, first_leaf(op, left, right));
  if (modular) {
    if (checker.final) facts.leaves = leaves_of(op, left, right);
    bool products = left.facts.multiplies || right.facts.multiplies;
    facts.multiplies = op == ast::BinaryOp::Multiply || op == ast::BinaryOp::Power || products;
    facts.combines_bits = is_bits(op) || shift || left.facts.combines_bits || right.facts.combines_bits;
    // An operand that is widened to 64 bits here was warned of, so its wrapping goes no further.
    auto stays = [&](const Value& value) {
      return !is_scalar(value.type) || bit_width(value.type->scalar) >= bit_width(width->scalar);
    };
    if (stays(left) || facts.promoted) take_wrapped(facts, left.facts);
    if (!shift && (stays(right) || facts.promoted)) take_wrapped(facts, right.facts);
    // The bits that a mask lets through are right, whatever wrapped above them.
    if (op == ast::BinaryOp::BitAnd && holds(interval_of(type), exact))
      facts.wrapped.clear(), facts.wrapped_in = nullptr, facts.by_product = false;
  }
  bool below_zero = op == ast::BinaryOp::Subtract && is_unsigned_word(type) && exact.least < 0;
  // Locals made of narrow integers count with the interval that their last assignments gave them.
  auto is_known = [](const Value& value) { return value.facts.held || is_small(value); };
  auto held_interval = [](const Value& value) {
    return value.facts.held.value_or(operand_interval(value, true));
  };
  bool by_held =
      modular && !shift && type == types::i32 && !facts.promoted && is_known(left) && is_known(right);
  if (by_held) facts.held = interval_of(op, held_interval(left), held_interval(right), 32);
  bool by_count = !facts.promoted && takes_count_type(op, left, right, exact, type);
  bool by_shift = !facts.promoted && is_word_shift(op, left, right, type);
  bool by_product = by_shift || (!facts.promoted && is_word_product(op, left, right, type));
  bool passes = (settle(facts, exact, type) && (facts.promoted || below_zero)) || by_count || by_product ||
                (by_held && !holds(interval_of(type), *facts.held));
  note_mixed(checker, facts, op, left, right, type);
  if (!passes || !modular || may_have_wrapped(facts) || !checker.final) return facts;
  facts.wrapped = type == types::u64 ? facts.leaves : first_leaf(op, left, right);
  facts.by_count = by_count;
  facts.by_product = by_product;
  facts.by_shift = by_shift;
  facts.factors = facts.origin;
  return facts;
}

IntegerFacts unary_facts(ast::UnaryOp op, const Value& operand, Type type) {
  IntegerFacts facts = operand.facts;
  facts.local = nullptr;
  facts.element_of.reset();
  facts.addends.clear();
  bool negates = op == ast::UnaryOp::Negative;
  if (negates) note_addends(facts, operand);
  facts.is_turned = negates;
  facts.saturates = negates;
  facts.promoted = type == types::i32 && is_small(operand);
  if (negates) facts.leaves = leaves_of(operand);
  facts.combines_bits = facts.combines_bits || !negates;
  Interval from = operand_interval(operand, true);
  Interval exact = negates ? negated(from) : inverted(from, type);
  bool below_zero = negates && is_unsigned_word(type) && exact.least < 0;
  bool passes = settle(facts, exact, type) && (facts.promoted || below_zero);
  if (passes && !may_have_wrapped(facts)) facts.wrapped = leaves_of(operand);
  facts.rounded.reset();
  note_widths(facts, op, operand, type, leaves_of(operand));
  return facts;
}

IntegerFacts absolute_facts(Checker& checker, const Value& operand, Type type) {
  warn_wrapped(checker, operand, "given to `abs`");
  IntegerFacts facts;
  facts.origin = operand.facts.origin;
  note_addends(facts, operand);
  facts.is_turned = true;
  note_widths_of_size(facts, operand, type);
  facts.promoted = type == types::i32 && is_small(operand);
  facts.grown = operand.facts.grown;
  facts.saturates = true;
  bool passes = settle(facts, absolute(operand_interval(operand, false)), type) && facts.promoted;
  if (passes) facts.wrapped = leaves_of(operand);
  return facts;
}

IntegerFacts extremum_facts(Checker& checker, bool greatest, const std::vector<Value>& values, Type type) {
  IntegerFacts facts;
  facts.promoted = type == types::i32;
  std::optional<Interval> interval;
  for (const Value& value : values) {
    warn_wrapped(checker, value, "compared");
    warn_grown(checker, value, "compared");
    Interval own = operand_interval(value, false);
    interval = interval ? extremum(greatest, *interval, own) : own;
    facts.promoted = facts.promoted && is_small(value);
    facts.grown = facts.grown || value.facts.grown;
  }
  if (!std::ranges::all_of(values, [](const Value& v) { return is_small(v) || v.facts.grown; }))
    facts.grown = false;
  if (interval) settle(facts, *interval, type);
  for (const Value& value : values)
    if (!is_constant_number(value)) facts.origin = std::max(facts.origin, value.facts.origin);
  // A `min` drops this fact: its upper bound mostly says all that is known of the value.
  for (const Value& value : values)
    if (greatest && value.facts.rounded) facts.rounded = value.facts.rounded, facts.rounded->is_held = true;
  note_widths_of_extremum(facts, greatest, values);
  return facts;
}

IntegerFacts either_facts(const Value& a, const Value& b, Type type) {
  IntegerFacts facts;
  if (!is_scalar(type) || !is_integer(type) || !is_number(a) || !is_number(b)) return facts;
  facts.promoted = type == types::i32 && is_small(a) && is_small(b);
  facts.grown = type == types::i32 && (a.facts.grown || b.facts.grown) && (is_small(a) || a.facts.grown) &&
                (is_small(b) || b.facts.grown);
  take_wrapped(facts, a.facts);
  take_wrapped(facts, b.facts);
  facts.saturates = a.facts.saturates || b.facts.saturates;
  facts.origin = std::max(a.facts.origin, b.facts.origin);
  facts.mixed = a.facts.mixed ? a.facts.mixed : b.facts.mixed;
  note_widths_of_either(facts, a, b);
  settle(facts, hull(operand_interval(a, true), operand_interval(b, true)), type);
  return facts;
}

Interval exact_interval(Type type) {
  if (is_integer(type)) return interval_of(type);
  int digits = type == types::f16 ? 11 : type == types::bf16 ? 8 : type == types::f32 ? 24 : 53;
  WideInt most = WideInt(1) << digits;
  return {-most, most};
}

bool is_typed_integer(const Value& value) { return is_integer_value(value) && is_integer(value.type); }

bool is_integer_value(const Value& value) {
  return value.kind == ValueKind::Runtime && is_scalar(value.type) && is_integral(value.type);
}

bool fits_by_interval(const Value& value, Type type) {
  bool is_real = is_scalar(type) && (is_integer(type) || is_float(type));
  if (!is_integer_value(value) || !is_real || !holds(exact_interval(type), interval_of(value))) return false;
  if (!is_float(type)) return true;
  // An integer that may be any number of a word may have wrapped on the way, and would be a wrong number
  // then. A local of literals is an integer or a float by them alone.
  const std::optional<Interval>& computed = value.facts.interval;
  return is_narrow(value.type) ||
         (computed && *computed != interval_of(value.type) && value.literals.empty());
}

bool goes_into(const Value& value, Type type) {
  if (is_scalar(type) && is_complex(type)) return goes_into(value, part_type(type));
  if (!is_integer_value(value) || (type != types::f32 && type != types::f64))
    return fits_by_interval(value, type);
  // An integer that may have wrapped would be a wrong number, so it does not go into a float.
  return holds(interval_of(value.type), interval_of(value));
}

} // namespace kern::checker
