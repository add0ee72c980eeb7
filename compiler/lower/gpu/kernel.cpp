// The kernels of a GPU: each slot of the parameter block is a parameter of its own.
#include <llvm/IR/ConstantRange.h>

#include "compiler/lower/gpu/gpu.h"
#include "compiler/lower/shared/zeroed.h"
#include "compiler/support/limits.h"

namespace kern::lowering {

static void annotate(ModuleState& state, llvm::Function& kernel, const char* name, std::int64_t value) {
  llvm::Metadata* parts[] = {llvm::ConstantAsMetadata::get(&kernel), llvm::MDString::get(state.context, name),
                             llvm::ConstantAsMetadata::get(i32(state, value))};
  state.module.getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(llvm::MDNode::get(state.context, parts));
}

// LLVM 19 reads these from metadata only, and before the optimiser runs.
static void annotate_launch(ModuleState& state, llvm::Function& kernel, const ir::KernelOptions& options) {
  const char* names[] = {"reqntidx", "reqntidy", "reqntidz"};
  if (options.block)
    for (std::size_t axis = 0; axis < 3; ++axis) annotate(state, kernel, names[axis], (*options.block)[axis]);
  if (options.max_threads > 0 && !options.block) annotate(state, kernel, "maxntidx", options.max_threads);
  if (options.min_blocks > 0) annotate(state, kernel, "minctasm", options.min_blocks);
  if (options.max_registers > 0) annotate(state, kernel, "maxnreg", options.max_registers);
}

static void add_param_attributes(Lowerer& lower, unsigned first, Type type) {
  llvm::LLVMContext& context = lower.state.context;
  llvm::AttrBuilder pointer(context);
  pointer.addAlignmentAttr(static_cast<std::uint64_t>(bit_width(type->scalar)) / 8);
  lower.function->addParamAttrs(first, pointer);
  llvm::ConstantRange range(llvm::APInt(64, 0), llvm::APInt(64, limits::array_bytes + 1));
  for (unsigned axis = 0; axis < type->rank; ++axis)
    lower.function->addParamAttr(first + 1 + axis,
                                 llvm::Attribute::get(context, llvm::Attribute::Range, range));
}

static void make_gpu_entry(Lowerer& lower) {
  ModuleState& state = lower.state;
  std::vector<llvm::Type*> params;
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param)
    for (llvm::Type* type : block_types(state, lower.ir.slots[param].type)) params.push_back(type);
  params.push_back(llvm::PointerType::get(state.context, 1));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(state.context), params, false);
  lower.function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, lower.ir.symbol, state.module);
  lower.function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  lower.function->addFnAttr(llvm::Attribute::NoUnwind);
  annotate_launch(state, *lower.function, lower.ir.options);
  unsigned first = 0;
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param) {
    Type slot = lower.ir.slots[param].type;
    if (is_array(slot)) add_param_attributes(lower, first, slot);
    first += static_cast<unsigned>(block_types(state, slot).size());
  }
  for (llvm::Argument& arg : lower.function->args()) lower.param_block.push_back(&arg);
  lower.record = lower.param_block.back();
  lower.param_block.pop_back();
  // The record: 128 bytes that the launch owns.
  lower.function->addParamAttr(first, llvm::Attribute::getWithAlignment(state.context, llvm::Align(8)));
}

void lower_gpu_kernel(ModuleState& state, ir::FunctionId id, const LaneFacts& facts) {
  Lowerer lower(state, id, facts);
  make_gpu_entry(lower);
  begin_function(lower);
  std::vector<bool> zeroed = find_zeroed(lower.ir, find_unset_reads(lower.ir));
  for (std::size_t index = 0; index < lower.ir.slots.size(); ++index) {
    lower.slots.push_back(make_cells(lower, index));
    allocate(lower, lower.slots.back(), lower.ir.slots[index].name, zeroed[index]);
  }
  write_params(lower, std::vector<bool>(lower.slots.size(), true));
  lower.used_shared = used_shared(state.ir, lower.ir);
  lower.leave = new_block(lower, "exit");
  enter(lower, new_block(lower, "start"));
  lower.before_return = leave_grid;
  begin_grid_kernel(lower);
  poll_at_start(lower);
  lower_body(lower, lower.ir.body);
  enter(lower, lower.leave);
  lower.builder.CreateRetVoid();
  describe_variables(lower);
}

} // namespace kern::lowering
