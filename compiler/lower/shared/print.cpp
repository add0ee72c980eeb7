// print: a run of 8-byte words, the site and the number of arguments first. On the GPU they go into the
// launch's ring, where an atomic reserves their place; on the CPU to the runtime.
#include <cstddef>

#include "compiler/lower/shared/lowerer.h"
#include "kern/abi.h"

namespace kern::lowering {

// An argument as in a slot of the parameter block: its bytes at the beginning.
static llvm::Value* word_of(Lowerer& lower, Type type, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned width = value->getType()->getPrimitiveSizeInBits();
  if (!is_integer(type)) {
    value = builder.CreateBitCast(value, builder.getIntNTy(width));
    return builder.CreateZExt(value, builder.getInt64Ty());
  }
  return builder.CreateIntCast(value, builder.getInt64Ty(), is_signed(type));
}

static void store_words(Lowerer& lower, llvm::Value* first, const std::vector<llvm::Value*>& words) {
  for (std::size_t index = 0; index < words.size(); ++index)
    lower.builder.CreateStore(
        words[index], lower.builder.CreateConstInBoundsGEP1_64(lower.builder.getInt64Ty(), first, index));
}

// Without a ring nothing is printed; where it is full, `used` still counts what was lost.
static void print_to_ring(Lowerer& lower, const std::vector<llvm::Value*>& words) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* word = builder.getInt64Ty();
  auto field = [&](llvm::Value* base, std::size_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  };
  llvm::Value* address =
      builder.CreateLoad(word, field(lower.record, offsetof(kern_launch_record, print_ring)));
  llvm::BasicBlock* reserve = new_block(lower, "reserve");
  llvm::BasicBlock* write = new_block(lower, "print");
  llvm::BasicBlock* done = new_block(lower, "printed");
  builder.CreateCondBr(builder.CreateIsNull(address), done, reserve);
  builder.SetInsertPoint(reserve);
  llvm::Value* ring = builder.CreateIntToPtr(address, builder.getPtrTy(1));
  llvm::Value* count = i64(lower.state, static_cast<std::int64_t>(words.size()));
  llvm::Value* old =
      builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, field(ring, offsetof(kern_print_ring, used)), count,
                              llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
  llvm::Value* capacity = builder.CreateLoad(word, field(ring, offsetof(kern_print_ring, capacity)));
  builder.CreateCondBr(builder.CreateICmpULE(builder.CreateAdd(old, count), capacity), write, done);
  builder.SetInsertPoint(write);
  llvm::Value* first = builder.CreateGEP(word, field(ring, offsetof(kern_print_ring, words)), old);
  store_words(lower, first, words);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

static void print_to_host(Lowerer& lower, const std::vector<llvm::Value*>& words) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* buffer =
      entry_alloca(lower, llvm::ArrayType::get(builder.getInt64Ty(), words.size()), "words");
  store_words(lower, buffer, words);
  auto* type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {builder.getPtrTy(), builder.getPtrTy(), builder.getInt64Ty()}, false);
  llvm::FunctionCallee print = lower.state.module.getOrInsertFunction("kern_cpu_print", type);
  builder.CreateCall(print,
                     {lower.record, buffer, i64(lower.state, static_cast<std::int64_t>(words.size()))});
}

void print_values(Lowerer& lower, const ir::Print& print, llvm::ArrayRef<llvm::Value*> values) {
  std::uint64_t head = static_cast<std::uint64_t>(print.site) | static_cast<std::uint64_t>(values.size())
                                                                    << 32;
  std::vector<llvm::Value*> words = {i64(lower.state, static_cast<std::int64_t>(head))};
  for (std::size_t index = 0; index < values.size(); ++index)
    words.push_back(word_of(lower, print.args[index].type, values[index]));
  if (lower.gpu()) {
    print_to_ring(lower, words);
  } else {
    print_to_host(lower, words);
  }
}

void lower_print(Lowerer& lower, const ir::Print& print) {
  std::vector<llvm::Value*> values;
  for (const ir::Operand& arg : print.args) values.push_back(read(lower, arg));
  print_values(lower, print, values);
}

} // namespace kern::lowering
