// Loops that each lane goes round by itself: over the row of a sparse matrix, say, of which each element
// names another one somewhere else. Lanes there share nothing but instructions: a gather takes as long as its
// lanes do one after the other, masks and guards come on top, and a vector goes round as often as its longest
// row. Scalars take two thirds of the time, and half of it where rows differ in length (SpMV in the L2 cache:
// 50 us, not 70; with AVX2 50, not 105).
//
// A lane that would fault sends the vector on to the masked iterations of all lanes, with nothing done yet:
// what the loop changes stays aside until the last lane is through.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// ---- Which loops ----

// How many operations an expression is for each lane; nothing where it stays a vector's.
static std::optional<unsigned> cost_of(const ir::Expr& value) {
  if (std::holds_alternative<ir::Copy>(value) || std::holds_alternative<ir::Convert>(value)) return 0;
  if (const auto* binary = std::get_if<ir::Binary>(&value)) {
    bool divides = binary->op == ir::BinaryOp::Divide || binary->op == ir::BinaryOp::FloorDivide ||
                   binary->op == ir::BinaryOp::Modulo;
    return divides ? 16 : 1;
  }
  bool simple = std::holds_alternative<ir::Unary>(value) || std::holds_alternative<ir::Compare>(value) ||
                std::holds_alternative<ir::Select>(value) || std::holds_alternative<ir::Fma>(value) ||
                std::holds_alternative<ir::Extent>(value) || std::holds_alternative<ir::Stride>(value);
  return simple ? std::optional(1U) : std::nullopt;
}

static bool is_uniform(Shape shape) { return shape.kind == Shape::Kind::Uniform; }

// One array for all lanes.
static bool is_shared_alike(const Lowerer& lower, const ir::Operand& array) {
  const ArrayShape& shape = lower.shapes.arrays[static_cast<std::size_t>(*array.slot)];
  return array.type->space != AddressSpace::Local && is_uniform(shape.base) && is_uniform(shape.offset) &&
         std::all_of(shape.extents.begin(), shape.extents.end(), is_uniform) &&
         std::all_of(shape.strides.begin(), shape.strides.end(), is_uniform);
}

static bool is_plain(Type type) {
  if (is_array(type)) return false;
  ScalarKind kind = type->scalar;
  return scalar_class(kind) != ScalarClass::Complex && kind != ScalarKind::F16 && kind != ScalarKind::BF16;
}

// Lanes load from places that have nothing to do with each other.
static bool is_scattered(const Lowerer& lower, const ir::Load& load) {
  return std::any_of(load.indices.begin(), load.indices.end(), [&](const ir::Operand& index) {
    return shape_of(lower, index).kind == Shape::Kind::Varying &&
           !lower.lanes.computed[static_cast<std::size_t>(*index.slot)];
  });
}

// Whether an iteration is all loads, with little to compute and no branch that some lanes take and some do
// not.
static bool is_mostly_loads(const Lowerer& lower, const ir::Body& body) {
  unsigned scattered = 0, operations = 0;
  for (const ir::Stmt& stmt : body) {
    bool possible = true;
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      possible = possible && is_plain(lower.ir.slots[static_cast<std::size_t>(slot)].type);
    });
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
      std::optional<unsigned> cost = cost_of(assign->value);
      possible = possible && cost;
      operations += cost.value_or(0);
    } else if (const auto* load = std::get_if<ir::Load>(&stmt.node)) {
      possible = possible && is_shared_alike(lower, load->array);
      ++(is_scattered(lower, *load) ? scattered : operations);
    } else if (std::holds_alternative<ir::Fit>(stmt.node)) {
      operations += is_tested(stmt) ? 1 : 0;
    } else {
      const auto* guard = std::get_if<ir::Guard>(&stmt.node);
      possible = guard && is_shared_alike(lower, guard->array);
    }
    if (!possible) return false;
  }
  // Vectors of AVX-512 compute more at a time.
  return scattered > 0 && operations <= (lower.state.has_avx512 ? 1 : 2) * scattered;
}

// ---- What lanes have of their own in the loop ----

namespace {

// A slot of which each lane has a scalar in the loop.
struct OwnSlot {
  ir::SlotId slot;
  bool comes_in, goes_out;
  LaneSource lanes{};                 // what they bring, and take away
  std::array<SlotCells, 2> scalars{}; // of the two that go side by side
};

// How a loop uses the slots.
struct Uses {
  std::vector<std::size_t> reads;
  std::set<ir::SlotId> assigned, renewed; // renewed: by each iteration before it is read
};

} // namespace

