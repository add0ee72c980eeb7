// Blocks whose last warp has lanes without a thread.
#include "compiler/diagnostics/warnings.h"
#include "compiler/lint/lints.h"

namespace kern {

void report_partial_warps(LintContext& context) {
  for (const ir::Function& kernel : context.module.functions) {
    if (!kernel.is_kernel || !kernel.options.block) continue;
    std::int64_t threads = 1, warp = 32;
    for (std::int64_t extent : *kernel.options.block) threads *= extent;
    // One thread a block is meant so.
    if (threads > 1 && threads % warp != 0)
      context.diagnostics.report(kernel.span, diag::partial_warp, threads, warp - threads % warp);
  }
}

} // namespace kern
