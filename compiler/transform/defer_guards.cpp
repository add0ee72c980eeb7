// Guards and fits that leave their loop. A loop that only reads becomes
//
//     holds = affine indices in range, first and last, and arrays of deferred guards not empty; bad = not holds
//     if holds:
//       its copy: for each deferred guard  in = 0 <= i < n; bad = bad or not in; i' = i if in else 0
//     rerun if bad:
//       slots as they were; the loop as it was written
//
// and likewise of each fit `bad = bad or not in`, with nothing recorded in the hot loop but a bit, no branch, and so
// its loads in flight together. Inner loops of the copy test their own affine indices, and do not run where that
// fails. A loop that does more than read, whose guards are all hoisted, is `rerun if not holds: the loop as it was
// written; else: its copy`.
//
// The prover decides which guards need that, and then again with those gone: what it proved by one of them is not
// proved any more.
#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "compiler/analysis/guards/guards.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/transform/affine_index.h"
#include "compiler/transform/loop_plan.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Guard;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

constexpr int most_rounds = 4; // after these every guard of such a loop leaves it

// A guard or a fit as it was written: copies of a statement have the same.
using GuardKey = std::pair<ir::SiteId, int>;
using GuardKeys = std::set<GuardKey>;

// The slots of a loop that neither code behind it nor a later round reads: its copy has its own.
class LocalSlots {
public:
  LocalSlots(const ir::Function& function, const ir::Definitions& definitions, const Stmt& loop) {
    std::unordered_map<SlotId, std::size_t> reads;
    ir::any(loop, [&](const Stmt& stmt) {
      ir::visit_operands(stmt, [&](const Operand& operand) {
        if (operand.slot) ++reads[*operand.slot];
      });
      return false;
    });
    visit(loop);
    for (SlotId slot : assigned_slots(loop)) {
      const bool is_temp = function.slots[static_cast<std::size_t>(slot)].kind == ir::Slot::Kind::Temp;
      const bool is_inside = !carried_.contains(slot) && reads[slot] == definitions.reads(slot);
      (is_temp || is_inside ? local : others).push_back(slot);
    }
    std::ranges::sort(local);
    std::ranges::sort(others);
  }

  std::vector<SlotId> local, others;

private:
  // Finds carried slots: one that is read before a body, or one around it, has assigned it may be left from
  // an earlier round.
  void visit(const Stmt& stmt) {
    ir::visit_operands(stmt, [&](const Operand& operand) {
      if (operand.slot && !seen_.contains(*operand.slot)) carried_.insert(*operand.slot);
    });
    std::vector<SlotId> variables;
    const bool is_for = std::holds_alternative<ir::For>(stmt.node);
    ir::visit_results(stmt, [&](SlotId slot) {
      if (seen_.insert(slot).second) (is_for ? variables : assigned_.back()).push_back(slot);
    });
    ir::visit_bodies(stmt, [&](const Body& body) {
      assigned_.emplace_back();
      for (const Stmt& inner : body) visit(inner);
      for (SlotId slot : assigned_.back()) seen_.erase(slot);
      assigned_.pop_back();
    });
    // A loop that does not run leaves its variable as it was.
    for (SlotId slot : variables) seen_.erase(slot);
  }

  std::unordered_set<SlotId> seen_, carried_;
  std::vector<std::vector<SlotId>> assigned_; // first, by the bodies around
};

// Writes what stands in place of one loop.
class LoopWriter {
public:
  LoopWriter(const ir::Function& function, const ir::Definitions& definitions, const LoopPlan& plan,
             const IsWanted& is_wanted, std::vector<ir::Slot>& slots, const Stmt& loop)
      : function_(function), definitions_(definitions), plan_(plan), is_wanted_(is_wanted), slots_(slots),
        loop_(loop), place_{loop.span, loop.scope} {}

