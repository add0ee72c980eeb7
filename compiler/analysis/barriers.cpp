// Reports barriers that not all threads reach alike. The reasons are a path through the divergence graph,
// from the control of the barrier back to a source; each step that a reader of the program would recognise
// becomes a note at its place.
#include <fmt/format.h>

#include <unordered_set>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/divergence_cache.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/builtins/builtins.h"
#include "compiler/diagnostics/uniformity.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/reachable.h"

namespace kern {
namespace {

using divergence::Cause;
using divergence::facets;
using divergence::Graph;
using divergence::Node;
using divergence::NodeId;
using divergence::Reasons;
using divergence::Scope;
using divergence::Sink;

constexpr std::size_t most_notes = 8;

// Tells the path from one node of a function's graph to its source.
class Story {
public:
  Story(const ir::Function& function, const Graph& graph, const Reasons& reasons)
      : function_(function), graph_(graph), reasons_(reasons), describe_(function) {}

  // Returns the notes from a node on; what to wrap in uniform() is kept for suggestion().
  std::vector<Note> tell(NodeId node) {
    std::vector<NodeId> path{node};
    while (*reasons_[path.back()] != path.back()) path.push_back(*reasons_[path.back()]);
    const Cause cause = graph_.nodes[path.back()].cause;
    differs_ = cause == Cause::Block || cause == Cause::Barrier ? "differs between blocks"
                                                                : "differs between threads";
    for (std::size_t i = 0; i < path.size() && notes_.size() < most_notes; ++i) {
      const Node& at = graph_.nodes[path[i]];
      const Node* next = i + 1 < path.size() ? &graph_.nodes[path[i + 1]] : nullptr;
      if (at.kind == Node::Kind::Control && next && next->kind != Node::Kind::Control)
        tell_condition(*at.stmt);
      if (at.kind == Node::Kind::Source) tell_source(at, i > 0 ? graph_.nodes[path[i - 1]] : at);
      if (at.kind == Node::Kind::Value && next && next->kind != Node::Kind::Source) tell_value(at, *next);
      if (at.kind == Node::Kind::Merge && next) tell_merge(at, *next);
      if (at.kind == Node::Kind::Header && next) tell_header(at, *next);
    }
    return std::move(notes_);
  }

  // Returns the expression of which uniform() would make every thread agree; "" where there is none.
  const std::string& suggestion() const { return suggestion_; }

private:
  std::string name(const Node& node) const {
    if (!node.slot) return "";
    return function_.slots[static_cast<std::size_t>(*node.slot)].name;
  }
  void add(Span span, std::string text) {
    if (notes_.empty() || notes_.back().text != text) notes_.push_back({span, std::move(text)});
  }

  void tell_condition(const ir::Stmt& stmt) {
    if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
      suggest(loop->count);
      return add(stmt.span, fmt::format("how often this loop runs {}", differs_));
    }
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    const auto* loop = std::get_if<ir::While>(&stmt.node);
    if (!branch && !loop) return;
    const ir::Operand& condition = branch ? branch->condition : loop->condition;
    suggest(condition);
    const bool first = notes_.empty();
    add(describe_.place(condition, stmt.span),
        fmt::format("`{}` decides {}", describe_(condition),
                    first ? "which threads come to the barrier" : "which threads come there"));
  }

  void suggest(const ir::Operand& condition) {
    if (suggestion_.empty()) suggestion_ = describe_(condition);
  }

  void tell_value(const Node& at, const Node& next) {
    const std::string here = name(at), there = name(next);
    if (std::holds_alternative<ir::Load>(at.stmt->node) || here.empty() || there.empty() || here == there)
      return;
    add(at.stmt->span, fmt::format("`{}` depends on `{}`", here, there));
  }

  void tell_merge(const Node& at, const Node& next) {
    const std::string here = name(at);
    if (here.empty() || name(next) == here) return;
    const bool loop =
        std::holds_alternative<ir::For>(at.stmt->node) || std::holds_alternative<ir::While>(at.stmt->node);
    if (next.kind == Node::Kind::Control)
      add(at.stmt->span, fmt::format("threads leave this loop with different values of `{}`", here));
    else if (!loop)
      add(at.stmt->span, fmt::format("threads come out of this `if` with different values of `{}`", here));
  }

  void tell_header(const Node& at, const Node& next) {
    const std::string here = name(at);
    if (here.empty() || name(next) == here || next.kind != Node::Kind::Control) return;
    add(at.stmt->span, fmt::format("threads begin a round of this loop with different values of `{}`", here));
  }

  // `user` is what took the value from the source.
  void tell_source(const Node& source, const Node& user) {
    const std::string what = name(source).empty() ? name(user) : name(source);
    const Span place = source.stmt ? source.stmt->span : user.stmt ? user.stmt->span : function_.span;
    switch (source.cause) {
    case Cause::Thread: return tell_thread(source, what, "threads");
    case Cause::Block: return tell_thread(source, what, "blocks");
    case Cause::Written:
    case Cause::Shared:
    case Cause::Local: return tell_load(source, user);
    case Cause::Atomic: return tell_result(source, place, what, "threads");
    case Cause::Warp: return tell_result(source, place, what, "warps");
    case Cause::Barrier: return tell_result(source, place, what, "blocks");
    case Cause::Callee: return add(place, "what this call returns differs between threads");
    case Cause::TooLarge: return add(place, "this loop is left at more places than can be looked at");
    case Cause::None: return;
    }
  }

