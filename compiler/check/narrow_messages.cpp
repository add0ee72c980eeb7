// Writes the messages of the rules of narrow integers: the operands to convert, in the source's own words.
#include <algorithm>

#include "compiler/check/brackets.h"
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

std::string with_casts(const Checker& checker, Span whole, std::vector<Span> parts, Type type) {
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
    if (part.begin == part.end) {
      text += fmt::format(", {}(0)", to_string(type));
      continue;
    }
    text += to_string(type) + "(";
    upto(part.end);
    text += ")";
  }
  upto(whole.end);
  return text;
}

std::string replaced_text(const Checker& checker, Span whole, Span part, std::string_view text) {
  auto source = [&](std::uint32_t begin, std::uint32_t end) {
    return checker.context.source({whole.file, begin, end});
  };
  return short_text(
      fmt::format("{}{}{}", source(whole.begin, part.begin), text, source(part.end, whole.end)));
}

std::string unwrapped_text(const Checker& checker, const IntegerFacts& facts, Span whole, Type wide) {
  bool all = wide == types::u64 && !facts.leaves.empty();
  // Beside a product that is warned of, smaller ones may wrap too.
  const std::vector<Span>& parts = facts.by_product && !facts.wide.empty() ? facts.wide : facts.wrapped;
  if (has_too_many(parts) || has_too_many(facts.leaves)) return "...";
  if (all) return short_text(with_casts(checker, whole, facts.leaves, wide));
  std::string text = short_text(with_casts(checker, whole, parts, types::i64));
  return wide == types::u64 ? fmt::format("u64({})", text) : text;
}

std::string unwrapped_text(const Checker& checker, const Value& value) {
  return unwrapped_text(checker, value.facts, value.span, types::i64);
}

// Returns the assignment of a local whose value may have wrapped, with the operands converted.
static std::string unwrapped_text(const Checker& checker, const Local& local, Type wide) {
  const Held& held = told_of(local);
  if (!held.wide_text.empty()) return held.wide_text;
  std::string text = unwrapped_text(checker, held.facts, held.span, wide);
  if (local.is_result) return fmt::format("return {}", text);
  return held.is_alone ? fmt::format("{} = {}", held.name, text) : text;
}

// Says whether an expression computes with integers all the way to a part of it.
static bool reaches(const Checker& checker, const ast::Expr& expr, Span part) {
  auto inner = [&](const ast::Expr* child) {
    return is_within(part, child->span) && reaches(checker, *child, part);
  };
  if (expr.span == part) return true;
  if (const auto* binary = ast::as<ast::Binary>(&expr)) return inner(binary->left) || inner(binary->right);
  if (const auto* unary = ast::as<ast::Unary>(&expr)) return inner(unary->operand);
  const auto* call = ast::as<ast::Call>(&expr);
  const auto* callee = call ? ast::as<ast::Name>(call->callee) : nullptr;
  bool computes = callee && (callee->text == "min" || callee->text == "max" || callee->text == "abs");
  return computes && std::ranges::any_of(call->args, inner);
}

std::string completed_text(const Checker& checker, const Value& value) {
  std::string text = unwrapped_text(checker, value.facts, value.span, types::i64);
  const ast::Assign* assign = checker.assigned;
  std::optional<Type> target = checker.target_type;
  bool converts_back = assign && target && *target != types::i64 && assign->targets.size() == 1 &&
                       reaches(checker, *assign->value, value.span);
  if (!converts_back) return text;
  std::string whole = unwrapped_text(checker, value.facts, assign->value->span, types::i64);
  return short_text(fmt::format("{} = {}({})", checker.context.source(assign->targets.front()->span),
                                to_string(*target), whole));
}

static bool is_multiplied_only(const Local& local) { return local.is_multiplied && !local.is_summed; }

// Warns of a local that a loop adds to, or multiplies, once.
static void warn_adds_up(Checker& checker, const Local& local, Span span, std::string_view becomes,
                         Type wide) {
  bool fresh = checker.context.diagnostics.enabled() &&
               checker.context.reported.insert({"adds_up", local.span.file, local.span.begin}).second;
  if (!fresh) return;
  bool is_product = is_multiplied_only(local);
  std::string_view how = local.elements           ? "sums are made in its elements"
                         : adds_threads_up(local) ? "what other threads hold is added to it"
                         : is_product             ? "a loop multiplies it"
                                                  : "a loop adds to it";
  Report warning = checker.report(span, diag::narrow_sum, local.name, to_string(local.type), how, becomes,
                                  wide_declaration(local, wide));
  if (local.starts_with != Span{})
    warning.note(local.starts_with, "`{}` starts as a literal, which takes the type of what follows",
                 local.name);
  if (adds_threads_up(local))
    warning.note(*local.adds_threads, "this is added");
  else
    warning.note(*local.adds_up, "{}",
                 is_product ? "a loop multiplies it with this"
                            : "a loop adds this to it, or multiplies it with this");
}

// Returns what to write for a difference without a sign: what is right below 0, where an i64 holds it, and what says that it
// is to wrap.
static std::string below_zero_words(const Value& value, std::string_view use, std::string_view source,
                                    std::string_view exact) {
  const Local* local = value.facts.wrapped_in;
  bool is_declared = local && !local->is_result && !local->held->is_element;
  std::string meant = is_declared ? fmt::format("{}: {} = ...", told_of(*local).name, to_string(value.type))
                                  : fmt::format("{}({})", to_string(value.type), source);
  bool has_wider = value.type != types::u64 && use != "widened to u64";
  return has_wider ? fmt::format("`{}`, or `{}` where it is to wrap", exact, meant)
                   : fmt::format("`{}`, behind a test where it may be below 0", meant);
}

