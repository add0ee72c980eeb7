// Accesses with cache hints: LLVM's loads and stores have no word for the cache operators of PTX, so they are inline
// assembly. That is opaque to the passes of LLVM, which is why an access has it only where the program asks.
#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <string>

#include "compiler/lower/shared/lowerer.h"

namespace kern::lowering {

namespace {

// How a register of so many bits is written in a constraint, and its type in PTX.
struct Register {
  const char *constraint, *type;
};
Register register_of(unsigned bits) {
  if (bits == 8) return {"h", "b8"}; // the least register has 16 bits
  if (bits == 16) return {"h", "b16"};
  if (bits == 32) return {"r", "b32"};
  return {"l", "b64"};
}

// Only global memory has caches to speak of.
bool has_hint(const Lowerer& lower, const ArrayValue& array, ir::CacheHint hint) {
  return lower.gpu() && array.space == AddressSpace::Global && hint != ir::CacheHint::None &&
         scalar_class(array.element) != ScalarClass::Complex;
}

llvm::Value* as_number(Lowerer& lower, llvm::Value* address) {
  return lower.builder.CreatePtrToInt(address, lower.builder.getInt64Ty());
}

} // namespace

llvm::Value* load_hinted(Lowerer& lower, const ArrayValue& array, llvm::Value* address, ir::CacheHint hint) {
  if (!has_hint(lower, array, hint)) return nullptr;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* element = memory_type(lower.state, array.element);
  const unsigned bits = element->getScalarSizeInBits();
  const Register place = register_of(bits);
  llvm::Type* held = builder.getIntNTy(bits == 8 ? 16 : bits);
  auto* type = llvm::FunctionType::get(held, {builder.getInt64Ty()}, false);
  std::string text = fmt::format("ld.global.{}.{} $0, [$1];", ir::name(hint), place.type);
  auto* code = llvm::InlineAsm::get(type, text, fmt::format("={},l,~{{memory}}", place.constraint), true);
  llvm::Value* loaded = builder.CreateCall(code, {as_number(lower, address)});
  if (bits == 8) loaded = builder.CreateTrunc(loaded, builder.getInt8Ty());
  return builder.CreateBitCast(loaded, element);
}

bool store_hinted(Lowerer& lower, const ArrayValue& array, llvm::Value* address, llvm::Value* value,
                  ir::CacheHint hint) {
  if (!has_hint(lower, array, hint)) return false;
  llvm::IRBuilder<>& builder = lower.builder;
  const unsigned bits = value->getType()->getScalarSizeInBits();
  const Register place = register_of(bits);
  value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  if (bits == 8) value = builder.CreateZExt(value, builder.getInt16Ty());
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt64Ty(), value->getType()}, false);
  std::string text = fmt::format("st.global.{}.{} [$0], $1;", ir::name(hint), place.type);
  auto* code = llvm::InlineAsm::get(type, text, fmt::format("l,{},~{{memory}}", place.constraint), true);
  builder.CreateCall(code, {as_number(lower, address), value});
  return true;
}

} // namespace kern::lowering
