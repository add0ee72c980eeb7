// Calls of builtins, as the columns Gpu and Cpu of builtins.def say. Device math is a call of `__nv_sin` and
// kin, whichever library emit/ links; host math a call of libm.
#include "compiler/builtins/builtins.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/lower/shared/lowering.h"
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

static llvm::Value* call_intrinsic(Lowerer& lower, std::string_view name, llvm::ArrayRef<llvm::Value*> args,
                                   bool overloaded) {
  llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
  assert(id != llvm::Intrinsic::not_intrinsic);
  std::vector<llvm::Type*> types;
  if (overloaded) types.push_back(args[0]->getType());
  if (id == llvm::Intrinsic::sqrt && lower.gpu() && lower.fast_math && args[0]->getType()->isFloatTy())
    return lower.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_sqrt_approx_f, {}, args);
  return lower.builder.CreateIntrinsic(id, types, args);
}

llvm::Function* declare_math(Lowerer& lower, const std::string& symbol, llvm::FunctionType* type) {
  auto* function =
      llvm::cast<llvm::Function>(lower.state.module.getOrInsertFunction(symbol, type).getCallee());
  // Nobody reads errno here.
  function->setMemoryEffects(llvm::MemoryEffects::none());
  for (auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoFree})
    function->addFnAttr(attribute);
  return function;
}

static std::string math_symbol(const Lowerer& lower, std::string_view name, ScalarKind kind,
                               bool has_other_form) {
  const bool is_f32 = kind == ScalarKind::F32,
             is_fast = has_other_form && lower.gpu() && lower.fast_math && is_f32;
  return (lower.gpu() ? "__nv_" : "") + std::string(is_fast ? "fast_" : "") + std::string(name) +
         (is_f32 ? "f" : "");
}

llvm::Value* call_math(Lowerer& lower, std::string_view name, ScalarKind kind,
                       llvm::ArrayRef<llvm::Value*> args, bool has_other_form) {
  if (args[0]->getType()->isVectorTy()) return call_vector_math(lower, name, kind, args, has_other_form);
  std::string symbol = math_symbol(lower, name, kind, has_other_form);
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  auto* type = llvm::FunctionType::get(register_type(lower.state, kind), types, false);
  return lower.builder.CreateCall(declare_math(lower, symbol, type), args);
}

static llvm::Value* field_value(Lowerer& lower, Field field, Form form) {
  if (lower.gpu()) return read_gpu_field(lower, field);
  auto index = static_cast<std::size_t>(field);
  if (lower.is_vector() && index < 3) return thread_index_lanes(lower, static_cast<int>(index), form);
  llvm::Value* const* groups[] = {lower.place.thread, lower.place.block, lower.place.block_dim,
                                  lower.place.grid};
  return groups[index / 3][index % 3];
}

llvm::Value* lower_recipe(Lowerer& lower, const CustomCall& call) {
  const Recipe& how = lower.state.recipes[static_cast<std::size_t>(call.builtin)];
  if (how.kind == Recipe::Kind::Custom) return how.custom(lower, call);
  if (how.kind == Recipe::Kind::Field) return field_value(lower, how.field, call.form);
  std::vector<llvm::Value*> args;
  for (const ir::Operand& arg : call.args) args.push_back(read(lower, arg, call.form));
  switch (how.kind) {
  case Recipe::Kind::Intrinsic: return call_intrinsic(lower, how.name, args, false);
  case Recipe::Kind::Overloaded: return call_intrinsic(lower, how.name, args, true);
  case Recipe::Kind::Math: return call_math(lower, how.name, call.result->scalar, args, how.has_other_form);
  case Recipe::Kind::None:
  case Recipe::Kind::Field:
  case Recipe::Kind::Custom: break;
  }
  assert(false && "the checker writes this builtin in other IR");
  return nullptr;
}

llvm::Value* lower_builtin(Lowerer& lower, Builtin builtin, Type result, const std::vector<ir::Operand>& args,
                           Form form) {
  return lower_recipe(lower, {builtin, result, args, form});
}

llvm::Value* call_effect(Lowerer& lower, const ir::CallEffect& call) {
  Type result = call.slot ? lower.ir.slots[static_cast<std::size_t>(*call.slot)].type : types::none;
  CustomCall custom{call.builtin, result, call.args, Form::Scalar};
  custom.site = call.site;
  return lower_recipe(lower, custom);
}

void lower_call_effect(Lowerer& lower, const ir::CallEffect& call) {
  llvm::Value* value = call_effect(lower, call);
  if (call.slot) write(lower, *call.slot, value);
}

void lower_atomic(Lowerer& lower, const ir::Atomic& atomic) {
  ArrayValue array = read_array(lower, atomic.array);
  llvm::Value* address = element_address(lower, array, element_place(lower, array, atomic.indices));
  CustomCall call{atomic.builtin, types::scalar(array.element), atomic.args, Form::Scalar, address,
                  array.space};
  llvm::Value* old = lower_recipe(lower, call);
  if (atomic.slot) write(lower, *atomic.slot, old);
}

} // namespace kern::lowering
