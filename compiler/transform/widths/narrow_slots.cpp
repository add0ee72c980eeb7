// Two kinds of slots. Values, on either target: the greatest set in which each is assigned only what 32 bits compute of others
// in it; all are taken to be in it at first, and leave it until nothing changes. Counters, of a GPU: variables that a
// loop assigns, each value of which fits, however it is computed; LLVM narrows the rest by itself, but never what goes round a
// loop.
//
// What indices are made of stays wide: their addresses step by additions in 64 bits anyway, and in a sum that is widened behind
// an addition that may wrap no constant part is seen.
#include <algorithm>
#include <utility>

#include "compiler/analysis/guards/small_values.h"
#include "compiler/analysis/ranges.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/widths/narrow.h"
#include "compiler/types/convert.h"

namespace kern {

namespace {

class SlotFinder {
public:
  SlotFinder(const ir::Module* module, const ir::Function& function, NarrowFor target)
      : module_(module), function_(function), target_(target) {
    for (std::vector<bool>* set : {&values_, &counters_, &is_in_loop_, &is_in_while_, &is_of_for_})
      set->resize(function.slots.size());
    made_of_.resize(function.slots.size());
    for (std::size_t slot = 0; slot < function.slots.size(); ++slot) {
      const ir::Slot& declaration = function.slots[slot];
      if (declaration.type != types::i64) continue;
      values_[slot] = declaration.kind != ir::Slot::Kind::Param;
      counters_[slot] = target == NarrowFor::Gpu && declaration.kind == ir::Slot::Kind::Variable;
    }
    scan(function.body, false, false);
    for (const ir::Load* load : loads_)
      if (!is_small_constant(*load)) remove(load->slot);
    for (std::size_t slot = 0; slot < function.slots.size(); ++slot) {
      counters_[slot] = counters_[slot] && is_in_loop_[slot];
      values_[slot] = values_[slot] && !is_of_for_[slot] && !counters_[slot];
    }
    for (ir::SlotId slot : parts_of(indices_)) values_[index_of(slot)] = counters_[index_of(slot)] = false;
    for (ir::SlotId slot : parts_of(bounds_)) values_[index_of(slot)] = false;
    settle();
    if (!computes_in_vectors()) values_.assign(values_.size(), false);
  }

  bool has_counters() const { return std::ranges::find(counters_, true) != counters_.end(); }
  bool finds_any() const { return has_counters() || std::ranges::find(values_, true) != values_.end(); }

  // Takes out what is not proved to fit.
  void take(const SmallValues& small, Narrow& result) {
    for (const ir::Assign* assign : assigns_)
      if (!small.results.contains(assign)) remove(assign->slot);
    for (const ir::For* loop : loops_)
      if (!small.results.contains(loop)) remove(loop->variable);
    settle();
    for (const ir::Assign* assign : assigns_)
      if (is_turning(*assign)) result.turning.insert(assign);
    leave_converted(result);
    for (std::size_t slot = 0; slot < values_.size(); ++slot)
      result.slots[slot] = values_[slot] || counters_[slot];
    result.counters = static_cast<std::size_t>(std::ranges::count(counters_, true));
  }

private:
  void scan(const ir::Body& body, bool is_in_loop, bool is_in_while) {
    for (const ir::Stmt& stmt : body) {
      see(stmt, is_in_loop);
      if (is_in_while) ir::visit_results(stmt, [&](ir::SlotId slot) { is_in_while_[index_of(slot)] = true; });
      const bool is_loop = ir::is_loop(stmt);
      const bool is_while = target_ == NarrowFor::Cpu && std::holds_alternative<ir::While>(stmt.node);
      ir::visit_bodies(
          stmt, [&](const ir::Body& inner) { scan(inner, is_in_loop || is_loop, is_in_while || is_while); });
    }
  }

