// Finds kernels of the library that were compiled ahead of time: a program without the compiler has no others.
#include <algorithm>
#include <string_view>

#include "runtime/algorithms/ahead/ahead.h"
#include "runtime/algorithms/compiled.h"
#include "runtime/api/error.h"
#include "runtime/plans/plan.h"

namespace kern::algorithms {

const bool compiles_now = false;

static bool has_line(std::string_view lines, std::string_view wanted) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (line == wanted) return true;
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return false;
}

std::shared_ptr<void> begin_compile(kern_device* device, const CompileRequest& request) {
  const std::string defines = joined(request.defines);
  for (const Ahead& each : compiled_ahead()) {
    if (request.module != each.module || defines != each.defines ||
        !has_line(each.signatures, request.signature))
      continue;
    kern_module* module = nullptr;
    raise(kern_module_load(device, each.object, &module));
    return {module, kern_module_release};
  }
  runtime::fail(KERN_ARGUMENT_ERROR, "this call of module `" + request.module +
                                         "` is none that is compiled ahead of time: link kern::jit in place "
                                         "of kern::algorithms\nnote: it is " +
                                         request.signature + (defines.empty() ? "" : " with " + defines));
}

ModuleOwner end_compile(void* begun) {
  return ModuleOwner(kern_module_retain(static_cast<kern_module*>(begun)));
}

} // namespace kern::algorithms
