// Writes casts: of a rounded float straight to its type, which saturates, and of the operands that make a value exact.
#include <algorithm>

#include "compiler/check/narrow.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

// Returns the cast of an i64 that is held between the ends of a narrow type; nothing where it lies there anyway.
static std::optional<std::string> bounded_cast(const Checker& checker, const Value& value, Type type) {
  Interval interval = interval_of(value), limits = interval_of(type);
  std::string text = short_text(checker.context.source(value.span));
  if (!is_narrow(type) || text == "..." || checker.stored_sum || holds(limits, interval)) return std::nullopt;
  if (interval.least < limits.least)
    text = fmt::format("max({}, {})", text, static_cast<std::int64_t>(limits.least));
  if (interval.greatest > limits.greatest)
    text = fmt::format("min({}, {})", text, static_cast<std::int64_t>(limits.greatest));
  return fmt::format("{}({})", to_string(type), text);
}

std::optional<std::string> saturating_cast(const Checker& checker, const Value& value, Type type) {
  if (!value.facts.rounded) return std::nullopt;
  const Rounded& rounded = *value.facts.rounded;
  if (rounded.is_held) return bounded_cast(checker, value, type);
  std::string text(checker.context.source(rounded.span));
  if (rounded.is_whole && !rounded.is_nearest)
    return fmt::format("{}({})", to_string(type), short_text(text));
  if (rounded.is_whole) return fmt::format("{}(rint({}))", to_string(type), short_text(text));
  // A float that is computed with holds all that the type does, and some more.
  int most = rounded.type == types::f64 ? 32 : 16;
  bool is_here = rounded.call.begin >= value.span.begin && rounded.call.end <= value.span.end;
  if (bit_width(type->scalar) > most || !is_here || checker.stored_sum) return std::nullopt;
  std::string whole = fmt::format("{}({})", rounded.is_nearest ? "rint" : "math.trunc", text);
  return fmt::format("{}({})", to_string(type), replaced_text(checker, value.span, rounded.call, whole));
}

void warn_rounded(Checker& checker, const Value& value, Type type) {
  if (!checker.final || !value.facts.rounded || !is_narrow(type)) return;
  std::optional<std::string> cast = saturating_cast(checker, value, type);
  bool fresh = cast && checker.context.diagnostics.enabled() &&
               checker.context.reported.insert({"rounded", value.span.file, value.span.begin}).second;
  if (fresh)
    checker.report(value.span, diag::rounded_cast, to_string(type), bit_width(type->scalar),
                   short_text(checker.context.source(value.span)), *cast);
}

void note_compared(Checker& checker, const Value& value) {
  bool is_held = value.facts.rounded && !value.facts.rounded->holder.empty();
  if (Local* local = is_held ? checker.find_local(value.facts.rounded->holder) : nullptr)
    local->is_compared = true;
}

std::string exact_text(const Checker& checker, const Value& value, const std::optional<StoredSum>& sum,
                       Type type) {
  const std::vector<Span>& wide = value.facts.wide;
  if (!sum) return short_text(with_casts(checker, value.span, wide, type));
  auto is_in = [&](Span outer) {
    return std::ranges::any_of(wide, [&](Span span) {
      return span.file == outer.file && span.begin >= outer.begin && span.end <= outer.end;
    });
  };
  std::string target = is_in(sum->place) ? fmt::format("{}({})", to_string(type), sum->target) : sum->target;
  std::string operand = sum->operand;
  if (is_in(sum->value)) {
    operand = short_text(with_casts(checker, sum->value, wide, type));
    if (sum->operand.starts_with('(')) operand = fmt::format("({})", operand);
  }
  return short_text(fmt::format("{} {} {}", target, sum->op, operand));
}

} // namespace kern::checker
