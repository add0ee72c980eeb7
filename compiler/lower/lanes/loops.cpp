// Loops with several lanes. Where lanes go round alike a loop is one of scalars; where they leave one by one,
// masks say who is still in it. The state of a `for` is in allocas, so that the masked copy can take over in
// any iteration.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

bool is_divergent_loop(const Lowerer& lower, const ir::Stmt& stmt) {
  const ControlShape& shape = lower.shapes.control(stmt);
  return shape.varying || shape.varying_break || shape.varying_continue;
}

// ---- while ----

static void make_loop_masks(Lowerer& lower, Construct& construct) {
  mask_slot(lower, construct.saved, "saved");
  mask_slot(lower, construct.running, "running");
  mask_slot(lower, construct.continued, "continued");
}

struct LoopBlocks {
  llvm::BasicBlock *head, *body, *next, *done;
};

static LoopBlocks make_blocks(Lowerer& lower) {
  return {new_block(lower, "loop"), new_block(lower, "body"), new_block(lower, "next"),
          new_block(lower, "endloop")};
}

static void loop_part(Lowerer& lower, const ir::Body& body, llvm::BasicBlock* skip, Construct* construct,
                      const LoopBlocks& blocks) {
  lower.lanes.loops.push_back({construct, blocks.next, blocks.done});
  lower_inner(lower, body, skip);
  lower.lanes.loops.pop_back();
}

// All lanes enter.
static void begin_running(Lowerer& lower, Construct& construct) {
  copy_mask(lower, lower.lanes.active, construct.saved);
  copy_mask(lower, lower.lanes.active, construct.running);
}

static void begin_iteration(Lowerer& lower, Construct& construct) {
  llvm::Value* running = load_mask(lower, construct.running);
  running = lower.builder.CreateAnd(running, load_mask(lower, lower.lanes.present));
  set_active(lower, running);
  store_mask(lower, construct.continued, full_mask(lower, false));
}

// Only lanes in which the condition holds go on; nobody leaves the loop for good but by a mask.
static void test_running(Lowerer& lower, Construct& construct, llvm::Value* condition,
                         const LoopBlocks& blocks) {
  llvm::Value* running = load_mask(lower, construct.running);
  running = lower.builder.CreateAnd(running, load_mask(lower, lower.lanes.present));
  running = lower.builder.CreateAnd(running, condition);
  store_mask(lower, construct.running, running);
  set_active(lower, running);
  lower.builder.CreateCondBr(any_lane(lower, running), blocks.body, blocks.done);
}

// Goes back to the head. The masked copy is there for the vectors at the edges: unrolled, it would take
// longer to compile than all the rest.
static void go_back(Lowerer& lower, llvm::BasicBlock* head) {
  llvm::BranchInst* back = lower.builder.CreateBr(head);
  if (!lower.lanes.masked || lower.lanes.plain_copy) return;
  forbid_unrolling(lower, back);
}

// Back to the head while some lane is running.
static void go_round(Lowerer& lower, const ir::Stmt& stmt, const Construct& construct,
                     const LoopBlocks& blocks) {
  if (!may_drop(stmt)) return go_back(lower, blocks.head);
  llvm::Value* running = load_mask(lower, construct.running);
  running = lower.builder.CreateAnd(running, load_mask(lower, lower.lanes.present));
  lower.builder.CreateCondBr(any_lane(lower, running), blocks.head, blocks.done);
}

// Lanes outside of the loop get their variables back before it is asked whether any has come through it: where
// none has, they go on elsewhere.
static void end_divergent_loop(Lowerer& lower, const ir::Stmt& stmt, Construct& construct,
                               const std::vector<ir::SlotId>& running_on) {
  end_running_on(lower, running_on);
  set_active(lower, remaining(lower, load_mask(lower, construct.saved)));
  finish_masked(lower, stmt);
}

