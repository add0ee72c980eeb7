// Accesses of a kernel to global memory by which neighbouring threads touch elements far apart.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/lints.h"

namespace kern {
namespace {

using ir::Operand;

// The fewest elements between neighbours that are worth a word.
constexpr std::int64_t far_apart = 8;

class FarAccesses {
public:
  explicit FarAccesses(const FunctionAnalyses& kernel) : kernel_(kernel) {}

  void find(std::vector<AccessFinding>& findings) const {
    const auto check = [&](const Operand& array, const std::vector<Operand>& indices, const ir::Stmt& stmt) {
      const std::string advice =
          array.type->space == AddressSpace::Global ? advice_for(indices) : std::string();
      if (advice.empty()) return;
      AccessFinding& found = find_access(findings, kernel_, array, AccessCause::Distance, stmt, stmt.span);
      if (!found.advice.empty()) return;
      found.element = whole_element(kernel_, array, indices);
      found.advice = advice;
    };
    ir::walk(kernel_.function.body, [&](const ir::Stmt& stmt) {
      if (const auto* load = std::get_if<ir::Load>(&stmt.node)) check(load->array, load->indices, stmt);
      if (const auto* store = std::get_if<ir::Store>(&stmt.node)) check(store->array, store->indices, stmt);
    });
  }

private:
  // Returns what is to be said of an access; "" where its neighbours are near.
  std::string advice_for(const std::vector<Operand>& indices) const {
    const Operand& index = indices.back();
    const Shape last = kernel_.shapes.of(index);
    if (last.kind == Shape::Kind::Linear && std::abs(last.step) >= far_apart)
      return fmt::format("they are {} elements from one to the next", std::abs(last.step));
    // A loop over the last axis, as over the channels of a pixel, is no mistake; another index of the thread
    // there is.
    const bool of_thread =
        index.slot && !kernel_.uniformity.block_uniform[static_cast<std::size_t>(*index.slot)];
    if (last.kind != Shape::Kind::Uniform || !of_thread) return "";
    const bool has_linear = std::ranges::any_of(
        indices, [&](const Operand& other) { return kernel_.shapes.of(other).kind == Shape::Kind::Linear; });
    return has_linear ? "let `threadIdx.x` run along the last index" : "";
  }

  const FunctionAnalyses& kernel_;
};

} // namespace

void find_far_accesses(LintContext& context) {
  for (std::size_t i = 0; i < context.module.functions.size(); ++i) {
    const auto id = static_cast<ir::FunctionId>(i);
    if (context.module.function(id).is_kernel) FarAccesses(context.analyses(id)).find(context.accesses[id]);
  }
}

} // namespace kern
