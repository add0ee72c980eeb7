// Guards and checks of several lanes. A guard of a linear index tests the first and the last lane, and only a
// varying index is compared as a vector. What fails in the plain copy leaves for the masked one, which
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
  llvm::IRBuilder<>& builder = lower.builder;
  if (value.shape.kind == Shape::Kind::Uniform) return value.value;
  if (value.shape.kind == Shape::Kind::Varying) return builder.CreateExtractElement(value.value, lane);
  llvm::Type* type = value.value->getType();
  llvm::Value* step = llvm::ConstantInt::get(type, static_cast<std::uint64_t>(value.shape.step), true);
  return builder.CreateAdd(value.value, builder.CreateMul(builder.CreateZExtOrTrunc(lane, type), step));
}

// `bits` says which lanes fail.
static void record_first(Lowerer& lower, llvm::Value* bits, const FaultDetails& fault) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder.getTrue());
  lane = builder.CreateZExtOrTrunc(lane, builder.getInt32Ty());
  llvm::Value* thread[3];
  thread_of_lane(lower, lane, thread);
  call_fault(lower, fault.site, fault.kind, fault.axis, of_lane(lower, fault.index, lane),
             of_lane(lower, fault.extent, lane), thread);
}

void record_lane_fault(Lowerer& lower, llvm::Value* failing, std::uint32_t site, ir::FaultKind kind) {
  Value none{i64(lower.state, 0), {}};
  record_first(lower, mask_bits(lower, failing), {site, kind, 0, none, none});
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
  lower.builder.SetInsertPoint(cold);
}

// kern_outside(first, step, extent): a bit for each lane whose index first + lane * step is not in
// [0, extent). A function, since it is called where a vector is not whole, and would be most of the code.
static llvm::Function* make_outside(ModuleState& state, const std::string& name) {
  llvm::IRBuilder<> builder(state.context);
  llvm::Type *word = builder.getInt64Ty(), *bits = builder.getIntNTy(state.lanes());
  auto* type = llvm::FunctionType::get(bits, {word, word, word}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, state.module);
  for (auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::Cold, llvm::Attribute::NoUnwind,
                         llvm::Attribute::WillReturn})
    function->addFnAttr(attribute);
  function->setDoesNotAccessMemory();
  builder.SetInsertPoint(llvm::BasicBlock::Create(state.context, "entry", function));
  auto each = [&](unsigned arg) { return builder.CreateVectorSplat(state.lanes(), function->getArg(arg)); };
  llvm::Value* indices = builder.CreateAdd(each(0), builder.CreateMul(each(1), lane_steps(state, word, 1)));
  builder.CreateRet(builder.CreateBitCast(builder.CreateICmpUGE(indices, each(2)), bits));
  return function;
}

static llvm::Value* lanes_outside(Lowerer& lower, const Value& index, llvm::Value* extent) {
  ModuleState& state = lower.state;
  std::string name = "kern_outside" + std::to_string(state.lanes());
  llvm::Function* function = state.module.getFunction(name);
  if (!function) function = make_outside(state, name);
  return lower.builder.CreateCall(function, {index.value, i64(state, index.shape.step), extent});
}

// Where some active lane fails: takes those lanes out of the kernel and goes on to `next` with the others.
// `bits` says which; null: all that are active.
static void leave_failing(Lowerer& lower, llvm::Value* bits, const void* stmt, const FaultDetails& fault,
                          llvm::BasicBlock* next) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.lanes.plain_copy) return leave_plain_copy(lower, stmt, start_point);
  if (!bits) {
    record_first(lower, mask_bits(lower, active_lanes(lower)), fault);
    drop_lanes(lower, active_lanes(lower));
    builder.CreateBr(lower.lanes.skip);
    return;
  }
  record_first(lower, bits, fault);
  drop_lanes(lower, mask_of_bits(lower, bits));
  builder.CreateCondBr(any_lane(lower, active_lanes(lower)), next, lower.lanes.skip);
}