static void while_divergent(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt) {
  Construct& construct = construct_of(lower, stmt);
  make_loop_masks(lower, construct);
  LoopBlocks blocks = make_blocks(lower);
  llvm::BasicBlock* test = new_block(lower, "test");
  begin_running(lower, construct);
  std::vector<ir::SlotId> running_on = begin_running_on(lower, stmt);
  enter(lower, blocks.head);
  open_construct(lower, OpenConstruct::Kind::Loop, &construct);
  begin_iteration(lower, construct);
  loop_part(lower, loop.head, blocks.next, &construct, blocks);
  enter(lower, test);
  test_running(lower, construct, read(lower, loop.condition, Form::Vector), blocks);
  lower.builder.SetInsertPoint(blocks.body);
  loop_part(lower, loop.body, blocks.next, &construct, blocks);
  enter(lower, blocks.next);
  go_round(lower, stmt, construct, blocks);
  lower.builder.SetInsertPoint(blocks.done);
  lower.lanes.open.pop_back();
  end_divergent_loop(lower, stmt, construct, running_on);
}

// Every lane goes round as often as the others, unless it leaves the kernel.
static void while_together(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt) {
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  open_construct(lower, OpenConstruct::Kind::Loop, nullptr);
  loop_part(lower, loop.head, blocks.done, nullptr, blocks);
  if (!ended(lower)) lower.builder.CreateCondBr(read(lower, loop.condition), blocks.body, blocks.done);
  lower.builder.SetInsertPoint(blocks.body);
  loop_part(lower, loop.body, blocks.done, nullptr, blocks);
  enter(lower, blocks.next);
  go_back(lower, blocks.head);
  lower.builder.SetInsertPoint(blocks.done);
  lower.lanes.open.pop_back();
  if (lower.lanes.masked) finish_masked(lower, stmt);
}

void while_lanes(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt) {
  if (!is_divergent_loop(lower, stmt)) return while_together(lower, loop, stmt);
  if (lower.lanes.masked) return while_divergent(lower, loop, stmt);
  in_masks(lower, stmt, [&] { while_divergent(lower, loop, stmt); });
}

// ---- for ----

static Cell state_cell(Lowerer& lower, const Value& value, const char* name) {
  Cell cell{.type = value.value->getType(), .shape = value.shape};
  cell.pointer = entry_alloca(lower, cell.type, name);
  return cell;
}

static void keep_operand(Lowerer& lower, Cell& cell, const ir::Operand& operand, const char* name) {
  Value value = read_value(lower, operand);
  if (!cell.pointer) cell = state_cell(lower, value, name);
  write_cell(lower, cell, value.value);
}

// A grid-stride loop: the lanes start next to each other and go up by one step to one stop. Then one scalar
// says of every trip which lanes are in it: the distance from lane 0 to the stop, 0 where it is beyond. Their
// counts, each a division, are not needed. In a loop that lanes leave together, which may be known to have no
// trips, it is the count that all have.
bool counts_by_distance(const Lowerer& lower, const ir::For& loop) {
  if (!loop.stop || !is_varying(lower, loop.count) || shape_of(lower, loop.start) != linear_shape(1))
    return false;
  return lower.shapes.is_exact(loop.start) && lower.shapes.range_of(loop.start).low >= 0 &&
         lower.shapes.range_of(loop.step).low > 0 && !is_varying(lower, *loop.stop) &&
         !is_varying(lower, loop.step);
}

static void begin_distance(Lowerer& lower, const ir::For& loop, Construct& construct) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* stop = read(lower, *loop.stop);
  llvm::Value* start = widen_first(lower, loop.start, read(lower, loop.start), stop->getType());
  llvm::Value* zero = i64(lower.state, 0);
  if (!construct.distance) construct.distance = entry_alloca(lower, stop->getType(), "distance");
  builder.CreateStore(
      builder.CreateSelect(builder.CreateICmpSLT(start, stop), builder.CreateSub(stop, start), zero),
      construct.distance);
}

static void begin_for(Lowerer& lower, const ir::For& loop, Construct& construct) {
  keep_operand(lower, construct.start, loop.start, "start");
  keep_operand(lower, construct.step, loop.step, "step");
  if (counts_by_distance(lower, loop)) {
    begin_distance(lower, loop, construct);
  } else {
    keep_operand(lower, construct.count, loop.count, "count");
  }
  if (!construct.trip) construct.trip = entry_alloca(lower, lower.builder.getInt64Ty(), "trip");
  lower.builder.CreateStore(i64(lower.state, 0), construct.trip);
}