static void report_wrapped(Checker& checker, const Value& value, std::string_view use, std::string text) {
  // A value that is divided by an i64 is widened too: one warning is enough.
  bool fresh = checker.context.diagnostics.enabled() &&
               checker.context.reported.insert({"wrapped", value.span.file, value.span.begin}).second;
  // A shift that goes beyond its type was told.
  auto was_told = [&](const auto& kind) {
    return checker.context.reported.contains({kind.code, value.span.file, value.span.begin});
  };
  bool is_told = was_told(diag::shift_count) || was_told(diag::far_shift);
  if (!fresh || is_told) return;
  std::string source = short_text(checker.context.source(value.span));
  const Local* local = value.facts.wrapped_in;
  bool is_unsigned = value.type == types::u32 || value.type == types::u64;
  auto note = [&](Report&& warning) {
    if (!local) return;
    const Held& held = told_of(*local);
    if (local->is_result)
      warning.note(held.span, "`{}` returns this", local->name);
    else
      warning.note(held.span, "`{}` is computed here", held.name);
    if (local->held->is_element)
      warning.note("give the array wider elements too: they hold what {} does", to_string(value.type));
  };
  if (value.facts.by_product)
    note(checker.report(value.span, diag::word_product, source, to_string(value.type), use, text));
  else if (value.facts.by_count)
    note(checker.report(value.span, diag::count_type, source, to_string(value.type), use, text));
  else if (is_unsigned)
    note(checker.report(value.span, diag::below_zero, source, to_string(value.type), use,
                        below_zero_words(value, use, source, text)));
  else
    note(checker.report(value.span, diag::passes_32_bits, source, use, text));
}

// Says whether a sum that a loop makes is one of data, not a counter or the state of a hash, which wraps.
static bool sums_data(const Local& local) {
  bool is_unsigned = is_scalar(local.type) && is_integer(local.type) && !is_signed(local.type);
  return local.origin == Origin::Data && !local.xors && !(is_unsigned && local.is_multiplied);
}

bool may_have_passed(const Value& integer) {
  return !integer.facts.wrapped.empty() && integer.facts.promoted;
}

void note_passed(Report& error, const Value& integer) {
  if (!may_have_passed(integer)) return;
  error.note("an integer goes into a float by itself; this one may have passed 32 bits before");
}

// Says whether 32 bits are enough for a product, mostly: of numbers of threads and counters, and where it is a place in an
// array, which is guarded, one of sizes.
static bool is_small_product(const Checker& checker, const Value& value) {
  Origin least = checker.indexing > 0 ? Origin::Data : Origin::Given;
  return value.facts.factors < least;
}

void warn_wrapped(Checker& checker, const Value& value, std::string_view use) {
  const IntegerFacts& facts = value.facts;
  const Local* local = facts.wrapped_in;
  if (!checker.final || (facts.wrapped.empty() && !local)) return;
  if (local && sums_up(*local)) {
    std::string becomes = fmt::format("it may pass 32 bits before it is {}", use);
    if (sums_data(*local) && value.type == local->type)
      warn_adds_up(checker, *local, value.span, becomes, types::i64);
    return;
  }
  if (facts.by_shift) return;
  if (facts.by_product ? is_small_product(checker, value) || facts.xors : facts.by_count) return;
  bool is_natural = facts.by_product && value.type == types::u32;
  Type wide = is_natural ? types::u64 : types::i64;
  report_wrapped(checker, value, use,
                 local        ? unwrapped_text(checker, *local, wide)
                 : is_natural ? unwrapped_text(checker, facts, value.span, wide)
                              : completed_text(checker, value));
}

void warn_widened(Checker& checker, const Value& value, Type type, Purpose purpose) {
  const IntegerFacts& facts = value.facts;
  bool wraps = !facts.wrapped.empty() || facts.wrapped_in;
  bool from_word = is_scalar(value.type) && bit_width(value.type->scalar) <= 32;
  bool widens = from_word && is_integer(type) && bit_width(type->scalar) == 64;
  if (!checker.final || !wraps || !(widens || is_float(type))) return;
  bool is_kept = !facts.wrapped_in && purpose == Purpose::Return;
  if (facts.by_product && is_small_product(checker, value) && !(is_kept && widens)) return;
  const Local* local = facts.wrapped_in;
  // Shifts are how places in tables and hashes are computed.
  if (facts.by_shift && (facts.xors || checker.indexing > 0)) return;
  Type wide = widens ? type : types::i64;
  if (local && sums_up(*local))
    return warn_adds_up(checker, *local, value.span,
                        fmt::format("only the {} becomes {}", is_multiplied_only(*local) ? "product" : "sum",
                                    to_string(type)),
                        wide);
  std::string use = fmt::format("{} {}", widens ? "widened to" : "made", to_string(type));
  report_wrapped(checker, value, use,
                 local ? unwrapped_text(checker, *local, wide)
                       : unwrapped_text(checker, facts, value.span, wide));
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
  const Local* local = value.facts.wrapped_in;
  bool is_wide = is_scalar(type) && is_integer(type) && bit_width(type->scalar) == 64;
  if (local && local->held && is_wide) return unwrapped_text(checker, *local, type);
  bool integers = is_scalar(value.type) && is_integer(value.type) && is_scalar(type) && is_integer(type);
  bool widens = integers && bit_width(type->scalar) > bit_width(value.type->scalar);
  widens = widens || (is_float(type) && value.facts.multiplies && !value.facts.combines_bits);
  if (widens && !leaves.empty() && !has_too_many(leaves))
    return short_text(with_casts(checker, value.span, leaves, type));
  return fmt::format("{}({})", to_string(type), short_text(checker.context.source(value.span)));
}

} // namespace kern::checker
