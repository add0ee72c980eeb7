// Guards and checks of several lanes. In the plain copy a guard of a linear index tests the first and the
// last lane, and only a varying index is compared as a vector; what fails leaves for the masked copy, which
// records the fault of the lowest failing lane, takes the failing lanes out of the kernel and runs on with
// the others.
#include <llvm/IR/MDBuilder.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering {

// What a guard or check needs to say about its failure.
struct FaultDetails {
  std::uint32_t site;
  ir::FaultKind kind;
  int axis;
  Value index, extent;
};

// Where one lane's thread is in the block.
static void thread_of_lane(Lowerer& lower, llvm::Value* lane, llvm::Value* (&thread)[3]) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Place& place = lower.place;
  std::copy(std::begin(place.thread), std::end(place.thread), thread);
  if (!lower.lanes.linear_id) {
    thread[0] = builder.CreateAdd(place.thread[0], lane);
    return;
  }
  llvm::Value* linear = builder.CreateAdd(lower.lanes.linear_id, lane);
  thread[0] = builder.CreateURem(linear, place.block_dim[0]);
  llvm::Value* row = builder.CreateUDiv(linear, place.block_dim[0]);
  thread[1] = builder.CreateURem(row, place.block_dim[1]);
  thread[2] = builder.CreateUDiv(row, place.block_dim[1]);
}

static llvm::Value* of_lane(Lowerer& lower, const Value& value, llvm::Value* lane) {
  if (value.shape.kind == Shape::Kind::Uniform) return value.value;
  return lower.builder.CreateExtractElement(to_vector(lower, value), lane);
}

static void record_first(Lowerer& lower, llvm::Value* failing, const FaultDetails& fault) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* bits = mask_bits(lower, failing);
  llvm::Value* lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder.getTrue());
  lane = builder.CreateZExtOrTrunc(lane, builder.getInt32Ty());
  llvm::Value* thread[3];
  thread_of_lane(lower, lane, thread);
  call_fault(lower, fault.site, fault.kind, fault.axis, of_lane(lower, fault.index, lane),
             of_lane(lower, fault.extent, lane), thread);
}

void record_lane_fault(Lowerer& lower, llvm::Value* failing, std::uint32_t site, ir::FaultKind kind) {
  Value none{i64(lower.state, 0), {}};
  record_first(lower, failing, {site, kind, 0, none, none});
}

llvm::Value* value_of_first_lane(Lowerer& lower, const Value& value) {
  if (value.shape.kind == Shape::Kind::Uniform) return value.value;
  llvm::Value* bits = mask_bits(lower, active_lanes(lower));
  llvm::Value* lane =
      lower.builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, lower.builder.getTrue());
  return lower.builder.CreateExtractElement(to_vector(lower, value), lane);
}

static void remove_lanes(Lowerer& lower, llvm::Value* slot, llvm::Value* mask) {
  store_mask(lower, slot, lower.builder.CreateAnd(load_mask(lower, slot), lower.builder.CreateNot(mask)));
}

void drop_lanes(Lowerer& lower, llvm::Value* mask) {
  remove_lanes(lower, lower.lanes.present, mask);
  if (lower.lanes.live != lower.lanes.present) remove_lanes(lower, lower.lanes.live, mask);
  remove_lanes(lower, lower.lanes.active, mask);
}

static void branch_cold(Lowerer& lower, llvm::Value* holds, llvm::BasicBlock* next, llvm::BasicBlock* cold) {
  llvm::MDNode* weights = llvm::MDBuilder(lower.state.context).createLikelyBranchWeights();
  lower.builder.CreateCondBr(holds, next, cold, weights);
}

// Goes on with the lanes that are not failing.
static void fault_masked(Lowerer& lower, llvm::Value* failing, const FaultDetails& fault) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* cold = new_block(lower, "fault");
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, builder.CreateNot(any_lane(lower, failing)), next, cold);
  builder.SetInsertPoint(cold);
  record_first(lower, failing, fault);
  drop_lanes(lower, failing);
  builder.CreateCondBr(any_lane(lower, active_lanes(lower)), next, lower.lanes.skip);
  builder.SetInsertPoint(next);
}

