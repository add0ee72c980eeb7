// What the rules of narrow integers say to the user: the operands to convert, in the source's own words.
#include <algorithm>

#include "compiler/check/narrow.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

static constexpr std::size_t longest_text = 100;

static bool has_too_many(const std::vector<Span>& leaves) { return leaves.size() > most_leaves; }

// Says whether a span lies in another.
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
  if (has_too_many(facts.wrapped) || has_too_many(facts.leaves)) text = "...";
  std::string source = short_text(checker.context.source(value.span));
  if (value.type == types::u32 || value.type == types::u64)
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
  if (widens && !leaves.empty() && !has_too_many(leaves))
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
