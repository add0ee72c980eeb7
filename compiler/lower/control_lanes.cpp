// Control flow with several lanes. The code of a segment stands twice, over the same slots:
//
//   * The plain copy, for vectors all of whose lanes live. A statement list runs without masks; a condition
//   that is one for
//     the vector is a branch. A condition over thread indices alone is tested for all lanes at once, and
//     where the lanes differ (rare: the end of a row) control leaves for the masked copy. Other conditions
//     run masked and come back.
//   * The masked copy, for everything else. It is entered at its start by vectors that lack a lane, and in
//   the middle from the
//     plain copy at a guard that fails or where lanes part; it never goes back, so the plain copy stays
//     clean.
//
// A masked region is entered only if a lane is active. The masks of a construct are in allocas that both
// copies share: who leaves the plain copy sets those of the constructs around to what they stand for there.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"
#include "compiler/support/overloaded.h"

namespace kern::lowering {

// ---- What a statement may do to lanes ----

static bool may_leave(const ir::Stmt& stmt) {
  const auto* guard = std::get_if<ir::Guard>(&stmt.node);
  return (guard && guard->state != ir::GuardState::Proved) || std::holds_alternative<ir::Check>(stmt.node) ||
         std::holds_alternative<ir::Return>(stmt.node) || std::holds_alternative<ir::Call>(stmt.node);
}

static bool any_inside(const ir::Stmt& stmt, const std::function<bool(const ir::Stmt&)>& test) {
  if (test(stmt)) return true;
  bool found = false;
  ir::visit_bodies(stmt, [&](const ir::Body& body) {
    for (const ir::Stmt& inner : body) found = found || any_inside(inner, test);
  });
  return found;
}

// Lanes that came to the statement may be gone after it.
static bool may_drop(const ir::Stmt& stmt) {
  return any_inside(stmt, [](const ir::Stmt& inner) {
    return may_leave(inner) || std::holds_alternative<ir::Break>(inner.node) ||
           std::holds_alternative<ir::Continue>(inner.node);
  });
}

// As may_drop, in the plain copy, where a failing guard leaves the copy.
static bool may_return(const ir::Stmt& stmt) {
  return any_inside(stmt, [](const ir::Stmt& inner) {
    return std::holds_alternative<ir::Return>(inner.node) || std::holds_alternative<ir::Call>(inner.node);
  });
}

static bool is_varying(const Lowerer& lower, const ir::Operand& operand) {
  return shape_of(lower, operand).kind != Shape::Kind::Uniform;
}

// Lanes may leave the loop one by one.
static bool is_divergent_loop(const Lowerer& lower, const ir::Stmt& stmt) {
  const ControlShape& shape = lower.shapes.control(stmt);
  return shape.varying || shape.varying_break || shape.varying_continue;
}

// ---- Masks of constructs ----

static Construct& construct_of(Lowerer& lower, const ir::Stmt& stmt) { return lower.lanes.constructs[&stmt]; }

static llvm::Value* mask_slot(Lowerer& lower, llvm::Value*& slot, const char* name) {
  if (!slot) slot = new_mask_slot(lower, name);
  return slot;
}

static void copy_mask(Lowerer& lower, llvm::Value* from, llvm::Value* to) {
  lower.builder.CreateStore(lower.builder.CreateLoad(mask_type(lower.state), from), to);
}

// The lanes of `mask` that have neither left, nor broken out of the loop around, nor finished its iteration.
static llvm::Value* remaining(Lowerer& lower, llvm::Value* mask) {
  llvm::IRBuilder<>& builder = lower.builder;
  mask = builder.CreateAnd(mask, load_mask(lower, lower.lanes.present));
  if (lower.lanes.loops.empty() || !lower.lanes.loops.back().construct) return mask;
  const Construct& loop = *lower.lanes.loops.back().construct;
  mask = builder.CreateAnd(mask, load_mask(lower, loop.running));
  return builder.CreateAnd(mask, builder.CreateNot(load_mask(lower, loop.continued)));
}

static void set_active(Lowerer& lower, llvm::Value* mask) { store_mask(lower, lower.lanes.active, mask); }

// Goes on only where a lane is still active.
static void skip_if_none(Lowerer& lower) {
  llvm::BasicBlock* some = new_block(lower, "some");
  lower.builder.CreateCondBr(any_lane(lower, active_lanes(lower)), some, lower.lanes.skip);
  lower.builder.SetInsertPoint(some);
}

static void open(Lowerer& lower, OpenConstruct::Kind kind, Construct* construct) {
  lower.lanes.open.push_back({kind, construct, !lower.lanes.masked});
}

// Lowers a body whose lanes, once all are gone, go to `skip`.
static void lower_inner(Lowerer& lower, const ir::Body& body, llvm::BasicBlock* skip) {
  llvm::BasicBlock* outer = std::exchange(lower.lanes.skip, skip);
  lower_lane_body(lower, body);
  lower.lanes.skip = outer;
}

// ---- Leaving the plain copy ----

static void set_plain_masks(Lowerer& lower) {
  llvm::Constant *all = full_mask(lower.state, true), *none = full_mask(lower.state, false);
  for (const OpenConstruct& outer : lower.lanes.open) {
    if (!outer.plain || !outer.construct) continue;
    const Construct& construct = *outer.construct;
    if (construct.saved) store_mask(lower, construct.saved, all);
    if (construct.chosen)
      store_mask(lower, construct.chosen, outer.kind == OpenConstruct::Kind::Then ? all : none);
    if (construct.running) store_mask(lower, construct.running, all);
    if (construct.continued) store_mask(lower, construct.continued, none);
  }
}

static llvm::BasicBlock* side_entry(Lowerer& lower, const void* stmt, int point) {
  llvm::BasicBlock*& block = lower.lanes.side_entries[{stmt, point}];
  if (!block) block = new_block(lower, "from_plain");
  return block;
}

void leave_plain_copy(Lowerer& lower, const void* stmt, int point) {
  set_plain_masks(lower);
  if (!lower.lanes.masked) set_active(lower, full_mask(lower.state, true));
  lower.builder.CreateBr(side_entry(lower, stmt, point));
}

void leave_plain_copy_with(Lowerer& lower, const void* stmt, int point, llvm::Value* lanes) {
  set_plain_masks(lower);
  store_mask(lower, lower.lanes.present, lanes);
  set_active(lower, lanes);
  lower.builder.CreateBr(side_entry(lower, stmt, point));
}

void enter_from_plain(Lowerer& lower, const void* stmt, int point) {
  if (lower.lanes.plain_copy) return;
  auto found = lower.lanes.side_entries.find({stmt, point});
  if (found != lower.lanes.side_entries.end()) enter(lower, found->second);
}

// After a masked region of the plain copy: all lanes go on together unless some returned.
static void rejoin_plain(Lowerer& lower, const ir::Stmt& stmt) {
  lower.lanes.masked = false;
  if (!may_return(stmt)) return;
  llvm::BasicBlock* parted = new_block(lower, "parted");
  llvm::BasicBlock* together = new_block(lower, "together");
  llvm::Value* present = load_mask(lower, lower.lanes.present);
  lower.builder.CreateCondBr(all_lanes(lower, present), together, parted);
  lower.builder.SetInsertPoint(parted);
  leave_plain_copy_with(lower, &stmt, after_point, present);
  lower.builder.SetInsertPoint(together);
}

// The end of a construct in masked code: whoever is left goes on.
static void finish_masked(Lowerer& lower, const ir::Stmt& stmt) {
  enter_from_plain(lower, &stmt, after_point);
  if (may_drop(stmt)) skip_if_none(lower);
}

// ---- if ----

static void if_uniform(Lowerer& lower, const ir::If& branch, const ir::Stmt& stmt) {
  llvm::BasicBlock* then_block = new_block(lower, "then");
  llvm::BasicBlock* else_block = new_block(lower, "else");
  llvm::BasicBlock* done = new_block(lower, "endif");
  lower.builder.CreateCondBr(read(lower, branch.condition), then_block, else_block);
  lower.builder.SetInsertPoint(then_block);
  open(lower, OpenConstruct::Kind::Then, nullptr);
  lower_inner(lower, branch.then_body, done);
  if (!ended(lower)) lower.builder.CreateBr(done);
  lower.builder.SetInsertPoint(else_block);
  lower_inner(lower, branch.else_body, done);
  lower.lanes.open.pop_back();
  enter(lower, done);
  if (lower.lanes.masked) finish_masked(lower, stmt);
}

static void make_if_masks(Lowerer& lower, Construct& construct) {
  mask_slot(lower, construct.saved, "saved");
  mask_slot(lower, construct.chosen, "chosen");
}

static void if_masked(Lowerer& lower, const ir::If& branch, const ir::Stmt& stmt) {
  llvm::IRBuilder<>& builder = lower.builder;
  Construct& construct = construct_of(lower, stmt);
  make_if_masks(lower, construct);
  llvm::BasicBlock* then_block = new_block(lower, "then");
  llvm::BasicBlock* then_end = new_block(lower, "endthen");
  llvm::BasicBlock* done = new_block(lower, "endif");
  copy_mask(lower, lower.lanes.active, construct.saved);
  llvm::Value* chosen = builder.CreateAnd(active_lanes(lower), read(lower, branch.condition, Form::Vector));
  store_mask(lower, construct.chosen, chosen);
  builder.CreateCondBr(any_lane(lower, chosen), then_block, then_end);
  builder.SetInsertPoint(then_block);
  set_active(lower, chosen);
  open(lower, OpenConstruct::Kind::Then, &construct);
  lower_inner(lower, branch.then_body, then_end);
  enter(lower, then_end);
  lower.lanes.open.back().kind = OpenConstruct::Kind::Else;
  if (!branch.else_body.empty()) {
    llvm::BasicBlock* else_block = new_block(lower, "else");
    llvm::Value* others = builder.CreateAnd(load_mask(lower, construct.saved),
                                            builder.CreateNot(load_mask(lower, construct.chosen)));
    builder.CreateCondBr(any_lane(lower, others), else_block, done);
    builder.SetInsertPoint(else_block);
    set_active(lower, others);
    lower_inner(lower, branch.else_body, done);
  }
  enter(lower, done);
  lower.lanes.open.pop_back();
  llvm::Value* saved = load_mask(lower, construct.saved);
  set_active(lower, may_drop(stmt) ? remaining(lower, saved) : saved);
  finish_masked(lower, stmt);
}

// In the plain copy: all lanes one way or all the other; else the masked copy takes over before the `if`.
static void if_geometric(Lowerer& lower, const ir::If& branch, const ir::Stmt& stmt) {
  llvm::IRBuilder<>& builder = lower.builder;
  Construct& construct = construct_of(lower, stmt);
  make_if_masks(lower, construct);
  llvm::BasicBlock* then_block = new_block(lower, "then");
  llvm::BasicBlock* other = new_block(lower, "not_all");
  llvm::BasicBlock* else_block = new_block(lower, "else");
  llvm::BasicBlock* mixed = new_block(lower, "mixed");
  llvm::BasicBlock* done = new_block(lower, "endif");
  auto [all, none] = test_condition(lower, branch.condition);
  builder.CreateCondBr(all, then_block, other);
  builder.SetInsertPoint(other);
  builder.CreateCondBr(none, else_block, mixed);
  builder.SetInsertPoint(mixed);
  leave_plain_copy(lower, &stmt, start_point);
  builder.SetInsertPoint(then_block);
  open(lower, OpenConstruct::Kind::Then, &construct);
  lower_inner(lower, branch.then_body, done);
  if (!ended(lower)) builder.CreateBr(done);
  builder.SetInsertPoint(else_block);
  lower.lanes.open.back().kind = OpenConstruct::Kind::Else;
  lower_inner(lower, branch.else_body, done);
  enter(lower, done);
  lower.lanes.open.pop_back();
}

// Runs masked code in the plain copy, with every lane in it at first.
static void in_masks(Lowerer& lower, const ir::Stmt& stmt, const std::function<void()>& body) {
  lower.lanes.masked = true;
  // No lane is left behind it only where all have returned.
  llvm::BasicBlock* skip = std::exchange(lower.lanes.skip, lower.lanes.end);
  set_active(lower, full_mask(lower.state, true));
  body();
  if (!ended(lower)) rejoin_plain(lower, stmt);
  lower.lanes.skip = skip;
  lower.lanes.masked = false;
}

static void lower_if(Lowerer& lower, const ir::If& branch, const ir::Stmt& stmt) {
  enter_from_plain(lower, &stmt, start_point);
  if (!is_varying(lower, branch.condition)) return if_uniform(lower, branch, stmt);
  if (lower.lanes.masked) return if_masked(lower, branch, stmt);
  if (lower.lanes.geometric[static_cast<std::size_t>(*branch.condition.slot)])
    return if_geometric(lower, branch, stmt);
  in_masks(lower, stmt, [&] { if_masked(lower, branch, stmt); });
}

// ---- Loops ----

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
  store_mask(lower, construct.continued, full_mask(lower.state, false));
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
  llvm::LLVMContext& context = lower.state.context;
  llvm::MDNode* hint = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, hint});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

