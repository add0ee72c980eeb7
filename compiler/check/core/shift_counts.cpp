// Counts of shifts that are as great as the width: nothing is left of what is shifted, which is mostly not meant.
#include <algorithm>
#include <cctype>

#include "compiler/advice/advice.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/stored_sums.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/split.h"

namespace kern::checker {

// The greatest count that is taken for one that is known: what is beyond comes from types and limits of launches.
static constexpr std::uint64_t greatest_known = 127;

// Says whether an expression is made of literals and constants of the file alone: of a parameter or local the
// function may be written for other values too.
static bool is_written_out(const Checker& checker, std::string_view text) {
  auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > at && checker.instance && checker.instance->locals.contains(text.substr(at, end - at)))
      return false;
    at = end == at ? at + 1 : end;
  }
  return true;
}

// Returns what to write instead; nothing where no wider type takes the count.
static std::string wider_shift(const Checker& checker, ast::BinaryOp op, const Value& left,
                               const Value& right, int width, WideInt most, Span span) {
  if (width == 64 || most > 63 || stored_sum(checker, span) || is_literal(left)) return "";
  Type wide = is_signed(left.type) ? types::i64 : types::u64;
  std::string count = short_text(checker.context.source(right.span));
  return fmt::format("; write `{}`", advice::binary(cast_text(checker, left, wide), op, count));
}

void check_shift_count(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                       Type computed, Span span) {
  bool is_word = is_scalar(computed) && is_integer(computed);
  if (!checker.final || !is_word || !is_number(right)) return;
  int width = std::max(bit_width(computed->scalar), 32);
  std::string_view count = checker.context.source(right.span);
  std::string source = short_text(checker.context.source(left.span));
  if (is_int_literal(right)) {
    if (right.integer < width || !is_written_out(checker, count)) return;
    std::string fix = wider_shift(checker, op, left, right, width, right.integer, span);
    std::string number =
        right.integer > 9999 ? "9999 or more" : std::to_string(static_cast<std::int64_t>(right.integer));
    if (has_exact_integers(checker))
      checker.report(span, diag::shift_count, source, width, number, fix);
    else
      checker.report(span, diag::far_shift, source, width, number, fix);
    return;
  }
  bool is_known = has_exact_integers(checker) && is_typed_integer(right) && !is_narrow(left.type);
  std::uint64_t most = most_bits(right);
  if (!is_known || most < static_cast<std::uint64_t>(width) || most > greatest_known) return;
  checker.report(span, diag::far_shift, source, width, fmt::format("up to {}", most),
                 wider_shift(checker, op, left, right, width, static_cast<WideInt>(most), span));
}

} // namespace kern::checker
