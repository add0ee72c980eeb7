// Shuffles that may read a lane which has left the kernel, or takes another way: once for each cause, with the
// path through the divergence graph of warps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/analysis/threads/divergence_cache.h"
#include "compiler/analysis/threads/story.h"
#include "compiler/builtins/builtins.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/lints.h"

namespace kern {
namespace {

using divergence::facets;
using divergence::Graph;
using divergence::Reasons;
using divergence::Scope;
using divergence::Sink;
using divergence::Story;
using ir::Operand;
using ir::Stmt;

class ShuffleChecker {
public:
  ShuffleChecker(const ir::Module& module, Diagnostics& diagnostics)
      : module_(module), cache_(module, Scope::Warp), diagnostics_(diagnostics) {}

  void check(ir::FunctionId id) {
    const Graph& graph = cache_.graph(id);
    if (graph.sinks.empty()) return;
    const Reasons reasons = divergence::spread(graph, {});
    std::vector<Found> found;
    for (const Sink& sink : graph.sinks) {
      if (!divergence::diverges(sink, reasons, cache_)) continue;
      Found next = find(id, graph, reasons, sink);
      const auto known = std::find_if(found.begin(), found.end(), [&](const Found& other) {
        return other.decides == next.decides && other.leaves == next.leaves;
      });
      if (known != found.end())
        ++known->count;
      else
        found.push_back(std::move(next));
    }
    for (const Found& each : found) report(id, each);
  }

private:
  struct Found {
    const Sink* sink;
    const Stmt* decides = nullptr;
    const Stmt* leaves = nullptr;
    std::vector<Note> notes = {};
    int count = 1;
  };

  Found find(ir::FunctionId id, const Graph& graph, const Reasons& reasons, const Sink& sink) {
    const ir::Function& function = module_.function(id);
    Story story(function, graph, reasons, Scope::Warp);
    Found found{&sink};
    const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
    auto node = sink.control;
    if (call && !reasons[node]) {
      for (std::uint32_t facet : cache_.summary(call->function).barrier.facets) {
        const auto arg = divergence::parts(sink.args[facet / facets])[facet % facets];
        if (!reasons[arg]) continue;
        node = arg;
        found.notes = tell_callee(call->function, facet);
        break;
      }
    }
    const std::vector<Note> path = story.tell(node);
    found.notes.insert(found.notes.end(), path.begin(), path.end());
    found.decides = story.decides();
    found.leaves = story.leaves();
    return found;
  }

  // Says how the argument of a call decides who comes to a shuffle inside.
  std::vector<Note> tell_callee(ir::FunctionId id, std::uint32_t facet) {
    const Graph& graph = cache_.graph(id);
    const ir::Function& function = module_.function(id);
    const Reasons reasons =
        divergence::spread(graph, {divergence::parts(graph.params[facet / facets])[facet % facets]}, false);
    std::vector<Note> notes;
    for (const Sink& sink : graph.sinks) {
      if (!divergence::diverges(sink, reasons, cache_) || !reasons[sink.control]) continue;
      notes = Story(function, graph, reasons, Scope::Warp).tell(sink.control);
      break;
    }
    const ir::Slot& param = function.slots[facet / facets];
    notes.push_back(
        {param.span,
         fmt::format("`{}` is the argument of the call, which differs between threads", param.name)});
    return notes;
  }

  void report(ir::FunctionId id, const Found& found) {
    const auto* call = std::get_if<ir::Call>(&found.sink->stmt->node);
    const std::string what =
        call ? fmt::format("a shuffle in `{}`", module_.function(call->function).name)
             : fmt::format("`{}`", row(std::get<ir::CallEffect>(found.sink->stmt->node).builtin).name);
    Diagnostics::Builder builder =
        diagnostics_.report(found.sink->stmt->span, diag::shuffle, what,
                            found.leaves ? "has left the kernel" : "takes another way");
    if (call) builder.note(cache_.graph(call->function).sinks.front().stmt->span, "the shuffle is here");
    for (const Note& note : found.notes) builder.note(*note.span, "{}", note.text);
    if (found.count > 1)
      builder.note("places in `{}` with the same cause: {}", module_.function(id).name, found.count);
    builder.note("let all lanes of the warp come to it{}",
                 found.leaves ? ", those with nothing to give with a value that changes nothing"
                              : ": put only what follows from it under the condition");
  }

  const ir::Module& module_;
  divergence::Cache cache_;
  Diagnostics& diagnostics_;
};

} // namespace

void report_shuffles(LintContext& context) {
  const ir::Module& module = context.module;
  // Most programs have none, and the graph of warps need not be made.
  const auto shuffles = [](const Stmt& stmt) {
    const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
    return call && is_shuffle(call->builtin);
  };
  if (std::none_of(module.functions.begin(), module.functions.end(),
                   [&](const ir::Function& function) { return ir::any(function.body, shuffles); }))
    return;
  ShuffleChecker checker(module, context.diagnostics);
  for (std::size_t id = 0; id < module.functions.size(); ++id) checker.check(static_cast<ir::FunctionId>(id));
}

} // namespace kern