// Back to the head while some lane is running.
static void go_round(Lowerer& lower, const ir::Stmt& stmt, const Construct& construct,
                     const LoopBlocks& blocks) {
  if (!may_drop(stmt)) return go_back(lower, blocks.head);
  llvm::Value* running = load_mask(lower, construct.running);
  running = lower.builder.CreateAnd(running, load_mask(lower, lower.lanes.present));
  lower.builder.CreateCondBr(any_lane(lower, running), blocks.head, blocks.done);
}

static void end_divergent_loop(Lowerer& lower, const ir::Stmt& stmt, Construct& construct) {
  set_active(lower, remaining(lower, load_mask(lower, construct.saved)));
  finish_masked(lower, stmt);
}

static void while_divergent(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt) {
  Construct& construct = construct_of(lower, stmt);
  make_loop_masks(lower, construct);
  LoopBlocks blocks = make_blocks(lower);
  llvm::BasicBlock* test = new_block(lower, "test");
  begin_running(lower, construct);
  enter(lower, blocks.head);
  open(lower, OpenConstruct::Kind::Loop, &construct);
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
  end_divergent_loop(lower, stmt, construct);
}

// Every lane goes round as often as the others, unless it leaves the kernel.
static void while_together(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt) {
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  open(lower, OpenConstruct::Kind::Loop, nullptr);
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

static void lower_while(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt) {
  if (!is_divergent_loop(lower, stmt)) return while_together(lower, loop, stmt);
  if (lower.lanes.masked) return while_divergent(lower, loop, stmt);
  in_masks(lower, stmt, [&] { while_divergent(lower, loop, stmt); });
}

// ---- for: its state is in allocas, so that the masked copy can take over in any iteration ----

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
// counts, each a division, are not needed.
bool counts_by_distance(const Lowerer& lower, const ir::For& loop) {
  if (!loop.stop || shape_of(lower, loop.start) != linear_shape(1)) return false;
  return lower.shapes.is_exact(loop.start) && lower.shapes.range_of(loop.start).low >= 0 &&
         lower.shapes.range_of(loop.step).low > 0 && !is_varying(lower, *loop.stop) &&
         !is_varying(lower, loop.step);
}

static void begin_distance(Lowerer& lower, const ir::For& loop, Construct& construct) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* stop = read(lower, *loop.stop);
  llvm::Value* start =
      builder.CreateIntCast(read(lower, loop.start), stop->getType(), is_signed(loop.start.type));
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

// The masked iterations of a `for` from the present trip on; `running` is set.
static void for_divergent(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt, Construct& construct) {
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  enter_from_plain(lower, &stmt, head_point);
  open(lower, OpenConstruct::Kind::Loop, &construct);
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
  end_divergent_loop(lower, stmt, construct);
}

static void for_together(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt, Construct& construct) {
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  open(lower, OpenConstruct::Kind::Loop, nullptr);
  lower.builder.CreateCondBr(below_count(lower, construct), blocks.body, blocks.done);
  lower.builder.SetInsertPoint(blocks.body);
  set_variable(lower, loop, construct);
  loop_part(lower, loop.body, blocks.done, nullptr, blocks);
  enter(lower, blocks.next);
  next_trip(lower, construct);
  go_back(lower, blocks.head);
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
      llvm::Intrinsic::usub_sat, load_distance(lower, construct), i64(lower.state, lower.state.lanes() - 1));
  llvm::Value* step = builder.CreateZExt(read_cell(lower, construct.step).value, builder.getInt64Ty());
  llvm::Value* count = builder.CreateAdd(builder.CreateUDiv(builder.CreateSub(distance, one), step), one);
  return builder.CreateSelect(builder.CreateIsNull(distance), i64(lower.state, 0), count);
}

