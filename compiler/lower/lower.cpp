// The face of lower/: every kernel of a module, then the device functions that they call.
#include "compiler/lower/lower.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/analysis/threads/kernel_lanes.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/cpu/cpu.h"
#include "compiler/lower/gpu/gpu.h"

namespace kern {

using namespace lowering;

static constexpr std::size_t constant_memory = 64 << 10; // of a GPU, for one module

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
      state.device_shared_bytes += (static_bytes(state.ir.shared[id]) + 63) / 64 * 64;
    });
  }
}

// Which constant arrays a kernel reads, itself or in what it calls, by ConstantId.
static std::vector<bool> read_constants(const ir::Module& module, const ir::Function& kernel) {
  std::vector<bool> reads(module.constants.size());
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* constant = assign ? std::get_if<ir::ConstantArray>(&assign->value) : nullptr;
    if (constant) reads[static_cast<std::size_t>(constant->id)] = true;
  });
  return reads;
}

static std::size_t bytes_of(const ir::Module& module, const std::vector<bool>& constants) {
  std::size_t bytes = 0;
  for (std::size_t id = 0; id < constants.size(); ++id) {
    const ir::ConstantDecl& constant = module.constants[id];
    auto cell = static_cast<std::size_t>(bit_width(cell_kind(constant.element)) / 8);
    if (constants[id]) bytes += constant.values.size() * cell;
  }
  return bytes;
}

// Returns which kernels of a GPU have their constant arrays in constant memory. Those with few bytes come first,
// so that what one with large tables loses, its neighbours keep.
static std::vector<bool> find_constant_kernels(const ir::Module& module, const TargetOptions& options) {
  std::vector<std::pair<std::size_t, std::vector<bool>>> kernels;
  for (std::size_t index = 0; index < module.functions.size(); ++index)
    if (is_wanted(module.functions[index], options))
      kernels.emplace_back(index, read_constants(module, module.functions[index]));
  std::ranges::stable_sort(kernels, {}, [&](const auto& kernel) { return bytes_of(module, kernel.second); });
  std::vector<bool> placed(module.constants.size()), result(module.functions.size());
  for (const auto& [index, reads] : kernels) {
    std::vector<bool> with = placed;
    std::transform(with.begin(), with.end(), reads.begin(), with.begin(), std::logical_or<>());
    if (bytes_of(module, with) > constant_memory) continue;
    placed = std::move(with);
    result[index] = true;
  }
  return result;
}

static void lower_pending(ModuleState& state) {
  for (std::size_t next = 0; next < state.pending.size(); ++next) {
    const PendingFunction pending = state.pending[next]; // what it calls is added
    if (!state.gpu() && pending.facts.lanes > 1) {
      lower_lane_function(state, pending);
    } else {
      lower_device_function(state, pending);
    }
  }
  state.pending.clear();
}

bool has_mask_registers(const llvm::TargetMachine& machine) {
  return machine.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl,+avx512dq,+avx512bw");
}

static void make_tags(ModuleState& state) {
  llvm::MDBuilder metadata(state.context);
  auto tag = [&](llvm::StringRef name) {
    llvm::MDNode* type = metadata.createTBAAScalarTypeNode(name, metadata.createTBAARoot("kern"));
    return metadata.createTBAAStructTagNode(type, type, 0);
  };
  state.record_tag = tag("record");
  state.element_tag = tag("element");
}

// A debugger shows one thread at a time where the program lets it.
static LaneFacts asked_lanes(const ir::Module& module, const ir::Function& kernel,
                             const TargetOptions& options) {
  LaneFacts asked = options.lanes;
  bool is_apart = is_for_debugger(options) && !options.lanes_are_chosen && !uses_warps(module, kernel);
  if (is_apart) asked.lanes = 1;
  return asked;
}

bool is_wanted(const ir::Function& function, const TargetOptions& options) {
  if (!function.is_kernel) return false;
  const bool is_first = function.variant_of.empty();
  if (options.variants != VariantChoice::All && is_first != (options.variants == VariantChoice::First))
    return false;
  return options.kernel.empty() || options.kernel == (is_first ? function.symbol : function.variant_of);
}

Lowered lower(const ir::Module& module, const SourceManager& sources, const TargetOptions& options,
              const llvm::TargetMachine& machine, llvm::LLVMContext& context) {
  Lowered result;
  result.module = std::make_unique<llvm::Module>("kern", context);
  result.module->setTargetTriple(machine.getTargetTriple().str());
  result.module->setDataLayout(machine.createDataLayout());
  ModuleState state{module,
                    sources,
                    options,
                    context,
                    *result.module,
                    DebugInfo(*result.module, sources, options),
                    SharedLayout(module),
                    recipes_of(options.target)};
  state.has_avx512 = !state.gpu() && has_mask_registers(machine);
  if (!state.gpu()) make_tags(state);
  state.shared.resize(module.shared.size());
  for (std::vector<llvm::GlobalVariable*>& constants : state.constants)
    constants.resize(module.constants.size());
  const std::vector<bool> constant_kernels = find_constant_kernels(module, options);
  place_device_shared(state);
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    const ir::Function& function = module.functions[index];
    if (!is_wanted(function, options)) continue;
    auto id = static_cast<ir::FunctionId>(index);
    const LaneFacts facts = kernel_lanes(module, function, asked_lanes(module, function, options));
    state.constants_are_global = state.gpu() && !constant_kernels[index];
    if (state.gpu()) {
      lower_gpu_kernel(state, id, facts);
    } else {
      result.layouts.push_back(lower_cpu_kernel(state, id, facts));
    }
    lower_pending(state);
  }
  state.debug.finish();
  return result;
}

} // namespace kern