  void write(Body& out) {
    LocalSlots own(function_, definitions_, loop_);
    Body before;
    Emitter emitter(slots_, before, place_);
    Operand holds = test_of(loop_, emitter);
    if (plan_.defers) holds = emitter.both(holds, name_extents(emitter));
    const Operand missed = missed_of(loop_, holds, emitter);
    if (plan_.defers) bad_ = add_variable(types::boolean);
    Body fast;
    fast.push_back(copy_loop(loop_));
    rename(fast, own.local);
    // The tests come before the loop: all that they read is there, but for Temps of their own.
    append(std::move(before), out);
    if (plan_.defers)
      write_deferred(std::move(fast), holds, missed, own.others, out);
    else
      add_if(missed, {loop_}, std::move(fast), true, out);
  }

private:
  // ---- The three parts ----

  void write_deferred(Body fast, const Operand& holds, const Operand& missed,
                      const std::vector<SlotId>& changed, Body& out) {
    add_assign(*bad_.slot, missed, out);
    Body rerun;
    Emitter emitter(slots_, out, place_);
    for (SlotId slot : changed) {
      const Type type = function_.slots[static_cast<std::size_t>(slot)].type;
      add_assign(slot, emitter.assign(type, ir::Copy{{type, slot, 0}}), rerun);
    }
    rerun.push_back(loop_);
    if (holds.slot)
      add_if(holds, std::move(fast), {}, false, out);
    else
      append(std::move(fast), out);
    add_if(bad_, std::move(rerun), {}, true, out);
  }

  // Returns whether the indices that are tested before a loop are in range.
  Operand test_of(const Stmt& loop, Emitter& emitter) {
    Operand holds = ir::constant_bool(true);
    auto found = plan_.hoisted.find(&loop);
    if (found == plan_.hoisted.end()) return holds;
    AffineIndexes indices(function_, definitions_, loop);
    for (const Guard* guard : found->second)
      holds = emitter.both(holds, indices.test(plan_.indices.at(guard), guard->array, guard->axis, emitter));
    return holds;
  }

  // A loop that does not run has no index out of range.
  Operand missed_of(const Stmt& loop, const Operand& holds, Emitter& emitter) {
    if (!holds.slot) return ir::constant_bool(false);
    const Operand& count = std::get<ir::For>(loop.node).count;
    const Operand runs = emitter.compare(ir::CompareOp::Greater, count, ir::constant_int(types::i64, 0));
    return emitter.both(runs, emitter.negate(holds));
  }

  // Computes the extents of deferred guards; returns whether all arrays have an element 0.
  Operand name_extents(Emitter& emitter) {
    Operand some = ir::constant_bool(true);
    ir::any(loop_, [&](const Stmt& stmt) {
      const auto* guard = std::get_if<Guard>(&stmt.node);
      if (!guard || !is_deferred(*guard)) return false;
      const Operand* known = extent_of(*guard);
      if (known) return false;
      const Operand extent = emitter.assign(types::i64, ir::Extent{guard->array, guard->axis});
      some = emitter.both(some,
                          emitter.compare(ir::CompareOp::Greater, extent, ir::constant_int(types::i64, 0)));
      extents_.push_back({guard->array, guard->axis, extent});
      return false;
    });
    return some;
  }

  const Operand* extent_of(const Guard& guard) const {
    for (const NamedExtent& each : extents_)
      if (each.array == guard.array && each.axis == guard.axis) return &each.extent;
    return nullptr;
  }

  bool is_deferred(const Guard& guard) const {
    return plan_.defers && is_wanted_(guard.site, guard.axis) && !plan_.is_hoisted(guard);
  }

  // ---- The copy ----

  Stmt copy_loop(const Stmt& loop) {
    const auto& node = std::get<ir::For>(loop.node);
    ir::For copy{node.variable,        node.start, node.step,  node.count,
                 copy_body(node.body), node.stop,  node.unroll};
    return {std::move(copy), loop.span, loop.scope};
  }

  Body copy_body(const Body& body) {
    Body out;
    for (const Stmt& stmt : body) copy(stmt, out);
    return out;
  }

