// Bad indices and values of threads that go on (transform/clamp_guards.cpp), on the CPU: the runtime keeps the first one of a
// launch, and counts the threads. All of it is cold.
#include "compiler/lower/shared/lowering.h"
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

// kern/abi.h says what the words are that tell the runtime of a guard, and of each lane.
llvm::Value* vocabulary::cpu_note_index(Lowerer& lower, const CustomCall& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  const auto guard = static_cast<std::uint64_t>(ir::int_value(call.args[0]));
  const std::uint64_t linear = lower.lanes.linear_id ? 1 : 0;
  llvm::Value *lanes = builder.getInt32(1), *noted = nullptr, *indices = nullptr, *extents = nullptr;
  if (lower.is_vector()) {
    auto bits_of = [&](llvm::Value* mask) {
      return builder.CreateZExt(mask_bits(lower, mask), builder.getInt32Ty());
    };
    lanes = lower.lanes.masked
                ? bits_of(active_lanes(lower))
                : builder.getInt32(static_cast<std::uint32_t>((std::uint64_t(1) << lower.lane_count()) - 1));
    indices = spill(lower, to_vector(lower, read_value(lower, call.args[1]))).buffer;
    extents = spill(lower, to_vector(lower, read_value(lower, call.args[2]))).buffer;
    noted = bits_of(to_vector(lower, read_value(lower, call.args[3])));
  } else {
    auto in_memory = [&](const ir::Operand& operand) {
      llvm::Value* place = entry_alloca(lower, builder.getInt64Ty(), "noted");
      builder.CreateStore(read(lower, operand), place);
      return place;
    };
    indices = in_memory(call.args[1]);
    extents = in_memory(call.args[2]);
    noted = builder.CreateZExt(read(lower, call.args[3]), builder.getInt32Ty());
  }
  const Place& place = lower.place;
  std::vector<llvm::Value*> args = {lower.record,
                                    place.where,
                                    builder.getInt64(guard | linear << 48),
                                    lanes,
                                    noted,
                                    indices,
                                    extents,
                                    lower.lanes.linear_id ? lower.lanes.linear_id : place.thread[0],
                                    place.thread[1],
                                    place.thread[2]};
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  llvm::CallInst* told =
      builder.CreateCall(lower.state.module.getOrInsertFunction("kern_cpu_note", type), args);
  told->addFnAttr(llvm::Attribute::Cold);
  told->addFnAttr(llvm::Attribute::NoUnwind);
  return nullptr;
}

} // namespace kern::lowering
