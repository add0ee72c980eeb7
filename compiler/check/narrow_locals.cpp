// Finds what is known of a local of a .kern file besides its type: that it grew from narrow integers, what
// its only assignment gives it, and that a loop adds to it.
#include <algorithm>
#include <memory>
#include <utility>

#include "compiler/check/narrow.h"

namespace kern::checker {

// How often a loop runs for which that is not known, at least.
static constexpr WideInt least_rounds = WideInt(1) << 16;

void note_growth(Local& local, const Value& value) {
  Growth& growth = local.growth_now;
  growth.derives = growth.derives || value.facts.grown;
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
  bool changed = before.narrow != now.narrow || before.grows != now.grows || before.derives != now.derives ||
                 before.is_plain != now.is_plain;
  local.growth = now;
  return changed;
}

void read_growth(const Local& local, Value& value) {
  // In the round that makes it an i32 it is one from that assignment on.
  const Growth &before = local.growth, &now = local.growth_now;
  bool has_narrow = is_narrow(before.narrow) || is_narrow(now.narrow);
  bool grew = (before.grows || now.grows) && !before.is_plain && has_narrow && !local.annotated;
  bool derived = (before.derives || now.derives) && !before.is_plain && !local.annotated;
  // One that starts as a literal is an i32 as soon as it meets a narrow integer.
  bool from_literal =
      (before.grows || now.grows) && !before.is_plain && local.starts_with != Span{} && !local.annotated;
  if (!(grew || derived || from_literal) || value.type != types::i32 || value.kind != ValueKind::Runtime)
    return;
  value.facts.grown = true;
  if (grew) value.facts.local = &local;
}

bool sums_up(const Local& local) {
  // In the round that found what a loop adds, the local may have been narrower than it is.
  bool is_wide = is_scalar(local.type) && is_integer(local.type) && bit_width(local.type->scalar) == 64;
  bool by_loop = local.adds_up && local.starts_with != Span{};
  return !local.annotated && !is_wide && (by_loop || adds_threads_up(local));
}

bool outgrows_literal(const Local& local) {
  return !local.annotated && local.is_assigned && local.starts_with != Span{} && local.growth.grows &&
         !local.growth.is_plain && local.type == types::i32;
}

// Returns what a value is made of, of a tuple all of its elements.
static Origin origin_of(const Value& value) {
  Origin origin = value.facts.origin;
  for (const Value& element : value.elements) origin = std::max(origin, origin_of(element));
  return origin;
}

static bool is_in(Span inner, Span outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

// Returns `x = i64(x) + value` for what an augmented assignment stores and may wrap without the cast.
static std::string wide_sum(const StoredSum& sum, Span wrapped) {
  bool is_target = is_in(wrapped, sum.place);
  std::string target = is_target ? fmt::format("i64({})", sum.target) : sum.target;
  std::string operand = is_target ? sum.operand : fmt::format("i64({})", sum.operand);
  return short_text(fmt::format("{} = {} {} {}", sum.target, target, sum.op, operand));
}

// Returns the float that a local was rounded from; nothing where the local is compared, which may be what bounds it.
static std::optional<Rounded> held_round(const Local& local) {
  std::optional<Rounded> rounded = local.is_compared ? std::nullopt : local.held->facts.rounded;
  if (rounded) rounded->is_held = true, rounded->holder = local.name;
  return rounded;
}

void note_held(Checker& checker, Local& local, const Value& value, bool is_alone) {
  local.origin = std::max(local.origin, origin_of(value));
  local.xors = local.xors || value.facts.xors;
  note_mixed(local, value);
  note_given(checker, local, value);
  bool is_only = local.assignments == 1;
  bool is_whole = is_number(value) && (is_integer(value.type) || value.type == types::int_literal);
  // One of several plain assignments defines what the local holds until the next.
  bool is_next = is_alone && !checker.stored_sum;
  bool is_product = checker.stored_sum && checker.stored_sum->op == "*" && value.facts.by_product &&
                    !value.facts.wrapped.empty();
  bool is_sum = checker.stored_sum && !value.facts.by_product && value.facts.held && !sums_up(local);
  if (checker.unrolled != 0 || !(is_only ? is_whole : is_next || is_product || is_sum)) return;
  if (checker.depth > local.held_depth) checker.held_before.push_back({&local, local.held, checker.depth});
  std::optional<Held> before = std::exchange(local.held, std::nullopt);
  local.held_depth = checker.depth;
  if (!is_whole) return;
  local.held = Held{value.facts, interval_of(value), value.type, value.span, is_alone, is_only};
  local.held->name = local.name;
  if (is_product)
    local.held->wide_text =
        fmt::format("{} = {}", local.name,
                    exact_text(checker, value, checker.stored_sum, exact_type(value).value_or(types::i64)));
  else if (is_sum && !value.facts.wrapped.empty())
    local.held->wide_text = wide_sum(*checker.stored_sum, value.facts.wrapped.front());
  // If the local in which it wrapped is assigned again, messages speak of what that held here.
  const Local*& from = local.held->facts.wrapped_in;
  if (!from || sums_up(*from)) return;
  const std::optional<Held>& source = from == &local ? before : from->held;
  if (!source || source->is_only) return;
  local.held->from = source->from ? source->from : std::make_shared<const Held>(*source);
  from = nullptr;
}

void join_held(Checker& checker, int outer_depth) {
  std::vector<HeldBefore>& before = checker.held_before;
  while (!before.empty() && before.back().depth > outer_depth) {
    Local& local = *before.back().local;
    std::optional<Held>& held = before.back().held;
    if (held && held->wraps() && !(local.held && local.held->wraps())) local.held = std::move(held);
    local.held_depth = outer_depth;
    before.pop_back();
  }
}

const Held& told_of(const Local& local) { return local.held->from ? *local.held->from : *local.held; }

// Gives a value what follows from its having been held.
static void take_held(const Local& local, Value& value) {
  const Held& held = *local.held;
  value.facts.hides_wrap = held.facts.hides_wrap || !held.facts.wide.empty();
  value.facts.factors = held.facts.factors;
  value.facts.xors = held.facts.xors;
  value.facts.of_threads = held.facts.of_threads;
  if (held.is_only) value.facts.element_of = held.facts.element_of;
  value.facts.by_count = held.facts.by_count;
  value.facts.by_product = held.facts.by_product;
  value.facts.by_shift = held.facts.by_shift;
  value.facts.wrapped_in = held.facts.wrapped.empty() && !held.from ? held.facts.wrapped_in : &local;
}

void note_element(Checker& checker, const ir::Operand& array, const Value& value, Span place) {
  AddressSpace space = array.type->space;
  bool is_own = space == AddressSpace::Shared || space == AddressSpace::Local;
  bool is_word = is_typed_integer(value) && bit_width(value.type->scalar) == 32;
  bool wraps = value.facts.by_product && (!value.facts.wrapped.empty() || value.facts.wrapped_in);
  note_element_sum(checker, array, value);
  if (!checker.final || !is_own || !array.slot || !is_word || !wraps ||
      element_type(array.type) != value.type)
    return;
  Local& elements = checker.held_elements[*array.slot];
  if (elements.held) return;
  const Local* from = value.facts.wrapped_in;
  if (from && !from->held) return;
  if (from) {
    elements.held = told_of(*from);
  } else {
    elements.held = Held{value.facts, interval_of(value), value.type, value.span, true, true};
    elements.held->name = checker.context.source(place);
  }
  elements.held->is_element = true;
}

void read_element(const Checker& checker, const ir::Operand& array, Value& element) {
  read_element_sum(checker, array, element);
  auto found = array.slot ? checker.held_elements.find(*array.slot) : checker.held_elements.end();
  bool is_known = found != checker.held_elements.end() && found->second.held && !sums_up(found->second);
  if (!is_known || !is_typed_integer(element)) return;
  take_held(found->second, element);
  element.facts.wrapped_in = &found->second;
}

void read_origin(const Local& local, Value& value) {
  value.facts.origin = local.origin;
  for (Value& element : value.elements) read_origin(local, element);
}

void read_held(const Local& local, Value& value) {
  value.facts.origin = local.origin;
  read_mixed(local, value);
  if (!is_typed_integer(value)) return;
  value.facts.is_small = holds_little(local);
  if (local.adds_threads) value.facts.of_threads = true;
  if (sums_up(local)) {
    value.facts.wrapped_in = &local;
    value.facts.by_count = true;
  }
  if (!local.held) return;
  const Held& held = *local.held;
  // Before the assignment it is 0, which every type holds.
  Interval interval = hull(held.interval, {0, 0});
  if (held.is_only && holds(interval_of(value.type), interval)) value.facts.interval = interval;
  if (held.is_only) value.facts.rounded = held_round(local);
  if (local.annotated || held.type != value.type || sums_up(local)) return;
  Interval exact = hull(held.facts.exact.value_or(held.interval), {0, 0});
  if (!held.wraps() && holds(interval, exact)) interval = exact;
  if (interval != interval_of(value.type)) value.facts.held = interval;
  take_held(local, value);
}

// Returns how often the loops around this place run in all; where that is not known, 65,536 times.
static WideInt rounds_of(const Checker& checker) {
  WideInt rounds = 1;
  for (const Checker::Loop& loop : checker.loops) {
    if (!loop.rounds || rounds > least_rounds) return least_rounds;
    rounds *= *loop.rounds;
  }
  return std::min(rounds, least_rounds);
}

// Says whether as many numbers of a type may add up to what 32 bits do not hold, with room for as much by other statements.
static bool adds_up_beyond(const Interval& interval, WideInt rounds) {
  WideInt room = (WideInt(1) << 31) - 1;
  WideInt most = std::max(room / least_rounds, room / 8 / std::max(rounds, WideInt(1)));
  return !holds({-most, most}, interval);
}

bool adds_up_beyond(const Value& added) { return adds_up_beyond(interval_of(added), least_rounds); }

Interval added_up(const Checker& checker, const Interval& added, bool in_grid) {
  WideInt rounds = in_grid ? least_rounds : rounds_of(checker);
  return adds_up_beyond(added, rounds) ? Interval{added.least * rounds, added.greatest * rounds} : added;
}

// Says whether multiplying by a number again and again passes 32 bits: by a literal too, of 2 or more.
static bool multiplies_beyond(const Value& factor) {
  return is_typed_integer(factor) || !holds({-1, 1}, interval_of(factor));
}

// Says whether a shift to the left in each round of the loop goes beyond a type of 32 bits.
static bool shifts_beyond(const Checker& checker, const Value& count, Type type) {
  WideInt most = interval_of(count).greatest, bits = is_signed(type) ? 31 : 32;
  std::optional<std::int64_t> rounds = checker.loops.back().rounds;
  return most > 0 && (!rounds || *rounds > bits / most);
}

void note_sum(Checker& checker, Local& local, ast::BinaryOp op, const Value& added, const Value& sum) {
  warn_half_sum(checker, local, op, sum);
  bool is_sum = op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract;
  bool is_word = is_typed_integer(sum) && bit_width(sum.type->scalar) == 32;
  bool is_whole = is_typed_integer(added) || added.type == types::int_literal;
  if (is_sum) local.summed = sum.span;
  if (is_sum && is_word && added.facts.of_threads && !local.adds_threads) local.adds_threads = added.span;
  if (checker.loops.empty() || !is_word || !is_whole || added.facts.of_threads) return;
  bool is_shift = op == ast::BinaryOp::ShiftLeft, is_or = op == ast::BinaryOp::BitOr;
  local.is_multiplied = local.is_multiplied || op == ast::BinaryOp::Multiply || is_shift;
  local.is_summed = local.is_summed || is_sum;
  bool grows =
      op == ast::BinaryOp::Multiply ? multiplies_beyond(added)
      : is_shift                    ? shifts_beyond(checker, added, sum.type)
      : is_or                       ? !added.facts.wrapped.empty()
              : is_sum && is_typed_integer(added) && adds_up_beyond(interval_of(added), rounds_of(checker));
  if (grows && !local.adds_up) local.adds_up = added.span;
  // In an earlier round the loop's rounds may not have been known yet.
  if (!grows && local.adds_up == added.span) local.adds_up.reset();
}

// Says whether an operation is one that an expression is made of by sums and products, or by what stands for them in bits:
// `v * 10` of `v * 10 + d`, `v << 8` of `v << 8 | d`; or that it chooses, `max(s + x, 0)`, `s + x if c else s`.
static bool is_part_of(const ast::Binary& node, const ast::Expr& expr) {
  if (&expr == &node) return true;
  if (const auto* choice = ast::as<ast::Conditional>(&expr))
    return is_part_of(node, *choice->then_value) || is_part_of(node, *choice->else_value);
  if (const auto* call = ast::as<ast::Call>(&expr)) {
    const auto* callee = ast::as<ast::Name>(call->callee);
    const bool chooses = callee && (callee->text == "min" || callee->text == "max");
    return chooses &&
           std::ranges::any_of(call->args, [&](const ast::Expr* arg) { return is_part_of(node, *arg); });
  }
  const auto* binary = ast::as<ast::Binary>(&expr);
  bool is_shift = binary && binary->op == ast::BinaryOp::ShiftLeft;
  bool is_sum = binary && (binary->op == ast::BinaryOp::Add || binary->op == ast::BinaryOp::Subtract ||
                           binary->op == ast::BinaryOp::Multiply || binary->op == ast::BinaryOp::BitOr);
  if (is_shift) return is_part_of(node, *binary->left);
  return is_sum && (is_part_of(node, *binary->left) || is_part_of(node, *binary->right));
}

static bool mentions(const ast::Expr& expr, std::string_view name) {
  const auto* word = ast::as<ast::Name>(&expr);
  if (word) return word->text == name;
  const auto* binary = ast::as<ast::Binary>(&expr);
  return binary && (mentions(*binary->left, name) || mentions(*binary->right, name));
}

// Returns the local that the statement assigns what an operation is a part of, by itself or in a tuple, `s, n = s + x, n + 1`;
// "" where there is none.
static std::string_view summed_target(const ast::Assign& stmt, const ast::Binary& node) {
  auto name_of = [&](const ast::Expr& target, const ast::Expr& value) {
    const auto* name = ast::as<ast::Name>(&target);
    return name && is_part_of(node, value) ? name->text : std::string_view();
  };
  const ast::Expr& target = *stmt.targets.front();
  const auto *targets = ast::as<ast::Tuple>(&target), *values = ast::as<ast::Tuple>(stmt.value);
  if (!targets || !values || targets->elements.size() != values->elements.size())
    return name_of(target, *stmt.value);
  for (std::size_t i = 0; i < targets->elements.size(); ++i)
    if (std::string_view name = name_of(*targets->elements[i], *values->elements[i]); !name.empty())
      return name;
  return "";
}

void note_sum(Checker& checker, const ast::Binary& node, const Value& left, const Value& right,
              const Value& sum) {
  const std::string_view target = checker.assigned ? summed_target(*checker.assigned, node) : "";
  if (target.empty()) return;
  Local* local = checker.find_local(target);
  if (local) note_mixed(*local, left, right, sum);
  const auto *first = ast::as<ast::Name>(node.left), *second = ast::as<ast::Name>(node.right);
  bool commutes =
      node.op == ast::BinaryOp::Add || node.op == ast::BinaryOp::Multiply || node.op == ast::BinaryOp::BitOr;
  bool is_sum = node.op == ast::BinaryOp::Add || node.op == ast::BinaryOp::Subtract;
  if (local && is_sum && mentions(node, target)) local->is_summed = true;
  if (local && first && first->text == target)
    note_sum(checker, *local, node.op, right, sum);
  else if (local && commutes && second && second->text == target)
    note_sum(checker, *local, node.op, left, sum);
}

} // namespace kern::checker