  void copy(const Stmt& stmt, Body& out) {
    if (const auto* guard = std::get_if<Guard>(&stmt.node)) return copy_guard(*guard, stmt, out);
    if (const auto* fit = std::get_if<ir::Fit>(&stmt.node); fit && plan_.defers && is_wanted_(fit->site, 0))
      return copy_fit(*fit, stmt, out);
    if (const auto* check = std::get_if<ir::Check>(&stmt.node); check && plan_.defers) {
      Emitter emitter(slots_, out, {stmt.span, stmt.scope});
      return note_bad(emitter.negate(check->condition), emitter);
    }
    if (std::holds_alternative<ir::For>(stmt.node) && plan_.hoisted.contains(&stmt) && plan_.defers)
      return copy_inner_loop(stmt, out);
    if (std::holds_alternative<ir::For>(stmt.node)) {
      out.push_back(copy_loop(stmt));
      return;
    }
    if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
      ir::If copied{branch->condition, copy_body(branch->then_body), copy_body(branch->else_body)};
      out.push_back({std::move(copied), stmt.span, stmt.scope});
      return;
    }
    if (const auto* loop = std::get_if<ir::While>(&stmt.node)) {
      ir::While copied{copy_body(loop->head), loop->condition, copy_body(loop->body)};
      out.push_back({std::move(copied), stmt.span, stmt.scope});
      return;
    }
    out.push_back(stmt);
    if (auto* load = std::get_if<ir::Load>(&out.back().node))
      read_in_range(std::get<ir::Load>(stmt.node), load->indices);
    if (auto* assign = std::get_if<ir::Assign>(&out.back().node); assign && !plan_.defers)
      count_from_start(*assign);
  }

  // Makes a copy of the choice of an index, hoisted from the loop at hand, that may count from the end: no value of
  // it does.
  void count_from_start(ir::Assign& assign) const {
    for (const auto& [guard, index] : plan_.indices)
      if (guard->index.slot == assign.slot && index != guard->index) assign.value = ir::Copy{index};
  }

  void copy_inner_loop(const Stmt& stmt, Body& out) {
    Emitter emitter(slots_, out, {stmt.span, stmt.scope});
    const Operand holds = test_of(stmt, emitter);
    note_bad(missed_of(stmt, holds, emitter), emitter);
    Body inner;
    inner.push_back(copy_loop(stmt));
    add_if(holds, std::move(inner), {}, false, out);
  }

  void copy_guard(const Guard& guard, const Stmt& stmt, Body& out) {
    if (is_deferred(guard)) {
      Emitter emitter(slots_, out, {stmt.span, stmt.scope});
      const Operand index = plan_.indices.at(&guard);
      const Operand is_in = emitter.in_range(index, *extent_of(guard));
      note_bad(emitter.negate(is_in), emitter);
      indices_[&guard] =
          emitter.assign(types::i64, ir::Select{is_in, index, ir::constant_int(types::i64, 0)});
    } else if (plan_.is_hoisted(guard)) {
      indices_[&guard] = plan_.indices.at(&guard);
    }
    Guard copied = guard;
    if (auto found = indices_.find(&guard); found != indices_.end()) {
      const bool is_hoisted = plan_.is_hoisted(guard);
      copied.index = found->second;
      copied.form = is_hoisted ? ir::GuardForm::Hoisted : ir::GuardForm::Deferred;
      copied.loop = is_hoisted ? hoisted_from(guard) : loop_.span;
      copied.state = ir::GuardState::Proved;
      copied.proof = is_hoisted ? "tested before the loop" : "tested behind the loop";
    }
    out.push_back({std::move(copied), stmt.span, stmt.scope});
  }

  void copy_fit(const ir::Fit& fit, const Stmt& stmt, Body& out) {
    Emitter emitter(slots_, out, {stmt.span, stmt.scope});
    const ir::FitTest test = ir::fit_test(fit.value.type, fit.type);
    const Operand offset = ir::constant_int(types::i64, static_cast<std::int64_t>(test.offset));
    const Operand extent = ir::constant_int(types::i64, static_cast<std::int64_t>(test.extent));
    const Operand value = emitter.convert(fit.value, types::i64);
    note_bad(emitter.negate(emitter.in_range(emitter.binary(ir::BinaryOp::Add, value, offset), extent)),
             emitter);
    ir::Fit copied = fit;
    copied.form = ir::GuardForm::Deferred;
    copied.loop = loop_.span;
    copied.state = ir::GuardState::Proved;
    copied.proof = "tested behind the loop";
    out.push_back({std::move(copied), stmt.span, stmt.scope});
  }

  Span hoisted_from(const Guard& guard) const {
    for (const auto& [loop, guards] : plan_.hoisted)
      if (std::ranges::find(guards, &guard) != guards.end()) return loop->span;
    return loop_.span;
  }

  void note_bad(const Operand& condition, Emitter& emitter) {
    if (!condition.slot && condition.bits == 0) return;
    emitter.assign_to(*bad_.slot, ir::Binary{ir::BinaryOp::BitOr, bad_, condition});
  }

  // Has a load read where its guards' copies say.
  void read_in_range(const ir::Load& load, std::vector<Operand>& indices) {
    auto found = plan_.loads.find(&load);
    if (found == plan_.loads.end()) return;
    for (std::size_t axis = 0; axis < indices.size(); ++axis)
      if (auto index = indices_.find(found->second[axis]); index != indices_.end())
        indices[axis] = index->second;
  }

  // ---- Statements ----

  Operand add_variable(Type type) {
    slots_.push_back({"", type, ir::Slot::Kind::Variable, place_.span});
    return {type, static_cast<SlotId>(slots_.size() - 1), 0};
  }

  void add_assign(SlotId slot, const Operand& value, Body& out) {
    out.push_back({ir::Assign{slot, ir::Copy{value}}, place_.span, place_.scope});
  }

  void add_if(const Operand& condition, Body then_body, Body else_body, bool is_rerun, Body& out) {
    out.push_back(
        {ir::If{condition, std::move(then_body), std::move(else_body), is_rerun}, place_.span, place_.scope});
  }

  static void append(Body from, Body& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  // Gives the copy slots of its own.
  void rename(Body& body, const std::vector<SlotId>& local) {
    std::unordered_map<SlotId, SlotId> names;
    for (SlotId slot : local) {
      ir::Slot own = function_.slots[static_cast<std::size_t>(slot)];
      if (own.kind == ir::Slot::Kind::Param) own.kind = ir::Slot::Kind::Variable;
      names.emplace(slot, static_cast<SlotId>(slots_.size()));
      slots_.push_back(std::move(own));
    }
    auto own = [&](SlotId& slot) {
      if (auto found = names.find(slot); found != names.end()) slot = found->second;
    };
    ir::walk(body, [&](Stmt& stmt) {
      ir::visit_operands(stmt, [&](Operand& operand) {
        if (operand.slot) own(*operand.slot);
      });
      ir::visit_results(stmt, own);
    });
  }

  struct NamedExtent {
    Operand array;
    int axis;
    Operand extent;
  };

  const ir::Function& function_;
  const ir::Definitions& definitions_;
  const LoopPlan& plan_;
  const IsWanted& is_wanted_;
  std::vector<ir::Slot>& slots_;
  const Stmt& loop_;
  Place place_;
  Operand bad_;
  std::vector<NamedExtent> extents_;
  std::unordered_map<const Guard*, Operand> indices_; // that accesses of the copy read at
};