// In the plain copy, counts that follow from thread indices: all lanes go round together as often as the one
// with the lowest count; if others have more to do, the masked copy goes on from there.
static void for_geometric(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt, Construct& construct) {
  llvm::IRBuilder<>& builder = lower.builder;
  make_loop_masks(lower, construct);
  llvm::Value* least = least_count(lower, construct);
  LoopBlocks blocks = make_blocks(lower);
  enter(lower, blocks.head);
  open(lower, OpenConstruct::Kind::Loop, &construct);
  builder.CreateCondBr(builder.CreateICmpSLT(load_trip(lower, construct), least), blocks.body, blocks.done);
  builder.SetInsertPoint(blocks.body);
  set_variable(lower, loop, construct);
  loop_part(lower, loop.body, blocks.done, nullptr, blocks);
  enter(lower, blocks.next);
  next_trip(lower, construct);
  builder.CreateBr(blocks.head);
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
  if (std::holds_alternative<ir::Break>(stmt.node)) return true;
  if (std::holds_alternative<ir::While>(stmt.node) || std::holds_alternative<ir::For>(stmt.node))
    return false;
  bool found = false;
  ir::visit_bodies(stmt, [&](const ir::Body& body) {
    for (const ir::Stmt& inner : body) found = found || holds_own_break(inner);
  });
  return found;
}

