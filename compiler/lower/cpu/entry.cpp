// The function of a CPU kernel, which loads its parameters from the parameter block.
#include <llvm/IR/MDBuilder.h>

#include "compiler/lower/cpu/cpu.h"
#include "compiler/support/limits.h"

namespace kern::lowering {

void make_cpu_entry(Lowerer& lower) {
  ModuleState& state = lower.state;
  auto* pointer = llvm::PointerType::get(state.context, 0);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(state.context), {pointer, pointer, pointer}, false);
  lower.function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, lower.ir.symbol, state.module);
  lower.function->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned arg : {0u, 1u}) lower.function->addParamAttr(arg, llvm::Attribute::ReadOnly);
  // No other thread and no array of the program reaches into any of the three.
  for (unsigned arg : {0u, 1u, 2u}) lower.function->addParamAttr(arg, llvm::Attribute::NoAlias);
  lower.function->addParamAttr(2, llvm::Attribute::getWithAlignment(state.context, llvm::Align(64)));
  lower.place.where = lower.function->getArg(1);
  lower.scratch.base = lower.function->getArg(2);
}

void load_params(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::uint64_t offset = 0;
  llvm::MDNode* range = llvm::MDBuilder(lower.state.context)
                            .createRange(llvm::APInt(64, 0), llvm::APInt(64, limits::array_bytes + 1));
  auto load = [&](llvm::Type* type) {
    llvm::Value* from =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), lower.function->getArg(0), offset);
    offset += type->getPrimitiveSizeInBits() > 64 ? 16 : 8;
    return builder.CreateAlignedLoad(type, from, llvm::Align(8));
  };
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param) {
    Type type = lower.ir.slots[param].type;
    std::vector<llvm::Type*> parts = block_types(lower.state, type);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      llvm::LoadInst* value = load(parts[part]);
      if (part >= 1 && part <= type->rank) value->setMetadata(llvm::LLVMContext::MD_range, range);
      lower.param_block.push_back(value);
    }
  }
  lower.record = load(builder.getPtrTy());
}

} // namespace kern::lowering