// Rewrites a function, given the guards that are to leave loops.
class Rewriter {
public:
  Rewriter(const ir::Function& function, const GuardKeys& wanted)
      : function_(function), definitions_(function), made_(function),
        is_wanted_([&wanted](ir::SiteId site, int axis) { return wanted.contains({site, axis}); }) {}

  // Returns the function with its loops copied; none where no loop qualifies.
  std::optional<ir::Function> run() {
    made_.body = rewrite(function_.body);
    return copied_ ? std::optional(std::move(made_)) : std::nullopt;
  }

private:
  Body rewrite(const Body& body) {
    Body out;
    out.reserve(body.size());
    for (const Stmt& stmt : body) {
      if (std::holds_alternative<ir::For>(stmt.node)) {
        if (auto plan = plan_loop(function_, definitions_, stmt, is_wanted_)) {
          copied_ = true;
          LoopWriter(function_, definitions_, *plan, is_wanted_, made_.slots, stmt).write(out);
          continue;
        }
      }
      out.push_back(stmt);
      std::vector<const Body*> inner;
      ir::visit_bodies(stmt, [&](const Body& each) { inner.push_back(&each); });
      std::size_t next = 0;
      ir::visit_bodies(out.back(), [&](Body& each) { each = rewrite(*inner[next++]); });
    }
    return out;
  }