  void see(const ir::Stmt& stmt, bool is_in_loop) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    const auto* load = std::get_if<ir::Load>(&stmt.node);
    if (load) loads_.push_back(load);
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      if (!assign && !loop && !load) remove(slot);
      if (!assign && is_array(function_.slots[index_of(slot)].type)) see_array(slot, nullptr);
      if (is_in_loop || loop) is_in_loop_[index_of(slot)] = true;
    });
    if (assign) {
      see(*assign);
    } else if (loop) {
      see(*loop);
    } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      for (const ir::Operand& index : store->indices) note(index, indices_);
    } else if (const auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) {
      for (const ir::Operand& index : atomic->indices) note(index, indices_);
    } else if (std::holds_alternative<ir::Load>(stmt.node) || std::holds_alternative<ir::Guard>(stmt.node)) {
      ir::visit_operands(stmt, [&](const ir::Operand& operand) { note(operand, indices_); });
    }
  }

  void see(const ir::Assign& assign) {
    const Type type = function_.slots[index_of(assign.slot)].type;
    if (type == types::i64) assigns_.push_back(&assign);
    if (is_array(type)) see_array(assign.slot, std::get_if<ir::ConstantArray>(&assign.value));
    if (const auto* compare = std::get_if<ir::Compare>(&assign.value); compare && target_ == NarrowFor::Cpu)
      compares_.push_back(compare);
    std::vector<ir::SlotId>& parts = is_scalar(type) ? made_of_[index_of(assign.slot)] : indices_;
    if (is_scalar(type) && type != types::i64) return;
    ir::visit_operands(assign.value, [&](const ir::Operand& operand) { note(operand, parts); });
  }

  // Notes that a slot holds a constant array, or another one where `constant` is null.
  void see_array(ir::SlotId slot, const ir::ConstantArray* constant) {
    const std::optional<ir::ConstantId> id = constant ? std::optional(constant->id) : std::nullopt;
    const auto [known, is_new] = constants_.try_emplace(slot, id);
    if (!is_new && known->second != id) known->second.reset();
  }

  // Says whether a load is from a constant array whose elements fit an i32.
  bool is_small_constant(const ir::Load& load) const {
    const auto found = load.array.slot ? constants_.find(*load.array.slot) : constants_.end();
    if (!module_ || found == constants_.end() || !found->second) return false;
    const std::optional<Interval> range =
        range_of(module_->constants[static_cast<std::size_t>(*found->second)]);
    const Interval small = type_interval(types::i32);
    return range && range->low >= small.low && range->high <= small.high;
  }

  void see(const ir::For& loop) {
    loops_.push_back(&loop);
    is_of_for_[index_of(loop.variable)] = true;
    for (const ir::Operand* operand : {&loop.start, &loop.step})
      note(*operand, made_of_[index_of(loop.variable)]);
    for (const ir::Operand* operand : {&loop.start, &loop.step, &loop.count}) note(*operand, bounds_);
  }

  static void note(const ir::Operand& operand, std::vector<ir::SlotId>& slots) {
    if (operand.slot && operand.type == types::i64) slots.push_back(*operand.slot);
  }

  void remove(ir::SlotId slot) { values_[index_of(slot)] = counters_[index_of(slot)] = false; }

  // Returns slots with all that they are computed from.
  std::vector<ir::SlotId> parts_of(std::vector<ir::SlotId> open) const {
    std::vector<ir::SlotId> result;
    std::vector<bool> seen(made_of_.size());
    while (!open.empty()) {
      const ir::SlotId slot = open.back();
      open.pop_back();
      if (seen[index_of(slot)]) continue;
      seen[index_of(slot)] = true;
      result.push_back(slot);
      open.insert(open.end(), made_of_[index_of(slot)].begin(), made_of_[index_of(slot)].end());
    }
    return result;
  }

  bool stays(const ir::Assign& assign) const {
    return is_narrowed(assign.value, [&](const ir::Operand& operand) {
      return operand.slot ? values_[index_of(*operand.slot)] || counters_[index_of(*operand.slot)]
                          : literal_fits(WideInt(ir::int_value(operand)), types::i32);
    });
  }

  void settle() {
    for (bool more = true; std::exchange(more, false);)
      for (const ir::Assign* assign : assigns_) {
        if (!values_[index_of(assign->slot)] || stays(*assign)) continue;
        values_[index_of(assign->slot)] = false;
        more = true;
      }
  }

  static bool computes(const ir::Assign& assign) {
    return !std::holds_alternative<ir::Convert>(assign.value) &&
           !std::holds_alternative<ir::Copy>(assign.value);
  }

  // Says whether something is computed of what memory gives, or in rounds of which each lane has its own number: else nothing
  // is gained, since numbers of threads and launches are few, and scalars in vectors.
  bool computes_in_vectors() const {
    const std::vector<bool> loaded = of_memory();
    return std::ranges::any_of(assigns_, [&](const ir::Assign* assign) {
      const std::size_t slot = index_of(assign->slot);
      return values_[slot] && computes(*assign) && (loaded[slot] || is_in_while_[slot]);
    });
  }

  // Returns the slots that depend on a load, or on what a call gives.
  std::vector<bool> of_memory() const {
    std::vector<bool> result(values_.size());
    for (bool more = true; std::exchange(more, false);)
      ir::walk(function_.body, [&](const ir::Stmt& stmt) {
        const auto* assign = std::get_if<ir::Assign>(&stmt.node);
        bool depends = !assign && !std::holds_alternative<ir::For>(stmt.node);
        if (assign)
          ir::visit_operands(stmt, [&](const ir::Operand& operand) {
            depends = depends || (operand.slot && result[index_of(*operand.slot)]);
          });
        ir::visit_results(stmt, [&](ir::SlotId slot) {
          more = more || (depends && !result[index_of(slot)]);
          result[index_of(slot)] = result[index_of(slot)] || depends;
        });
      });
    return result;
  }

  // Says whether an assignment divides by what is no constant, in 64 bits for the sake of one quotient.
  bool is_turning(const ir::Assign& assign) const {
    const std::size_t slot = index_of(assign.slot);
    const auto* binary = std::get_if<ir::Binary>(&assign.value);
    return !values_[slot] && !counters_[slot] && binary && binary->op == ir::BinaryOp::FloorDivide &&
           binary->right.slot && stays(assign);
  }

  // Takes out values that are only converted, and of which nothing is computed in 32 bits.
  void leave_converted(const Narrow& found) {
    std::vector<bool> is_needed(values_.size());
    for (const ir::Assign* assign : assigns_) {
      const std::size_t slot = index_of(assign->slot);
      const bool is_narrow = values_[slot] || counters_[slot];
      if (!found.turning.contains(assign) && (!is_narrow || !computes(*assign))) continue;
      is_needed[slot] = true;
      visit_narrowed(assign->value, [&](const ir::Operand& operand) {
        if (operand.slot) is_needed[index_of(*operand.slot)] = true;
      });
    }
    // What such a value is compared with is as narrow, so that the comparison is; LLVM sees that by itself on a GPU.
    for (const ir::Compare* compare : compares_) {
      auto is_so = [&](const ir::Operand& operand) {
        return operand.slot && is_needed[index_of(*operand.slot)];
      };
      if (!is_so(compare->left) && !is_so(compare->right)) continue;
      for (const ir::Operand* operand : {&compare->left, &compare->right})
        if (operand->slot) is_needed[index_of(*operand->slot)] = true;
    }
    for (std::size_t slot = 0; slot < values_.size(); ++slot)
      values_[slot] = values_[slot] && is_needed[slot];
    settle();
  }

  const ir::Module* module_; // null where nothing but counters is asked for
  const ir::Function& function_;
  NarrowFor target_;
  std::unordered_map<ir::SlotId, std::optional<ir::ConstantId>>
      constants_;                       // nothing where it is not one alone
  std::vector<bool> values_, counters_; // what may be one, and in the end is; none is both
  std::vector<bool> is_in_loop_, is_in_while_, is_of_for_;
  std::vector<const ir::Assign*> assigns_; // of i64s
  std::vector<const ir::Load*> loads_;
  std::vector<const ir::For*> loops_;
  std::vector<const ir::Compare*> compares_;
  std::vector<std::vector<ir::SlotId>> made_of_; // i64s of i64s
  std::vector<ir::SlotId> indices_, bounds_;     // i64s that are parts of places, and of what Fors count
};

} // namespace