  void tell_thread(const Node& source, const std::string& what, std::string_view between) {
    const auto& call = std::get<ir::CallPure>(std::get<ir::Assign>(source.stmt->node).value);
    const std::string_view builtin = row(call.builtin).name;
    if (what.empty()) return add(source.stmt->span, fmt::format("`{}` differs between {}", builtin, between));
    const char* verb = name(source).empty() ? "depends on" : "is";
    add(source.stmt->span,
        fmt::format("`{}` {} `{}`, which differs between {}", what, verb, builtin, between));
  }

  void tell_load(const Node& source, const Node& user) {
    const auto* load = user.stmt ? std::get_if<ir::Load>(&user.stmt->node) : nullptr;
    const char* why = source.cause == Cause::Shared ? "shared memory, where threads may see different values"
                      : source.cause == Cause::Local
                          ? "memory of each thread"
                          : "memory that the kernel writes: threads may see different values";
    if (!load)
      return add(source.stmt ? source.stmt->span : function_.span,
                 fmt::format("`{}` is {}", name(source), why));
    const std::string element = describe_.element(load->array, load->indices);
    if (!name(user).empty()) suggestion_ = name(user);
    add(user.stmt->span, fmt::format("`{}` is {}", element, why));
  }

  void tell_result(const Node& source, Span place, const std::string& what, std::string_view between) {
    const Builtin builtin = source.cause == Cause::Atomic
                                ? std::get<ir::Atomic>(source.stmt->node).builtin
                                : std::get<ir::CallEffect>(source.stmt->node).builtin;
    if (!what.empty()) suggestion_ = what;
    add(place, fmt::format("what `{}` returns differs between {}", row(builtin).name, between));
  }

  const ir::Function& function_;
  const Graph& graph_;
  const Reasons& reasons_;
  Describer describe_;
  std::vector<Note> notes_;
  std::string_view differs_; // between what the value does that the path begins with
  std::string suggestion_;
};

class Checker {
public:
  Checker(const ir::Module& module, Scope scope, bool divergence_is_warning, Diagnostics& diagnostics)
      : module_(module), cache_(module, scope), scope_(scope), is_warning_(divergence_is_warning),
        diagnostics_(diagnostics) {}

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
    for (const Sink& sink : graph.sinks) {
      if (!divergence::diverges(sink, reasons, cache_)) continue;
      report(id, graph, reasons, sink);
      reported_.insert(&module_.function(id));
    }
  }

  void report(ir::FunctionId id, const Graph& graph, const Reasons& reasons, const Sink& sink) {
    const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
    const std::string what =
        call ? fmt::format("the barrier in `{}`", module_.function(call->function).name)
             : fmt::format("`{}`", row(std::get<ir::CallEffect>(sink.stmt->node).builtin).name);
    Diagnostics::Builder builder = begin_report(sink.stmt->span, what);
    Story story(module_.function(id), graph, reasons);
    const auto facet = reasons[sink.control] ? std::nullopt : divergent_facet(*call, sink, reasons);
    if (call) tell_callee(call->function, facet, builder);
    for (const Note& note :
         story.tell(facet ? divergence::parts(sink.args[*facet / facets])[*facet % facets] : sink.control))
      builder.note(*note.span, "{}", note.text);
    if (scope_ == Scope::Grid) {
      builder.note(
          "let every thread of the grid come to the barrier: put what only some do into an `if` of its "
          "own, and let `syncgrid_or` or `syncgrid_and` decide for all");
      return;
    }
    const std::string suggestion = facet ? arg_text(id, *call, *facet) : story.suggestion();
    builder.note(
        "let every thread of the block come to the barrier, or leave the kernel by `return` before it{}",
        suggestion.empty() ? ""
                           : fmt::format("; where all threads agree, say so: `uniform({})`", suggestion));
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
  void tell_callee(ir::FunctionId id, std::optional<std::uint32_t> facet, Diagnostics::Builder& builder) {
    const Graph& graph = cache_.graph(id);
    const ir::Function& function = module_.function(id);
    if (!facet) {
      builder.note(graph.sinks.front().stmt->span, "the barrier is here");
      return;
    }
    const NodeId seed = divergence::parts(graph.params[*facet / facets])[*facet % facets];
    const Reasons reasons = divergence::spread(graph, {seed}, false);
    for (const Sink& sink : graph.sinks) {
      if (!divergence::diverges(sink, reasons, cache_)) continue;
      builder.note(sink.stmt->span, "the barrier is here");
      if (reasons[sink.control])
        for (const Note& note : Story(function, graph, reasons).tell(sink.control))
          builder.note(*note.span, "{}", note.text);
      break;
    }
    const ir::Slot& param = function.slots[*facet / facets];
    builder.note(param.span, "`{}` is the argument of the call, which differs between threads", param.name);
  }

  const ir::Module& module_;
  divergence::Cache cache_;
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
