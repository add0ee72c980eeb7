// The values of a run, and which elements its accesses touch.
#include <algorithm>

#include "compiler/analysis/threads/special_register.h"
#include "compiler/builtins/builtins.h"
#include "compiler/lint/block_run.h"
#include "compiler/support/overloaded.h"

namespace kern {

using Kind = BlockValue::Kind;

// Tells places apart however large arrays are.
static constexpr std::uint64_t element_radix = 0x9e3779b97f4a7c15;

BlockValue BlockRun::value(const ir::Operand& operand) {
  if (!operand.slot) return arithmetic_.constant(operand);
  return arithmetic_.resolve(frame_->slots[index_of(*operand.slot)]);
}

const BlockRun::Array& BlockRun::array(const ir::Operand& operand) const {
  static const Array unknown;
  return operand.slot ? frame_->arrays[index_of(*operand.slot)] : unknown;
}

// Assigns to the active threads only; the others keep what they hold.
void BlockRun::assign(ir::SlotId slot, const BlockValue& given) {
  BlockValue& held = frame_->slots[index_of(slot)];
  const ir::Slot& declared = frame_->function->slots[index_of(slot)];
  if (declared.kind == ir::Slot::Kind::Temp || (unsure_ == 0 && is_everybody())) {
    held = given;
    return;
  }
  if (unsure_ > 0 || !held.is_known() || !given.is_known()) {
    // Threads that left, or wait elsewhere, do not read it under the same conditions; of numbers that is not sure.
    held = is_float(declared.type) ? arithmetic_.of(given.kind == Kind::Data ? Kind::Data : Kind::Mixed)
           : unsure_ == 0 && given.is_known() == held.is_known() && given.kind == Kind::Data
               ? given
               : arithmetic_.of(Kind::Mixed);
    return;
  }
  BlockValue merged;
  merged.is_assumed = held.is_assumed || given.is_assumed;
  merged.is_part = held.is_part || given.is_part;
  Lanes numbers(threads_, [&](std::size_t lane) { return active_[lane] ? given.in(lane) : held.in(lane); });
  // Threads that left count no more.
  const auto first = std::find(active_.begin(), active_.end(), true);
  const std::int64_t one =
      numbers[first == active_.end() ? 0 : static_cast<std::size_t>(first - active_.begin())];
  bool is_one = true;
  for (std::size_t lane = 0; lane < threads_; ++lane)
    is_one = is_one && (left_[lane] || numbers[lane] == one);
  if (is_one)
    merged.number = one;
  else
    merged.lanes = std::move(numbers);
  held = std::move(merged);
}

BlockValue BlockRun::thread_value(std::size_t axis) const {
  BlockValue result;
  if (block_[axis] == 1) return result;
  result.lanes = Lanes(threads_, [&](std::size_t lane) {
    std::int64_t rest = static_cast<std::int64_t>(lane % block_threads_);
    for (std::size_t i = 0; i < axis; ++i) rest /= block_[i];
    return rest % block_[axis];
  });
  return result;
}

// The block is one amid others, so that it has neighbours on both sides; of a launch there are all.
BlockValue BlockRun::block_value(std::size_t axis) const {
  if (!launch_) return arithmetic_.known(axis < 2 ? 1 : 0);
  BlockValue result;
  if (launch_->grid[axis] == 1) return result;
  result.lanes = Lanes(threads_, [&](std::size_t lane) {
    std::int64_t rest = static_cast<std::int64_t>(lane / block_threads_);
    for (std::size_t i = 0; i < axis; ++i) rest /= launch_->grid[i];
    return rest % launch_->grid[axis];
  });
  return result;
}

BlockValue BlockRun::register_value(const SpecialRegister& read) {
  const std::size_t axis = read.axis;
  switch (read.kind) {
  case SpecialRegister::Kind::ThreadIndex: return thread_value(axis);
  case SpecialRegister::Kind::BlockIndex: return block_value(axis);
  case SpecialRegister::Kind::BlockDim: return arithmetic_.known(block_[axis]);
  case SpecialRegister::Kind::GridDim:
    return arithmetic_.known(launch_ ? launch_->grid[axis] : axis < 2 ? 3 : 1);
  case SpecialRegister::Kind::LaneId: break;
  }
  BlockValue result;
  result.lanes = Lanes(
      threads_, [&](std::size_t lane) { return static_cast<std::int64_t>(lane % block_threads_ % 32); });
  return result;
}

BlockValue BlockRun::call_value(const ir::CallPure& call) {
  if (const auto read = special_register(call.builtin)) return register_value(*read);
  std::vector<BlockValue> args;
  for (const ir::Operand& arg : call.args) args.push_back(value(arg));
  const bool is_pair = args.size() == 2 && is_integer(call.args[0].type);
  if (is_pair && (call.builtin == Builtin::Max || call.builtin == Builtin::Min))
    return arithmetic_.extremum(call.builtin == Builtin::Max, args[0], args[1]);
  return args.empty() ? arithmetic_.of(Kind::Mixed) : arithmetic_.computed(args);
}

BlockValue BlockRun::evaluate(const ir::Assign& assign, Type type, const ir::Stmt& stmt) {
  const bool had_split = arithmetic_.has_split();
  BlockValue result = match(
      assign.value, [&](const ir::Copy& e) { return value(e.value); },
      [&](const ir::Unary& e) { return arithmetic_.unary(e.op, value(e.value), type); },
      [&](const ir::Binary& e) { return arithmetic_.binary(e.op, value(e.left), value(e.right), type); },
      [&](const ir::Compare& e) {
        return arithmetic_.compare(e.op, value(e.left), value(e.right), e.left.type);
      },
      [&](const ir::Convert& e) { return arithmetic_.convert(value(e.value), e.value.type, type); },
      [&](const ir::Select& e) {
        const BlockValue condition = value(e.condition);
        const BlockValue taken = value(e.then_value), other = value(e.else_value);
        if (condition.is_one_number()) return condition.number != 0 ? taken : other;
        if (!condition.is_known() || !taken.is_known() || !other.is_known())
          return arithmetic_.computed({condition, taken, other});
        BlockValue each;
        each.lanes = Lanes(threads_, [&](std::size_t lane) {
          return condition.lanes[lane] != 0 ? taken.in(lane) : other.in(lane);
        });
        return each;
      },
      [&](const ir::Fma& e) { return arithmetic_.computed({value(e.a), value(e.b), value(e.c)}); },
      [&](const ir::CallPure& e) { return call_value(e); },
      [&](const ir::Extent& e) {
        const Array& of = array(e.array);
        const auto axis = static_cast<std::size_t>(e.axis);
        return axis < of.extents.size() ? arithmetic_.resolve(of.extents[axis]) : arithmetic_.of(Kind::Mixed);
      },
      [&](const auto&) { return arithmetic_.of(Kind::Mixed); });
  if (!had_split && arithmetic_.has_split()) split_ = &stmt;
  return result;
}

// ---- Arrays ----

// Returns the number that the launch gives an integer parameter or an extent; a block alone gives it a name.
BlockValue BlockRun::parameter_number(std::size_t slot, int axis) {
  if (!launch_) return arithmetic_.fresh();
  const auto found = launch_->numbers.find({static_cast<std::uint32_t>(slot), axis});
  return found == launch_->numbers.end() ? arithmetic_.fresh() : arithmetic_.assumed(found->second);
}

BlockRun::Array BlockRun::parameter(std::size_t slot) {
  const Type type = kernel_.slots[slot].type;
  Array made;
  for (int axis = 0; axis < type->rank; ++axis) made.extents.push_back(parameter_number(slot, axis));
  if (!launch_ || type->space != AddressSpace::Global) return made;
  made.memory = static_cast<std::uint32_t>(module_.shared.size() + slot);
  for (int axis = 0; axis < type->rank; ++axis) {
    made.axes.push_back({axis, arithmetic_.known(0)});
    made.bounds.push_back(made.extents[static_cast<std::size_t>(axis)].number);
  }
  return made;
}

BlockRun::Array BlockRun::evaluate_array(const ir::Expr& expr, Type type) {
  return match(
      expr, [&](const ir::Copy& e) { return array(e.value); }, [&](const ir::View& e) { return view(e); },
      [&](const ir::SharedArray& e) {
        Array made;
        made.memory = static_cast<std::uint32_t>(e.id);
        // Those that lie over each other are not told apart.
        const ir::SharedDecl& declared = module_.shared[*made.memory];
        if (declared.aliased) made.memory.reset();
        for (std::size_t i = 0; i < e.extents.size(); ++i) {
          made.bounds.push_back(i < declared.extents.size() ? declared.extents[i] : std::int64_t{1} << 20);
          made.extents.push_back(value(e.extents[i]));
          made.axes.push_back({static_cast<int>(i), arithmetic_.known(0)});
        }
        return made;
      },
      [&](const ir::LocalArray& e) {
        Array made;
        for (std::int64_t extent : e.extents) made.extents.push_back(arithmetic_.known(extent));
        return made;
      },
      [&](const ir::Restride& e) {
        Array made;
        for (const ir::Operand& extent : e.extents) made.extents.push_back(value(extent));
        return made;
      },
      [&](const auto&) {
        Array made;
        for (int i = 0; i < type->rank; ++i) made.extents.push_back(arithmetic_.of(Kind::Mixed));
        return made;
      });
}

BlockRun::Array BlockRun::view(const ir::View& view) {
  const Array from = array(view.array);
  Array made = from;
  made.extents.clear();
  if (view.part) made.part = made.part * 2 + 1 + *view.part;
  std::vector<std::optional<int>> kept; // by axis of `from`: the axis of the view
  for (const ir::ViewAxis& axis : view.axes) {
    const bool stays = axis.kind == ir::ViewAxis::Kind::Range;
    kept.push_back(stays ? std::optional(static_cast<int>(made.extents.size())) : std::nullopt);
    if (stays) made.extents.push_back(value(axis.count));
  }
  for (Axis& axis : made.axes) {
    if (!axis.axis) continue;
    const auto number = static_cast<std::size_t>(*axis.axis);
    if (number >= view.axes.size()) {
      made.memory.reset();
      break;
    }
    const ir::ViewAxis& cut = view.axes[number];
    const BlockValue step = cut.kind == ir::ViewAxis::Kind::Range ? value(cut.step) : arithmetic_.known(1);
    if (!step.is_one_number()) made.memory.reset();
    const BlockValue offset = arithmetic_.binary(ir::BinaryOp::Multiply, value(cut.start),
                                                 arithmetic_.known(axis.step), types::i64);
    axis.start = arithmetic_.binary(ir::BinaryOp::Add, axis.start, offset, types::i64);
    axis.step *= step.number;
    axis.axis = kept[number];
  }
  return made;
}

bool sets_element(const ir::Stmt& stmt) {
  const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
  return std::holds_alternative<ir::Store>(stmt.node) ||
         (atomic && (atomic->builtin == Builtin::AtomicExch || atomic->builtin == Builtin::AtomicStore));
}

void BlockRun::tell_unsure(const ir::Stmt& stmt, std::optional<std::uint32_t> memory) const {
  if (sets_element(stmt) && listener_.unsure_store) listener_.unsure_store(stmt, memory);
}

void BlockRun::touch(TouchKind kind, const ir::Operand& operand, const std::vector<ir::Operand>& indices,
                     const ir::Stmt& stmt) {
  if (!is_told(operand)) return;
  const Array& of = array(operand);
  if (unsure_ > 0 || !of.memory) return tell_unsure(stmt, of.memory);
  std::vector<std::uint16_t>& threads = touching_.threads;
  std::vector<std::int64_t>& elements = touching_.elements;
  Mask& inside = touching_.inside;
  threads.clear();
  elements.assign(threads_, of.part);
  inside.assign(threads_, true);
  bool has_data = false, has_own = false;
  for (std::size_t i = 0; i < of.axes.size(); ++i) {
    BlockValue at = arithmetic_.resolve(of.axes[i].start);
    if (of.axes[i].axis) {
      const BlockValue index = value(indices[static_cast<std::size_t>(*of.axes[i].axis)]);
      at = arithmetic_.binary(
          ir::BinaryOp::Add, at,
          arithmetic_.binary(ir::BinaryOp::Multiply, index, arithmetic_.known(of.axes[i].step), types::i64),
          types::i64);
    }
    steps_ += threads_ / 8;
    if (!at.is_known()) {
      tell_unsure(stmt, of.memory);
      if (at.kind != Kind::Data) return;
      has_data = true;
      continue;
    }
    has_own = has_own || !at.lanes.empty();
    const std::int64_t extent = of.bounds[i];
    for (std::size_t lane = 0; lane < threads_; ++lane) {
      inside[lane] = inside[lane] && at.in(lane) >= 0 && at.in(lane) < extent;
      elements[lane] = static_cast<std::int64_t>(static_cast<std::uint64_t>(elements[lane]) * element_radix +
                                                 static_cast<std::uint64_t>(at.in(lane)));
    }
  }
  // Beside what data pick, a row of the thread's own makes the element its own; of a launch it is asked whose the row is.
  if (has_data && has_own && !launch_) return;
  for (std::size_t lane = 0; lane < threads_; ++lane)
    if (active_[lane] && inside[lane]) threads.push_back(static_cast<std::uint16_t>(lane));
  if (threads.empty()) return;
  // Four threads stand for all those that touch one element: two of a warp, one of another warp, and the
  // last.
  if (!has_own && !has_data && threads.size() > 4) {
    const auto other_warp =
        std::ranges::find_if(threads, [&](std::uint16_t thread) { return thread / 32 != threads[0] / 32; });
    const std::uint16_t other = other_warp == threads.end() ? threads[2] : *other_warp;
    threads = {threads[0], threads[1], other, threads.back()};
    if (threads[2] == threads[3]) threads.pop_back();
  }
  const Touch told{kind,        frame_->function, &stmt,           place_,   epoch_,
                   warp_epoch_, grid_epoch_,      under_part_ > 0, has_data, open_loops_ > 0};
  if (has_data && !has_own)
    listener_.by_data(told, *of.memory, threads);
  else
    listener_.known(told, *of.memory, elements, threads);
}

} // namespace kern
