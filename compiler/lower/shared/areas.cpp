// The scratch areas of CPU blocks (cpu/kernel.cpp lays them out).
#include "compiler/lower/shared/lowerer.h"

namespace kern::lowering {

static llvm::Value* at(Lowerer& lower, llvm::Value* base, llvm::Value* offset) {
  return lower.builder.CreateInBoundsGEP(lower.builder.getInt8Ty(), base, offset);
}

static llvm::Value* constant(Lowerer& lower, std::uint64_t bytes) {
  return i64(lower.state, static_cast<std::int64_t>(bytes));
}

void find_area(Lowerer& lower, llvm::Value* number) {
  llvm::IRBuilder<>& builder = lower.builder;
  Scratch& scratch = lower.scratch;
  llvm::Value* bytes =
      builder.CreateNUWMul(scratch.vectors, constant(lower, scratch.strip_bytes + scratch.record_bytes));
  bytes = builder.CreateNUWAdd(bytes, constant(lower, scratch.block_bytes));
  scratch.base = at(lower, scratch.areas, builder.CreateNUWMul(number, bytes));
  scratch.strip_records = at(lower, scratch.base, constant(lower, scratch.block_bytes));
  scratch.records = record_at(lower, scratch.strip_records, scratch.vectors, scratch.strip_bytes);
  if (lower.abreast.most > 1 && scratch.has_left_flag)
    scratch.live_threads = at(lower, scratch.base, constant(lower, scratch.block_bytes - cache_line));
}

void name_block_arrays(Lowerer& lower) {
  lower.block_arrays_stand = false;
  for (const ir::Assign* assign : lower.block_arrays)
    if (assign) lower_assign(lower, *assign);
  lower.block_arrays_stand = true;
}

void go_to_area(Lowerer& lower, llvm::Value* number) {
  find_area(lower, number);
  name_block_arrays(lower);
}

} // namespace kern::lowering