bool is_narrowable(const ir::Expr& expr) {
  if (const auto* binary = std::get_if<ir::Binary>(&expr)) {
    const bool shifts = binary->op == ir::BinaryOp::ShiftLeft || binary->op == ir::BinaryOp::ShiftRight;
    return !shifts || (!binary->right.slot && binary->right.bits < 32);
  }
  if (const auto* convert = std::get_if<ir::Convert>(&expr)) {
    const Type type = convert->value.type;
    return is_boolean(type) || (is_scalar(type) && is_integer(type) && bit_width(type->scalar) <= 32);
  }
  if (const auto* unary = std::get_if<ir::Unary>(&expr)) return unary->op != ir::UnaryOp::Not;
  if (const auto* call = std::get_if<ir::CallPure>(&expr))
    return call->builtin == Builtin::Min || call->builtin == Builtin::Max || call->builtin == Builtin::Abs;
  return std::holds_alternative<ir::Copy>(expr) || std::holds_alternative<ir::Select>(expr);
}

bool has_counters(const ir::Function& function) {
  return SlotFinder(nullptr, function, NarrowFor::Gpu).has_counters();
}

void find_narrow_slots(const ir::Module& module, const ir::Function& function, NarrowFor target,
                       const LazySmall& small, Narrow& result) {
  SlotFinder finder(&module, function, target);
  if (finder.finds_any()) finder.take(small(), result);
}

Narrow find_narrow(const ir::Module& module, ir::FunctionId id, NarrowFor target) {
  const ir::Function& function = module.function(id);
  std::optional<SmallValues> walked;
  const LazySmall small = [&]() -> const SmallValues& {
    if (!walked) walked = find_small_values(module, function);
    return *walked;
  };
  Narrow result;
  result.slots.resize(function.slots.size());
  find_narrow_slots(module, function, target, small, result);
  if (target == NarrowFor::Cpu) return result;
  find_narrow_operands(function, small, result);
  if (walked) result.small_operands = std::move(walked->operands);
  return result;
}

} // namespace kern
