// The rules of docs/language.md, "Integers narrower than 32 bits", in the order of narrow.h.
#include "compiler/check/narrow.h"

#include <algorithm>

#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

namespace {

// Operands that are converted in a text; of what has more the whole is.
constexpr std::size_t most_leaves = 8;
constexpr std::size_t longest_text = 100;

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

void append(std::vector<Span>& spans, const std::vector<Span>& more) {
  for (Span span : more)
    if (std::ranges::find(spans, span) == spans.end()) spans.push_back(span);
  if (spans.size() > most_leaves) spans.resize(most_leaves + 1);
}

// What is converted of an operand, for an operator to compute in a wider type.
std::vector<Span> leaves_of(const Value& value) {
  if (!value.facts.leaves.empty()) return value.facts.leaves;
  return {value.span};
}

std::vector<Span> leaves_of(ast::BinaryOp op, const Value& left, const Value& right) {
  if (op == ast::BinaryOp::ShiftLeft) return leaves_of(left);
  // An exponent without a sign is another one.
  if (op == ast::BinaryOp::Power) return is_literal(right) ? leaves_of(left) : std::vector<Span>{};
  // Of bit operators there is nothing to convert but what their operands compute.
  if (is_bits(op) && left.facts.leaves.empty() && right.facts.leaves.empty()) return {};
  // A literal takes the type of the other, but no type without a sign holds a negative one.
  std::vector<Span> leaves;
  for (const Value* operand : {&left, &right})
    if (!is_literal(*operand) || interval_of(*operand).least < 0) append(leaves, leaves_of(*operand));
  return leaves;
}

// The operand with which all that follows it is computed in 64 bits.
std::vector<Span> first_leaf(ast::BinaryOp op, const Value& left, const Value& right) {
  bool second = is_literal(left) && op != ast::BinaryOp::ShiftLeft;
  return {leaves_of(second ? right : left).front()};
}

// The interval of an operand as the operator finds it: wrapped, except for one that takes its bits alone.
Interval operand_interval(const Value& value, bool modular) {
  Interval interval = interval_of(value);
  if (modular || !is_scalar(value.type) || is_literal(value.type)) return interval;
  Interval own = interval_of(value.type);
  return holds(own, interval) ? interval : own;
}

// Gives a result its interval; where that is beyond its type, `operands` are what should have been wider. Only
// of a promoted value the interval stays as it would be without wrapping.
void settle(IntegerFacts& facts, const Interval& exact, Type type, const std::vector<Span>& operands,
            bool below_zero) {
  bool fits = holds(interval_of(type), exact);
  facts.interval = fits || facts.promoted ? exact : interval_of(type);
  if (fits || !(facts.promoted || below_zero)) return;
  if (facts.wrapped.empty()) facts.wrapped = operands;
}

} // namespace

bool is_narrow(Type type) { return is_scalar(type) && is_integer(type) && bit_width(type->scalar) < 32; }

bool keeps_intervals(const Checker& checker) {
  return checker.rules.arithmetic == Rules::arithmetic_rule::SmallestJoin;
}

Type type_beside(const Value& value, Type other) {
  if (!is_number(value)) return value.type;
  bool waits = value.type == types::int_literal && value.kind != ValueKind::Runtime;
  if (waits && is_narrow(other) && !holds(interval_of(other), interval_of(value))) return types::i32;
  if (value.facts.promoted && is_unsigned_word(other) && interval_of(value).least >= 0) return other;
  return value.type;
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
  facts.saturates =
      op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract || op == ast::BinaryOp::Multiply;
  Interval a = operand_interval(left, modular), b = operand_interval(right, modular && !shift);
  Type width = is_narrow(type) ? types::i32 : type;
  Interval exact = interval_of(op, a, b, bit_width(width->scalar));
  if (modular) {
    facts.leaves = leaves_of(op, left, right);
    bool products = left.facts.multiplies || right.facts.multiplies;
    facts.multiplies = op == ast::BinaryOp::Multiply || op == ast::BinaryOp::Power || products;
    facts.combines_bits = is_bits(op) || shift || left.facts.combines_bits || right.facts.combines_bits;
    facts.wrapped = left.facts.wrapped;
    if (!shift) append(facts.wrapped, right.facts.wrapped);
    // What a mask lets through is right.
    if (op == ast::BinaryOp::BitAnd && holds(interval_of(type), exact)) facts.wrapped.clear();
  }
  bool below_zero = op == ast::BinaryOp::Subtract && is_unsigned_word(type) && exact.least < 0;
  std::vector<Span> wide =
      type == types::u64 && below_zero ? leaves_of(op, left, right) : std::vector<Span>{};
  if (modular && wide.empty()) wide = first_leaf(op, left, right);
  settle(facts, exact, type, wide, below_zero);
  return facts;
}

