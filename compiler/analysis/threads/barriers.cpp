// Reports barriers that not all threads reach alike. The reasons are a path through the divergence graph,
// from the control of the barrier back to a source; each step that a reader of the program would recognise
// becomes a note at its place.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/analysis/threads/divergence_cache.h"
#include "compiler/analysis/threads/story.h"
#include "compiler/analysis/threads/uniformity.h"
#include "compiler/builtins/builtins.h"
#include "compiler/diagnostics/uniformity.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/reachable.h"

namespace kern {
namespace {

using divergence::facets;
using divergence::Graph;
using divergence::NodeId;
using divergence::Reasons;
using divergence::Scope;
using divergence::Sink;
using divergence::Story;

class Checker {
public:
  Checker(const ir::Module& module, Scope scope, bool divergence_is_warning, Diagnostics& diagnostics)
      : module_(module), cache_(module, scope), shuffles_(module), scope_(scope),
        is_warning_(divergence_is_warning), diagnostics_(diagnostics) {}

  void check() {
    for (std::size_t i = 0; i < module_.functions.size(); ++i) check(static_cast<ir::FunctionId>(i));
  }
  // To be asked afterwards.
  bool has_grid_barriers() const { return has_grid_barriers_; }
  // Returns the kernels that hold, or call what holds, a barrier that was reported.
  std::vector<ir::FunctionId> unproved() const {
    std::vector<ir::FunctionId> kernels;
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      const ir::Function& kernel = module_.functions[i];
      bool found = reported_.contains(&kernel);
      for (const ir::Function* callee : ir::called_functions(module_, kernel.body))
        found = found || reported_.contains(callee);
      if (kernel.is_kernel && found) kernels.push_back(static_cast<ir::FunctionId>(i));
    }
    return kernels;
  }

private:
  void check(ir::FunctionId id) {
    const Graph& graph = cache_.graph(id);
    has_grid_barriers_ = has_grid_barriers_ || graph.has_grid_barrier;
    if (graph.sinks.empty()) return;
    const Reasons reasons = divergence::spread(graph, {});
    std::vector<Cause> causes;
    for (const Sink& sink : graph.sinks) {
      if (!divergence::diverges(sink, reasons, cache_)) continue;
      reported_.insert(&module_.function(id));
      Cause cause = cause_of(id, graph, reasons, sink);
      const auto known = std::find_if(causes.begin(), causes.end(),
                                      [&](const Cause& other) { return is_same(other, cause); });
      if (known != causes.end())
        known->others.push_back(sink.stmt->span);
      else
        causes.push_back(std::move(cause));
    }
    for (const Cause& cause : causes) report(id, cause);
  }

  // Why threads come to a barrier differently: what is to be mended once, whatever it holds up.
  struct Cause {
    const Sink* sink;
    std::vector<Note> callee; // how the argument of a call decides
    std::vector<Note> path;
    std::string suggestion;
    std::vector<Span> others; // barriers with the same cause
  };

  static bool is_same(const Cause& a, const Cause& b) {
    const auto same = [](const Note& left, const Note& right) {
      return left.span == right.span && left.text == right.text;
    };
    const auto all = [&](const std::vector<Note>& left, const std::vector<Note>& right) {
      return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
    };
    const bool by_argument = !a.callee.empty() || !b.callee.empty();
    return all(a.path, b.path) && (!by_argument || all(a.callee, b.callee));
  }

  Cause cause_of(ir::FunctionId id, const Graph& graph, const Reasons& reasons, const Sink& sink) {
    Cause cause{&sink, {}, {}, {}, {}};
    const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
    const auto facet = reasons[sink.control] ? std::nullopt : divergent_facet(*call, sink, reasons);
    if (facet) cause.callee = tell_callee(call->function, *facet);
    Story story(module_.function(id), graph, reasons, scope_);
    cause.path =
        story.tell(facet ? divergence::parts(sink.args[*facet / facets])[*facet % facets] : sink.control);
    cause.suggestion = facet ? arg_text(id, *call, *facet) : story.suggestion();
    return cause;
  }

  void report(ir::FunctionId id, const Cause& cause) {
    const Sink& sink = *cause.sink;
    const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
    const std::string what =
        call ? fmt::format("the barrier in `{}`", module_.function(call->function).name)
             : fmt::format("`{}`", row(std::get<ir::CallEffect>(sink.stmt->node).builtin).name);
    Diagnostics::Builder builder = begin_report(sink.stmt->span, what);
    if (call && cause.callee.empty())
      builder.note(cache_.graph(call->function).sinks.front().stmt->span, "the barrier is here");
    for (const std::vector<Note>* notes : {&cause.callee, &cause.path})
      for (const Note& note : *notes) builder.note(*note.span, "{}", note.text);
    for (const Span& other : cause.others) builder.note(other, "the same holds for the barrier here");
    if (scope_ == Scope::Grid) {
      builder.note(
          "let every thread of the grid come to the barrier, or leave the kernel by `return` before it: put "
          "what "
          "only some do into an `if` of its own, and let `syncgrid_or` or `syncgrid_and` decide for all");
      return;
    }
    builder.note("let every thread of the block come to the barrier{}{}",
                 may_leave(id) ? ", or leave the kernel by `return` before it"
                               : ": put what only some do into an `if` of its own",
                 cause.suggestion.empty()
                     ? ""
                     : fmt::format("; where all threads agree, say so: `uniform({})`", cause.suggestion));
  }