static Uses uses_of(const Lowerer& lower, const ir::For& loop) {
  Uses uses{std::vector<std::size_t>(lower.slots.size()), {loop.variable}, {loop.variable}};
  for (const ir::Stmt& stmt : loop.body) {
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (operand.slot) ++uses.reads[static_cast<std::size_t>(*operand.slot)];
    });
    ir::visit_results(stmt, [&](ir::SlotId slot) {
      if (uses.reads[static_cast<std::size_t>(slot)] == 0) uses.renewed.insert(slot);
      uses.assigned.insert(slot);
    });
  }
  return uses;
}

// Returns the slots that the loop assigns, and those that it reads and that are not the same in all lanes.
static std::vector<OwnSlot> own_slots(const Lowerer& lower, const ir::For& loop) {
  const Uses uses = uses_of(lower, loop);
  std::vector<OwnSlot> own;
  for (std::size_t index = 0; index < uses.reads.size(); ++index) {
    if (is_array(lower.ir.slots[index].type)) continue;
    auto slot = static_cast<ir::SlotId>(index);
    bool assigned = uses.assigned.contains(slot), renewed = uses.renewed.contains(slot);
    bool is_read = uses.reads[index] > 0, read_outside = lower.definitions.reads(slot) > uses.reads[index];
    if (!assigned && (!is_read || is_uniform(lower.shapes.slots[index]))) continue;
    bool goes_out = assigned && (read_outside || !renewed);
    own.push_back({slot, goes_out || !assigned, goes_out});
  }
  return own;
}

bool goes_alone(const Lowerer& lower, const ir::For& loop) {
  if (loop.step.slot || ir::int_value(loop.step) != 1 || !is_mostly_loads(lower, loop.body)) return false;
  const std::vector<OwnSlot> own = own_slots(lower, loop);
  return std::all_of(own.begin(), own.end(), [&](const OwnSlot& each) {
    return !each.goes_out ||
           lower.shapes.slots[static_cast<std::size_t>(each.slot)].kind == Shape::Kind::Varying;
  });
}

// ---- The loop's variable ----

// Returns the slots that the variable is an index by: itself, or the i64 that the body makes of it first.
static std::set<ir::SlotId> names_of_variable(const Lowerer& lower, const ir::For& loop) {
  std::set<ir::SlotId> names{loop.variable};
  if (lower.definitions.writes(loop.variable) != 1) return names;
  for (const ir::Stmt& stmt : loop.body) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    if (!convert || convert->value.slot != loop.variable || !is_integer(convert->value.type)) continue;
    const ir::Slot& name = lower.ir.slots[static_cast<std::size_t>(assign->slot)];
    if (name.type == types::i64 && name.kind == ir::Slot::Kind::Temp) names.insert(assign->slot);
  }
  return names;
}

// The guards of the variable. They stand in every iteration, so of each lane all hold if they do at its ends.
static std::vector<const ir::Guard*> guards_of_variable(const Lowerer& lower, const ir::For& loop) {
  std::vector<const ir::Guard*> guards;
  if (lower.definitions.writes(loop.variable) != 1) return guards;
  const std::set<ir::SlotId> names = names_of_variable(lower, loop);
  for (const ir::Stmt& stmt : loop.body) {
    const auto* guard = std::get_if<ir::Guard>(&stmt.node);
    bool tested = guard && (guard->state == ir::GuardState::Kept || guard->state == ir::GuardState::Shadow);
    if (tested && guard->index.slot && names.contains(*guard->index.slot)) guards.push_back(guard);
  }
  return guards;
}

// ---- Code ----

namespace {

// A loop while lanes are scalars.
struct AloneLoop {
  const ir::For& source;
  ir::Body body;              // of an iteration of one lane
  std::set<ir::SlotId> names; // of the variable
  std::vector<OwnSlot> own;
  LaneSource start, count;
};

// A lane that is in it.
struct Lane {
  std::size_t side;
  llvm::Value *number, *start, *count; // i32, of the variable's type, i64
};

} // namespace

// Returns the statements that are left of an iteration if the loop tests the variable's range and writes its
// names.
static ir::Body body_of_lane(const Lowerer& lower, const ir::For& loop) {
  const std::set<ir::SlotId> names = names_of_variable(lower, loop);
  const std::vector<const ir::Guard*> tested = guards_of_variable(lower, loop);
  ir::Body body;
  for (const ir::Stmt& stmt : loop.body) {
    const auto* guard = std::get_if<ir::Guard>(&stmt.node);
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    bool holds = guard && std::find(tested.begin(), tested.end(), guard) != tested.end();
    if (!holds && !(assign && names.contains(assign->slot))) body.push_back(stmt);
  }
  return body;
}