IntegerFacts unary_facts(ast::UnaryOp op, const Value& operand, Type type) {
  IntegerFacts facts = operand.facts;
  facts.local = nullptr;
  bool negates = op == ast::UnaryOp::Negative;
  facts.saturates = negates;
  facts.promoted = type == types::i32 && is_small(operand);
  if (negates) facts.leaves = leaves_of(operand);
  Interval from = operand_interval(operand, true);
  Interval exact = negates ? negated(from) : inverted(from, type);
  settle(facts, exact, type, leaves_of(operand), negates && is_unsigned_word(type) && exact.least < 0);
  return facts;
}

IntegerFacts absolute_facts(Checker& checker, const Value& operand, Type type) {
  warn_wrapped(checker, operand, "compared");
  IntegerFacts facts;
  facts.promoted = type == types::i32 && is_small(operand);
  facts.grown = operand.facts.grown;
  facts.saturates = true;
  settle(facts, absolute(operand_interval(operand, false)), type, leaves_of(operand), false);
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
  if (interval) settle(facts, *interval, type, {}, false);
  return facts;
}

IntegerFacts either_facts(const Value& a, const Value& b, Type type) {
  IntegerFacts facts;
  if (!is_scalar(type) || !is_integer(type) || !is_number(a) || !is_number(b)) return facts;
  facts.promoted = type == types::i32 && is_small(a) && is_small(b);
  facts.grown = type == types::i32 && (a.facts.grown || b.facts.grown) && (is_small(a) || a.facts.grown) &&
                (is_small(b) || b.facts.grown);
  facts.wrapped = a.facts.wrapped;
  append(facts.wrapped, b.facts.wrapped);
  settle(facts, hull(operand_interval(a, true), operand_interval(b, true)), type, {}, false);
  return facts;
}

bool fits_by_interval(const Value& value, Type type) {
  bool is_typed = value.kind == ValueKind::Runtime && is_scalar(value.type) && is_integral(value.type);
  return is_typed && is_scalar(type) && is_integer(type) && holds(interval_of(type), interval_of(value));
}

// Says whether a text that begins at `begin` and ends at `end` holds a span.
static bool is_within(Span inner, Span outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

// Returns a source text with the parts at some spans converted.
static std::string with_casts(const Checker& checker, Span whole, std::vector<Span> parts, Type type) {
  std::ranges::sort(parts, {}, &Span::begin);
  std::string text;
  std::uint32_t at = whole.begin;
  auto upto = [&](std::uint32_t end) {
    text += checker.context.source({whole.file, at, end});
    at = end;
  };
  for (Span part : parts) {
    if (part.begin < at || !is_within(part, whole)) continue;
    upto(part.begin);
    text += to_string(type) + "(";
    upto(part.end);
    text += ")";
  }
  upto(whole.end);
  return text;
}

void warn_wrapped(Checker& checker, const Value& value, std::string_view use, Type wide) {
  const IntegerFacts& facts = value.facts;
  if (!checker.final || facts.wrapped.empty()) return;
  bool all = wide == types::u64 && !facts.leaves.empty();
  std::string text = all ? short_text(with_casts(checker, value.span, facts.leaves, wide))
                         : short_text(with_casts(checker, value.span, facts.wrapped, types::i64));
  if (wide == types::u64 && !all) text = fmt::format("u64({})", text);
  if (facts.wrapped.size() > most_leaves || facts.leaves.size() > most_leaves) text = "...";
  std::string source = short_text(checker.context.source(value.span));
  if (is_unsigned_word(value.type))
    checker.report(value.span, diag::below_zero, source, to_string(value.type), use, text);
  else
    checker.report(value.span, diag::passes_32_bits, source, use, text);
}

void warn_grown(Checker& checker, const Value& value, std::string_view use) {
  const Local* local = value.facts.local;
  if (!checker.final || !local || !checker.context.diagnostics.enabled()) return;
  // Once for a local is enough.
  bool fresh = checker.context.reported.insert({"grown", local->span.file, local->span.begin}).second;
  if (!fresh) return;
  const Growth& growth = local->growth;
  checker.report(value.span, diag::grown_local, local->name, use, to_string(growth.narrow))
      .note(growth.narrow_span, "`{}` is assigned {} here", local->name, to_string(growth.narrow))
      .note(growth.growth_span, "`{}` is assigned an i32 here, which operators made of narrower integers",
            local->name);
}

void note_growth(Local& local, const Value& value) {
  Growth& growth = local.growth_now;
  if (is_number(value) && is_narrow(value.type)) {
    if (growth.narrow == types::unknown) growth.narrow_span = value.span;
    growth.narrow = join(growth.narrow, value.type).value_or(types::i32);
  } else if (value.facts.promoted || value.facts.grown) {
    if (!growth.grows) growth.growth_span = value.span;
    growth.grows = true;
  } else if (!is_unknown(value) && value.type != types::int_literal && !is_boolean(value.type)) {
    growth.is_plain = true;
  }
}

bool finish_growth(Local& local) {
  const Growth &before = local.growth, &now = local.growth_now;
  bool changed = before.narrow != now.narrow || before.grows != now.grows || before.is_plain != now.is_plain;
  local.growth = now;
  return changed;
}

void read_growth(const Local& local, Value& value) {
  // In the round that makes it an i32 it is one from that assignment on.
  const Growth &before = local.growth, &now = local.growth_now;
  bool has_narrow = is_narrow(before.narrow) || is_narrow(now.narrow);
  bool grew = (before.grows || now.grows) && !before.is_plain && has_narrow && !local.annotated;
  if (!grew || value.type != types::i32 || value.kind != ValueKind::Runtime) return;
  value.facts.grown = true;
  value.facts.local = &local;
}

std::string short_text(std::string_view text) {
  std::string result;
  bool in_break = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '#' || c == '\\') return "...";
    if (c == '\n') in_break = true;
    if (in_break && (c == '\n' || c == ' ' || c == '\t' || c == '\r')) continue;
    if (in_break && !result.empty() && result.back() != ' ' && result.back() != '(' && c != ')')
      result += ' ';
    in_break = false;
    result += c;
  }
  return result.empty() || result.size() > longest_text ? "..." : result;
}

