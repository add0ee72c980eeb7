// Bad indices and values of threads that go on (transform/clamp_guards.cpp), on a GPU: the first one of a launch is kept in
// its record, and the threads are counted there. All of it is cold.
#include <cstddef>

#include "compiler/lower/shared/lowering.h"
#include "kern/abi.h"

namespace kern::lowering {

static constexpr const char* note_name = "kern_note";

// kern_note(record, site, axis, kind, index, extent, noted): counts the thread, and writes the record where nothing is in
// it. Threads of a warp that all come here are one atomic to the hardware.
static llvm::Function* make_gpu_note(ModuleState& state) {
  llvm::IRBuilder<> builder(state.context);
  llvm::Type *word = builder.getInt32Ty(), *long_word = builder.getInt64Ty();
  auto* type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getPtrTy(1), word, word, word, long_word, long_word, builder.getInt1Ty()},
      false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, note_name, state.module);
  for (auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::Cold, llvm::Attribute::NoUnwind})
    function->addFnAttr(attribute);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(state.context, name, function); };
  llvm::BasicBlock *entry = block("entry"), *count = block("count"), *look = block("look"),
                   *claim = block("claim"), *write = block("write"), *out = block("out");
  llvm::Value* record = function->getArg(0);
  auto field = [&](std::size_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset);
  };
  const auto relaxed = llvm::AtomicOrdering::Monotonic;
  builder.SetInsertPoint(entry);
  builder.CreateCondBr(function->getArg(6), look, count);
  builder.SetInsertPoint(count);
  builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, field(offsetof(kern_launch_record, bad_threads)),
                          builder.getInt64(1), llvm::MaybeAlign(8), relaxed);
  builder.CreateBr(look);
  builder.SetInsertPoint(look);
  llvm::Value* known = builder.CreateLoad(word, record, true);
  builder.CreateCondBr(builder.CreateIsNull(known), claim, out);
  builder.SetInsertPoint(claim);
  llvm::Value* swap =
      builder.CreateAtomicCmpXchg(record, builder.getInt32(KERN_FAULT_NONE),
                                  builder.getInt32(KERN_NOTE_WRITING), llvm::MaybeAlign(4), relaxed, relaxed);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), write, out);
  builder.SetInsertPoint(write);
  write_fault(builder, record,
              {function->getArg(1), function->getArg(2), function->getArg(3), function->getArg(4),
               function->getArg(5)},
              KERN_NOTE_THERE);
  builder.CreateBr(out);
  builder.SetInsertPoint(out);
  builder.CreateRetVoid();
  return function;
}

llvm::Value* vocabulary::gpu_note_index(Lowerer& lower, const CustomCall& call) {
  llvm::Function* note = lower.state.module.getFunction(note_name);
  if (!note) note = make_gpu_note(lower.state);
  const auto guard = static_cast<std::uint64_t>(ir::int_value(call.args[0]));
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* site = builder.getInt32(static_cast<std::uint32_t>(guard));
  llvm::Value* axis = builder.getInt32(static_cast<std::uint32_t>(guard >> 32 & 0xff));
  llvm::Value* kind = builder.getInt32(static_cast<std::uint32_t>(guard >> 40 & 0xff));
  builder.CreateCall(note, {lower.record, site, axis, kind, read(lower, call.args[1]),
                            read(lower, call.args[2]), read(lower, call.args[3])});
  return nullptr;
}

} // namespace kern::lowering
