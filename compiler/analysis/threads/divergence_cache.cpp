// A summary follows from spreading divergence through the callee's graph: once from its own sources, and once
// from each facet of each parameter.
#include "compiler/analysis/threads/divergence_cache.h"

#include <algorithm>

#include "compiler/ir/reachable.h"

namespace kern::divergence {

Cache::Cache(const ir::Module& module, Scope scope)
    : module_(module), scope_(scope), intervals_(module), shuffles_(module) {}

const std::vector<ParamAccess>& Cache::access(ir::FunctionId id) {
  auto [found, is_new] = access_.try_emplace(id);
  if (is_new) found->second = analyze_access(module_, id);
  return found->second;
}

Cache::Facts& Cache::facts(ir::FunctionId id) {
  auto [found, is_new] = facts_.try_emplace(id);
  if (!is_new) return found->second;
  const ir::Function& function = module_.function(id);
  Context context;
  context.scope = scope_;
  context.summary = [this](ir::FunctionId callee) -> const Summary& { return summary(callee); };
  context.param_written = [this](ir::FunctionId callee, std::size_t param) {
    const ParamAccess& each = access(callee)[param];
    return each.written || each.atomic;
  };
  if (function.is_kernel)
    for (const ParamAccess& each : access(id)) context.written.push_back(each.written || each.atomic);
  if (scope_ != Scope::Grid) context.quiet = intervals_.quiet_loads(id);
  std::optional<LaneForms> forms;
  if (scope_ == Scope::Warp) {
    context.forms = &forms.emplace(module_, function);
    context.callee = [this](ir::FunctionId callee) -> const ir::Function& {
      return module_.function(callee);
    };
    context.missing = [this, id](const ir::Stmt& stmt) { return shuffles_.missing(id, stmt); };
  }
  found->second.graph = build(function, context);
  if (!function.is_kernel) found->second.summary = summarize(function, found->second.graph);
  return found->second;
}

// Says whether a library function's claim of uniform results holds for its callers: a function of theirs that
// is passed to it must return one value to all threads if its arguments are uniform.
bool Cache::claims(const ir::Function& function) {
  if (!function.is_uniform || scope_ == Scope::Grid) return false;
  const std::vector<const ir::Function*> called = ir::called_functions(module_, function.body);
  bool holds = true;
  for (std::size_t id = 0; id < module_.functions.size(); ++id) {
    const ir::Function& callee = module_.functions[id];

    if (callee.span.file == function.span.file ||
        std::find(called.begin(), called.end(), &callee) == called.end())
      continue;
    for (const auto& result : summary(static_cast<ir::FunctionId>(id)).results)
      for (const Summary::Result& facet : result) holds = holds && !facet.diverges;
  }
  return holds;
}

Summary Cache::summarize(const ir::Function& function, const Graph& graph) {
  Summary summary;
  summary.results.resize(function.results.size());
  const Reasons own = spread(graph, {});
  auto note = [&](const Reasons& reasons, auto&& mark) {
    for (std::size_t i = 0; i < graph.results.size(); ++i)
      for (std::size_t facet = 0; facet < facets; ++facet)
        if (reasons[parts(graph.results[i])[facet]]) mark(summary.results[i][facet]);
    if (reaches_barrier(graph, reasons, *this)) mark(summary.barrier);
  };
  summary.has_barrier = !graph.sinks.empty();
  summary.claims = claims(function);
  note(own, [](Summary::Result& result) { result.diverges = true; });
  for (std::size_t i = 0; i < graph.params.size(); ++i) {
    for (std::size_t facet = 0; facet < facets; ++facet) {
      const NodeId seed = parts(graph.params[i])[facet];
      if (seed == uniform) continue;
      note(spread(graph, {seed}, false), [&](Summary::Result& result) {
        if (!result.diverges) result.facets.push_back(static_cast<std::uint32_t>(i * facets + facet));
      });
    }
  }
  return summary;
}

bool diverges(const Sink& sink, const Reasons& reasons, Cache& cache) {
  if (reasons[sink.control]) return true;
  const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
  if (!call) return false;
  for (std::uint32_t facet : cache.summary(call->function).barrier.facets)
    if (reasons[parts(sink.args[facet / facets])[facet % facets]]) return true;
  return false;
}

bool reaches_barrier(const Graph& graph, const Reasons& reasons, Cache& cache) {
  for (const Sink& sink : graph.sinks)
    if (diverges(sink, reasons, cache)) return true;
  return false;
}

} // namespace kern::divergence