std::string widened_text(const Checker& checker, const Value& value, Type type) {
  const std::vector<Span>& leaves = value.facts.leaves;
  bool integers = is_scalar(value.type) && is_integer(value.type) && is_scalar(type) && is_integer(type);
  bool widens = integers && bit_width(type->scalar) > bit_width(value.type->scalar);
  widens = widens || (is_float(type) && value.facts.multiplies && !value.facts.combines_bits);
  if (widens && !leaves.empty() && leaves.size() <= most_leaves)
    return short_text(with_casts(checker, value.span, leaves, type));
  return fmt::format("{}({})", to_string(type), short_text(checker.context.source(value.span)));
}

// Returns the source of a value, or what an augmented assignment stores.
static std::string text_of(const Checker& checker, const Value& value, const std::optional<StoredSum>& sum) {
  return sum ? short_text(sum->text()) : short_text(checker.context.source(value.span));
}

// A value that may have wrapped is computed in 64 bits first, which only a cast makes narrow again.
std::string saturated_text(const Checker& checker, const Value& value, Type type,
                           const std::optional<StoredSum>& sum) {
  const std::vector<Span>& wrapped = value.facts.wrapped;
  Interval interval = interval_of(value), limits = interval_of(type);
  std::string text = text_of(checker, value, sum);
  if (!wrapped.empty())
    text = sum ? short_text(sum->text_in(types::i64))
               : short_text(with_casts(checker, value.span, wrapped, types::i64));
  bool is_wider = limits.greatest >= greatest_value(ScalarKind::I64);
  if (interval.greatest > limits.greatest || (!wrapped.empty() && !is_wider))
    text = fmt::format("min({}, {})", text, static_cast<std::uint64_t>(limits.greatest));
  if (interval.least < limits.least || !wrapped.empty())
    text = fmt::format("max({}, {})", text, static_cast<std::int64_t>(limits.least));
  if (!wrapped.empty()) text = fmt::format("{}({})", to_string(type), text);
  return sum ? fmt::format("{} = {}", sum->target, text) : text;
}

std::string narrow_words(const Checker& checker, const Value& value, Type type,
                         const std::optional<StoredSum>& sum) {
  std::string text = text_of(checker, value, sum);
  bool widens = bit_width(type->scalar) == 64 && !value.facts.wrapped.empty();
  if (widens)
    text = sum ? short_text(sum->text_in(types::i64))
               : short_text(with_casts(checker, value.span, value.facts.wrapped, types::i64));
  std::string target = sum ? fmt::format("{} = ", sum->target) : "";
  std::string words = fmt::format("`{}{}({})`, which wraps", target, to_string(type), text);
  if (value.facts.saturates)
    words += fmt::format(", or `{}`, which saturates", saturated_text(checker, value, type, sum));
  return words;
}

static std::string number_text(WideInt n) {
  if (n > greatest_value(ScalarKind::U64)) return "2**64 or more";
  if (n < least_value(ScalarKind::I64)) return "less than -2**63";
  return n > 0 ? std::to_string(static_cast<std::uint64_t>(n)) : std::to_string(static_cast<std::int64_t>(n));
}

void report_narrow(Checker& checker, const Value& value, Type type, const std::optional<StoredSum>& sum) {
  Interval interval = interval_of(value), limits = interval_of(type);
  checker.report(value.span, diag::narrow_needs_cast, text_of(checker, value, sum),
                 number_text(interval.least), number_text(interval.greatest), to_string(type),
                 number_text(limits.least), number_text(limits.greatest),
                 narrow_words(checker, value, type, sum));
}

} // namespace kern::checker
