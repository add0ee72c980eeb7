// Proof of guards by one forward walk over the structured IR. Soundness rests on three things: an operation
// that may wrap is an opaque value (evaluate.cpp), facts are about values that never change and are rolled
// back with the branch that they came from, and what is assumed at the head of a loop is shown on every way
// back to it (guard_loops.cpp).
#include "compiler/analysis/guards/guards.h"

#include <algorithm>

#include "compiler/analysis/guards/guard_walk.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

constexpr std::size_t most_steps = 64; // of proofs, for each statement

const ir::Select* as_select(const ir::Stmt& stmt) {
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  return assign ? std::get_if<ir::Select>(&assign->value) : nullptr;
}

// Returns the address of the Guard or the Fit that a statement is.
const void* node_of(const ir::Stmt& stmt) {
  const auto* guard = std::get_if<ir::Guard>(&stmt.node);
  return guard ? static_cast<const void*>(guard) : &std::get<ir::Fit>(stmt.node);
}

} // namespace

GuardWalk::GuardWalk(const ir::Module& module, const ir::Function& function)
    : symbolic_(module, function), function_(function), clamps_(module.clamps) {
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    ++statements_;
    if (ir::guard_state(stmt)) {
      numbers_.emplace(node_of(stmt), results_.guards.size());
      results_.guards.emplace_back();
    } else if (const ir::Select* select = as_select(stmt)) {
      numbers_.emplace(select, results_.selects.size());
      results_.selects.emplace_back();
    }
  });
  symbolic_.facts.limit_steps(most_steps * (statements_ + 1000));
}

GuardFindings GuardWalk::run() {
  assume_facts();
  walk(function_.body);
  // A walk that was given up has seen loops whose invariants were never shown.
  if (visits_ > most_visits * (statements_ + 100)) {
    std::ranges::fill(results_.guards, GuardReasons{});
    std::ranges::fill(results_.selects, std::nullopt);
  }
  results_.exact_by = symbolic_.extremes.exact_by();
  return std::move(results_);
}

void GuardWalk::walk(const ir::Body& body) {
  for (const ir::Stmt& stmt : body) {
    if (!reachable_ || ++visits_ > most_visits * (statements_ + 100)) return;
    walk(stmt);
  }
}

void GuardWalk::walk(const ir::Stmt& stmt) {
  auto maybe_unknown = [&](const std::optional<ir::SlotId>& slot) {
    if (slot) set_unknown(*slot);
  };
  match(
      stmt.node, [&](const ir::Assign& node) { assign(node, stmt.span); },
      [&](const ir::Load& node) {
        symbolic_.set(node.slot, symbolic_.element(node.array, symbolic_.declaration(node.slot).type));
      },
      [](const ir::Store&) {}, [&](const ir::Atomic& node) { maybe_unknown(node.slot); },
      [&](const ir::CallEffect& node) { maybe_unknown(node.slot); },
      [&](const ir::Call& node) {
        std::ranges::for_each(node.results, [&](ir::SlotId slot) { set_unknown(slot); });
      },
      [](const ir::Print&) {}, [&](const ir::Guard& node) { guard(node, stmt.span); },
      [&](const ir::Fit& node) { fit(node, stmt.span); }, [&](const ir::Check& node) { check(node); },
      [&](const ir::If& node) { walk_if(node); }, [&](const ir::While&) { walk_loop(stmt); },
      [&](const ir::For&) { walk_loop(stmt); }, [&](const ir::Break&) { leave(); },
      [&](const ir::Continue&) {
        go_back();
        reachable_ = false;
      },
      [&](const ir::Return&) { reachable_ = false; }, [&](const ir::Segment& node) { walk(node.body); });
}

void GuardWalk::assign(const ir::Assign& node, Span span) {
  if (const auto* select = std::get_if<ir::Select>(&node.value))
    results_.selects[numbers_.at(select)] = symbolic_.decide(symbolic_.condition(select->condition));
  // A view by a bad index is one of nothing.
  const auto* view = std::get_if<ir::View>(&node.value);
  if (view && clamps_ && !is_in_range(*view)) return set_unknown(node.slot);
  if (asks_small_) note_operands(node);
  symbolic_.set(node.slot, symbolic_.evaluate(node.value, symbolic_.declaration(node.slot).type, span));
  if (asks_small_) note_result(node);
}

void GuardWalk::check(const ir::Check& node) {
  ConditionId condition = symbolic_.condition(node.condition);
  if (symbolic_.decide(condition) == false) reachable_ = false;
  symbolic_.assume(condition, true);
}

void GuardWalk::walk_if(const ir::If& node) {
  ConditionId condition = symbolic_.condition(node.condition);
  std::optional<bool> known = symbolic_.decide(condition);
  Symbolic::Mark before = symbolic_.mark();
  auto side = [&](const ir::Body& body, bool outcome) {
    reachable_ = known != !outcome;
    if (reachable_) {
      symbolic_.assume(condition, outcome);
      walk(body);
    }
    Symbolic::Branch result = symbolic_.branch(before, reachable_);
    symbolic_.rollback(before);
    return result;
  };
  Symbolic::Branch taken = side(node.then_body, true);
  Symbolic::Branch other = side(node.else_body, false);
  reachable_ = taken.reachable || other.reachable;
  if (reachable_) symbolic_.join(condition, taken, other);
}

