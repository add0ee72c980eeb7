// Everything is read off the IR; the sizes of dynamic arrays take the arguments of a launch besides.
#include "compiler/analysis/launch_facts.h"

#include <algorithm>

#include "compiler/analysis/shared_layout.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "runtime/common/shape.h"

namespace kern {

bool has_prints(const ir::Module& module, const ir::Function& kernel) {
  return ir::any_reachable(module, kernel.body,
                           [](const ir::Stmt& stmt) { return std::holds_alternative<ir::Print>(stmt.node); });
}

bool has_grid_barriers(const ir::Module& module, const ir::Function& kernel) {
  return ir::has_effects(module, kernel, Effects::Grid);
}

std::optional<std::uint64_t> dynamic_shared_bytes(const ir::Module& module, const ir::Function& kernel,
                                                  const ExpressionInput& input, std::uint64_t asked) {
  std::uint64_t sum = 0;
  for (ir::SharedId id : used_shared(module, kernel)) {
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