static void lower_for(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt) {
  Construct& construct = construct_of(lower, stmt);
  begin_for(lower, loop, construct);
  if (!is_divergent_loop(lower, stmt)) return for_together(lower, loop, stmt, construct);
  const ControlShape& shape = lower.shapes.control(stmt);
  bool geometric =
      is_varying(lower, loop.count) && lower.lanes.computed[static_cast<std::size_t>(*loop.count.slot)];
  bool jumps = shape.varying_continue || std::any_of(loop.body.begin(), loop.body.end(), holds_own_break);
  if (!lower.lanes.masked && geometric && !jumps) return for_geometric(lower, loop, stmt, construct);
  auto masked = [&] {
    make_loop_masks(lower, construct);
    begin_running(lower, construct);
    for_divergent(lower, loop, stmt, construct);
  };
  if (lower.lanes.masked) return masked();
  in_masks(lower, stmt, masked);
}

// ---- Jumps ----

static void lower_jump(Lowerer& lower, bool is_break) {
  const LaneLoop& loop = lower.lanes.loops.back();
  if (!loop.construct) {
    lower.builder.CreateBr(is_break ? loop.done : loop.next);
    return;
  }
  llvm::Value* leaving = active_lanes(lower);
  if (is_break) {
    llvm::Value* running = load_mask(lower, loop.construct->running);
    store_mask(lower, loop.construct->running,
               lower.builder.CreateAnd(running, lower.builder.CreateNot(leaving)));
  } else {
    llvm::Value* continued = load_mask(lower, loop.construct->continued);
    store_mask(lower, loop.construct->continued, lower.builder.CreateOr(continued, leaving));
  }
  set_active(lower, full_mask(lower.state, false));
  lower.builder.CreateBr(lower.lanes.skip);
}

