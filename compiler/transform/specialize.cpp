// Kernels for what most launches give them (`kernc --specialize`). The first variant of such a kernel on a GPU has the
// values in the places of parameters and of blockDim, where loops are unrolled and indices folded by them; that the
// launch gives these is a fact like others (variants.cpp), so that any other launch is served by the general code.
//
//     kernel rows(x: f32[:], n: i32)     --specialize rows.n=16
//         ->   kernel rows(x: f32[::1], n: i32)     fact n == 16; `range(n)` counts to 16
//              kernel rows$v1(x: f32[:], n: i32)
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/diagnostics/driver.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

constexpr Builtin block_builtins[] = {Builtin::BlockDimX, Builtin::BlockDimY, Builtin::BlockDimZ};

// Says whether an integer or bool type has this value.
bool holds(Type type, std::int64_t value, bool is_unsigned) {
  if (type == types::boolean) return !is_unsigned && (value == 0 || value == 1);
  if (is_unsigned) return type == types::u64;
  const ir::Operand constant = ir::constant_int(type, value);
  return ir::int_value(constant) == value && !(value < 0 && !is_signed(type));
}

// Returns why a block of these extents is none, or none of the kernel's; "" where it is one.
std::string block_problem(const ir::Function& kernel, const std::array<std::int64_t, 3>& block) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (block[axis] < 1 || block[axis] > limits::launch_block[axis])
      return fmt::format("a block has from 1 to {} threads along {}", limits::launch_block[axis],
                         "xyz"[axis]);
  const std::int64_t threads =
      std::accumulate(block.begin(), block.end(), std::int64_t{1}, std::multiplies());
  const std::int64_t most =
      kernel.options.max_threads > 0 ? kernel.options.max_threads : limits::launch_threads;
  if (threads > most) return fmt::format("{} threads are more than the {} of a block", threads, most);
  if (kernel.options.block && *kernel.options.block != block)
    return fmt::format("the kernel's blocks are fixed to ({})", fmt::join(*kernel.options.block, ", "));
  return "";
}

std::string specialize_block(ir::Function& kernel, const SpecializationRequest& request) {
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::ranges::copy(request.values, block.begin());
  if (std::string problem = block_problem(kernel, block); !problem.empty()) return problem;
  for (int axis = 0; axis < 3; ++axis)
    kernel.options.specializations.push_back({std::nullopt, axis, block[static_cast<std::size_t>(axis)]});
  return "";
}

std::string specialize_param(ir::Function& kernel, const std::vector<ir::KernelParam>& params,
                             const SpecializationRequest& request) {
  auto param = std::ranges::find(params, request.name, &ir::KernelParam::name);
  if (param == params.end()) {
    std::vector<std::string_view> names;
    for (const ir::KernelParam& each : params) names.push_back(each.name);
    return fmt::format("`{}` has no parameter `{}`; it has {}", request.kernel, request.name,
                       fmt::join(names, ", "));
  }
  if (!is_integer(param->type) && param->type != types::boolean)
    return fmt::format("`{}` is {}, and only an integer or a bool can be specialized", request.name,
                       to_string(param->type));
  const std::int64_t value = request.values.front();
  if (!holds(param->type, value, request.is_unsigned))
    return fmt::format("`{}` is {}, which does not have this value", request.name, to_string(param->type));
  kernel.options.specializations.push_back({ir::SlotId(param->first_slot), 0, value});
  return "";
}

// Says whether what was added from `first` on was there before.
bool is_repeated(const ir::Function& kernel, std::size_t first) {
  const auto& all = kernel.options.specializations;
  for (std::size_t i = first; i < all.size(); ++i)
    for (std::size_t k = 0; k < first; ++k)
      if (all[i].param == all[k].param && all[i].axis == all[k].axis) return true;
  return false;
}

std::string specialize_kernel(ir::Module& module, std::size_t index, const SpecializationRequest& request) {
  ir::Function& kernel = module.functions[index];
  const std::vector<ir::KernelParam>& params = module.params[index];
  const std::size_t first = kernel.options.specializations.size();
  const bool is_block =
      request.name == "block" && std::ranges::find(params, "block", &ir::KernelParam::name) == params.end();
  std::string problem =
      is_block ? specialize_block(kernel, request) : specialize_param(kernel, params, request);
  if (problem.empty() && is_repeated(kernel, first)) return "it is specialized already";
  return problem;
}

Expression value_of(const ir::Function& kernel, const ir::Specialization& each) {
  if (!each.param) return ir::launch_expression(ExpressionOp::BlockDim, each.axis);
  Expression scalar = ir::scalar_expression(kernel, *each.param);
  // The value is given by its bits.
  if (scalar.type == ExpressionType::U64) scalar.type = ExpressionType::I64;
  return scalar;
}

ir::Operand constant_of(Type type, std::int64_t value) {
  return type == types::boolean ? ir::constant_bool(value != 0) : ir::constant_int(type, value);
}

// A parameter that is assigned may hold something else by then.
void put_param(ir::Function& kernel, ir::SlotId param, std::int64_t value) {
  const ir::Operand constant = constant_of(kernel.slots[static_cast<std::size_t>(param)].type, value);
  if (ir::Definitions(kernel).writes(param) != 0) return;
  ir::walk(kernel.body, [&](ir::Stmt& stmt) {
    ir::visit_operands(stmt, [&](ir::Operand& operand) {
      if (operand.slot == param) operand = constant;
    });
  });
}

void put_extent(ir::Function& kernel, int axis, std::int64_t value) {
  ir::walk(kernel.body, [&](ir::Stmt& stmt) {
    auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
    if (!call || call->builtin != block_builtins[axis]) return;
    assign->value =
        ir::Copy{ir::constant_int(kernel.slots[static_cast<std::size_t>(assign->slot)].type, value)};
  });
}

} // namespace

void specialize(ir::Module& module, std::span<const SpecializationRequest> requests,
                Diagnostics& diagnostics) {
  for (const SpecializationRequest& request : requests) {
    std::vector<std::string_view> names;
    bool found = false;
    std::string problem;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!module.functions[i].is_kernel) continue;
      names.push_back(module.functions[i].name);
      if (module.functions[i].name != request.kernel) continue;
      found = true;
      problem = specialize_kernel(module, i, request);
      if (!problem.empty()) break;
    }
    if (!found)
      problem = fmt::format("there is no kernel `{}`; there are {}", request.kernel, fmt::join(names, ", "));
    if (!problem.empty()) diagnostics.report({}, diag::bad_specialization, request.text, problem);
  }
}

void apply_specializations(ir::Function& kernel) {
  for (const ir::Specialization& each : kernel.options.specializations) {
    kernel.facts.push_back(ir::binary_expression(ExpressionOp::Equal, value_of(kernel, each),
                                                 ir::constant_expression(each.value)));
    if (each.param)
      put_param(kernel, *each.param, each.value);
    else
      put_extent(kernel, each.axis, each.value);
  }
}

} // namespace kern
