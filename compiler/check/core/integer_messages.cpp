// The errors of the rule of integers: each writes what is meant instead.

#include "compiler/advice/advice.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/stored_sums.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/split.h"

namespace kern::checker {

// Returns the local without a declaration that an augmented assignment changes; null where it changes no such.
static const Local* summed_local(Checker& checker, const std::optional<StoredSum>& sum) {
  const Local* local = sum ? find_local(checker, sum->target) : nullptr;
  return local && !local->annotated ? local : nullptr;
}

std::string both_casts(Checker& checker, const Value& left, const Value& right,
                       const std::optional<StoredSum>& sum) {
  bool is_first = is_word(left.type);
  const Value &word = is_first ? left : right, &number = is_first ? right : left;
  // An array, or a part of one, has no cast.
  auto is_part = [&](const Value& value) {
    std::string_view text = checker.context.source(value.span);
    const Local* local = find_local(checker, text);
    return text.find(':') != text.npos || (local && is_array(local->type));
  };
  if (is_part(word) || is_part(number)) return "a loop over the elements, with a cast of one of the two";
  std::string exact = cast_text(checker, word, types::i64), wraps = cast_text(checker, number, word.type);
  // The target of an augmented assignment cannot be converted where it stands, and that without a declaration keeps its type.
  if (summed_local(checker, sum)) return fmt::format("`{}`", is_first ? wraps : exact);
  if (sum) (is_first ? exact : wraps) = sum->assigned(sum->text_in(is_first ? types::i64 : word.type));
  return fmt::format("`{}` or `{}`", wraps, exact);
}

void report_word_and_number(Checker& checker, std::string_view op, const Value& left, const Value& right,
                            Span span) {
  bool is_first = is_word(left.type);
  const Value &word = is_first ? left : right, &number = is_first ? right : left;
  std::optional<StoredSum> sum = stored_sum(checker, span);
  Report error = checker.report(span, diag::word_and_number, op, describe(checker, word),
                                describe(checker, number), both_casts(checker, left, right, sum));
  note_operands(checker, error, left, right);
  if (const Local* local = summed_local(checker, sum)) {
    error.note("or declare it where it starts: `{}`",
               advice::declaration(local->name, is_first ? types::i64 : word.type));
    return;
  }
  // What is meant to be a word from its start, as the state of a hash is, does not become one by a cast.
  const Local* local = find_local(checker, checker.context.source(number.span));
  if (local && !local->annotated && is_made_wider(number))
    error.note("or declare it where it starts, `{}`, where it is to wrap from there",
               advice::declaration(local->name, word.type));
}

void report_local_mixes(Checker& checker, const Local& local, const Value& value, Type other, Span span) {
  Report error =
      checker.report(span, diag::local_types_differ, local.name, describe(checker, value), to_string(other));
  if (!(local.type_span == span))
    error.note(local.type_span, "`{}` is {} from here", local.name, to_string(other));
  error.note("declare it where it starts: `{}` wraps, `{}` is exact",
             advice::declaration(local.name, is_word(value.type) ? value.type : other),
             advice::declaration(local.name, types::i64));
}

void report_word_start(Checker& checker, const Local& local, const Value& value) {
  Type type = local.now.slots_type;
  bool fresh = checker.is_heard() &&
               checker.context.reported.insert({"word_start", local.span.file, local.span.begin}).second;
  if (!fresh) return;
  std::string start = short_text(checker.context.source(local.starts_with));
  std::string wide = type == types::u32 ? fmt::format(", or `{}` for a sum that u32 does not hold",
                                                      advice::declaration(local.name, types::u64, start))
                                        : "";
  checker
      .report(value.span, diag::word_start, local.name, to_string(type),
              fmt::format("`{}`", advice::declaration(local.name, type, start)), wide)
      .note(local.starts_with, "`{}` starts here", local.name);
}

bool report_width(Checker& checker, Builtin builtin, const Value& value) {
  bool asks_width = builtin == Builtin::Clz || builtin == Builtin::Brev || builtin == Builtin::Popc ||
                    builtin == Builtin::Ffs || builtin == Builtin::Mulhi || builtin == Builtin::Fshl ||
                    builtin == Builtin::Bits;
  if (!asks_width || !is_made_wider(value)) return false;
  checker.report(value.span, diag::width_of_number, row(builtin).name, cast_text(checker, value, types::i32),
                 cast_text(checker, value, types::i64));
  return true;
}

} // namespace kern::checker
