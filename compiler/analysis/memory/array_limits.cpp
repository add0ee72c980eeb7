// Calls may be inlined, so the local arrays of all that a kernel calls lie side by side.
#include "compiler/analysis/memory/array_limits.h"

#include "compiler/analysis/memory/shared_layout.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"

namespace kern {

static void report_total(const ir::Function& kernel, Span array, std::string_view memory, std::int64_t most,
                         std::uint64_t bytes, Diagnostics& diagnostics) {
  diagnostics.report(array, diag::array_too_large, memory, most)
      .note("kernel `{}` needs {} bytes with this array", kernel.name, bytes);
}

static void check_shared(const ir::Module& module, const ir::Function& kernel, Diagnostics& diagnostics) {
  std::uint64_t bytes = 0;
  for (ir::SharedId id : used_shared(module, kernel)) {
    const ir::SharedDecl& shared = module.shared[static_cast<std::size_t>(id)];
    bytes = end_behind(bytes, shared);
    if (bytes <= static_cast<std::uint64_t>(limits::shared_bytes)) continue;
    return report_total(kernel, shared.span, "the shared memory of a block", limits::shared_bytes, bytes,
                        diagnostics);
  }
}

std::uint64_t local_bytes(Type type, const ir::LocalArray& array) {
  auto bytes = static_cast<std::uint64_t>(bit_width(type->scalar) / 8);
  for (std::int64_t extent : array.extents) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

static void check_local(const ir::Module& module, const ir::Function& kernel, Diagnostics& diagnostics) {
  constexpr auto most = static_cast<std::uint64_t>(limits::local_bytes);
  std::uint64_t bytes = 0;
  auto add = [&](const ir::Function& function) {
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* local = assign ? std::get_if<ir::LocalArray>(&assign->value) : nullptr;
      if (!local) return;
      std::uint64_t before = bytes;
      bytes += local_bytes(function.slots[static_cast<std::size_t>(assign->slot)].type, *local);
      if (before <= most && bytes > most)
        report_total(kernel, stmt.span, "the local memory of a thread", limits::local_bytes, bytes,
                     diagnostics);
    });
  };
  add(kernel);
  for (const ir::Function* function : ir::called_functions(module, kernel.body)) add(*function);
}

void check_array_limits(const ir::Module& module, Diagnostics& diagnostics) {
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel) continue;
    check_shared(module, function, diagnostics);
    check_local(module, function, diagnostics);
  }
}

} // namespace kern
