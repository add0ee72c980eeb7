// Loops. What a loop assigns and reads again is unknown at its head but for invariants: a range, not below or
// not above its start, start + stride * iteration, or, of a sum, start + what so many rounds may have added. They
// are guessed, assumed, and checked on every way back to the head; what fails is weakened and the body is walked
// again, a few rounds at most, the last one without any. The last walk of a body is always one whose invariants
// held.
#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/analysis/guards/guard_walk.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

constexpr int most_rounds = 6;
constexpr std::size_t most_exits = 8;
constexpr std::size_t patient_visits = 16; // of each statement; beyond them no invariants are tried
constexpr Interval iterations{0, Wide{1} << 65};
// Beyond these a sum is not bounded by its rounds: it passes 64 bits.
constexpr Wide most_counted = Wide{1} << 48;
constexpr Interval near_steps{-(Wide{1} << 34), Wide{1} << 34};

std::uint32_t number(ir::SlotId slot) { return static_cast<std::uint32_t>(slot); }

} // namespace

// Says whether control that enters the body leaves every loop around it, or the one where a break stands:
// nothing assigned there is seen by another iteration.
static bool leaves(const ir::Body& body, bool in_inner_loop) {
  if (body.empty()) return false;
  const auto& last = body.back().node;
  bool breaks = std::holds_alternative<ir::Break>(last);
  if (!std::holds_alternative<ir::Return>(last) && (!breaks || in_inner_loop)) return false;
  std::size_t jumps = 0;
  ir::walk(body, [&](const ir::Stmt& stmt) {
    jumps += std::holds_alternative<ir::Break>(stmt.node) || std::holds_alternative<ir::Continue>(stmt.node);
  });
  return jumps == (breaks ? 1 : 0);
}

void GuardWalk::scan(const ir::Body& body, ScanPlace place, SlotUses& uses) {
  place.leaves = place.leaves || leaves(body, place.in_inner_loop);
  for (const ir::Stmt& stmt : body) {
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (!operand.slot) return;
      // Read first, or where the body that assigned it first has ended.
      auto [use, is_first] = uses.slots.try_emplace(number(*operand.slot));
      if (is_first || !uses.open[use->second.home]) use->second.carried = true;
    });
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      auto [use, is_first] = uses.slots.try_emplace(number(slot));
      if (is_first) use->second.home = place.home;
      if (symbolic_.declaration(slot).kind == ir::Slot::Kind::Temp) return;
      use->second.goes_back = use->second.goes_back || !place.leaves;
      uses.assigned.push_back(slot);
    });
    const auto* loop = std::get_if<ir::While>(&stmt.node);
    ir::visit_bodies(stmt, [&](const ir::Body& inner) {
      // The head of a while runs whenever the while does.
      if (loop && &inner == &loop->head) return scan(inner, place, uses);
      bool is_loop = loop || std::holds_alternative<ir::For>(stmt.node);
      std::size_t home = uses.open.size();
      uses.open.push_back(true);
      scan(inner, {home, place.in_inner_loop || is_loop, place.leaves}, uses);
      uses.open[home] = false;
    });
  }
}

const std::vector<GuardWalk::LoopSlot>& GuardWalk::loop_slots(const ir::Stmt& stmt) {
  auto [entry, is_new] = loop_slots_.try_emplace(&stmt);
  if (!is_new) return entry->second;
  SlotUses uses;
  if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
    uses.slots[number(loop->variable)].goes_back = true;
    uses.assigned.push_back(loop->variable);
  }
  uses.open.push_back(true);
  ir::visit_bodies(stmt, [&](const ir::Body& body) { scan(body, {}, uses); });
  std::ranges::sort(uses.assigned);
  auto repeated = std::ranges::unique(uses.assigned);
  uses.assigned.erase(repeated.begin(), repeated.end());
  for (ir::SlotId slot : uses.assigned) {
    const SlotUse& use = uses.slots.at(number(slot));
    entry->second.push_back({slot, use.carried, use.goes_back});
  }
  return entry->second;
}