static void begin_own(Lowerer& lower, OwnSlot& own) {
  const auto index = static_cast<std::size_t>(own.slot);
  ir::Operand outside{lower.ir.slots[index].type, own.slot};
  if (own.comes_in) own.lanes = lane_source(lower, read_value(lower, outside));
  llvm::Type* type = register_type(lower.state, lower.ir.slots[index].type->scalar);
  for (SlotCells& scalar : own.scalars) {
    scalar.cells = {Cell{.type = type, .is_bool = type->isIntegerTy(1)}};
    allocate(lower, scalar, "own", false);
  }
}

static Lane lane_at(Lowerer& scalars, const AloneLoop& loop, llvm::Value* number, std::size_t side) {
  return {side, number, at_lane(scalars, loop.start, number), at_lane(scalars, loop.count, number)};
}

static void load_own(Lowerer& scalars, const AloneLoop& loop, const Lane& lane) {
  for (const OwnSlot& own : loop.own)
    if (own.comes_in)
      write_cell(scalars, own.scalars[lane.side].cells[0], at_lane(scalars, own.lanes, lane.number));
}

static void store_own(Lowerer& scalars, const AloneLoop& loop, const Lane& lane) {
  for (const OwnSlot& own : loop.own) {
    if (!own.goes_out) continue;
    llvm::Value* value = read_cell(scalars, own.scalars[lane.side].cells[0]).value;
    if (own.lanes.is_bool) value = scalars.builder.CreateZExt(value, own.lanes.spilled.element);
    scalars.builder.CreateStore(value, lane_pointer(scalars, own.lanes.spilled, lane.number));
  }
}

// for number in range(first, end, step): body(number)
static void count_up(Lowerer& scalars, llvm::Value* first, llvm::Value* end, unsigned step,
                     const std::function<void(llvm::Value*)>& body) {
  llvm::IRBuilder<>& builder = scalars.builder;
  llvm::BasicBlock *before = builder.GetInsertBlock(), *head = new_block(scalars, "alone");
  llvm::BasicBlock *inside = new_block(scalars, "alone_body"), *done = new_block(scalars, "alone_done");
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode* number = builder.CreatePHI(first->getType(), 2);
  number->addIncoming(first, before);
  builder.CreateCondBr(builder.CreateICmpSLT(number, end), inside, done);
  builder.SetInsertPoint(inside);
  body(number);
  llvm::Value* next = builder.CreateNSWAdd(number, llvm::ConstantInt::get(first->getType(), step));
  number->addIncoming(next, builder.GetInsertBlock());
  // Guards leave it anywhere: unrolled it is larger, and no faster.
  forbid_unrolling(scalars, builder.CreateBr(head));
  builder.SetInsertPoint(done);
}

// Counted in 64 bits: the variable never wraps where it is narrower, so its names need no conversion.
static void write_variable(Lowerer& scalars, const AloneLoop& loop, const Lane& lane, llvm::Value* trip) {
  llvm::IRBuilder<>& builder = scalars.builder;
  llvm::Type* type = lane.start->getType();
  llvm::Value* start = builder.CreateIntCast(lane.start, trip->getType(), is_signed(loop.source.start.type));
  llvm::Value* value = builder.CreateAdd(start, trip);
  for (ir::SlotId name : loop.names)
    write(scalars, name, name == loop.source.variable ? builder.CreateTrunc(value, type) : value);
}

// The iterations of lanes side by side.
static void iterate(Lowerer& scalars, const AloneLoop& loop, std::span<const Lane> lanes, llvm::Value* first,
                    llvm::Value* end) {
  count_up(scalars, first, end, 1, [&](llvm::Value* trip) {
    for (const Lane& lane : lanes) {
      for (const OwnSlot& own : loop.own)
        scalars.slots[static_cast<std::size_t>(own.slot)] = own.scalars[lane.side];
      write_variable(scalars, loop, lane, trip);
      lower_body(scalars, loop.body);
    }
  });
}

static void one_lane(Lowerer& scalars, const AloneLoop& loop, const Lane& lane, llvm::Value* first) {
  load_own(scalars, loop, lane);
  iterate(scalars, loop, {&lane, 1}, first, lane.count);
  store_own(scalars, loop, lane);
}