static void lower_lane_stmt(Lowerer& lower, const ir::Stmt& stmt) {
  match(
      stmt.node, [&](const ir::Assign& s) { lower_assign(lower, s); },
      [&](const ir::Load& s) { lower_load(lower, s); }, [&](const ir::Store& s) { lower_store(lower, s); },
      [&](const ir::Atomic& s) { lower_atomic(lower, s); },
      [&](const ir::CallEffect& s) { lower_call_effect(lower, s); },
      [&](const ir::Call& s) { call_lanes(lower, s); }, [&](const ir::Print& s) { print_lanes(lower, s); },
      [&](const ir::Guard& s) { guard_lanes(lower, s); }, [&](const ir::Check& s) { check_lanes(lower, s); },
      [&](const ir::If& s) { lower_if(lower, s, stmt); },
      [&](const ir::While& s) { lower_while(lower, s, stmt); },
      [&](const ir::For& s) { lower_for(lower, s, stmt); },
      [&](const ir::Break&) { lower_jump(lower, true); },
      [&](const ir::Continue&) { lower_jump(lower, false); },
      [&](const ir::Return& s) { return_lanes(lower, s); },
      [&](const ir::Segment& s) { lower_lane_body(lower, s.body); });
}

void lower_lane_body(Lowerer& lower, const ir::Body& body) {
  for (const ir::Stmt& stmt : body) {
    lower.state.debug.set_location(lower.builder, stmt.span);
    lower_lane_stmt(lower, stmt);
    if (ended(lower)) return;
  }
}

} // namespace kern::lowering