void GuardWalk::walk_loop(const ir::Stmt& stmt) {
  Loop loop;
  loop.before = symbolic_.mark();
  loop.invariants = first_invariants(loop_slots(stmt));
  loops_.push_back(&loop);
  for (int round = 0;; ++round) {
    loop.exits.clear();
    loop.too_many_exits = false;
    run_loop(stmt, loop);
    symbolic_.rollback(loop.before);
    if (settle(loop, round)) break;
  }
  loops_.pop_back();
  join_exits(stmt, loop);
}

std::vector<GuardWalk::Invariant> GuardWalk::first_invariants(const std::vector<LoopSlot>& slots) {
  std::vector<Invariant> result;
  for (const LoopSlot& slot : slots) {
    Value start = symbolic_.slot(slot.slot);
    bool tracked = start.kind == Value::Kind::Integer || start.kind == Value::Kind::Array;
    if (!slot.carried || !slot.goes_back || !tracked) continue;
    Invariant& invariant = result.emplace_back();
    invariant.slot = slot.slot;
    invariant.start = start;
    if (start.kind == Value::Kind::Array) {
      invariant.fixed.assign(symbolic_.extents(start).size(), true);
      continue;
    }
    const Affine& form = symbolic_.form(start);
    invariant.range = invariant.seen = symbolic_.facts.bounds(form);
    // A constant start is part of the range.
    invariant.not_below = invariant.not_above = !form.is_constant();
  }
  return result;
}

bool GuardWalk::settle(Loop& loop, int round) {
  bool changed = false;
  for (Invariant& invariant : loop.invariants) {
    if (!invariant.changed) continue;
    changed = true;
    weaken(invariant);
  }
  bool patient = round < most_rounds && visits_ < patient_visits * (statements_ + 100);
  if (changed && !patient) loop.invariants.clear();
  return !changed;
}

void GuardWalk::weaken(Invariant& invariant) {
  invariant.changed = false;
  if (invariant.start.kind != Value::Kind::Integer) return;
  Interval first = symbolic_.facts.bounds(symbolic_.form(invariant.start));
  bool is_refuted =
      (invariant.stride && invariant.stride_fails) || (invariant.drift && invariant.drift_fails);
  if (is_refuted) {
    // It was no stride, or no sum of such steps, after all.
    invariant.stride.reset();
    invariant.drift.reset();
    invariant.range = invariant.seen = first;
    invariant.not_below = invariant.not_above = !symbolic_.form(invariant.start).is_constant();
  } else {
    bool steps = invariant.step && invariant.steps_agree && invariant.step->constant != 0;
    bool drifts = invariant.steps && !invariant.has_far_step && !invariant.has_drifted;
    if (steps && !invariant.stride_fails) {
      invariant.stride = static_cast<std::int64_t>(invariant.step->constant);
    } else if (drifts && loops_.back()->most_rounds <= most_counted) {
      invariant.drift = invariant.steps;
      invariant.has_drifted = true;
    }
    widen(invariant);
  }
  invariant.step.reset();
  invariant.steps.reset();
  invariant.steps_agree = true;
}

void GuardWalk::widen(Invariant& invariant) {
  const Type declared = symbolic_.declaration(invariant.slot).type;
  // What a test in the loop bounds may fit 32 bits, and a square of that 64.
  const bool is_near = declared == types::i64 && contains(type_interval(types::i32), invariant.seen) &&
                       !std::exchange(invariant.was_near, true);
  const Interval type = type_interval(is_near ? types::i32 : declared);
  if (invariant.seen.high > invariant.range.high) invariant.range.high = type.high;
  if (invariant.seen.low < invariant.range.low) {
    // Counting down often ends at 0 or -1.
    Wide low = invariant.seen.low;
    bool near = low >= -1 && low < invariant.range.low;
    invariant.range.low = !near ? type.low : low >= 0 ? 0 : -1;
  }
}

void GuardWalk::run_loop(const ir::Stmt& stmt, Loop& loop) {
  reachable_ = true;
  if (const auto* node = std::get_if<ir::While>(&stmt.node)) run_while(*node, stmt, loop);
  if (const auto* node = std::get_if<ir::For>(&stmt.node)) run_for(*node, stmt, loop);
}

void GuardWalk::enter(const ir::Stmt& stmt, Loop& loop) {
  loop.iteration = affine(symbolic_.facts.fresh(iterations));
  for (const LoopSlot& slot : loop_slots(stmt)) {
    if (slot.goes_back) set_unknown(slot.slot);
  }
  for (Invariant& invariant : loop.invariants)
    assume_invariant(invariant, loop, {Reason::Kind::Loop, stmt.span});
}

