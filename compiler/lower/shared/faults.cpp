// Guards, fits and checks: one compare and a cold block each. The cold block calls a function that writes the
// launch's fault record; on the GPU it ends the thread, on the CPU the thread's turn ends. Its stores are
// volatile and it ends in `exit`, because LLVM deletes plain stores before an `unreachable`, and the guard
// with them.
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>
#include <utility>

#include "compiler/lower/shared/lowerer.h"
#include "kern/abi.h"

namespace kern::lowering {

static llvm::Value* field(llvm::IRBuilder<>& builder, llvm::Value* base, std::size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
}

static llvm::Function* declare_fault(ModuleState& state, llvm::ArrayRef<llvm::Type*> params) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(state.context), params, false);
  auto* function =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "kern_fault", state.module);
  for (auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::Cold, llvm::Attribute::NoUnwind})
    function->addFnAttr(attribute);
  return function;
}

void write_fault(llvm::IRBuilder<>& builder, llvm::Value* record, const FaultFields& fields,
                 std::uint32_t state) {
  using Record = kern_fault_record;
  const std::pair<std::size_t, llvm::Value*> rows[] = {{offsetof(Record, site), fields.site},
                                                       {offsetof(Record, axis), fields.axis},
                                                       {offsetof(Record, kind), fields.kind},
                                                       {offsetof(Record, index), fields.index},
                                                       {offsetof(Record, extent), fields.extent}};
  for (const auto& [offset, value] : rows) builder.CreateStore(value, field(builder, record, offset), true);
  namespace I = llvm::Intrinsic;
  for (std::size_t axis = 0; axis < 6; ++axis) // of the thread, and its block
    builder.CreateStore(read_register(builder, Field::thread_x, axis),
                        field(builder, record, offsetof(Record, thread) + 4 * axis), true);
  llvm::Value* launch = builder.CreateLoad(
      builder.getInt64Ty(), field(builder, record, offsetof(kern_launch_record, launch)), true);
  builder.CreateStore(launch, field(builder, record, offsetof(Record, launch)), true);
  builder.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_sys, {}, {});
  builder.CreateStore(builder.getInt32(state), record, true);
  builder.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_sys, {}, {});
}

llvm::Value* is_fault(llvm::IRBuilder<>& builder, llvm::Value* state) {
  static_assert(KERN_FAULT_THERE == KERN_FAULT_WRITING + 1);
  return builder.CreateICmpULT(builder.CreateSub(state, builder.getInt32(KERN_FAULT_WRITING)),
                               builder.getInt32(2));
}

// Says whether the record was in that state, and is this thread's to write now.
static llvm::Value* claim(llvm::IRBuilder<>& builder, llvm::Value* record, llvm::Value* state) {
  const auto relaxed = llvm::AtomicOrdering::Monotonic;
  llvm::Value* swap = builder.CreateAtomicCmpXchg(record, state, builder.getInt32(KERN_FAULT_WRITING),
                                                  llvm::MaybeAlign(4), relaxed, relaxed);
  return builder.CreateExtractValue(swap, 1);
}

// The same for an empty record; goes to `out` where a load says that it is none. Threads of a warp load as one, but
// their atomics on one word take turns.
static llvm::Value* claim_empty(llvm::IRBuilder<>& builder, llvm::Value* record, llvm::BasicBlock* out) {
  auto* open = llvm::BasicBlock::Create(builder.getContext(), "open", builder.GetInsertBlock()->getParent());
  llvm::Value* none = builder.getInt32(KERN_FAULT_NONE);
  llvm::Value* state = builder.CreateLoad(builder.getInt32Ty(), record, true);
  builder.CreateCondBr(builder.CreateICmpEQ(state, none), open, out);
  builder.SetInsertPoint(open);
  return claim(builder, record, none);
}

// The same where the record may hold a note, which a fault takes the place of; goes to `out` where there is a fault
// already. A note that is being written is waited for: its thread waits for nobody.
static llvm::Value* claim_over_note(llvm::IRBuilder<>& builder, llvm::Value* record, llvm::BasicBlock* out) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(builder.getContext(), name, function);
  };
  llvm::BasicBlock *look = block("look"), *is_open = block("open"), *ready = block("ready"),
                   *claimed = block("claimed");
  builder.CreateBr(look);
  builder.SetInsertPoint(look);
  llvm::Value* state = builder.CreateLoad(builder.getInt32Ty(), record, true);
  builder.CreateCondBr(is_fault(builder, state), out, is_open);
  builder.SetInsertPoint(is_open);
  builder.CreateCondBr(builder.CreateICmpEQ(state, builder.getInt32(KERN_NOTE_WRITING)), look, ready);
  builder.SetInsertPoint(ready);
  builder.CreateCondBr(claim(builder, record, state), claimed, look);
  builder.SetInsertPoint(claimed);
  return builder.getTrue();
}

