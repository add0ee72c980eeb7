// The special registers of a GPU that say where a thread is, with the range that the hardware promises of them, or the
// kernel's block: LLVM finds overflow-free index arithmetic by it, and how often `for i in range(threadIdx.x, 1024, 256)`
// goes round.
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/lower/shared/lowering.h"
#include "compiler/support/limits.h"

namespace kern::lowering {

namespace I = llvm::Intrinsic;

llvm::CallInst* read_register(llvm::IRBuilder<>& builder, Field along_x, std::size_t axis) {
  static constexpr I::ID ids[] = {
      I::nvvm_read_ptx_sreg_tid_x,    I::nvvm_read_ptx_sreg_tid_y,    I::nvvm_read_ptx_sreg_tid_z,
      I::nvvm_read_ptx_sreg_ctaid_x,  I::nvvm_read_ptx_sreg_ctaid_y,  I::nvvm_read_ptx_sreg_ctaid_z,
      I::nvvm_read_ptx_sreg_ntid_x,   I::nvvm_read_ptx_sreg_ntid_y,   I::nvvm_read_ptx_sreg_ntid_z,
      I::nvvm_read_ptx_sreg_nctaid_x, I::nvvm_read_ptx_sreg_nctaid_y, I::nvvm_read_ptx_sreg_nctaid_z};
  return builder.CreateIntrinsic(ids[static_cast<std::size_t>(along_x) + axis], {}, {});
}

static llvm::Value* within(llvm::CallInst* call, std::uint64_t least, std::uint64_t limit) {
  llvm::ConstantRange range(llvm::APInt(32, least), llvm::APInt(32, limit));
  call->addRetAttr(llvm::Attribute::get(call->getContext(), llvm::Attribute::Range, range));
  return call;
}

llvm::Value* read_gpu_field(Lowerer& lower, Field field) {
  llvm::CallInst* call = read_register(lower.builder, field);
  const std::size_t axis = static_cast<std::size_t>(field) % 3;
  const bool is_thread = field <= Field::thread_z, is_size = field >= Field::block_dim_x;
  if (const auto& block = lower.ir.options.block; is_thread && block) {
    // As metadata: NVVMIntrRange replaces an attribute by what it knows itself, the number of threads along all axes.
    const auto threads = static_cast<std::uint64_t>((*block)[axis]);
    llvm::MDBuilder metadata(call->getContext());
    call->setMetadata(llvm::LLVMContext::MD_range,
                      metadata.createRange(llvm::APInt(32, 0), llvm::APInt(32, threads)));
    return call;
  }
  const bool is_of_block = is_thread || (is_size && field <= Field::block_dim_z);
  const auto most =
      static_cast<std::uint64_t>((is_of_block ? limits::launch_block : limits::launch_grid)[axis]);
  return is_size ? within(call, 1, most + 1) : within(call, 0, most);
}

llvm::Value* vocabulary::gpu_lane_id(Lowerer& lower, const CustomCall&) {
  return within(lower.builder.CreateIntrinsic(I::nvvm_read_ptx_sreg_laneid, {}, {}), 0, limits::warp_size);
}

} // namespace kern::lowering