  const ir::Function& function_;
  ir::Definitions definitions_;
  ir::Function made_;
  IsWanted is_wanted_;
  bool copied_ = false;
};

// Calls `visit` for each guard or fit that is tested where it stands, and whether it is proved; those of loops as they
// were written apart.
void visit_guards(const Body& body, const std::vector<bool>& proofs, std::size_t& next, bool is_rerun,
                  const std::function<void(const GuardKey&, bool)>& visit) {
  for (const Stmt& stmt : body) {
    if (ir::guard_state(stmt)) {
      const bool proved = proofs[next++];
      const auto* guard = std::get_if<Guard>(&stmt.node);
      const auto* fit = std::get_if<ir::Fit>(&stmt.node);
      const bool is_in_place = (guard ? guard->form : fit->form) == ir::GuardForm::InPlace;
      if (!is_rerun && is_in_place)
        visit(guard ? GuardKey{guard->site, guard->axis} : GuardKey{fit->site, 0}, proved);
    }
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    ir::visit_bodies(stmt, [&](const Body& inner) {
      const bool is_copy = branch && branch->is_rerun && &inner == &branch->then_body;
      visit_guards(inner, proofs, next, is_rerun || is_copy, visit);
    });
  }
}

// Adds the guards and fits of a function that are not proved, or all of them; says whether there were any new ones.
bool add_wanted(const ir::Module& module, const ir::Function& function, bool all, GuardKeys& wanted) {
  const std::vector<bool> proofs = find_proved_guards(module, function);
  const std::size_t before = wanted.size();
  std::size_t next = 0;
  visit_guards(function.body, proofs, next, false, [&](const GuardKey& key, bool proved) {
    if (all || !proved) wanted.insert(key);
  });
  return wanted.size() != before;
}

void defer_guards_of(ir::Module& module, ir::Function& function) {
  const bool has_guarded_loop = ir::any(function.body, [](const Stmt& stmt) {
    return std::holds_alternative<ir::For>(stmt.node) &&
           ir::any(stmt, [](const Stmt& inner) { return ir::guard_state(inner).has_value(); });
  });
  std::size_t statements = 0;
  ir::walk(std::as_const(function).body, [&](const Stmt&) { ++statements; });
  GuardKeys wanted;
  if (!has_guarded_loop || statements > limits::ir_statements / 2 ||
      !add_wanted(module, function, false, wanted))
    return;
  for (int round = 0;; ++round) {
    std::optional<ir::Function> made = Rewriter(function, wanted).run();
    if (!made) return;
    if (add_wanted(module, *made, round >= most_rounds, wanted)) continue;
    function = std::move(*made);
    return;
  }
}

} // namespace

void defer_guards(ir::Module& module, GuardMode mode) {
  if (mode == GuardMode::Off || module.clamps) return;
  for (ir::Function& function : module.functions) defer_guards_of(module, function);
}

} // namespace kern