// Each of so many rounds has added a number of an interval; says whether that can be written down.
bool GuardWalk::assume_drift(Invariant& invariant, const Loop& loop, const Reason& reason) {
  const auto [low, high] = *invariant.drift;
  const Interval all{std::min(low, Wide{0}) * loop.most_rounds, std::max(high, Wide{0}) * loop.most_rounds};
  invariant.drifted = symbolic_.facts.fresh(all);
  const Affine added = affine(invariant.drifted);
  const auto form = add(symbolic_.form(invariant.start), added);
  const auto above = combine(added, 1, loop.iteration, -static_cast<std::int64_t>(low));
  const auto below = combine(loop.iteration, static_cast<std::int64_t>(high), added, -1);
  if (!form || !above || !below) return false;
  symbolic_.facts.assume(*above, reason);
  symbolic_.facts.assume(*below, reason);
  symbolic_.facts.assume_within(*form, invariant.range, reason);
  symbolic_.set(invariant.slot, symbolic_.make(*form));
  return true;
}

void GuardWalk::assume_invariant(Invariant& invariant, const Loop& loop, const Reason& reason) {
  const Affine& iteration = loop.iteration;
  if (invariant.start.kind == Value::Kind::Array) {
    std::vector<Affine> extents = symbolic_.extents(symbolic_.slot(invariant.slot));
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (invariant.fixed[axis]) extents[axis] = symbolic_.extents(invariant.start)[axis];
    }
    return symbolic_.set(invariant.slot, symbolic_.make_array(std::move(extents)));
  }
  const Affine& start = symbolic_.form(invariant.start);
  if (invariant.stride) {
    if (auto form = combine(start, 1, iteration, *invariant.stride)) {
      symbolic_.facts.assume_within(*form, invariant.range, reason);
      return symbolic_.set(invariant.slot, symbolic_.make(*form));
    }
  }
  if (invariant.drift && assume_drift(invariant, loop, reason)) return;
  invariant.drift.reset();
  invariant.atom = symbolic_.facts.fresh(invariant.range);
  Affine here = affine(invariant.atom);
  symbolic_.set(invariant.slot, symbolic_.make(here));
  auto above = subtract(here, start), below = subtract(start, here);
  if (invariant.not_below && above) symbolic_.facts.assume(*above, reason);
  if (invariant.not_above && below) symbolic_.facts.assume(*below, reason);
}

void GuardWalk::run_while(const ir::While& node, const ir::Stmt& stmt, Loop& loop) {
  enter(stmt, loop);
  walk(node.head);
  if (!reachable_) return;
  ConditionId condition = symbolic_.condition(node.condition);
  std::optional<bool> known = symbolic_.decide(condition);
  Symbolic::Mark head = symbolic_.mark();
  if (known != false) {
    symbolic_.assume(condition, true);
    walk(node.body);
    if (reachable_) go_back();
    symbolic_.rollback(head);
  }
  if (known == true) return;
  reachable_ = true;
  symbolic_.assume(condition, false);
  leave();
}

// Returns the count of a loop whose body runs: of a choice between a number and none it is the number.
Affine GuardWalk::count_of_some(Affine count) {
  Facts& facts = symbolic_.facts;
  for (auto atom = single_atom(count); atom && facts.atom(*atom).kind == Facts::Kind::Choice;
       atom = single_atom(count)) {
    const auto& [first, second] = facts.cases(*atom);
    auto is_none = [](const Case& each) { return each.value.is_constant() && each.value.constant <= 0; };
    if (is_none(first) == is_none(second)) break;
    const Case& some = is_none(first) ? second : first;
    facts.assume(some.facts);
    count = some.value;
  }
  return facts.resolve(count);
}

