// Walks a function until the shapes of its slots settle. Shapes only go up (from nothing over Uniform or
// Linear to Varying), so a few rounds do; a function that does not settle is Varying throughout.
//
// A variable that is assigned where not all lanes are, is Varying; but "all" means the lanes that see the
// variable. Under `if i < n:` with a varying condition everything happens for some lanes only, and a loop
// counter inside is uniform all the same: whoever reads it was there when it was assigned. So an assignment
// is divergent only if a varying condition, a loop that lanes leave one by one, or a varying continue stands
// between it and the variable's home (shape_homes.h). Temps are at home where they are assigned. A lane that
// returned or faulted reads nothing any more.
#include "compiler/analysis/threads/shape.h"

#include <algorithm>
#include <map>

#include "compiler/analysis/flow/assignment.h"
#include "compiler/analysis/threads/shape_homes.h"
#include "compiler/analysis/threads/shape_values.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/support/overloaded.h"

namespace kern {
namespace {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;

constexpr int rounds_with_ranges = 4; // then a range that still grows becomes that of its type

Shape join(Shape left, Shape right) { return left == right ? left : varying_shape; }

// Returns the shape of a product that is no longer computed with.
Shape scaled(Shape shape, Shape by, std::optional<std::int64_t> known) {
  if (shape.kind == Shape::Kind::Uniform) return by;
  if (shape.kind == Shape::Kind::Varying || !known) return varying_shape;
  const __int128 step = static_cast<__int128>(shape.step) * *known;
  if (step == 0) return uniform_shape;
  if (step > limits::linear_step || step < -limits::linear_step) return varying_shape;
  return linear_shape(static_cast<std::int64_t>(step));
}

Shape sum(Shape left, Shape right) {
  if (left.kind == Shape::Kind::Varying || right.kind == Shape::Kind::Varying) return varying_shape;
  const std::int64_t step = left.step + right.step;
  if (step > limits::linear_step || step < -limits::linear_step) return varying_shape;
  return step == 0 ? uniform_shape : linear_shape(step);
}

Shape shape_in(const std::vector<Shape>& slots, const Operand& operand) {
  return operand.slot ? slots[index_of(*operand.slot)] : uniform_shape;
}

Shape element_shape(const ArrayShape& array, const std::vector<Shape>& slots,
                    const std::vector<Operand>& indices) {
  Shape shape = array.offset;
  for (std::size_t axis = 0; axis < indices.size(); ++axis)
    shape =
        sum(shape, scaled(shape_in(slots, indices[axis]), array.strides[axis], array.known_strides[axis]));
  return shape;
}

// An array of which every part is the same in all lanes.
ArrayShape uniform_array(std::size_t rank) {
  const std::vector<Shape> uniforms(rank);
  return {uniform_shape, uniform_shape, uniforms, uniforms, std::vector<std::optional<std::int64_t>>(rank)};
}

ArrayShape varying_array(std::size_t rank) {
  const std::vector<Shape> varyings(rank, varying_shape);
  return {varying_shape, varying_shape, varyings, varyings, std::vector<std::optional<std::int64_t>>(rank)};
}

// Knows the strides of an array in C order, from the last axis to the first whose inner extents are not all
// known.
void know_strides(ArrayShape& array, const std::vector<std::optional<std::int64_t>>& extents) {
  std::optional<std::int64_t> stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    array.known_strides[axis] = stride;
    if (stride && extents[axis] && *extents[axis] < limits::linear_step && *stride < limits::linear_step)
      stride = *stride * *extents[axis];
    else
      stride.reset();
  }
}

ArrayShape join(const ArrayShape& left, const ArrayShape& right) {
  ArrayShape result{join(left.base, right.base), join(left.offset, right.offset), left.extents, left.strides,
                    left.known_strides};
  for (std::size_t axis = 0; axis < result.extents.size(); ++axis) {
    result.extents[axis] = join(left.extents[axis], right.extents[axis]);
    result.strides[axis] = join(left.strides[axis], right.strides[axis]);
    if (left.known_strides[axis] != right.known_strides[axis]) result.known_strides[axis].reset();
  }
  return result;
}

// The values and the array shapes that callers pass, by parameter.
struct Params {
  std::vector<LaneValue> values;
  std::vector<std::optional<ArrayShape>> arrays;
};

class Walker {
public:
  Walker(const ir::Module& module, const ir::Function& function, const LaneFacts& facts)
      : module_(module), function_(function), facts_(facts), arithmetic_(facts, function),
        values_(function.slots.size()), arrays_(function.slots.size()) {
    const auto unset = find_unset_reads(function);
    std::vector<bool> outlives(function.slots.size());
    for (std::size_t i = 0; i < outlives.size(); ++i) {
      outlives[i] = unset[i] || function.slots[i].kind == ir::Slot::Kind::Param;
      const bool zero = unset[i] && is_scalar(function.slots[i].type);
      if (zero)
        values_[i] = is_integer(function.slots[i].type) ? uniform_value(Interval{})
                                                        : uniform_value(function.slots[i].type);
    }
    homes_ = find_homes(function, outlives);
    lockstep_ = std::ranges::any_of(
        function.body, [](const Stmt& stmt) { return std::holds_alternative<ir::Segment>(stmt.node); });
  }

