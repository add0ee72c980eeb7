// The masks of constructs, and the ways from the plain copy of a segment to the masked one (control.cpp).
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// ---- What a statement may do to lanes ----

bool may_drop(const ir::Stmt& stmt) {
  return ir::any(stmt, [](const ir::Stmt& inner) {
    return may_leave(inner) || std::holds_alternative<ir::Break>(inner.node) ||
           std::holds_alternative<ir::Continue>(inner.node);
  });
}

// As may_drop, in the plain copy, where a failing guard leaves the copy.
static bool may_return(const ir::Stmt& stmt) {
  return ir::any(stmt, [](const ir::Stmt& inner) {
    return std::holds_alternative<ir::Return>(inner.node) || std::holds_alternative<ir::Call>(inner.node);
  });
}

bool is_varying(const Lowerer& lower, const ir::Operand& operand) {
  return shape_of(lower, operand).kind != Shape::Kind::Uniform;
}

// ---- Masks of constructs ----

Construct& construct_of(Lowerer& lower, const ir::Stmt& stmt) { return lower.lanes.constructs[&stmt]; }

llvm::Value* mask_slot(Lowerer& lower, llvm::Value*& slot, const char* name) {
  if (!slot) slot = new_mask_slot(lower, name);
  return slot;
}

void copy_mask(Lowerer& lower, llvm::Value* from, llvm::Value* to) {
  lower.builder.CreateStore(lower.builder.CreateLoad(mask_type(lower), from), to);
}

llvm::Value* remaining(Lowerer& lower, llvm::Value* mask) {
  llvm::IRBuilder<>& builder = lower.builder;
  mask = builder.CreateAnd(mask, load_mask(lower, lower.lanes.present));
  if (lower.lanes.loops.empty() || !lower.lanes.loops.back().construct) return mask;
  const Construct& loop = *lower.lanes.loops.back().construct;
  mask = builder.CreateAnd(mask, load_mask(lower, loop.running));
  return builder.CreateAnd(mask, builder.CreateNot(load_mask(lower, loop.continued)));
}

void set_active(Lowerer& lower, llvm::Value* mask) { store_mask(lower, lower.lanes.active, mask); }

// Goes on only where a lane is still active.
static void skip_if_none(Lowerer& lower) {
  llvm::BasicBlock* some = new_block(lower, "some");
  lower.builder.CreateCondBr(any_lane(lower, active_lanes(lower)), some, lower.lanes.skip);
  lower.builder.SetInsertPoint(some);
}

void open_construct(Lowerer& lower, OpenConstruct::Kind kind, Construct* construct) {
  lower.lanes.open.push_back({kind, construct, !lower.lanes.masked});
}

// ---- Leaving the plain copy ----

static void hand_over(Lowerer& lower) {
  llvm::Constant *all = full_mask(lower, true), *none = full_mask(lower, false);
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
  hand_over(lower);
  if (!lower.lanes.masked) set_active(lower, full_mask(lower, true));
  lower.builder.CreateBr(side_entry(lower, stmt, point));
}

void leave_plain_copy_with(Lowerer& lower, const void* stmt, int point, llvm::Value* lanes) {
  hand_over(lower);
  store_mask(lower, lower.lanes.present, lanes);
  set_active(lower, lanes);
  lower.builder.CreateBr(side_entry(lower, stmt, point));
}

llvm::BasicBlock* taken_side_entry(Lowerer& lower, const void* stmt, int point) {
  if (lower.lanes.plain_copy) return nullptr;
  auto found = lower.lanes.side_entries.find({stmt, point});
  return found == lower.lanes.side_entries.end() ? nullptr : found->second;
}

void enter_from_plain(Lowerer& lower, const void* stmt, int point) {
  if (llvm::BasicBlock* block = taken_side_entry(lower, stmt, point)) enter(lower, block);
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

void finish_masked(Lowerer& lower, const ir::Stmt& stmt) {
  enter_from_plain(lower, &stmt, after_point);
  if (may_drop(stmt)) skip_if_none(lower);
}

void in_masks(Lowerer& lower, const ir::Stmt& stmt, const std::function<void()>& body) {
  lower.lanes.masked = true;
  // No lane is left behind it only where all have returned.
  llvm::BasicBlock* skip = std::exchange(lower.lanes.skip, lower.lanes.end);
  set_active(lower, full_mask(lower, true));
  body();
  if (!ended(lower)) rejoin_plain(lower, stmt);
  lower.lanes.skip = skip;
  lower.lanes.masked = false;
}

} // namespace kern::lowering