// `holds` is a bool for all lanes or a mask.
static void check_masked(Lowerer& lower, llvm::Value* holds, const void* stmt, const FaultDetails& fault) {
  llvm::Value* failing =
      lower.builder.CreateAnd(active_lanes(lower), lower.builder.CreateNot(splat(lower, holds)));
  if (!lower.lanes.plain_copy) return fault_masked(lower, failing, fault);
  llvm::BasicBlock* cold = new_block(lower, "leave_plain");
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, lower.builder.CreateNot(any_lane(lower, failing)), next, cold);
  lower.builder.SetInsertPoint(cold);
  leave_plain_copy(lower, stmt, start_point);
  lower.builder.SetInsertPoint(next);
}

static void check_plain(Lowerer& lower, llvm::Value* holds, const void* stmt) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* cold = new_block(lower, "leave_plain");
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, cold);
  lower.builder.SetInsertPoint(cold);
  leave_plain_copy(lower, stmt, start_point);
  lower.builder.SetInsertPoint(next);
}

// Whether the indices of all lanes are in range.
static llvm::Value* all_in_range(Lowerer& lower, const Value& index, const Value& extent) {
  llvm::IRBuilder<>& builder = lower.builder;
  bool linear = index.shape.kind == Shape::Kind::Linear && extent.shape.kind == Shape::Kind::Uniform;
  bool uniform = index.shape.kind == Shape::Kind::Uniform && extent.shape.kind == Shape::Kind::Uniform;
  if (!linear && !uniform)
    return all_lanes(lower, builder.CreateICmpULT(to_vector(lower, index), to_vector(lower, extent)));
  llvm::Value* first = builder.CreateICmpULT(index.value, extent.value);
  if (uniform) return first;
  llvm::Value* last = builder.CreateICmpULT(linear_at(lower, index, lower.state.lanes() - 1), extent.value);
  return builder.CreateAnd(first, last);
}

void guard_lanes(Lowerer& lower, const ir::Guard& guard) {
  if (guard.state == ir::GuardState::Proved) return;
  enter_from_plain(lower, &guard, start_point);
  Value index = read_value(lower, guard.index);
  Value extent = read_array(lower, guard.array).extents[static_cast<std::size_t>(guard.axis)];
  if (!lower.lanes.masked) return check_plain(lower, all_in_range(lower, index, extent), &guard);
  bool shadow = guard.state == ir::GuardState::Shadow;
  ir::FaultKind kind = shadow ? ir::FaultKind::ShadowGuard : ir::FaultKind::IndexOutOfRange;
  bool uniform = index.shape.kind == Shape::Kind::Uniform && extent.shape.kind == Shape::Kind::Uniform;
  llvm::Value* holds = uniform
                           ? lower.builder.CreateICmpULT(index.value, extent.value)
                           : lower.builder.CreateICmpULT(to_vector(lower, index), to_vector(lower, extent));
  check_masked(lower, holds, &guard,
               {static_cast<std::uint32_t>(guard.site), kind, guard.axis, index, extent});
}

void check_lanes(Lowerer& lower, const ir::Check& check) {
  enter_from_plain(lower, &check, start_point);
  Value condition = read_value(lower, check.condition);
  bool varying = condition.shape.kind == Shape::Kind::Varying;
  if (!lower.lanes.masked)
    return check_plain(lower, varying ? all_lanes(lower, condition.value) : condition.value, &check);
  auto site = static_cast<std::uint32_t>(check.site);
  Value none{i64(lower.state, 0), {}};
  check_masked(lower, condition.value, &check, {site, lower.state.ir.sites[site].kind, 0, none, none});
}

void after_call(Lowerer& lower, const ir::Call& call, llvm::Value* live) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* next = new_block(lower, "returned");
  if (!lower.lanes.masked) {
    llvm::BasicBlock* parted = new_block(lower, "parted");
    branch_cold(lower, all_lanes(lower, live), next, parted);
    builder.SetInsertPoint(parted);
    leave_plain_copy_with(lower, &call, after_point, live);
    builder.SetInsertPoint(next);
    return;
  }
  drop_lanes(lower, builder.CreateAnd(active_lanes(lower), builder.CreateNot(live)));
  enter_from_plain(lower, &call, after_point);
  builder.CreateCondBr(any_lane(lower, active_lanes(lower)), next, lower.lanes.skip);
  builder.SetInsertPoint(next);
}

} // namespace kern::lowering