  // Computes the shapes, given what callers pass; of a kernel every parameter is uniform.
  Shapes run(const Params& params) {
    for (std::size_t i = 0; i < function_.param_count; ++i) start(i, params);
    for (round_ = 0; round_ < static_cast<int>(limits::inference_rounds); ++round_) {
      changed_ = false;
      visit(function_.body, 0, false);
      if (!changed_) return finish();
    }
    return give_up();
  }

  // Adds what this function passes to others; call it after run().
  void pass_arguments(std::map<ir::FunctionId, Params>& to) const {
    ir::walk(function_.body, [&](const Stmt& stmt) {
      const auto* call = std::get_if<ir::Call>(&stmt.node);
      if (!call) return;
      Params& params = to[call->function];
      params.values.resize(call->args.size());
      params.arrays.resize(call->args.size());
      for (std::size_t i = 0; i < call->args.size(); ++i) {
        const Operand& arg = call->args[i];
        if (is_array(arg.type)) {
          const ArrayShape array = array_of(arg);
          params.arrays[i] = params.arrays[i] ? join(*params.arrays[i], array) : array;
        } else {
          params.values[i] = kern::join(params.values[i], value_of(arg), arg.type);
        }
      }
    });
  }

private:
  struct Loop {
    const Stmt* stmt;
    std::size_t depth;
  };

  // ---- Slots ----

  void start(std::size_t param, const Params& params) {
    const ir::Slot& slot = function_.slots[param];
    if (!is_array(slot.type)) {
      values_[param] = function_.is_kernel ? uniform_value(slot.type)
                       : param < params.values.size() && params.values[param].known
                           ? params.values[param]
                           : varying_value(slot.type);
      return;
    }
    if (!function_.is_kernel) {
      const bool passed = param < params.arrays.size() && params.arrays[param];
      arrays_[param] = passed ? *params.arrays[param] : varying_array(slot.type->rank);
    } else {
      arrays_[param] = uniform_array(slot.type->rank);
      if (facts_.contiguous) arrays_[param]->known_strides.back() = 1;
    }
    if (slot.type->layout == Layout::COrder) arrays_[param]->known_strides.back() = 1;
  }

  LaneValue value_of(const Operand& operand) const {
    if (!operand.slot) return constant_value(operand);
    const LaneValue& value = values_[index_of(*operand.slot)];
    // Not reached yet in this round, or never: the most special value there is.
    return value.known ? value : uniform_value(Interval{});
  }
  ArrayShape array_of(const Operand& operand) const {
    const std::optional<ArrayShape>& array = arrays_[index_of(*operand.slot)];
    return array ? *array : uniform_array(operand.type->rank);
  }
  bool is_uniform(const Operand& operand) const {
    return value_of(operand).shape.kind == Shape::Kind::Uniform;
  }

