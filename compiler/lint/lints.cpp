// What lints share, apart from who runs them.
#include "compiler/lint/lints.h"

#include <algorithm>

namespace kern {

static LaneFacts facts_of_warps() {
  LaneFacts facts{32};
  facts.contiguous = facts.small_grid = true;
  return facts;
}

FunctionAnalyses::FunctionAnalyses(const LintContext& context, ir::FunctionId id)
    : function(context.module.function(id)), nesting(function), describe(function),
      shapes(analyze_shapes(context.module, id, facts_of_warps())),
      uniformity(analyze_uniformity(context.module, id)),
      updates(context.module, function, describe, uniformity, context.sources, context.prefix) {}

std::vector<ir::Compare> FunctionAnalyses::tests_around(const ir::Stmt& stmt) const {
  std::vector<ir::Compare> result;
  const ir::Body* body = nesting.of(stmt).body;
  for (const ir::Stmt* outer = nesting.of(stmt).outer; outer;
       body = nesting.of(*outer).body, outer = nesting.of(*outer).outer) {
    const auto* branch = std::get_if<ir::If>(&outer->node);
    if (!branch || body != &branch->then_body || !branch->condition.slot) continue;
    const ir::Assign* made = describe.definitions().sole_assign(*branch->condition.slot);
    const auto* test = made ? std::get_if<ir::Compare>(&made->value) : nullptr;
    if (test) result.push_back(*test);
  }
  return result;
}

bool is_kern(const LintContext& context, const ir::Function& function) {
  return std::ranges::any_of(context.program.files, [&](const ProgramFile& file) {
    return file.tree->file == function.span.file && file.dialect == Dialect::Kern;
  });
}

} // namespace kern