static llvm::Value* load_trip(Lowerer& lower, const Construct& construct) {
  return lower.builder.CreateLoad(lower.builder.getInt64Ty(), construct.trip);
}

static llvm::Value* load_distance(Lowerer& lower, const Construct& construct) {
  return lower.builder.CreateLoad(lower.builder.getInt64Ty(), construct.distance);
}

// How far the trip has gone: less than the distance and a step, so that it fits 64 bits without sign.
static llvm::Value* gone(Lowerer& lower, const Construct& construct, llvm::Value* trip) {
  return lower.builder.CreateMul(
      trip, lower.builder.CreateZExt(read_cell(lower, construct.step).value, trip->getType()));
}

// The distance that is left before a trip, without sign.
static llvm::Value* distance_left(Lowerer& lower, const Construct& construct) {
  llvm::Value* moved = gone(lower, construct, load_trip(lower, construct));
  return lower.builder.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, load_distance(lower, construct),
                                             moved);
}

static llvm::Value* below_count(Lowerer& lower, const Construct& construct) {
  if (construct.distance) return lanes_below(lower, distance_left(lower, construct));
  Value count = read_cell(lower, construct.count);
  llvm::Value* trip = load_trip(lower, construct);
  if (count.shape.kind == Shape::Kind::Uniform) return lower.builder.CreateICmpSLT(trip, count.value);
  return lower.builder.CreateICmpSLT(splat(lower, trip), to_vector(lower, count));
}

// Whether some lane has not gone round as often as it must; all of them went round alike.
static llvm::Value* some_left(Lowerer& lower, const Construct& construct) {
  if (construct.distance) return lower.builder.CreateIsNotNull(distance_left(lower, construct));
  return any_lane(lower, splat(lower, below_count(lower, construct)));
}

// variable = start + trip * step, in the variable's shape.
static void set_variable(Lowerer& lower, const ir::For& loop, const Construct& construct) {
  llvm::IRBuilder<>& builder = lower.builder;
  Value start = read_cell(lower, construct.start), step = read_cell(lower, construct.step);
  llvm::Value* trip =
      builder.CreateTrunc(load_trip(lower, construct), start.value->getType()->getScalarType());
  bool varying = shape_of(lower, {types::i64, loop.variable}).kind == Shape::Kind::Varying &&
                 (start.shape.kind != Shape::Kind::Uniform || step.shape.kind != Shape::Kind::Uniform);
  if (!varying)
    return write(lower, loop.variable, builder.CreateAdd(start.value, builder.CreateMul(trip, step.value)));
  llvm::Value* moved = builder.CreateMul(splat(lower, trip), to_vector(lower, step));
  write(lower, loop.variable, builder.CreateAdd(to_vector(lower, start), moved));
}

static void next_trip(Lowerer& lower, const Construct& construct) {
  llvm::Value* next = lower.builder.CreateNSWAdd(load_trip(lower, construct), i64(lower.state, 1));
  lower.builder.CreateStore(next, construct.trip);
}

// The masked iterations of a `for` from the present trip on; `running` is set, and so is what lanes had of the
// variables that run on.
static void for_divergent(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt, Construct& construct,
                          const std::vector<ir::SlotId>& running_on) {
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  enter_from_plain(lower, &stmt, head_point);
  open_construct(lower, OpenConstruct::Kind::Loop, &construct);
  begin_iteration(lower, construct);
  test_running(lower, construct, splat(lower, below_count(lower, construct)), blocks);
  lower.builder.SetInsertPoint(blocks.body);
  set_variable(lower, loop, construct);
  loop_part(lower, loop.body, blocks.next, &construct, blocks);
  enter(lower, blocks.next);
  next_trip(lower, construct);
  go_round(lower, stmt, construct, blocks);
  lower.builder.SetInsertPoint(blocks.done);
  lower.lanes.open.pop_back();
  end_divergent_loop(lower, stmt, construct, running_on);
}

// Whether a loop is a few iterations of little, and not one of many such: written out, what follows from its
// variable is known. LLVM counts all the ways of a load, of which a vector goes one.
static bool is_short(const ir::For& loop) {
  static constexpr std::int64_t most_trips = 8;
  if (loop.count.slot || ir::int_value(loop.count) > most_trips) return false;
  return std::all_of(loop.body.begin(), loop.body.end(), [](const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Assign>(stmt.node) || std::holds_alternative<ir::Load>(stmt.node) ||
           ir::guard_state(stmt);
  });
}