  bool is_divergent(SlotId slot) const {
    return function_.slots[index_of(slot)].kind != ir::Slot::Kind::Temp &&
           divergent_at_.back() > static_cast<int>(homes_[index_of(slot)]);
  }

  void assign(SlotId slot, LaneValue value) {
    const Type type = function_.slots[index_of(slot)].type;
    if (facts_.lanes == 1)
      value.shape = uniform_shape;
    else if (is_divergent(slot))
      value = varying_value(type);
    LaneValue& old = values_[index_of(slot)];
    LaneValue joined = kern::join(old, value, type);
    if (old.known && joined.range != old.range && round_ >= rounds_with_ranges && is_integer(type))
      joined.range = type_interval(type);
    if (joined == old) return;
    old = joined;
    changed_ = true;
  }

  void assign(SlotId slot, ArrayShape array) {
    const std::size_t rank = function_.slots[index_of(slot)].type->rank;
    if (facts_.lanes == 1) {
      array = uniform_array(rank);
    } else if (is_divergent(slot)) {
      ArrayShape varying = varying_array(rank);
      varying.known_strides = array.known_strides;
      array = varying;
    }
    std::optional<ArrayShape>& old = arrays_[index_of(slot)];
    ArrayShape joined = old ? join(*old, array) : array;
    if (old && joined == *old) return;
    old = std::move(joined);
    changed_ = true;
  }

  // ---- Statements ----

  // Visits a body at a depth; `varying` says that only some of the lanes around it may be in it.
  void visit(const ir::Body& body, std::size_t depth, bool varying) {
    divergent_at_.push_back(varying                 ? static_cast<int>(depth)
                            : divergent_at_.empty() ? -1
                                                    : divergent_at_.back());
    for (const Stmt& stmt : body) visit(stmt, depth);
    divergent_at_.pop_back();
  }

  void visit(const Stmt& stmt, std::size_t depth) {
    match(
        stmt.node, [&](const ir::Assign& node) { visit_assign(node); },
        [&](const ir::Load& node) { visit_load(node); },
        [&](const ir::Atomic& node) { assign_varying(node.slot); },
        [&](const ir::CallEffect& node) { visit_effect(node); },
        [&](const ir::Call& node) {
          for (SlotId slot : node.results) assign_varying(slot);
        },
        [&](const ir::If& node) { visit_if(node, stmt, depth); },
        [&](const ir::While& node) { visit_while(node, stmt, depth); },
        [&](const ir::For& node) { visit_for(node, stmt, depth); },
        [&](const ir::Break&) { visit_jump(stmt, true); },
        [&](const ir::Continue&) { visit_jump(stmt, false); },
        [&](const ir::Segment& node) {
          in_segment_ = true;
          visit(node.body, depth + 1, false);
          in_segment_ = false;
        },
        [](const auto&) {});
  }

  void assign_varying(std::optional<SlotId> slot) {
    if (!slot) return;
    const Type type = function_.slots[index_of(*slot)].type;
    if (is_array(type))
      assign(*slot, varying_array(type->rank));
    else
      assign(*slot, varying_value(type));
  }

  void visit_load(const ir::Load& load) {
    const ArrayShape array = array_of(load.array);
    bool one = load.array.type->space != AddressSpace::Local && array.base.kind == Shape::Kind::Uniform &&
               array.offset.kind == Shape::Kind::Uniform;
    for (const Operand& index : load.indices) one = one && is_uniform(index);
    for (std::size_t axis = 0; axis < array.strides.size(); ++axis)
      one = one && (array.known_strides[axis] || array.strides[axis].kind == Shape::Kind::Uniform);
    const Type type = function_.slots[index_of(load.slot)].type;
    assign(load.slot, one ? uniform_value(type) : varying_value(type));
  }

