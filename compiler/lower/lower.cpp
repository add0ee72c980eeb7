// The face of lower/: every kernel of a module, then the device functions that they call.
#include "compiler/lower/lower.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern {

using namespace lowering;

// On the CPU shared arrays of device functions have one place in every kernel's scratch area, before the
// kernel's own.
static void place_device_shared(ModuleState& state) {
  state.device_shared.assign(state.ir.shared.size(), not_placed);
  for (const ir::Function& function : state.ir.functions) {
    if (function.is_kernel) continue;
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* shared = assign ? std::get_if<ir::SharedArray>(&assign->value) : nullptr;
      if (!shared) return;
      auto id = static_cast<std::size_t>(shared->id);
      if (state.ir.shared[id].extents.empty() || state.device_shared[id] != not_placed) return;
      state.device_shared[id] = state.device_shared_bytes;
      state.device_shared_bytes += (shared_bytes(state.ir.shared[id]) + 63) / 64 * 64;
    });
  }
}

Lowered lower(const ir::Module& module, const SourceManager& sources, const TargetOptions& options,
              const llvm::TargetMachine& machine, llvm::LLVMContext& context) {
  Lowered result;
  result.module = std::make_unique<llvm::Module>("kern", context);
  result.module->setTargetTriple(machine.getTargetTriple().str());
  result.module->setDataLayout(machine.createDataLayout());
  ModuleState state{module,  sources,        options,
                    context, *result.module, DebugInfo(*result.module, sources, options)};
  state.has_avx512 =
      !state.gpu() && machine.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl,+avx512dq,+avx512bw");
  state.functions.resize(module.functions.size());
  state.shared.resize(module.shared.size());
  state.constants.resize(module.constants.size());
  place_device_shared(state);
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    if (!module.functions[index].is_kernel) continue;
    auto id = static_cast<ir::FunctionId>(index);
    if (state.gpu()) {
      lower_gpu_kernel(state, id);
    } else {
      result.layouts.push_back(lower_cpu_kernel(state, id));
    }
  }
  for (std::size_t next = 0; next < state.pending.size(); ++next) {
    if (state.lanes() > 1) {
      lower_lane_function(state, state.pending[next]);
    } else {
      lower_device_function(state, state.pending[next]);
    }
  }
  state.debug.finish();
  return result;
}

} // namespace kern
