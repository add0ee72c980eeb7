// Control flow around barriers is rewritten before it is checked: only then it is seen whether threads still
// come to a barrier by different ways, which makes them meet Apart.
#include "compiler/analysis/threads/uniformity.h"
#include "compiler/transform/barriers/barriers.h"
#include "compiler/transform/transform.h"

namespace kern {

void arrange_barriers(ir::Module& module, bool divergence_is_warning, Diagnostics& diagnostics) {
  end_rounds(module);
  leave_early(module);
  for (ir::FunctionId kernel : check_barriers(module, divergence_is_warning, diagnostics))
    module.function(kernel).meeting = ir::Meeting::Apart;
}

} // namespace kern
