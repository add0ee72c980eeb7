// The interval of a barrier is what is reached from it without passing another one: on each way to a place there is one that
// was passed last. Threads of a block come to barriers alike, so all that run at the same time are in the interval of the same
// barrier: a load is quiet if no interval that it lies in has a write to its array, on whatever way.
//
// Nothing is known of what was before a function, nor of what is behind a device function.
#include "compiler/analysis/memory/quiet_loads.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "compiler/analysis/flow/walk.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;

// The barriers of which one was passed last, by number, ascending; 0 is the entry, which is like a barrier.
using Barriers = std::vector<std::uint32_t>;
using Slots = flow::Slots<Barriers>;
constexpr SlotId passed{}; // is no slot of the function: they are the state of a way

// A bound on hostile input: past so many intervals looked at, nothing counts as quiet.
constexpr std::size_t most_touches = 4'000'000;

bool is_empty(const SharedSet& set) {
  return !set.any && std::find(set.bits.begin(), set.bits.end(), true) == set.bits.end();
}

// Says whether something was added.
bool add(SharedSet& set, const SharedSet& more) {
  const bool widens = more.any && !set.any;
  bool changed = widens;
  set.any = set.any || more.any;
  set.bits.resize(std::max(set.bits.size(), more.bits.size()));
  for (std::size_t i = 0; i < more.bits.size(); ++i)
    if (more.bits[i] && !set.bits[i]) set.bits[i] = changed = true;
  return changed;
}

void add(SharedSet& set, std::size_t bit) {
  if (set.bits.size() <= bit) set.bits.resize(bit + 1);
  set.bits[bit] = true;
}

bool is_shared(const Operand& array) {
  return array.slot && is_array(array.type) && array.type->space == AddressSpace::Shared;
}

} // namespace

// Finds the intervals of one function.
class IntervalFinder : public flow::Domain<Barriers> {
public:
  IntervalFinder(SharedIntervals& known, ir::FunctionId id)
      : known_(known), module_(known.module_), function_(module_.function(id)),
        arrays_(function_.slots.size()) {
    find_arrays();
    flow::Walk walk(*this, {Barriers{0}});
    is_known_ = walk.run(function_.body) && steps_ <= most_touches;
    if (!walk.is_left()) return;
    for (std::uint32_t barrier : walk.slots()[passed]) intervals_[barrier].is_left = true;
  }

  QuietLoads quiet_loads() const {
    QuietLoads quiet;
    if (!is_known_) return quiet;
    for (const auto& [place, touch] : touches_) {
      const bool is_quiet = std::ranges::none_of(touch.behind, [&](std::uint32_t barrier) {
        const Interval& interval = intervals_[barrier];
        return barrier == 0 || (!function_.is_kernel && interval.is_left) ||
               meet(interval.written, touch.arrays);
      });
      if (!is_quiet) continue;
      if (std::holds_alternative<ir::Load>(place.first->node))
        quiet.loads.insert(place.first);
      else
        quiet.args.insert(place);
    }
    return quiet;
  }

  SharedIntervals::Effect effect() const {
    SharedIntervals::Effect effect{intervals_[0].written, {}, intervals_.size() > 1, intervals_[0].is_left};
    for (std::size_t barrier = 1; barrier < intervals_.size(); ++barrier)
      if (intervals_[barrier].is_left) add(effect.tail, intervals_[barrier].written);
    if (!is_known_) effect.head.any = effect.tail.any = effect.has_barrier = effect.passes = true;
    return effect;
  }

  void transfer(const Stmt& stmt, Slots& slots) {
    if (steps_ > most_touches) return;
    match(
        stmt.node, [&](const ir::Load& node) { touch(node.array, {&stmt, 0}, slots[passed]); },
        [&](const ir::Store& node) { write(array_of(node.array), slots[passed]); },
        [&](const ir::Atomic& node) {
          if (node.builtin != Builtin::AtomicLoad) write(array_of(node.array), slots[passed]);
        },
        [&](const ir::CallEffect& node) {
          if (is_barrier(row(node.builtin).effects)) slots.set(passed, {number_of(stmt)});
        },
        [&](const ir::Call& node) { visit_call(node, stmt, slots); }, [](const auto&) {});
  }

  static Barriers join(SlotId, const Barriers& left, const Barriers& right) {
    Barriers all;
    std::ranges::set_union(left, right, std::back_inserter(all));
    return all;
  }
  static const Barriers& widen(SlotId, const Barriers&, const Barriers& now) { return now; }

private:
  struct Interval {
    SharedSet written = {};
    bool is_left = false; // the function, with no barrier in between
  };
  // A load, or the argument of a call.
  struct Touch {
    SharedSet arrays = {};
    Barriers behind = {};
  };

  // ---- Which arrays a slot may be a view of ----

  std::size_t param_bit(std::size_t param) const { return module_.shared.size() + param; }

