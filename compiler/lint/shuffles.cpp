// Shuffles that may read a lane which has left the kernel, or takes another way: once for each cause, with the
// path through the divergence graph of warps, and with what to write instead.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/advice/advice.h"
#include "compiler/analysis/divergence_cache.h"
#include "compiler/analysis/story.h"
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
    std::string advice = {};
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
    found.advice =
        found.leaves ? advice_to_stay(story, function, sink) : advice_to_come(story, function, sink);
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

  // ---- What to write instead of a return ----

  // Returns a condition that holds where another one does not; "" where there are no words for it.
  static std::string negation(const Story& story, const Operand& condition) {
    const Stmt* stmt = condition.slot ? story.describe().definitions().sole(*condition.slot) : nullptr;
    const auto* assign = stmt ? std::get_if<ir::Assign>(&stmt->node) : nullptr;
    const std::string text = story.describe()(condition);
    if (text.find("...") != std::string::npos) return "";
    const auto* unary = assign ? std::get_if<ir::Unary>(&assign->value) : nullptr;
    if (unary && unary->op == ir::UnaryOp::Not) return story.describe()(unary->value);
    const auto* compare = assign ? std::get_if<ir::Compare>(&assign->value) : nullptr;
    // The opposite of `<` is not `>=` for floats: both are false for a NaN.
    const bool is_exact = compare && is_integer(compare->left.type);
    if (!is_exact) return fmt::format("not ({})", text);
    const auto opposite = [](ir::CompareOp op) -> std::string_view {
      switch (op) {
      case ir::CompareOp::Equal: return "!=";
      case ir::CompareOp::NotEqual: return "==";
      case ir::CompareOp::Less: return ">=";
      case ir::CompareOp::LessEqual: return ">";
      case ir::CompareOp::Greater: return "<=";
      case ir::CompareOp::GreaterEqual: return "<";
      }
      return "";
    };
    return fmt::format("{} {} {}", story.describe()(compare->left), opposite(compare->op),
                       story.describe()(compare->right));
  }

  // Returns what an assignment to the value that is sent would be: its name, and what it holds at first. Later it
  // may only be changed by what it holds already.
  static std::pair<std::string, std::string> sent_value(const Story& story, const ir::Function& function,
                                                        const Operand& value) {
    const std::string text = story.describe()(value);
    if (!value.slot || function.slots[static_cast<std::size_t>(*value.slot)].name.empty()) return {"v", text};
    const Stmt* first = nullptr;
    bool is_clear = true;
    ir::walk(function.body, [&](const Stmt& stmt) {
      bool assigns = false, reads = false;
      ir::visit_results(stmt, [&](ir::SlotId slot) { assigns = assigns || slot == *value.slot; });
      if (!assigns) return;
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign)
        ir::visit_operands(assign->value, [&](const Operand& operand) { reads = reads || operand == value; });
      if (first && !reads) is_clear = false;
      first = first ? first : &stmt;
    });
    if (!first) return {"v", text};
    if (!is_clear) return {text, ""};
    if (const auto* load = std::get_if<ir::Load>(&first->node))
      return {text, story.describe().element(load->array, load->indices)};
    const auto* assign = std::get_if<ir::Assign>(&first->node);
    return {text, assign ? story.describe().value(*assign) : ""};
  }

  // Returns the only `if` around a return, where no other statement is; null otherwise.
  static const ir::If* sole_branch(const ir::Function& function, const Stmt& leaves) {
    for (const Stmt& stmt : function.body) {
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      if (!branch) continue;
      for (const ir::Body* arm : {&branch->then_body, &branch->else_body})
        for (const Stmt& inner : *arm)
          if (&inner == &leaves) return branch;
    }
    return nullptr;
  }

  // Says how a shuffle, or a call of what holds one, comes out of the `if` around it: with what it sends made before.
  static std::string advice_to_come(const Story& story, const ir::Function& function, const Sink& sink) {
    const std::string come =
        "let all lanes of the warp come to it: put only what follows from it under the condition";
    const auto* branch = story.decides() ? std::get_if<ir::If>(&story.decides()->node) : nullptr;
    if (!branch) return come;
    const auto is_sink = [&](const Stmt& stmt) { return &stmt == sink.stmt; };
    const bool is_taken = ir::any(branch->then_body, is_sink);
    if (!is_taken && !ir::any(branch->else_body, is_sink)) return come;
    const std::string holds =
        is_taken ? story.describe()(branch->condition) : negation(story, branch->condition);
    const auto* shuffle = std::get_if<ir::CallEffect>(&sink.stmt->node);
    const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
    const Operand* sent = shuffle ? &shuffle->args[1] : call->args.empty() ? nullptr : call->args.data();
    if (!sent || is_array(sent->type)) return come;
    const auto [name, value] = sent_value(story, function, *sent);
    const bool is_told = !holds.empty() && !value.empty() && (holds + value).find("...") == std::string::npos;
    if (!is_told) return come;
    return fmt::format("{}, and what it takes in front: `{} = {}`", come, name,
                       advice::choice(value, holds, "0"));
  }

  std::string advice_to_stay(const Story& story, const ir::Function& function, const Sink& sink) const {
    const std::string stay =
        "let all lanes of the warp come to it, those with nothing to give with a value that changes nothing";
    const ir::If* branch = sole_branch(function, *story.leaves());
    if (!branch) return stay;
    const bool leaves_where_true =
        ir::any(branch->then_body, [&](const Stmt& stmt) { return &stmt == story.leaves(); });
    const std::string holds =
        leaves_where_true ? negation(story, branch->condition) : story.describe()(branch->condition);
    if (holds.empty() || holds.find("...") != std::string::npos) return stay;
    const auto* shuffle = std::get_if<ir::CallEffect>(&sink.stmt->node);
    const auto* call = std::get_if<ir::Call>(&sink.stmt->node);
    const Operand* sent = shuffle ? &shuffle->args[1] : call->args.empty() ? nullptr : call->args.data();
    const auto [name, value] = sent && !is_array(sent->type) ? sent_value(story, function, *sent)
                                                             : std::pair<std::string, std::string>{};
    if (value.empty() || value.find("...") != std::string::npos)
      return fmt::format("{}: instead of the `return`, put what needs `{}` under that condition", stay,
                         holds);
    return fmt::format("{}: instead of the `return`, `{} = {}`", stay, name,
                       advice::choice(value, holds, "0"));
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
    builder.note("{}", found.advice);
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
