// Guards and checks of several lanes. A guard of a linear index tests the first and the last lane, and only a
// varying index is compared as a vector. What fails in the plain copy leaves for the masked one, which
// has the runtime find the lanes that fail and report the lowest, takes them out of the kernel and runs on
// with the others.
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

// kern/abi.h says what the words are that tell the runtime of a guard.
static llvm::Value* guard_word(Lowerer& lower, const FaultDetails& fault) {
  std::uint64_t linear = lower.lanes.linear_id ? 1 : 0;
  return lower.builder.getInt64(fault.site | static_cast<std::uint64_t>(fault.axis) << 32 |
                                static_cast<std::uint64_t>(fault.kind) << 40 | linear << 48);
}

static bool is_scalar(const Value& value) { return value.shape.kind == Shape::Kind::Uniform; }

// Where lanes have indices or extents of their own they are passed in memory.
static std::pair<const char*, std::vector<llvm::Value*>> fault_operands(Lowerer& lower,
                                                                        const FaultDetails& fault) {
  if (fault.index.shape.kind != Shape::Kind::Varying && is_scalar(fault.extent))
    return {"kern_cpu_fault_lanes",
            {fault.index.value, i64(lower.state, fault.index.shape.step), fault.extent.value}};
  return {"kern_cpu_fault_each",
          {spill(lower, to_vector(lower, fault.index)).buffer,
           spill(lower, to_vector(lower, fault.extent)).buffer}};
}

// Reports the lowest of the lanes in `bits` that fails; returns those that do, as bits. Done by the runtime,
// since there is a guard for each access, and code that no vector should come to would be most of the code.
static llvm::Value* report_failing(Lowerer& lower, llvm::Value* bits, const FaultDetails& fault) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Place& place = lower.place;
  llvm::Value* x = lower.lanes.linear_id ? lower.lanes.linear_id : place.thread[0];
  std::vector<llvm::Value*> args = {lower.record, place.where, guard_word(lower, fault),
                                    builder.CreateZExt(bits, builder.getInt32Ty())};
  auto [name, operands] = fault_operands(lower, fault);
  args.insert(args.end(), operands.begin(), operands.end());
  args.insert(args.end(), {x, place.thread[1], place.thread[2]});
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  auto* type = llvm::FunctionType::get(builder.getInt32Ty(), types, false);
  llvm::CallInst* failing = builder.CreateCall(lower.state.module.getOrInsertFunction(name, type), args);
  failing->addFnAttr(llvm::Attribute::Cold);
  failing->addFnAttr(llvm::Attribute::NoUnwind);
  return builder.CreateTrunc(failing, bits->getType());
}

void record_lane_fault(Lowerer& lower, llvm::Value* failing, std::uint32_t site, ir::FaultKind kind) {
  Value none{i64(lower.state, 0), {}};
  report_failing(lower, mask_bits(lower, failing), {site, kind, 0, none, none});
}

llvm::Value* value_of_first_lane(Lowerer& lower, const Value& value) {
  if (value.shape.kind == Shape::Kind::Uniform) return value.value;
  llvm::Value* bits = mask_bits(lower, active_lanes(lower));
  llvm::Value* lane =
      lower.builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, lower.builder.getTrue());
  return lower.builder.CreateExtractElement(to_vector(lower, value), lane);
}

// Takes all lanes but those of a mask, in the form that slots have, out of the kernel.
static void keep_only(Lowerer& lower, llvm::Value* mask) {
  const Lanes& lanes = lower.lanes;
  auto keep = [&](llvm::Value* slot) {
    llvm::Value* old = lower.builder.CreateLoad(mask->getType(), slot);
    lower.builder.CreateStore(lower.builder.CreateAnd(old, mask), slot);
  };
  keep(lanes.active);
  keep(lanes.present);
  if (lanes.live != lanes.present) keep(lanes.live);
}

void drop_lanes(Lowerer& lower, llvm::Value* mask) {
  keep_only(lower, lower.builder.CreateSExt(lower.builder.CreateNot(mask), mask_type(lower.state)));
}

static void branch_cold(Lowerer& lower, llvm::Value* holds, llvm::BasicBlock* next, llvm::BasicBlock* cold) {
  llvm::MDNode* weights = llvm::MDBuilder(lower.state.context).createLikelyBranchWeights();
  lower.builder.CreateCondBr(holds, next, cold, weights);
  lower.builder.SetInsertPoint(cold);
}

// In masked code, where lanes of `bits` may fail: reports, takes those that do out of the kernel and goes on
// to `next` with the others.
static void leave_failing(Lowerer& lower, llvm::Value* bits, const void* stmt, const FaultDetails& fault,
                          llvm::BasicBlock* next) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.lanes.plain_copy) return leave_plain_copy(lower, stmt, start_point);
  llvm::Value* active = mask_bits(lower, active_lanes(lower));
  llvm::Value* kept = builder.CreateNot(report_failing(lower, bits, fault));
  keep_only(lower, rare_mask(lower, kept));
  builder.CreateCondBr(builder.CreateIsNotNull(builder.CreateAnd(active, kept)), next, lower.lanes.skip);
}

// `holds`, one bit, says that no active lane fails; else some of `bits` may.
static void check_masked(Lowerer& lower, llvm::Value* holds, llvm::Value* bits, const void* stmt,
                         const FaultDetails& fault) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, new_block(lower, "fault"));
  leave_failing(lower, bits, stmt, fault, next);
  lower.builder.SetInsertPoint(next);
}

// A mask that holds in every active lane.
static void check_mask(Lowerer& lower, llvm::Value* holds, const void* stmt, const FaultDetails& fault) {
  llvm::Value* failing = mask_bits(lower, lower.builder.CreateNot(holds));
  failing = lower.builder.CreateAnd(failing, mask_bits(lower, active_lanes(lower)));
  check_masked(lower, lower.builder.CreateIsNull(failing), failing, stmt, fault);
}

// A condition that tells of all active lanes.
static void check_for_all(Lowerer& lower, llvm::Value* holds, const void* stmt, const FaultDetails& fault) {
  check_masked(lower, holds, mask_bits(lower, active_lanes(lower)), stmt, fault);
}

static void check_plain(Lowerer& lower, llvm::Value* holds, const void* stmt) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, new_block(lower, "leave_plain"));
  leave_plain_copy(lower, stmt, start_point);
  lower.builder.SetInsertPoint(next);
}

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
  if (is_scalar(extent) && index.shape.kind != Shape::Kind::Varying)
    return check_for_all(lower, all_in_range(lower, index, extent), stmt, fault);
  check_mask(lower, builder.CreateICmpULT(to_vector(lower, index), to_vector(lower, extent)), stmt, fault);
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