// Goes back to the head of a loop, which LLVM writes out where it is short.
static void go_back_or_write_out(Lowerer& lower, const ir::For& loop, llvm::BasicBlock* head) {
  static constexpr std::int64_t most_statements = 256; // of a function
  if (loop.unroll == 1) return forbid_unrolling(lower, lower.builder.CreateBr(head));
  if (!is_short(loop)) return go_back(lower, head);
  std::int64_t statements = ir::int_value(loop.count) * static_cast<std::int64_t>(loop.body.size());
  if (lower.lanes.written_out + statements > most_statements) return go_back(lower, head);
  lower.lanes.written_out += statements;
  hint_loop(lower, lower.builder.CreateBr(head),
            llvm::MDString::get(lower.state.context, "llvm.loop.unroll.full"));
}

static void for_together(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt, Construct& construct) {
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  open_construct(lower, OpenConstruct::Kind::Loop, nullptr);
  llvm::Value* goes_on = below_count(lower, construct);
  assert(!goes_on->getType()->isVectorTy());
  lower.builder.CreateCondBr(goes_on, blocks.body, blocks.done);
  lower.builder.SetInsertPoint(blocks.body);
  set_variable(lower, loop, construct);
  loop_part(lower, loop.body, blocks.done, nullptr, blocks);
  enter(lower, blocks.next);
  next_trip(lower, construct);
  go_back_or_write_out(lower, loop, blocks.head);
  lower.builder.SetInsertPoint(blocks.done);
  lower.lanes.open.pop_back();
  if (lower.lanes.masked) finish_masked(lower, stmt);
}

// How often the lane goes round that does so least often.
static llvm::Value* least_count(Lowerer& lower, const Construct& construct) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (!construct.distance)
    return builder.CreateIntMinReduce(to_vector(lower, read_cell(lower, construct.count)), true);
  llvm::Value* one = i64(lower.state, 1);
  llvm::Value* distance = builder.CreateBinaryIntrinsic(
      llvm::Intrinsic::usub_sat, load_distance(lower, construct), i64(lower.state, lower.lane_count() - 1));
  llvm::Value* step = builder.CreateZExt(read_cell(lower, construct.step).value, builder.getInt64Ty());
  llvm::Value* count = builder.CreateAdd(builder.CreateUDiv(builder.CreateSub(distance, one), step), one);
  return builder.CreateSelect(builder.CreateIsNull(distance), i64(lower.state, 0), count);
}

// The trips of a grid-stride loop lie too far apart for the processor to foresee the next one, but the lanes
// of the next vectors take the same trips, one cache line on: a histogram of 100 MB takes 35 ms, not 42 to 51
// where it does not go by strips. Where there are so many trips that the line would be gone by then, the same
// line is asked for, which does nothing.
static llvm::Value* bytes_ahead(Lowerer& lower, llvm::Value* trips) {
  static constexpr std::int64_t line = 64, most_trips = 128;
  llvm::Value* few = lower.builder.CreateICmpULE(trips, i64(lower.state, most_trips));
  return lower.builder.CreateSelect(few, i64(lower.state, line), i64(lower.state, 0));
}

