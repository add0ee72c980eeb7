// Which slots are uniform, and where barriers are not reached by all threads alike: the questions put to the
// divergence graph. A function is analysed once: its summary says which facets of its parameters its results
// and barriers depend on, so every call is judged by its own arguments.
#include "compiler/analysis/threads/uniformity.h"

#include "compiler/analysis/threads/divergence_cache.h"

namespace kern {

using divergence::facets;
using divergence::Graph;
using divergence::Node;
using divergence::NodeId;
using divergence::Reasons;

Uniformity analyze_uniformity(const ir::Module& module, ir::FunctionId id,
                              const std::vector<bool>& params_uniform) {
  const ir::Function& function = module.function(id);
  divergence::Cache cache(module);
  const Graph& graph = cache.graph(id);
  std::vector<NodeId> seeds;
  for (std::size_t i = 0; i < graph.params.size(); ++i) {
    const divergence::Value& param = graph.params[i];
    const bool is_uniform = i < params_uniform.size() && params_uniform[i];
    if (!is_uniform) seeds.insert(seeds.end(), {param.base, param.extents});
    // Whether a caller's kernel writes what a device function reads is not known here.
    if (!function.is_kernel) seeds.push_back(param.contents);
  }
  const Reasons reasons = divergence::spread(graph, seeds);
  Uniformity result{std::vector<bool>(function.slots.size(), true)};
  for (const auto& [slot, node] : graph.reads)
    if (reasons[node]) result.block_uniform[static_cast<std::size_t>(slot)] = false;
  return result;
}

} // namespace kern
