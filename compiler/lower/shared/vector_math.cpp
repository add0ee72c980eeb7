// Math functions of vectors. libmvec has most of them, by exact width; it is called directly, because LLVM's
// table of it knows few and would fall back to a call a lane. Dead lanes get 1.0, which no function minds. A
// function that libmvec lacks is a loop of scalar calls in a helper.
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

// Calls the function of exactly `width` lanes: _ZGVeN16v_sinf.
static llvm::Value* call_libmvec(Lowerer& lower, std::string_view name, ScalarKind kind, unsigned width,
                                 llvm::ArrayRef<llvm::Value*> args) {
  bool is_f32 = kind == ScalarKind::F32;
  std::string symbol = lower.state.has_avx512 ? "_ZGVeN" : "_ZGVdN";
  symbol +=
      std::to_string(width) + std::string(args.size(), 'v') + "_" + std::string(name) + (is_f32 ? "f" : "");
  std::vector<llvm::Type*> types(args.size(), args[0]->getType());
  auto* type = llvm::FunctionType::get(types[0], types, false);
  return lower.builder.CreateCall(declare_math(lower, symbol, type), args);
}

static llvm::Value* call_in_parts(Lowerer& lower, std::string_view name, ScalarKind kind,
                                  llvm::ArrayRef<llvm::Value*> args) {
  unsigned width = (lower.state.has_avx512 ? 512 : 256) / static_cast<unsigned>(bit_width(kind));
  std::vector<llvm::Value*> results;
  for (unsigned first = 0; first < lower.lane_count(); first += width) {
    std::vector<llvm::Value*> parts;
    for (llvm::Value* arg : args) parts.push_back(part_of(lower, arg, first, width));
    results.push_back(call_libmvec(lower, name, kind, width, parts));
  }
  return concatenate_parts(lower, results);
}

// kern_each_f(vectors...): a call a lane.
static llvm::Function* each_lane_helper(Lowerer& lower, llvm::Function* scalar,
                                        llvm::ArrayRef<llvm::Value*> args) {
  std::string name = "kern_each" + std::to_string(lower.lane_count()) + "_" + scalar->getName().str();
  if (llvm::Function* found = lower.state.module.getFunction(name)) return found;
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  llvm::FixedVectorType* result_type = vector_of(lower, scalar->getReturnType());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result_type, types, false),
                                          llvm::GlobalValue::InternalLinkage, name, lower.state.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::LLVMContext& context = lower.state.context;
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* body = llvm::BasicBlock::Create(context, "lane", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  llvm::IRBuilder<> builder(entry);
  std::vector<llvm::AllocaInst*> buffers;
  for (llvm::Argument& arg : function->args()) {
    buffers.push_back(builder.CreateAlloca(arg.getType()));
    builder.CreateStore(&arg, buffers.back());
  }
  llvm::AllocaInst* result = builder.CreateAlloca(result_type);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  llvm::PHINode* lane = builder.CreatePHI(builder.getInt64Ty(), 2);
  std::vector<llvm::Value*> values;
  for (std::size_t index = 0; index < buffers.size(); ++index) {
    llvm::Type* element = types[index]->getScalarType();
    values.push_back(builder.CreateLoad(element, builder.CreateInBoundsGEP(element, buffers[index], lane)));
  }
  llvm::Value* value = builder.CreateCall(scalar, values);
  builder.CreateStore(value, builder.CreateInBoundsGEP(scalar->getReturnType(), result, lane));
  llvm::Value* next = builder.CreateAdd(lane, builder.getInt64(1));
  lane->addIncoming(builder.getInt64(0), entry);
  lane->addIncoming(next, body);
  builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(lower.lane_count())), body, done);
  builder.SetInsertPoint(done);
  builder.CreateRet(builder.CreateLoad(result_type, result));
  return function;
}

llvm::Value* call_vector_math(Lowerer& lower, std::string_view name, ScalarKind kind,
                              llvm::ArrayRef<llvm::Value*> args, bool has_vector_form) {
  std::vector<llvm::Value*> safe(args.begin(), args.end());
  for (llvm::Value*& arg : safe)
    if (lower.lanes.masked && arg->getType()->isFPOrFPVectorTy())
      arg = lower.builder.CreateSelect(active_lanes(lower), arg, llvm::ConstantFP::get(arg->getType(), 1.0));
  if (has_vector_form) return call_in_parts(lower, name, kind, safe);
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : safe) types.push_back(arg->getType()->getScalarType());
  auto* type = llvm::FunctionType::get(register_type(lower.state, kind), types, false);
  llvm::Function* scalar =
      declare_math(lower, std::string(name) + (kind == ScalarKind::F32 ? "f" : ""), type);
  return lower.builder.CreateCall(each_lane_helper(lower, scalar, safe), safe);
}

} // namespace kern::lowering