// In the plain copy, counts that follow from thread indices: all lanes go round together as often as the one
// with the lowest count; if others have more to do, the masked copy goes on from there.
static void for_geometric(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt, Construct& construct) {
  llvm::IRBuilder<>& builder = lower.builder;
  make_loop_masks(lower, construct);
  llvm::Value* least = entry_alloca(lower, builder.getInt64Ty(), "least");
  builder.CreateStore(least_count(lower, construct), least);
  LoopBlocks blocks = make_blocks(lower);
  bool strips = stops(lower, stmt);
  if (strips)
    resume(lower, blocks.head, construct.trip, least, read_cell(lower, construct.step).value,
           [&] { begin_for(lower, loop, construct); });
  enter(lower, blocks.head);
  open_construct(lower, OpenConstruct::Kind::Loop, &construct);
  llvm::Value* together_in = builder.CreateLoad(builder.getInt64Ty(), least);
  builder.CreateCondBr(builder.CreateICmpSLT(load_trip(lower, construct), together_in), blocks.body,
                       blocks.done);
  builder.SetInsertPoint(blocks.body);
  set_variable(lower, loop, construct);
  Ahead ahead;
  if (strips) ahead.elements = elements_ahead(lower, read_cell(lower, construct.step).value);
  if (construct.distance && !strips) ahead.bytes = bytes_ahead(lower, together_in);
  Ahead outer = std::exchange(lower.lanes.ahead, ahead);
  loop_part(lower, loop.body, blocks.done, nullptr, blocks);
  lower.lanes.ahead = outer;
  enter(lower, blocks.next);
  next_trip(lower, construct);
  if (strips) stop(lower, construct.trip, least);
  llvm::BranchInst* back = builder.CreateBr(blocks.head);
  // Long strides wait for memory: unrolled by eight, such a loop runs no faster.
  if (construct.distance) forbid_unrolling(lower, back);
  builder.SetInsertPoint(blocks.done);
  llvm::BasicBlock* rest = new_block(lower, "rest");
  llvm::BasicBlock* together = new_block(lower, "together");
  builder.CreateCondBr(some_left(lower, construct), rest, together);
  builder.SetInsertPoint(rest);
  leave_plain_copy(lower, &stmt, head_point);
  lower.lanes.open.pop_back();
  builder.SetInsertPoint(together);
}

static bool holds_own_break(const ir::Stmt& stmt) {
  return ir::any(
      stmt, [](const ir::Stmt& inner) { return std::holds_alternative<ir::Break>(inner.node); },
      [](const ir::Stmt& inner) { return !ir::is_loop(inner); });
}

static bool jumps(const Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt) {
  return lower.shapes.control(stmt).varying_continue ||
         std::any_of(loop.body.begin(), loop.body.end(), holds_own_break);
}

bool is_geometric_loop(const Lowerer& lower, const ir::Stmt& stmt) {
  const auto& loop = std::get<ir::For>(stmt.node);
  return is_divergent_loop(lower, stmt) && is_varying(lower, loop.count) &&
         lower.lanes.computed[static_cast<std::size_t>(*loop.count.slot)] && !jumps(lower, loop, stmt);
}

// Lanes leave one by one as their counts say, which the threads' indices do not tell.
static bool counts_apart(const Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt) {
  const ControlShape& shape = lower.shapes.control(stmt);
  return shape.varying && !shape.varying_break && !shape.varying_continue && is_varying(lower, loop.count) &&
         !lower.lanes.computed[static_cast<std::size_t>(*loop.count.slot)];
}

static void for_vectors(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt) {
  Construct& construct = construct_of(lower, stmt);
  begin_for(lower, loop, construct);
  if (!is_divergent_loop(lower, stmt)) return for_together(lower, loop, stmt, construct);
  if (!lower.lanes.masked && is_geometric_loop(lower, stmt))
    return for_geometric(lower, loop, stmt, construct);
  auto masked = [&] {
    make_loop_masks(lower, construct);
    begin_running(lower, construct);
    // With a jump of its own no lane comes here from the plain copy.
    std::vector<ir::SlotId> running_on;
    if (jumps(lower, loop, stmt)) running_on = begin_running_on(lower, stmt);
    for_divergent(lower, loop, stmt, construct, running_on);
  };
  if (lower.lanes.masked) return masked();
  in_masks(lower, stmt, masked);
}

void for_lanes(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt) {
  if (!counts_apart(lower, loop, stmt) || !goes_alone(lower, loop)) return for_vectors(lower, loop, stmt);
  if (lower.lanes.plain_copy)
    return for_alone(lower, loop, [&] { leave_plain_copy(lower, &stmt, start_point); });
  llvm::BasicBlock *vectors = new_block(lower, "vectors"), *done = new_block(lower, "endloop");
  for_alone(lower, loop, [&] { lower.builder.CreateBr(vectors); });
  lower.builder.CreateBr(done);
  lower.builder.SetInsertPoint(vectors);
  enter_from_plain(lower, &stmt, start_point);
  for_vectors(lower, loop, stmt);
  enter(lower, done);
}

} // namespace kern::lowering