  // All dynamic arrays are one: those of Numba lie over the others.
  std::size_t shared_bit(ir::SharedId id) const {
    const auto is_dynamic = [](const ir::SharedDecl& decl) { return decl.aliased || decl.extents.empty(); };
    const auto index = static_cast<std::size_t>(id);
    if (!is_dynamic(module_.shared[index])) return index;
    const auto first = std::find_if(module_.shared.begin(), module_.shared.end(), is_dynamic);
    return static_cast<std::size_t>(first - module_.shared.begin());
  }

  void find_arrays() {
    for (std::size_t i = 0; i < function_.param_count; ++i) add(arrays_[i], param_bit(i));
    std::vector<std::pair<SlotId, SlotId>> flows;
    ir::walk(function_.body, [&](const Stmt& stmt) {
      if (const auto* call = std::get_if<ir::Call>(&stmt.node))
        for (SlotId result : call->results) arrays_[index_of(result)].any = true;
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (!assign || !is_array(function_.slots[index_of(assign->slot)].type)) return;
      if (const auto* shared = std::get_if<ir::SharedArray>(&assign->value))
        return add(arrays_[index_of(assign->slot)], shared_bit(shared->id));
      ir::visit_operands(assign->value, [&](const Operand& operand) {
        if (operand.slot && is_array(operand.type)) flows.emplace_back(*operand.slot, assign->slot);
      });
    });
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : flows)
        changed = add(arrays_[index_of(to)], SharedSet(arrays_[index_of(from)])) || changed;
    }
  }

  // Says whether a write to some of these arrays may change one of those: a parameter may be any array.
  bool meet(const SharedSet& written, const SharedSet& loaded) const {
    if (is_empty(written) || is_empty(loaded)) return false;
    const std::size_t own = module_.shared.size();
    const auto is_open = [&](const SharedSet& set) {
      return set.any ||
             std::find(set.bits.begin() + static_cast<std::ptrdiff_t>(std::min(own, set.bits.size())),
                       set.bits.end(), true) != set.bits.end();
    };
    if (is_open(written) || is_open(loaded)) return true;
    for (std::size_t i = 0; i < std::min(written.bits.size(), loaded.bits.size()); ++i)
      if (written.bits[i] && loaded.bits[i]) return true;
    return false;
  }

  // Returns what a callee's arrays are here.
  SharedSet in_caller(const SharedSet& set, const ir::Call& call) const {
    SharedSet result;
    result.any = set.any;
    for (std::size_t i = 0; i < set.bits.size(); ++i) {
      if (!set.bits[i]) continue;
      if (i < module_.shared.size()) {
        add(result, i);
      } else if (const Operand& arg = call.args[i - module_.shared.size()]; is_shared(arg)) {
        add(result, arrays_[index_of(*arg.slot)]);
      }
    }
    return result;
  }

  // ---- What statements do ----

  // Returns what a shared array may be; nothing of another one.
  SharedSet array_of(const Operand& array) const {
    return is_shared(array) ? arrays_[index_of(*array.slot)] : SharedSet{};
  }

  std::uint32_t number_of(const Stmt& barrier) {
    const auto [known, is_new] = numbers_.try_emplace(&barrier, intervals_.size());
    if (is_new) intervals_.emplace_back();
    return known->second;
  }

  void write(const SharedSet& arrays, const Barriers& behind) {
    if (is_empty(arrays)) return;
    steps_ += behind.size();
    for (std::uint32_t barrier : behind) add(intervals_[barrier].written, arrays);
  }

  // More rounds of a loop come to a place behind more barriers.
  void touch(const Operand& array, std::pair<const Stmt*, std::size_t> place, const Barriers& behind) {
    if (!is_shared(array)) return;
    steps_ += behind.size();
    touches_.insert_or_assign(place, Touch{array_of(array), behind});
  }

  void visit_call(const ir::Call& call, const Stmt& stmt, Slots& slots) {
    const SharedIntervals::Effect& callee = known_.effect(call.function);
    write(in_caller(callee.head, call), slots[passed]);
    if (!callee.has_barrier) {
      for (std::size_t i = 0; i < call.args.size(); ++i) touch(call.args[i], {&stmt, i}, slots[passed]);
      return;
    }
    const Barriers last{number_of(stmt)};
    slots.set(passed, callee.passes ? join(passed, last, slots[passed]) : last);
    write(in_caller(callee.tail, call), slots[passed]);
  }

  SharedIntervals& known_;
  const ir::Module& module_;
  const ir::Function& function_;
  std::vector<SharedSet> arrays_; // by slot
  std::map<const Stmt*, std::uint32_t> numbers_;
  std::vector<Interval> intervals_{1}; // by number
  std::map<std::pair<const Stmt*, std::size_t>, Touch> touches_;
  std::size_t steps_ = 0;
  bool is_known_ = false;
};

QuietLoads SharedIntervals::quiet_loads(ir::FunctionId id) {
  if (module_.shared.empty()) return {};
  return IntervalFinder(*this, id).quiet_loads();
}

const SharedIntervals::Effect& SharedIntervals::effect(ir::FunctionId id) {
  auto [found, is_new] = effects_.try_emplace(id);
  if (is_new) found->second = IntervalFinder(*this, id).effect();
  return found->second;
}

} // namespace kern