  void visit_effect(const ir::CallEffect& call) {
    if (!call.slot) return;
    // Lanes that ask together whether the launch is to end read one word, once.
    const bool asks = call.builtin == Builtin::GoesOn || call.builtin == Builtin::WaitGoesOn;
    const bool same = asks || is_barrier(row(call.builtin).effects) || is_joint(call);
    const Type type = function_.slots[index_of(*call.slot)].type;
    assign(*call.slot, same ? uniform_value(type) : varying_value(type));
  }

  // Lanes that name the same others have one vote, and those that ask the same lane its value.
  bool is_joint(const ir::CallEffect& call) const {
    const bool votes = call.builtin == Builtin::AllSync || call.builtin == Builtin::AnySync ||
                       call.builtin == Builtin::EqSync || call.builtin == Builtin::BallotSync;
    return (votes && is_uniform(call.args[0])) ||
           (call.builtin == Builtin::ShflSync && is_uniform(call.args[2]));
  }

  void visit_assign(const ir::Assign& node) {
    const Type type = function_.slots[index_of(node.slot)].type;
    if (is_array(type)) return assign(node.slot, evaluate_array(node.value, type));
    assign(node.slot, evaluate(node.value, type));
  }

  LaneValue evaluate(const ir::Expr& expr, Type type) const {
    return match(
        expr, [&](const ir::Copy& e) { return value_of(e.value); },
        [&](const ir::Unary& e) { return arithmetic_.unary(e.op, value_of(e.value), type); },
        [&](const ir::Binary& e) {
          return arithmetic_.binary(e.op, value_of(e.left), value_of(e.right), type);
        },
        [&](const ir::Convert& e) { return arithmetic_.convert(value_of(e.value), e.value.type, type); },
        [&](const ir::Select& e) {
          if (!is_uniform(e.condition)) return varying_value(type);
          return kern::join(value_of(e.then_value), value_of(e.else_value), type);
        },
        [&](const ir::CallPure& e) {
          if (auto place = arithmetic_.place(e.builtin)) return *place;
          if (row(e.builtin).effects == Effects::Thread) return varying_value(type);
          return of_operands(expr, type);
        },
        [&](const ir::Extent& e) {
          LaneValue extent = part(array_of(e.array).extents[static_cast<std::size_t>(e.axis)], type);
          extent.range = {0, limits::array_bytes};
          return extent;
        },
        [&](const ir::Stride& e) {
          const ArrayShape array = array_of(e.array);
          const auto axis = static_cast<std::size_t>(e.axis);
          if (const auto known = array.known_strides[axis]) return uniform_value(Interval{*known, *known});
          return part(array.strides[axis], type);
        },
        [&](const ir::Misalignment& e) {
          const ArrayShape array = array_of(e.array);
          LaneValue value = part(is_one_place(array) ? uniform_shape : varying_shape, type);
          value.range = {0, e.bytes - 1};
          return value;
        },
        [&](const auto&) { return of_operands(expr, type); });
  }

  // Says whether the array begins at the same place for all lanes.
  static bool is_one_place(const ArrayShape& array) {
    return array.base.kind == Shape::Kind::Uniform && array.offset.kind == Shape::Kind::Uniform;
  }

  static LaneValue part(Shape shape, Type type) {
    return shape.kind == Shape::Kind::Uniform ? uniform_value(type) : varying_value(type);
  }

  // The value of an operation of which only this is known: equal operands give equal results.
  LaneValue of_operands(const ir::Expr& expr, Type type) const {
    bool uniform = true;
    ir::visit_operands(expr, [&](const Operand& operand) { uniform = uniform && is_uniform(operand); });
    return uniform ? uniform_value(type) : varying_value(type);
  }

