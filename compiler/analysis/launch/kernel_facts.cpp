// Everything is read off the IR; the sizes of dynamic arrays take the arguments of a launch besides.
#include "compiler/analysis/launch/kernel_facts.h"

#include <algorithm>

#include "compiler/analysis/memory/shared_layout.h"
#include "compiler/analysis/threads/waiting.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "runtime/common/shape.h"

namespace kern {

KernelFacts find_kernel_facts(const ir::Module& module, ir::FunctionId id) {
  const ir::Function& kernel = module.function(id);
  KernelFacts facts;
  facts.access = analyze_access(module, id);
  facts.shared = used_shared(module, kernel);
  // How a kernel uses its indices does not depend on a launch.
  const std::vector<std::uint64_t> params(ir::block_names(kernel).size() + 1);
  facts.indices = analyze_indices(kernel, params, {256, 256, 256});
  facts.work = estimate_work(kernel);
  facts.waits = has_waits(module, kernel.body);
  bool compares = false, votes = false;
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt& stmt) {
    facts.prints |= std::holds_alternative<ir::Print>(stmt.node);
    const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
    const bool is_of_grid = call && row(call->builtin).effects == Effects::Grid;
    facts.has_grid_barriers |= is_of_grid;
    votes |= is_of_grid && call->slot;
    compares |= call && call->builtin == Builtin::Uniform;
  });
  // One for each kind of question, two for returns before a barrier of the grid.
  const int leaves = ir::returns_before_grid_barrier(module, kernel) ? 2 : 0;
  facts.words = static_cast<std::uint64_t>(compares + votes + leaves);
  return facts;
}

std::optional<std::uint64_t> dynamic_shared_bytes(const ir::Module& module, const KernelFacts& kernel,
                                                  const ExpressionInput& input, std::uint64_t asked) {
  std::uint64_t sum = 0;
  for (ir::SharedId id : kernel.shared) {
    const ir::SharedDecl& decl = module.shared[static_cast<std::size_t>(id)];
    if (decl.aliased || decl.dynamic.empty()) continue;
    auto bytes = static_cast<std::uint64_t>(bit_width(decl.element)) / 8;
    for (const Expression& extent : decl.dynamic) {
      std::optional<ExpressionValue> value = evaluate(extent, input);
      if (!value || value->is_real || value->integer < 0) return std::nullopt;
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(value->integer), &bytes))
        return std::nullopt;
    }
    if (bytes > UINT64_MAX - shared_alignment || __builtin_add_overflow(sum, round_up_shared(bytes), &sum))
      return std::nullopt;
  }
  return std::max(sum, asked);
}

std::vector<PrintFormat> print_formats(const ir::Module& module) {
  std::vector<PrintFormat> formats(module.sites.size());
  for (const ir::Function& function : module.functions)
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      const auto* print = std::get_if<ir::Print>(&stmt.node);
      if (!print) return;
      PrintFormat& format = formats[static_cast<std::size_t>(print->site)];
      format.texts = print->texts;
      format.types.clear();
      for (const ir::Operand& arg : print->args) format.types.push_back(arg.type);
    });
  return formats;
}

} // namespace kern
