// Adds notes to errors about a local of literals that has another type than was wanted: the first place of
// each type that it met, and the declaration that gives it another.
#include <algorithm>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/compare_op.h"

namespace kern::checker {

// Returns the words that give a local another type: with its first value, or before its loops; none where its
// literals do not fit that type, or that type does not fit where it meets others.
static std::string declaration(const Local& local, Type wanted) {
  if (wanted == local.type) return "";
  for (const Meeting& meeting : local.literal.meetings)
    if (meeting.binds && !converts(wanted, meeting.type)) return "";
  bool fits = literal_fits(local.literal.least.value, wanted) &&
              literal_fits(local.literal.greatest.value, wanted) &&
              (is_float(wanted) || is_integer(local.type));
  if (!fits) return "";
  return fmt::format("; for another type write `{}: {}{}", local.name, to_string(wanted),
                     local.is_assigned   ? " = ...`"
                     : local.is_unpacked ? "` on a line before"
                                         : "` before the loop");
}

// Returns the literal that keeps a local from having a type that it met; nothing where all fit.
static std::optional<Span> misfit(const LiteralUse& use, std::span<const Meeting> met) {
  if (use.type != types::unknown) return std::nullopt;
  for (const Meeting& meeting : met)
    for (const LiteralUse::Bound& bound : {use.least, use.greatest})
      if (!literal_fits(bound.value, meeting.type)) return bound.place;
  return std::nullopt;
}

static void note_local(Checker& checker, Report& report, const Local& local, Type wanted) {
  std::vector<Meeting> met = local.literal.meetings;
  std::string own = to_string(local.type), other = declaration(local, wanted);
  if (met.empty()) {
    report.note(local.type_span, "`{}` is {}: {}{}", local.name, own,
                is_integer(local.type) ? "it is assigned literals" : "nothing that it meets gives it a type",
                other);
    return;
  }
  std::ranges::sort(met, {}, [](const Meeting& meeting) { return meeting.place.begin; });
  for (const Meeting& meeting : met)
    report.note(meeting.place, "`{}` meets {} here", local.name, to_string(meeting.type));
  if (std::optional<Span> literal = misfit(local.literal, met))
    report.note(*literal, "`{}` does not fit there, so `{}` is {}", checker.context.source(*literal),
                local.name, own);
  else
    report.note(local.type_span, "so `{}` is {}{}", local.name, own, other);
}

// Says whether a function is compiled for several types, of which others may be negative.
static bool is_generic(const Instance* instance) {
  return instance != nullptr &&
         std::ranges::any_of(instance->function->def->params,
                             [](const ast::Param& param) { return param.annotation == nullptr; });
}

void warn_never_negative(Checker& checker, ir::CompareOp op, const Value& left, const Value& right,
                         Span span) {
  bool is_left = is_int_literal(right);
  const Value &value = is_left ? left : right, &zero = is_left ? right : left;
  bool is_zero = is_int_literal(zero) && zero.integer == 0;
  if (!checker.final || !has_exact_integers(checker) || !is_word(value.type) || !is_zero ||
      is_generic(checker.instance))
    return;
  ir::CompareOp from_left = is_left ? op : ir::mirrored(op);
  bool never = from_left == ir::CompareOp::Less, always = from_left == ir::CompareOp::GreaterEqual;
  if (!never && !always) return;
  checker.report(span, diag::never_negative, checker.context.source(span),
                 always ? "always true" : "always false", checker.context.source(value.span));
}

bool note_literal_locals(Checker& checker, Report& report, const Value& value, std::optional<Type> wanted) {
  if (!checker.final || !value.literals) return false;
  bool any = false;
  std::vector<const Local*> locals(value.literals->begin(), value.literals->end());
  std::ranges::sort(locals, {}, [](const Local* local) { return local->span.begin; });
  for (const Local* local : locals) {
    bool is_cause = local->literal.is_decided && local->type == value.type &&
                    (local->literal.type == types::unknown || local->literal.type == local->type);
    if (!is_cause) continue;
    Type other = is_integer(value.type) ? types::i32 : types::f32;
    bool is_number = wanted && is_scalar(*wanted) && (is_integer(*wanted) || is_float(*wanted));
    note_local(checker, report, *local, is_number ? *wanted : other);
    any = true;
  }
  return any;
}

} // namespace kern::checker