// kern_fault(record, site, axis, kind, index, extent): the first thread writes. Every one returns, and exits
// then: where the driver links PTX, calls of a function that does not return fail to keep the registers that
// a warp has in common, and threads of the warp that go on still need those.
static llvm::Function* make_gpu_fault(ModuleState& state) {
  llvm::IRBuilder<> builder(state.context);
  llvm::Type* word = builder.getInt32Ty();
  llvm::Function* function = declare_fault(
      state, {builder.getPtrTy(1), word, word, word, builder.getInt64Ty(), builder.getInt64Ty()});
  function->addFnAttr(llvm::Attribute::Convergent);
  auto* entry = llvm::BasicBlock::Create(state.context, "entry", function);
  auto* write = llvm::BasicBlock::Create(state.context, "write", function);
  auto* out = llvm::BasicBlock::Create(state.context, "out", function);
  builder.SetInsertPoint(entry);
  llvm::Value* record = function->getArg(0);
  llvm::Value* claimed =
      state.ir.clamps ? claim_over_note(builder, record, out) : claim_empty(builder, record, out);
  builder.CreateCondBr(claimed, write, out);

  builder.SetInsertPoint(write);
  write_fault(builder, record,
              {function->getArg(1), function->getArg(2), function->getArg(3), function->getArg(4),
               function->getArg(5)},
              KERN_FAULT_THERE);
  builder.CreateBr(out);

  builder.SetInsertPoint(out);
  builder.CreateRetVoid();
  return function;
}

// kern_fault(record, where, site, axis, kind, index, extent, x, y, z): hands a fault record to the runtime.
static llvm::Function* make_cpu_fault(ModuleState& state) {
  llvm::IRBuilder<> builder(state.context);
  llvm::Type *word = builder.getInt32Ty(), *long_word = builder.getInt64Ty(), *pointer = builder.getPtrTy();
  llvm::Function* function =
      declare_fault(state, {pointer, pointer, word, word, word, long_word, long_word, word, word, word});
  builder.SetInsertPoint(llvm::BasicBlock::Create(state.context, "entry", function));
  using Record = kern_fault_record;
  auto* bytes = llvm::ArrayType::get(long_word, sizeof(Record) / 8);
  llvm::AllocaInst* fault = builder.CreateAlloca(bytes);
  fault->setAlignment(llvm::Align(8));
  auto put = [&](std::size_t offset, llvm::Value* value) {
    builder.CreateStore(value, field(builder, fault, offset));
  };
  put(offsetof(Record, state), builder.getInt32(2));
  std::size_t offsets[] = {offsetof(Record, site),       offsetof(Record, axis),
                           offsetof(Record, kind),       offsetof(Record, index),
                           offsetof(Record, extent),     offsetof(Record, thread),
                           offsetof(Record, thread) + 4, offsetof(Record, thread) + 8};
  for (unsigned arg = 2; arg < 10; ++arg) put(offsets[arg - 2], function->getArg(arg));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    llvm::Value* from = field(builder, function->getArg(1), offsetof(kern_where, block) + 4 * axis);
    put(offsetof(Record, block) + 4 * axis, builder.CreateLoad(word, from));
  }
  llvm::Value* launch = field(builder, function->getArg(0), offsetof(kern_launch_record, launch));
  put(offsetof(Record, launch), builder.CreateLoad(long_word, launch));
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false);
  builder.CreateCall(state.module.getOrInsertFunction("kern_cpu_fault", type), {function->getArg(0), fault});
  builder.CreateRetVoid();
  return function;
}

static std::vector<llvm::Value*> fault_args(ModuleState& state, std::uint32_t site, ir::FaultKind kind,
                                            int axis, llvm::Value* index, llvm::Value* extent) {
  // LLVM's code generator for GPUs looks at all calls of a function for each of them.
  constexpr unsigned most_calls = 256;
  if (state.gpu() && state.fault && state.fault->hasNUsesOrMore(most_calls)) state.fault = nullptr;
  if (!state.fault) state.fault = state.gpu() ? make_gpu_fault(state) : make_cpu_fault(state);
  return {i32(state, site), i32(state, axis), i32(state, static_cast<int>(kind)), index, extent};
}