// Of the lanes in `outside`, those that are active fail.
static void check_lane_bits(Lowerer& lower, llvm::Value* outside, const void* stmt, const FaultDetails& fault,
                            llvm::BasicBlock* next) {
  llvm::Value* failing = lower.builder.CreateAnd(outside, mask_bits(lower, active_lanes(lower)));
  branch_cold(lower, lower.builder.CreateIsNull(failing), next, new_block(lower, "fault"));
  leave_failing(lower, failing, stmt, fault, next);
  lower.builder.SetInsertPoint(next);
}

// A mask that holds in every active lane.
static void check_mask(Lowerer& lower, llvm::Value* holds, const void* stmt, const FaultDetails& fault) {
  llvm::Value* failing = mask_bits(lower, lower.builder.CreateNot(holds));
  check_lane_bits(lower, failing, stmt, fault, new_block(lower, "guarded"));
}

// A condition that is one for all lanes.
static void check_for_all(Lowerer& lower, llvm::Value* holds, const void* stmt, const FaultDetails& fault) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, new_block(lower, "fault"));
  leave_failing(lower, nullptr, stmt, fault, next);
  lower.builder.SetInsertPoint(next);
}

static void check_plain(Lowerer& lower, llvm::Value* holds, const void* stmt) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, new_block(lower, "leave_plain"));
  leave_plain_copy(lower, stmt, start_point);
  lower.builder.SetInsertPoint(next);
}

static bool is_scalar(const Value& value) { return value.shape.kind == Shape::Kind::Uniform; }

// Whether the first and the last of linear indices are in range, and so all of them.
static llvm::Value* ends_in_range(Lowerer& lower, const Value& index, llvm::Value* extent) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* first_fits = builder.CreateICmpULT(index.value, extent);
  llvm::Value* last = linear_at(lower, index, lower.state.lanes() - 1);
  return builder.CreateAnd(first_fits, builder.CreateICmpULT(last, extent));
}

// Whether the indices of all lanes are in range.
static llvm::Value* all_in_range(Lowerer& lower, const Value& index, const Value& extent) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (is_scalar(extent) && is_scalar(index)) return builder.CreateICmpULT(index.value, extent.value);
  if (is_scalar(extent) && index.shape.kind == Shape::Kind::Linear)
    return ends_in_range(lower, index, extent.value);
  return all_lanes(lower, builder.CreateICmpULT(to_vector(lower, index), to_vector(lower, extent)));
}

static void guard_masked(Lowerer& lower, const Value& index, const Value& extent, const void* stmt,
                         const FaultDetails& fault) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (is_scalar(extent) && is_scalar(index))
    return check_for_all(lower, builder.CreateICmpULT(index.value, extent.value), stmt, fault);
  if (!is_scalar(extent) || index.shape.kind == Shape::Kind::Varying)
    return check_mask(lower, builder.CreateICmpULT(to_vector(lower, index), to_vector(lower, extent)), stmt,
                      fault);
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, ends_in_range(lower, index, extent.value), next, new_block(lower, "ends_outside"));
  check_lane_bits(lower, lanes_outside(lower, index, extent.value), stmt, fault, next);
}

void guard_lanes(Lowerer& lower, const ir::Guard& guard) {
  if (guard.state == ir::GuardState::Proved) return;
  enter_from_plain(lower, &guard, start_point);
  Value index = read_value(lower, guard.index);
  Value extent = read_array(lower, guard.array).extents[static_cast<std::size_t>(guard.axis)];
  if (!lower.lanes.masked) return check_plain(lower, all_in_range(lower, index, extent), &guard);
  bool shadow = guard.state == ir::GuardState::Shadow;
  ir::FaultKind kind = shadow ? ir::FaultKind::ShadowGuard : ir::FaultKind::IndexOutOfRange;
  guard_masked(lower, index, extent, &guard,
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
  FaultDetails fault{site, lower.state.ir.sites[site].kind, 0, none, none};
  if (varying) return check_mask(lower, condition.value, &check, fault);
  check_for_all(lower, condition.value, &check, fault);
}

void after_call(Lowerer& lower, const ir::Call& call, llvm::Value* live) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* next = new_block(lower, "returned");
  if (!lower.lanes.masked) {
    llvm::BasicBlock* parted = new_block(lower, "parted");
    branch_cold(lower, all_lanes(lower, live), next, parted);
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