  ArrayShape evaluate_array(const ir::Expr& expr, Type type) const {
    if (const auto* copy = std::get_if<ir::Copy>(&expr)) return array_of(copy->value);
    if (const auto* view = std::get_if<ir::View>(&expr)) return evaluate_view(*view);
    if (const auto* form = std::get_if<ir::Restride>(&expr)) return evaluate_restride(*form, type);
    if (const auto* select = std::get_if<ir::Select>(&expr)) {
      const ArrayShape joined = join(array_of(select->then_value), array_of(select->else_value));
      return is_uniform(select->condition) ? joined : varying_array(type->rank);
    }
    ArrayShape array = uniform_array(type->rank);
    std::vector<std::optional<std::int64_t>> extents(type->rank);
    if (const auto* shared = std::get_if<ir::SharedArray>(&expr)) {
      for (std::size_t axis = 0; axis < extents.size(); ++axis)
        if (!shared->extents[axis].slot) extents[axis] = ir::int_value(shared->extents[axis]);
    } else if (const auto* local = std::get_if<ir::LocalArray>(&expr)) {
      extents.assign(local->extents.begin(), local->extents.end());
    } else if (const auto* constant = std::get_if<ir::ConstantArray>(&expr)) {
      const std::vector<std::int64_t>& known =
          module_.constants[static_cast<std::size_t>(constant->id)].extents;
      extents.assign(known.begin(), known.end());
    }
    know_strides(array, extents);
    return array;
  }

  // The parts of complex elements lie side by side.
  static void scale_by_two(ArrayShape& array) {
    array.offset = scaled(array.offset, uniform_shape, 2);
    for (std::size_t axis = 0; axis < array.strides.size(); ++axis) {
      std::optional<std::int64_t>& known = array.known_strides[axis];
      if (known) array.strides[axis] = uniform_shape;
      if (known && *known <= limits::linear_step / 2 && *known >= -limits::linear_step / 2)
        known = 2 * *known;
      else
        known.reset();
    }
  }

  ArrayShape evaluate_restride(const ir::Restride& form, Type type) const {
    const ArrayShape array = array_of(form.array);
    const std::int64_t parts = bit_width(form.array.type->scalar) / bit_width(type->scalar);
    // Of wider elements the offset goes into the base.
    ArrayShape result{array.base, scaled(array.offset, uniform_shape, parts), {}, {}, {}};
    if (parts == 0) result = {is_one_place(array) ? uniform_shape : varying_shape, uniform_shape, {}, {}, {}};
    for (std::size_t axis = 0; axis < form.extents.size(); ++axis) {
      result.extents.push_back(is_uniform(form.extents[axis]) ? uniform_shape : varying_shape);
      result.strides.push_back(is_uniform(form.strides[axis]) ? uniform_shape : varying_shape);
      const LaneValue stride = value_of(form.strides[axis]);
      const bool known = stride.shape.kind == Shape::Kind::Uniform && stride.range.low == stride.range.high &&
                         stride.range.low >= -limits::linear_step && stride.range.low <= limits::linear_step;
      std::optional<std::int64_t>& step = result.known_strides.emplace_back();
      if (known) step = static_cast<std::int64_t>(stride.range.low);
    }
    return result;
  }

  ArrayShape evaluate_view(const ir::View& view) const {
    ArrayShape array = array_of(view.array);
    if (view.part) scale_by_two(array);
    ArrayShape result{array.base, array.offset, {}, {}, {}};
    for (std::size_t i = 0; i < view.axes.size(); ++i) {
      const ir::ViewAxis& axis = view.axes[i];
      const Shape stride = array.known_strides[i] ? uniform_shape : array.strides[i];
      result.offset = sum(result.offset, scaled(value_of(axis.start).shape, stride, array.known_strides[i]));
      if (axis.kind == ir::ViewAxis::Kind::Index) continue;
      result.extents.push_back(is_uniform(axis.count) ? uniform_shape : varying_shape);
      const bool one = stride.kind == Shape::Kind::Uniform && is_uniform(axis.step);
      result.strides.push_back(one ? uniform_shape : varying_shape);
      std::optional<std::int64_t>& known = result.known_strides.emplace_back();
      if (!array.known_strides[i] || axis.step.slot) continue;
      const __int128 product = static_cast<__int128>(*array.known_strides[i]) * ir::int_value(axis.step);
      if (product <= limits::linear_step && product >= -limits::linear_step)
        known = static_cast<std::int64_t>(product);
    }
    return result;
  }

