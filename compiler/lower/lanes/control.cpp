// Control flow with several lanes. The code of a segment stands twice, over the same slots:
//
//   * The plain copy, for vectors all of whose lanes live. A statement list runs without masks; a condition
//     that is one for the vector is a branch. A condition over thread indices alone is tested for all lanes at
//     once, and where the lanes differ (rare: the end of a row) control leaves for the masked copy. Other
//     conditions run masked and come back.
//   * The masked copy, for everything else. It is entered at its start by vectors that lack a lane, and in the
//     middle from the plain copy, at a guard that fails or where lanes part: nothing is done twice, and every
//     value that is needed comes along. It never goes back, so the plain copy stays clean.
//
// A masked region is entered only if a lane is active. The masks of a construct are in allocas that both
// copies share: who leaves the plain copy sets those of the constructs around to what they stand for there.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"
#include "compiler/support/overloaded.h"

namespace kern::lowering {

void lower_inner(Lowerer& lower, const ir::Body& body, llvm::BasicBlock* skip) {
  llvm::BasicBlock* outer = std::exchange(lower.lanes.skip, skip);
  lower_lane_body(lower, body);
  lower.lanes.skip = outer;
}

// ---- if ----

static void if_uniform(Lowerer& lower, const ir::If& branch, const ir::Stmt& stmt) {
  llvm::BasicBlock* then_block = new_block(lower, "then");
  llvm::BasicBlock* else_block = new_block(lower, "else");
  llvm::BasicBlock* done = new_block(lower, "endif");
  lower.builder.CreateCondBr(read(lower, branch.condition), then_block, else_block);
  lower.builder.SetInsertPoint(then_block);
  open_construct(lower, OpenConstruct::Kind::Then, nullptr);
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

// Whether lanes that take a branch do nothing but leave: masks say so whether there are any or none.
static bool only_leaves(const Lowerer& lower, const ir::If& branch) {
  if (branch.then_body.size() != 1 || !branch.else_body.empty()) return false;
  const auto& node = branch.then_body.front().node;
  bool jumps = std::holds_alternative<ir::Break>(node) || std::holds_alternative<ir::Continue>(node);
  return std::holds_alternative<ir::Return>(node) || (jumps && lower.lanes.loops.back().construct);
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
  if (only_leaves(lower, branch))
    builder.CreateBr(then_block);
  else
    builder.CreateCondBr(any_lane(lower, chosen), then_block, then_end);
  builder.SetInsertPoint(then_block);
  set_active(lower, chosen);
  open_construct(lower, OpenConstruct::Kind::Then, &construct);
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
  LaneTest test = test_condition(lower, branch.condition);
  builder.CreateCondBr(test.all, then_block, other);
  builder.SetInsertPoint(other);
  builder.CreateCondBr(test.none, else_block, mixed);
  builder.SetInsertPoint(mixed);
  // Computed once more, so that whole vectors need not compute it before they part.
  write(lower, *branch.condition.slot, test.mask());
  leave_plain_copy(lower, &stmt, start_point);
  builder.SetInsertPoint(then_block);
  open_construct(lower, OpenConstruct::Kind::Then, &construct);
  lower_inner(lower, branch.then_body, done);
  if (!ended(lower)) builder.CreateBr(done);
  builder.SetInsertPoint(else_block);
  lower.lanes.open.back().kind = OpenConstruct::Kind::Else;
  lower_inner(lower, branch.else_body, done);
  enter(lower, done);
  lower.lanes.open.pop_back();
}

static void lower_if(Lowerer& lower, const ir::If& branch, const ir::Stmt& stmt) {
  enter_from_plain(lower, &stmt, start_point);
  if (!is_varying(lower, branch.condition)) return if_uniform(lower, branch, stmt);
  if (lower.lanes.masked) return if_masked(lower, branch, stmt);
  if (lower.lanes.geometric[static_cast<std::size_t>(*branch.condition.slot)])
    return if_geometric(lower, branch, stmt);
  in_masks(lower, stmt, [&] { if_masked(lower, branch, stmt); });
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
  set_active(lower, full_mask(lower, false));
  lower.builder.CreateBr(lower.lanes.skip);
}

static void lower_lane_stmt(Lowerer& lower, const ir::Stmt& stmt) {
  match(
      stmt.node, [&](const ir::Assign& s) { assign_lanes(lower, s); },
      [&](const ir::Load& s) { load_lanes(lower, s); }, [&](const ir::Store& s) { store_lanes(lower, s); },
      [&](const ir::Atomic& s) { atomic_lanes(lower, s); },
      [&](const ir::CallEffect& s) { lower_call_effect(lower, s); },
      [&](const ir::Call& s) { call_lanes(lower, s); }, [&](const ir::Print& s) { print_lanes(lower, s); },
      [](const ir::Guard&) {}, [](const ir::Fit&) {}, [&](const ir::Check& s) { check_lanes(lower, s); },
      [&](const ir::If& s) { lower_if(lower, s, stmt); },
      [&](const ir::While& s) { while_lanes(lower, s, stmt); },
      [&](const ir::For& s) { for_lanes(lower, s, stmt); },
      [&](const ir::Break&) { lower_jump(lower, true); },
      [&](const ir::Continue&) { lower_jump(lower, false); },
      [&](const ir::Return& s) { return_lanes(lower, s); },
      [&](const ir::Segment& s) { lower_lane_body(lower, s.body); });
}

// Lowers the guards and fits that stand together at a place of a body; returns where they end.
static std::size_t lower_guards(Lowerer& lower, const ir::Body& body, std::size_t place) {
  std::vector<const ir::Stmt*> kept;
  for (; place < body.size() && ir::guard_state(body[place]); ++place)
    if (is_tested(body[place])) kept.push_back(&body[place]);
  guards_lanes(lower, kept);
  return place;
}

void lower_lane_body(Lowerer& lower, const ir::Body& body) {
  for (std::size_t place = 0; place < body.size() && !ended(lower);) {
    lower.state.debug.set_location(lower.builder, body[place].span, body[place].scope);
    if (ir::guard_state(body[place])) {
      place = lower_guards(lower, body, place);
    } else if (std::size_t count = atomic_with_load(lower, std::span(body).subspan(place)); count > 0) {
      place += count;
    } else {
      lower_lane_stmt(lower, body[place++]);
    }
  }
}

} // namespace kern::lowering