  // Says whether a thread may return from the kernels that come to a function: it must not where others would
  // read its value in a shuffle.
  bool may_leave(ir::FunctionId id) {
    const ir::Function& function = module_.function(id);
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      const ir::Function& kernel = module_.functions[i];
      if (!kernel.is_kernel) continue;
      const std::vector<const ir::Function*> called = ir::called_functions(module_, kernel.body);
      if (&kernel != &function && std::find(called.begin(), called.end(), &function) == called.end())
        continue;
      if (shuffles_.needs_all(static_cast<ir::FunctionId>(i))) return false;
    }
    return true;
  }

  // A grid that waits for threads which never come would hang, so there is no dialect in which that is a
  // warning.
  Diagnostics::Builder begin_report(Span span, const std::string& what) {
    if (scope_ == Scope::Grid) return diagnostics_.report(span, diag::divergent_grid_barrier, what);
    if (is_warning_) return diagnostics_.report(span, diag::barrier, what);
    return diagnostics_.report(span, diag::divergent_barrier, what);
  }

  std::string arg_text(ir::FunctionId id, const ir::Call& call, std::uint32_t facet) const {
    const ir::Operand& arg = call.args[facet / facets];
    return is_array(arg.type) ? "" : Describer(module_.function(id))(arg);
  }

  // Returns the facet of a parameter that makes a barrier of the callee divergent.
  std::optional<std::uint32_t> divergent_facet(const ir::Call& call, const Sink& sink,
                                               const Reasons& reasons) {
    for (std::uint32_t facet : cache_.summary(call.function).barrier.facets)
      if (reasons[divergence::parts(sink.args[facet / facets])[facet % facets]]) return facet;
    return std::nullopt;
  }

  // Says where the barrier is, and how the parameter gets to decide about it.
  std::vector<Note> tell_callee(ir::FunctionId id, std::uint32_t facet) {
    const Graph& graph = cache_.graph(id);
    const ir::Function& function = module_.function(id);
    std::vector<Note> notes;
    const NodeId seed = divergence::parts(graph.params[facet / facets])[facet % facets];
    const Reasons reasons = divergence::spread(graph, {seed}, false);
    for (const Sink& sink : graph.sinks) {
      if (!divergence::diverges(sink, reasons, cache_)) continue;
      notes.push_back({sink.stmt->span, "the barrier is here"});
      if (reasons[sink.control])
        for (const Note& note : Story(function, graph, reasons, scope_).tell(sink.control))
          notes.push_back(note);
      break;
    }
    const ir::Slot& param = function.slots[facet / facets];
    notes.push_back(
        {param.span,
         fmt::format("`{}` is the argument of the call, which differs between threads", param.name)});
    return notes;
  }

  const ir::Module& module_;
  divergence::Cache cache_;
  Shuffles shuffles_;
  Scope scope_;
  bool is_warning_;
  Diagnostics& diagnostics_;
  std::unordered_set<const ir::Function*> reported_;
  bool has_grid_barriers_ = false;
};

// Threads that come to barriers each by its own way have one stack each, and neither a warp nor a grid to
// meet in.
void check_apart(const ir::Module& module, const ir::Function& kernel, Diagnostics& diagnostics) {
  struct {
    Effects effects;
    const char* text;
  } constexpr others[] = {{Effects::Warp, "collectives of a warp"}, {Effects::Grid, "barriers of the grid"}};
  for (const auto& other : others)
    if (ir::has_effects(module, kernel, other.effects))
      diagnostics.report(kernel.span, diag::divergent_barrier_with, kernel.name, other.text);
}

} // namespace

std::vector<ir::FunctionId> check_barriers(const ir::Module& module, bool divergence_is_warning,
                                           Diagnostics& diagnostics) {
  Checker of_block(module, Scope::Block, divergence_is_warning, diagnostics);
  of_block.check();
  if (of_block.has_grid_barriers()) Checker(module, Scope::Grid, divergence_is_warning, diagnostics).check();
  std::vector<ir::FunctionId> apart = of_block.unproved();
  if (divergence_is_warning)
    for (ir::FunctionId kernel : apart) check_apart(module, module.function(kernel), diagnostics);
  return apart;
}

} // namespace kern