void GuardWalk::run_for(const ir::For& node, const ir::Stmt& stmt, Loop& loop) {
  Affine start = symbolic_.integer(node.start), step = symbolic_.integer(node.step);
  const Affine total = symbolic_.integer(node.count);
  Facts& facts = symbolic_.facts;
  Reason reason{Reason::Kind::Loop, stmt.span};
  if (asks_small_) note_count(node);
  loop.most_rounds = std::clamp(facts.bounds(total).high, Wide{0}, iterations.high);
  enter(stmt, loop);
  Symbolic::Mark head = symbolic_.mark();
  auto none = scale(total, -1);
  if (!none || !facts.prove(*none, quick)) {
    Affine count = count_of_some(total);
    auto more = subtract(count, loop.iteration);
    if (more) more = offset(*more, -1);
    if (more) facts.assume(*more, reason);
    auto some = offset(count, -1);
    if (some) facts.assume(*some, reason);
    symbolic_.set(node.variable, for_variable(node, start, step, count, loop.iteration, reason));
    if (asks_small_) note_variable(node);
    walk(node.body);
    if (reachable_) go_back();
    symbolic_.rollback(head);
  }
  reachable_ = true;
  // Behind the last iteration: iteration is count, or 0 where there is none.
  auto all = subtract(loop.iteration, total);
  if (all) facts.assume(*all, reason);
  leave();
}

// Returns the most that the variable of a loop can be: start + k * step, k < count: with count = dividend // step + more and
// step >= 1 that is at most start + dividend + (more - 1) * step.
std::optional<Affine> GuardWalk::last_of(const Affine& start, const Affine& step, const Affine& count) {
  Facts& facts = symbolic_.facts;
  const auto positive = offset(step, -1);
  if (count.size != 1 || count.terms[0].coefficient != 1 || !positive || !facts.prove(*positive, quick))
    return std::nullopt;
  const Facts::Atom& quotient = facts.atom(count.terms[0].atom);
  const Wide more = count.constant;
  if (quotient.kind != Facts::Kind::FloorDivide || !(quotient.right == step) || more < -1 || more > 1)
    return std::nullopt;
  const auto last = add(start, quotient.left);
  return last ? combine(*last, 1, step, static_cast<std::int64_t>(more) - 1) : std::nullopt;
}

Value GuardWalk::for_variable(const ir::For& node, const Affine& start, const Affine& step,
                              const Affine& count, const Affine& iteration, const Reason& reason) {
  Facts& facts = symbolic_.facts;
  Type type = symbolic_.declaration(node.variable).type;
  Interval range = type_interval(type);
  if (step.is_constant() && contains(type_interval(types::i64), {step.constant, step.constant})) {
    auto exact = combine(start, 1, iteration, static_cast<std::int64_t>(step.constant));
    // That it stays below the end is told here: the bound of the rounds alone forgets where the first one began.
    const auto last = exact && step.constant > 1 ? last_of(start, step, count) : std::nullopt;
    if (auto below = last ? subtract(*last, *exact) : std::nullopt) facts.assume(*below, reason);
    return exact && facts.fits(*exact, range, thorough) ? symbolic_.make(*exact) : symbolic_.unknown(type);
  }
  const auto last = last_of(start, step, count);
  if (!last || !facts.fits(start, range) || !facts.fits(*last, {range.low - (Wide{1} << 66), range.high}))
    return symbolic_.unknown(type);
  // start + factor * some number, for the greatest factor of all steps
  if (!contains(type_interval(types::i64), {step.constant, step.constant})) return symbolic_.unknown(type);
  auto factor = static_cast<std::int64_t>(step.constant);
  for (const Term& term : step.view()) factor = std::gcd(factor, term.coefficient);
  Affine variable = affine(facts.fresh(range));
  if (factor > 1 && contains(type_interval(types::i32), {factor, factor})) {
    auto multiple = combine(start, 1, affine(facts.fresh(iterations)), static_cast<std::int64_t>(factor));
    if (multiple) variable = *multiple;
    facts.assume_within(variable, range, reason);
  }
  auto above = subtract(variable, start), below = subtract(*last, variable);
  if (above) facts.assume(*above, reason);
  if (below) facts.assume(*below, reason);
  return symbolic_.make(variable);
}

void GuardWalk::go_back() {
  Loop& loop = *loops_.back();
  for (Invariant& invariant : loop.invariants) {
    if (invariant.start.kind == Value::Kind::Array) check_array(invariant);
    if (invariant.start.kind == Value::Kind::Integer) check_integer(invariant, loop.iteration);
  }
}