// The lane with this number and the next, side by side, then the one that has more to do. Each iteration of a
// lane waits for its sum of the one before: two take 9 tenths of the time, and half of it where rows are
// long; four find too few registers.
static void two_lanes(Lowerer& scalars, const AloneLoop& loop, llvm::Value* number) {
  llvm::IRBuilder<>& builder = scalars.builder;
  Lane first = lane_at(scalars, loop, number, 0);
  Lane second = lane_at(scalars, loop, builder.CreateAdd(number, builder.getInt32(1)), 1);
  const Lane both[] = {first, second};
  for (const Lane& lane : both) load_own(scalars, loop, lane);
  llvm::Value* more = builder.CreateICmpSGT(second.count, first.count);
  auto choose = [&](llvm::Value* Lane::* part) {
    return builder.CreateSelect(more, second.*part, first.*part);
  };
  llvm::Value *zero = i64(scalars.state, 0), *less = builder.CreateSelect(more, first.count, second.count);
  llvm::Value* trips = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, less, zero);
  iterate(scalars, loop, both, zero, trips);
  for (const Lane& lane : both) store_own(scalars, loop, lane);
  Lane longer{0, choose(&Lane::number), choose(&Lane::start), choose(&Lane::count)};
  llvm::BasicBlock *rest = new_block(scalars, "rest"), *done = new_block(scalars, "rest_done");
  builder.CreateCondBr(builder.CreateICmpSGT(longer.count, trips), rest, done);
  builder.SetInsertPoint(rest);
  one_lane(scalars, loop, longer, trips);
  enter(scalars, done);
}

// Leaves where the variable of some lane goes out of range in its iterations, if it has any.
static void check_range(Lowerer& lower, const AloneLoop& loop, llvm::BasicBlock* leave) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* extent = nullptr;
  for (const ir::Guard* guard : guards_of_variable(lower, loop.source)) {
    llvm::Value* each = read_array(lower, guard->array).extents[static_cast<std::size_t>(guard->axis)].value;
    extent = extent ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, extent, each) : each;
  }
  if (!extent) return;
  llvm::Value *start = to_vector(lower, loop.start.value), *count = to_vector(lower, loop.count.value);
  start = builder.CreateIntCast(start, count->getType(), is_signed(loop.source.start.type));
  llvm::Value* zero = llvm::Constant::getNullValue(count->getType());
  llvm::Value* too_many = builder.CreateICmpSGT(count, builder.CreateSub(splat(lower, extent), start));
  llvm::Value* outside = builder.CreateOr(builder.CreateICmpSLT(start, zero), too_many);
  outside = builder.CreateAnd(outside, builder.CreateICmpSGT(count, zero));
  llvm::BasicBlock* inside = new_block(lower, "in_range");
  builder.CreateCondBr(any_lane(lower, outside), leave, inside);
  builder.SetInsertPoint(inside);
}

// The counts of the active lanes, 0 of others.
static Value active_counts(Lowerer& lower, const ir::For& loop) {
  Value count = read_value(lower, loop.count);
  if (!lower.lanes.masked) return count;
  llvm::Value* counts = to_vector(lower, count);
  return {blend(lower, counts, llvm::Constant::getNullValue(counts->getType())), varying_shape};
}

static llvm::Value* result_of(Lowerer& lower, const LaneSource& lanes) {
  llvm::Type* type = vector_of(lower, lanes.spilled.element);
  llvm::Value* value = lower.builder.CreateLoad(type, lanes.spilled.buffer);
  return lanes.is_bool ? lower.builder.CreateIsNotNull(value) : value;
}

void for_alone(Lowerer& lower, const ir::For& source, const std::function<void()>& otherwise) {
  llvm::IRBuilder<>& builder = lower.builder;
  AloneLoop loop{source,
                 body_of_lane(lower, source),
                 names_of_variable(lower, source),
                 own_slots(lower, source),
                 lane_source(lower, read_value(lower, source.start)),
                 lane_source(lower, active_counts(lower, source))};
  llvm::BasicBlock* not_alone = new_block(lower, "not_alone");
  check_range(lower, loop, not_alone);
  for (OwnSlot& own : loop.own) begin_own(lower, own);
  for (ir::SlotId slot : uses_of(lower, source).assigned) lower.hidden_slots.insert(slot);
  Lowerer scalars(lower, not_alone);
  llvm::Value *none = builder.getInt32(0), *all = builder.getInt32(lower.lane_count());
  // The masked copy runs at edges: two lanes side by side would only take longer to compile.
  bool often = !lower.lanes.masked || lower.lanes.plain_copy;
  count_up(scalars, none, all, often ? 2 : 1, [&](llvm::Value* number) {
    if (often) return two_lanes(scalars, loop, number);
    one_lane(scalars, loop, lane_at(scalars, loop, number, 0), i64(lower.state, 0));
  });
  builder.SetInsertPoint(scalars.builder.GetInsertBlock());
  for (const OwnSlot& own : loop.own)
    if (own.goes_out) write(lower, own.slot, result_of(lower, own.lanes));
  llvm::BasicBlock* done = builder.GetInsertBlock();
  builder.SetInsertPoint(not_alone);
  otherwise();
  builder.SetInsertPoint(done);
}

} // namespace kern::lowering
