// Each promise of LaneFacts as an expression over the launch. A fact that holds for every launch is left out.
#include "compiler/driver/aot/variants.h"

#include "compiler/analysis/threads/kernel_lanes.h"
#include "compiler/ir/param_block.h"
#include "compiler/support/limits.h"

namespace kern {

// The last axis of every array has stride 1.
static void add_contiguous(const ir::Function& kernel, std::vector<Expression>& facts) {
  for (std::uint32_t param = 0; param < kernel.param_count; ++param) {
    Type type = kernel.slots[param].type;
    if (!is_array(type)) continue;
    facts.push_back(ir::binary_expression(
        ExpressionOp::Equal,
        ir::axis_expression(kernel, ir::SlotId(param), ExpressionOp::Stride, type->rank - 1),
        ir::constant_expression(1)));
  }
}

// blockDim.x % lanes == 0; says whether some launch can keep it.
static bool add_whole_vectors(const ir::Function& kernel, int lanes, std::vector<Expression>& facts) {
  if (kernel.options.block) return (*kernel.options.block)[0] % lanes == 0;
  Expression rest = ir::binary_expression(
      ExpressionOp::Modulo, ir::launch_expression(ExpressionOp::BlockDim, 0), ir::constant_expression(lanes));
  facts.push_back(ir::binary_expression(ExpressionOp::Equal, std::move(rest), ir::constant_expression(0)));
  return true;
}

// gridDim * blockDim is small along each axis.
static void add_small_grid(std::vector<Expression>& facts) {
  for (std::int32_t axis = 0; axis < 3; ++axis) {
    Expression threads =
        ir::binary_expression(ExpressionOp::Multiply, ir::launch_expression(ExpressionOp::GridDim, axis),
                              ir::launch_expression(ExpressionOp::BlockDim, axis));
    facts.push_back(ir::binary_expression(ExpressionOp::LessEqual, std::move(threads),
                                          ir::constant_expression(limits::small_grid)));
  }
}

static std::vector<Variant> cpu_variants(const ir::Module& module, const ir::Function& kernel, int lanes) {
  LaneFacts asked;
  asked.lanes = lanes;
  Variant general{Target::Cpu, kernel.symbol + "$v1", kernel_lanes(module, kernel, asked), {}};
  Variant fast{Target::Cpu, kernel.symbol, general.lanes, {}};
  add_contiguous(kernel, fast.facts);
  fast.lanes.contiguous = true;
  fast.lanes.block_x_multiple = add_whole_vectors(kernel, fast.lanes.lanes, fast.facts);
  add_small_grid(fast.facts);
  fast.lanes.small_grid = true;
  return {std::move(fast), std::move(general)};
}

// The kernel itself comes before its other variants.
static std::vector<Variant> cuda_variants(const ir::Module& module, const ir::Function& kernel) {
  std::vector<Variant> variants;
  for (const ir::Function& function : module.functions)
    if (function.is_kernel && (function.symbol == kernel.symbol || function.variant_of == kernel.symbol))
      variants.push_back({Target::Cuda, function.symbol, {}, function.facts});
  return variants;
}

std::vector<Variant> kernel_variants(const ir::Module& module, const ir::Function& kernel, Target target,
                                     int lanes) {
  return target == Target::Cuda ? cuda_variants(module, kernel) : cpu_variants(module, kernel, lanes);
}

std::vector<KernelCode> all_kernels(const ir::Module& module, Target target, int lanes) {
  std::vector<KernelCode> kernels;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel || !function.variant_of.empty()) continue;
    kernels.push_back({function.symbol, kernel_variants(module, function, target, lanes)});
  }
  return kernels;
}

} // namespace kern