  // ---- Control flow ----

  // Says that outside Segments every live thread takes the same way.
  bool in_lockstep() const { return lockstep_ && !in_segment_; }

  ControlShape& control(const Stmt& stmt) { return controls_[&stmt]; }

  void set(bool& flag, bool value) {
    if (flag || !value || facts_.lanes == 1) return;
    flag = changed_ = true;
  }

  void visit_if(const ir::If& node, const Stmt& stmt, std::size_t depth) {
    ControlShape& shape = control(stmt);
    if (!in_lockstep()) set(shape.varying, !is_uniform(node.condition));
    const bool varying = shape.varying;
    visit(node.then_body, depth + 1, varying);
    visit(node.else_body, depth + 1, varying);
  }

  // Says whether lanes are in different iterations of a loop, or out of it while others are in.
  bool is_divergent(const ControlShape& loop) const {
    return loop.varying || loop.varying_break || loop.varying_continue;
  }

  void visit_while(const ir::While& node, const Stmt& stmt, std::size_t depth) {
    loops_.push_back({&stmt, depth + 1});
    visit(node.head, depth + 1, is_divergent(control(stmt)));
    if (!in_lockstep()) set(control(stmt).varying, !is_uniform(node.condition));
    visit(node.body, depth + 1, is_divergent(control(stmt)));
    loops_.pop_back();
  }

  void visit_for(const ir::For& node, const Stmt& stmt, std::size_t depth) {
    if (!in_lockstep()) set(control(stmt).varying, !is_uniform(node.count));
    loops_.push_back({&stmt, depth + 1});
    const bool divergent = is_divergent(control(stmt));
    divergent_at_.push_back(divergent ? static_cast<int>(depth + 1) : divergent_at_.back());
    assign(node.variable, loop_value(node));
    divergent_at_.pop_back();
    visit(node.body, depth + 1, divergent);
    loops_.pop_back();
  }

  LaneValue loop_value(const ir::For& node) const {
    const LaneValue start = value_of(node.start), step = value_of(node.step);
    const Type type = function_.slots[index_of(node.variable)].type;
    if (start.shape.kind == Shape::Kind::Varying || step.shape.kind != Shape::Kind::Uniform)
      return varying_value(type);
    LaneValue value{true, start.shape, type_interval(type), start.shape.kind == Shape::Kind::Uniform};
    if (bit_width(type->scalar) < 64) value.exact = start.exact; // it never wraps (ir.h)
    if (!value.exact && bit_width(type->scalar) < 64) return value;
    if (node.stop && step.range.low > 0) return below(value, start, value_of(*node.stop), type);
    const LaneValue count = value_of(node.count);
    const bool never_wraps = bit_width(type->scalar) < 64;
    if (never_wraps && step.range.low >= 0) value.range.low = start.range.low;
    if (never_wraps && step.range.high <= 0) value.range.high = start.range.high;
    // As numbers: from start to start + (count - 1) * step.
    const Wide trips = std::max<Wide>(count.range.high - 1, 0);
    const Interval moved = multiply(step.range, {0, trips});
    const Interval all{start.range.low + moved.low, start.range.high + moved.high};
    if (contains(value.range, all)) {
      value.range = all;
      value.exact = start.exact;
    }
    return value;
  }

  // The variable of range(start, stop, step): in the lanes of an iteration it is below the stop, in the
  // others at most a vector's lanes above.
  LaneValue below(LaneValue value, const LaneValue& start, const LaneValue& stop, Type type) const {
    value.range = {start.range.low, std::max(start.range.low, stop.range.high - 1)};
    const Wide reach = static_cast<Wide>(facts_.lanes) * std::abs(value.shape.step);
    value.exact = start.exact && stop.range.high + reach <= type_interval(type).high;
    return value;
  }

  void visit_jump(const Stmt& stmt, bool is_break) {
    const Loop& loop = loops_.back();
    ControlShape& of_loop = control(*loop.stmt);
    ControlShape& shape = control(stmt);
    if (in_lockstep()) return;
    set(shape.varying, divergent_at_.back() > static_cast<int>(loop.depth) || of_loop.varying_continue);
    ControlShape& target = control(*loop.stmt);
    set(is_break ? target.varying_break : target.varying_continue, shape.varying);
  }