// Says whether the form depends on a minimum or maximum: an index that is clamped does.
bool GuardWalk::is_clamped(const Affine& form) const {
  return std::ranges::any_of(form.view(), [&](const Term& term) {
    Facts::Kind kind = symbolic_.facts.atom(term.atom).kind;
    return kind == Facts::Kind::Minimum || kind == Facts::Kind::Maximum;
  });
}

// Says whether a guard could not fail if its axis had an element.
bool GuardWalk::fails_if_empty(const Affine& index, const Affine& above, const Affine& extent) {
  if (!is_clamped(index)) return false;
  Facts& facts = symbolic_.facts;
  Facts::Mark before = facts.mark();
  auto some = offset(extent, -1);
  if (some) facts.assume(*some, {});
  bool proved = some && facts.prove(index, thorough) && facts.prove(above, thorough);
  facts.rollback(before);
  return proved;
}

// Says whether the indices of a view are proved to be in range.
bool GuardWalk::is_in_range(const ir::View& view) {
  Facts& facts = symbolic_.facts;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    if (view.axes[axis].kind != ir::ViewAxis::Kind::Index) continue;
    Affine index = symbolic_.integer(view.axes[axis].start);
    auto above = subtract(symbolic_.extent(view.array, static_cast<int>(axis)), index);
    if (above) above = offset(*above, -1);
    if (!above || !facts.prove(index, thorough) || !facts.prove(*above, thorough)) return false;
  }
  return true;
}

void GuardWalk::guard(const ir::Guard& node, Span span) {
  Facts& facts = symbolic_.facts;
  Affine index = symbolic_.integer(node.index);
  Affine extent = symbolic_.extent(node.array, node.axis);
  auto above = subtract(extent, index);
  if (above) above = offset(*above, -1);
  GuardReasons result{false, false, {}, facts.bounds(index), facts.bounds(extent)};
  // Its index is in range here by a test before the loop, or because it is that of element 0 otherwise.
  if (node.form != ir::GuardForm::InPlace) {
    result.proved = true;
    facts.assume(index, {Reason::Kind::Guard, span});
    if (above) facts.assume(*above, {Reason::Kind::Guard, span});
    results_.guards[numbers_.at(&node)] = std::move(result);
    return;
  }
  if (above && facts.prove(index, thorough)) {
    result.reasons = facts.reasons();
    result.proved = facts.prove(*above, thorough);
    result.reasons.insert(result.reasons.end(), facts.reasons().begin(), facts.reasons().end());
    if (!result.proved && symbolic_.extremes.prove(*above)) {
      result.reasons.insert(result.reasons.end(), symbolic_.extremes.reasons().begin(),
                            symbolic_.extremes.reasons().end());
      result.proved = true;
      // What is held against this array proves others that are as long.
      facts.assume(*above, symbolic_.extremes.reasons().front(), true);
    }
  }
  if (!wanted_.empty())
    wanted_[numbers_.at(&node)] = above && !result.proved ? wanted_fact(index, extent, *above) : std::nullopt;
  if (!wanted_.empty() && above && result.proved) served_.push_back({*above, {Reason::Kind::Test, span}});
  // Behind a guard the index is in range, whether or not that was known before, unless the thread goes on.
  if (!result.proved && clamps_) {
    result.reasons.clear();
  } else if (!result.proved) {
    result.fails_if_empty = above && fails_if_empty(index, *above, extent);
    facts.assume(index, {Reason::Kind::Guard, span});
    if (above) facts.assume(*above, {Reason::Kind::Guard, span});
    result.reasons.clear();
  }
  results_.guards[numbers_.at(&node)] = std::move(result);
}

// Only behind a fit that is tested, and that a thread does not pass otherwise, the value is known to be in range.
void GuardWalk::fit(const ir::Fit& node, Span span) {
  Facts& facts = symbolic_.facts;
  const Affine value = symbolic_.integer(node.value);
  const Interval range = type_interval(node.type);
  const auto above_least = offset(value, -range.low), below_most = subtract(affine(range.high), value);
  GuardReasons result{false, false, {}, facts.bounds(value), range};
  if (above_least && below_most && facts.prove(*above_least, thorough)) {
    result.reasons = facts.reasons();
    result.proved = facts.prove(*below_most, thorough);
    result.reasons.insert(result.reasons.end(), facts.reasons().begin(), facts.reasons().end());
    if (!result.proved && symbolic_.extremes.prove(*below_most)) {
      result.proved = true;
      result.reasons.insert(result.reasons.end(), symbolic_.extremes.reasons().begin(),
                            symbolic_.extremes.reasons().end());
    }
    if (!wanted_.empty())
      wanted_[numbers_.at(&node)] = result.proved ? std::nullopt : wanted_most(*below_most);
  }
  if (!result.proved) result.reasons.clear();
  if (!result.proved && !clamps_ && node.state == ir::GuardState::Kept) {
    if (above_least) facts.assume(*above_least, {Reason::Kind::Guard, span});
    if (below_most) facts.assume(*below_most, {Reason::Kind::Guard, span});
  }
  results_.guards[numbers_.at(&node)] = std::move(result);
}

GuardFindings find_guards(const ir::Module& module, const ir::Function& function) {
  return GuardWalk(module, function).run();
}

} // namespace kern