void call_fault(Lowerer& lower, std::uint32_t site, ir::FaultKind kind, int axis, llvm::Value* index,
                llvm::Value* extent, llvm::Value* const (&thread)[3]) {
  std::vector<llvm::Value*> args = fault_args(lower.state, site, kind, axis, index, extent);
  args.insert(args.begin(), {lower.record, lower.place.where});
  args.insert(args.end(), std::begin(thread), std::end(thread));
  lower.builder.CreateCall(lower.state.fault, args);
}

void lower_fault(Lowerer& lower, std::uint32_t site, ir::FaultKind kind, int axis, llvm::Value* index,
                 llvm::Value* extent) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (lower.undo) {
    builder.CreateBr(lower.undo);
    return;
  }
  if (!lower.gpu()) {
    call_fault(lower, site, kind, axis, index, extent, lower.place.thread);
    builder.CreateBr(lower.leave);
    return;
  }
  std::vector<llvm::Value*> args = fault_args(lower.state, site, kind, axis, index, extent);
  args.insert(args.begin(), lower.record);
  builder.CreateCall(lower.state.fault, args);
  // An edge from here to whatever block follows would widen the divergent region.
  builder.CreateIntrinsic(llvm::Intrinsic::nvvm_exit, {}, {});
  builder.CreateUnreachable();
}

// Goes on where `holds`, else faults.
static void fault_unless(Lowerer& lower, llvm::Value* holds, std::uint32_t site, ir::FaultKind kind, int axis,
                         llvm::Value* index, llvm::Value* extent) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* cold = new_block(lower, "fault");
  llvm::BasicBlock* next = new_block(lower, "guarded");
  llvm::MDNode* weights = llvm::MDBuilder(lower.state.context).createLikelyBranchWeights();
  lower.builder.CreateCondBr(holds, next, cold, weights);
  lower.builder.SetInsertPoint(cold);
  lower_fault(lower, site, kind, axis, index, extent);
  lower.builder.SetInsertPoint(next);
}

void lower_guard(Lowerer& lower, const ir::Guard& guard) {
  if (guard.state == ir::GuardState::Proved) return;
  llvm::Value* index = read(lower, guard.index);
  llvm::Value* extent = read_array(lower, guard.array).extents[static_cast<std::size_t>(guard.axis)].value;
  bool shadow = guard.state == ir::GuardState::Shadow;
  ir::FaultKind kind = shadow ? ir::FaultKind::ShadowGuard : ir::FaultKind::IndexOutOfRange;
  llvm::Value* tested = guard.state == ir::GuardState::Empty ? i64(lower.state, 0) : index;
  fault_unless(lower, lower.builder.CreateICmpULT(tested, extent), static_cast<std::uint32_t>(guard.site),
               kind, guard.axis, index, extent);
}

ir::FaultKind kind_of_fault(const ir::Fit& fit) {
  return fit.state == ir::GuardState::Shadow ? ir::FaultKind::ShadowFit : ir::FaultKind::DoesNotFit;
}

void lower_fit(Lowerer& lower, const ir::Fit& fit) {
  if (fit.state == ir::GuardState::Proved) return;
  llvm::IRBuilder<>& builder = lower.builder;
  const ir::FitTest test = ir::fit_test(fit.value.type, fit.type);
  llvm::Value* value = read(lower, fit.value);
  auto number = [&](std::uint64_t word) { return llvm::ConstantInt::get(value->getType(), word); };
  llvm::Value* holds =
      builder.CreateICmpULT(builder.CreateAdd(value, number(test.offset)), number(test.extent));
  llvm::Value* wide = builder.CreateIntCast(value, builder.getInt64Ty(), is_signed(fit.value.type));
  llvm::Value* index = builder.CreateAdd(wide, builder.getInt64(test.offset));
  fault_unless(lower, holds, static_cast<std::uint32_t>(fit.site), kind_of_fault(fit), 0, index,
               builder.getInt64(test.extent));
}

void lower_check(Lowerer& lower, llvm::Value* condition, ir::SiteId site) {
  auto index = static_cast<std::uint32_t>(site);
  llvm::Value* none = i64(lower.state, 0);
  fault_unless(lower, condition, index, lower.state.ir.sites[index].kind, 0, none, none);
}

void lower_check(Lowerer& lower, const ir::Check& check) {
  lower_check(lower, read(lower, check.condition), check.site);
}

} // namespace kern::lowering