  // ---- The end ----

  Shapes finish() {
    Shapes shapes;
    for (const LaneValue& value : values_) {
      shapes.slots.push_back(value.known ? value.shape : uniform_shape);
      shapes.ranges.push_back(value.range);
      shapes.exact.push_back(value.exact);
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const Type type = function_.slots[i].type;
      ArrayShape& array = shapes.arrays.emplace_back();
      if (!is_array(type)) continue;
      array = arrays_[i] ? *arrays_[i] : uniform_array(type->rank);
      for (std::size_t axis = 0; axis < array.strides.size(); ++axis)
        if (array.known_strides[axis]) array.strides[axis] = uniform_shape;
    }
    shapes.controls = std::move(controls_);
    return shapes;
  }

  // Takes nothing for granted but the parameters of kernels.
  Shapes give_up() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const ir::Slot& slot = function_.slots[i];
      if (function_.is_kernel && slot.kind == ir::Slot::Kind::Param) continue;
      values_[i] = varying_value(slot.type);
      if (is_array(slot.type)) arrays_[i] = varying_array(slot.type->rank);
    }
    for (auto& [stmt, shape] : controls_) {
      const bool loop =
          std::holds_alternative<ir::While>(stmt->node) || std::holds_alternative<ir::For>(stmt->node);
      shape = {true, loop, loop};
    }
    return finish();
  }

  const ir::Module& module_;
  const ir::Function& function_;
  LaneFacts facts_;
  LaneArithmetic arithmetic_;
  std::vector<LaneValue> values_;                 // by slot
  std::vector<std::optional<ArrayShape>> arrays_; // by slot
  std::vector<std::uint32_t> homes_;              // by slot
  std::unordered_map<const Stmt*, ControlShape> controls_;
  std::vector<int>
      divergent_at_; // by depth: the innermost body so far that only some lanes are in; -1 for none
  std::vector<Loop> loops_;
  bool lockstep_ = false;
  bool in_segment_ = false;
  bool changed_ = false;
  int round_ = 0;
};

// Appends every function that `id` is reached from, callers before callees, and `id` itself last.
class CallOrder {
public:
  explicit CallOrder(const ir::Module& module)
      : callers_(module.functions.size()), seen_(module.functions.size()) {
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      ir::walk(module.functions[i].body, [&](const Stmt& stmt) {
        const auto* call = std::get_if<ir::Call>(&stmt.node);
        if (call)
          callers_[static_cast<std::size_t>(call->function)].push_back(static_cast<ir::FunctionId>(i));
      });
    }
  }

  void visit(ir::FunctionId id) {
    if (seen_[static_cast<std::size_t>(id)]) return;
    seen_[static_cast<std::size_t>(id)] = true;
    for (ir::FunctionId caller : callers_[static_cast<std::size_t>(id)]) visit(caller);
    order.push_back(id);
  }

  std::vector<ir::FunctionId> order;

private:
  std::vector<std::vector<ir::FunctionId>> callers_;
  std::vector<bool> seen_;
};

} // namespace

Shape Shapes::element(const ir::Operand& array, const std::vector<ir::Operand>& indices) const {
  return element_shape(arrays[index_of(*array.slot)], slots, indices);
}

Shapes analyze_shapes(const ir::Module& module, ir::FunctionId function, const LaneFacts& facts) {
  if (module.function(function).is_kernel) return Walker(module, module.function(function), facts).run({});
  CallOrder calls(module);
  calls.visit(function);
  std::map<ir::FunctionId, Params> params;
  for (ir::FunctionId id : calls.order) {
    Walker walker(module, module.function(id), facts);
    Shapes shapes = walker.run(params[id]);
    if (id == function) return shapes;
    walker.pass_arguments(params);
  }
  return {};
}

} // namespace kern