void GuardWalk::check_integer(Invariant& invariant, const Affine& iteration) {
  Facts& facts = symbolic_.facts;
  Value held = symbolic_.slot(invariant.slot);
  const Affine& start = symbolic_.form(invariant.start);
  if (held.kind != Value::Kind::Integer) held = symbolic_.unknown(symbolic_.declaration(invariant.slot).type);
  const Affine& form = symbolic_.form(held);
  if (invariant.stride && combine(start, 1, iteration, *invariant.stride)) {
    auto expected = combine(start, 1, *offset(iteration, 1), *invariant.stride);
    if (!expected || !(*expected == form)) invariant.changed = invariant.stride_fails = true;
    check_range(invariant, form);
    return;
  }
  check_range(invariant, form);
  if (check_drift(invariant, form)) return;
  auto above = subtract(form, start), below = subtract(start, form);
  auto step = subtract(form, affine(invariant.atom));
  if (invariant.not_below && !(above && facts.prove(*above, thorough)) &&
      !(step && is_wanted_to_rise(*step))) {
    invariant.not_below = false;
    invariant.changed = true;
  }
  if (invariant.not_above && !(below && facts.prove(*below, thorough))) {
    invariant.not_above = false;
    invariant.changed = true;
  }
  bool agrees = step && step->is_constant() && (!invariant.step || *invariant.step == *step);
  if (agrees) invariant.step = step;
  invariant.steps_agree = invariant.steps_agree && agrees;
  note_step(invariant, step ? std::optional(facts.bounds(*step)) : std::nullopt);
}

void GuardWalk::note_step(Invariant& invariant, std::optional<Interval> step) {
  if (!step || !contains(near_steps, *step)) invariant.has_far_step = true;
  if (step) invariant.steps = invariant.steps ? hull(*invariant.steps, *step) : *step;
}

// Says whether the invariant is a sum of steps; then the last one must be one of them.
bool GuardWalk::check_drift(Invariant& invariant, const Affine& form) {
  if (!invariant.drift) return false;
  const auto before = add(symbolic_.form(invariant.start), affine(invariant.drifted));
  const auto step = before ? subtract(form, *before) : std::nullopt;
  if (!step || !symbolic_.facts.fits(*step, *invariant.drift))
    invariant.changed = invariant.drift_fails = true;
  return true;
}

// Says whether what a counter steps by is what a launch gives, and wanted not to be negative: `i += blockDim.x - 2`.
bool GuardWalk::is_wanted_to_rise(const Affine& step) {
  return symbolic_.extremes.asks() && symbolic_.extremes.want_numbers(step);
}

void GuardWalk::check_range(Invariant& invariant, const Affine& form) {
  if (symbolic_.facts.fits(form, invariant.range)) return;
  invariant.changed = true;
  invariant.seen = hull(invariant.seen, symbolic_.facts.bounds(form));
}

void GuardWalk::check_array(Invariant& invariant) {
  Value held = symbolic_.slot(invariant.slot);
  for (std::size_t axis = 0; axis < invariant.fixed.size(); ++axis) {
    if (!invariant.fixed[axis]) continue;
    bool equal = false;
    if (held.kind == Value::Kind::Array) {
      auto difference = subtract(symbolic_.extents(held)[axis], symbolic_.extents(invariant.start)[axis]);
      equal = difference && symbolic_.facts.fits(*difference, {0, 0});
    }
    if (equal) continue;
    invariant.fixed[axis] = false;
    invariant.changed = true;
  }
}

void GuardWalk::leave() {
  Loop& loop = *loops_.back();
  if (loop.exits.size() == most_exits) {
    loop.too_many_exits = true;
  } else {
    loop.exits.push_back(symbolic_.branch(loop.before, true));
  }
  reachable_ = false;
}

void GuardWalk::join_exits(const ir::Stmt& stmt, Loop& loop) {
  reachable_ = !loop.exits.empty();
  if (!reachable_) return;
  if (loop.too_many_exits) {
    for (const LoopSlot& slot : loop_slots(stmt)) set_unknown(slot.slot);
    return;
  }
  Symbolic::Branch all = std::move(loop.exits.front());
  for (std::size_t i = 1; i < loop.exits.size(); ++i) {
    symbolic_.join(std::move(all), std::move(loop.exits[i]));
    all = symbolic_.branch(loop.before, true);
    symbolic_.rollback(loop.before);
  }
  symbolic_.apply(all);
}

} // namespace kern
