// Each array slot has a set of parameters that it may be a view of. The set flows along copies, views and the
// results of calls, and is the same at every place of the function: an assignment anywhere counts. Accesses
// are then facts about those sets. A callee is summed up once: its accesses to its own parameters, and the
// parameters that its results may be views of.
#include "compiler/analysis/memory/access.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/ir/walk.h"

namespace kern {
namespace {

using ir::FunctionId;
using ir::Operand;
using ir::SlotId;

struct Summary {
  std::vector<ParamAccess> access;          // of each parameter
  std::vector<std::vector<SlotId>> views;   // of each slot: the parameters that it may be a view of
  std::vector<std::vector<SlotId>> results; // of each result: likewise
};

class Analyzer {
public:
  explicit Analyzer(const ir::Module& module) : module_(module) {}

  const Summary& summary(FunctionId id) {
    auto [found, is_new] = summaries_.try_emplace(id);
    if (is_new) summarize(module_.function(id), found->second); // std::map: the reference stays
    return found->second;
  }

private:
  // The sets of one function as bits by parameter, and where they flow.
  struct Flow {
    std::vector<std::vector<bool>> sets;      // by slot; empty for a scalar
    std::vector<std::vector<SlotId>> targets; // by slot: what may be assigned a view of it
  };

  void summarize(const ir::Function& function, Summary& summary) {
    Flow flow{std::vector<std::vector<bool>>(function.slots.size()),
              std::vector<std::vector<SlotId>>(function.slots.size())};
    for (std::size_t i = 0; i < function.slots.size(); ++i)
      if (is_array(function.slots[i].type)) flow.sets[i].resize(function.param_count);
    ir::walk(function.body, [&](const ir::Stmt& stmt) { add_edges(stmt, flow); });
    for (std::size_t i = 0; i < function.param_count; ++i)
      if (is_array(function.slots[i].type)) spread(flow, i);
    for (const std::vector<bool>& set : flow.sets) {
      std::vector<SlotId>& params = summary.views.emplace_back();
      for (std::size_t i = 0; i < set.size(); ++i)
        if (set[i]) params.push_back(static_cast<SlotId>(i));
    }
    summary.access.resize(function.param_count);
    summary.results.resize(function.results.size());
    ir::walk(function.body, [&](const ir::Stmt& stmt) { add_access(stmt, summary); });
  }

  void add_edges(const ir::Stmt& stmt, Flow& flow) {
    auto edge = [&](const Operand& from, SlotId to) {
      if (from.slot && is_array(from.type)) flow.targets[index_of(*from.slot)].push_back(to);
    };
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
      if (const auto* copy = std::get_if<ir::Copy>(&assign->value)) edge(copy->value, assign->slot);
      if (const auto* view = std::get_if<ir::View>(&assign->value)) edge(view->array, assign->slot);
      if (const auto* form = std::get_if<ir::Restride>(&assign->value)) edge(form->array, assign->slot);
      if (const auto* select = std::get_if<ir::Select>(&assign->value)) {
        edge(select->then_value, assign->slot);
        edge(select->else_value, assign->slot);
      }
    } else if (const auto* call = std::get_if<ir::Call>(&stmt.node)) {
      const Summary& callee = summary(call->function);
      for (std::size_t i = 0; i < callee.results.size() && i < call->results.size(); ++i)
        for (SlotId param : callee.results[i]) edge(call->args[index_of(param)], call->results[i]);
    }
  }

  // Adds a parameter to every slot that may be a view of it.
  static void spread(Flow& flow, std::size_t param) {
    std::vector<SlotId> pending{static_cast<SlotId>(param)};
    while (!pending.empty()) {
      const SlotId slot = pending.back();
      pending.pop_back();
      std::vector<bool>& set = flow.sets[index_of(slot)];
      if (set.empty() || set[param]) continue;
      set[param] = true;
      pending.insert(pending.end(), flow.targets[index_of(slot)].begin(), flow.targets[index_of(slot)].end());
    }
  }

  void add_access(const ir::Stmt& stmt, Summary& summary) {
    auto params_of = [&](const Operand& array) -> const std::vector<SlotId>& {
      return summary.views[index_of(*array.slot)];
    };
    if (const auto* load = std::get_if<ir::Load>(&stmt.node)) {
      for (SlotId param : params_of(load->array)) summary.access[index_of(param)].read = true;
    } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      for (SlotId param : params_of(store->array)) summary.access[index_of(param)].written = true;
    } else if (const auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) {
      const bool is_load = atomic->builtin == Builtin::AtomicLoad;
      for (SlotId param : params_of(atomic->array)) {
        ParamAccess& access = summary.access[index_of(param)];
        (is_load ? access.read : access.atomic) = true;
      }
    } else if (const auto* call = std::get_if<ir::Call>(&stmt.node)) {
      const Summary& callee = this->summary(call->function);
      for (std::size_t i = 0; i < callee.access.size(); ++i)
        if (call->args[i].slot && is_array(call->args[i].type))
          for (SlotId param : params_of(call->args[i]))
            join(summary.access[index_of(param)], callee.access[i]);
    } else if (const auto* last = std::get_if<ir::Return>(&stmt.node)) {
      for (std::size_t i = 0; i < last->values.size(); ++i)
        if (last->values[i].slot && is_array(last->values[i].type))
          add_result(summary.results[i], params_of(last->values[i]));
    }
  }

  static void join(ParamAccess& access, const ParamAccess& other) {
    access.read |= other.read;
    access.written |= other.written;
    access.atomic |= other.atomic;
  }

  static void add_result(std::vector<SlotId>& result, const std::vector<SlotId>& params) {
    for (SlotId param : params)
      if (std::find(result.begin(), result.end(), param) == result.end()) result.push_back(param);
  }

  const ir::Module& module_;
  std::map<FunctionId, Summary> summaries_;
};

} // namespace

std::vector<ParamAccess> analyze_access(const ir::Module& module, FunctionId function) {
  return Analyzer(module).summary(function).access;
}

std::vector<std::vector<SlotId>> analyze_views(const ir::Module& module, FunctionId function) {
  return Analyzer(module).summary(function).views;
}

} // namespace kern
