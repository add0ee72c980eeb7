// The divergence graphs and summaries of a module's functions, each made once.
#pragma once

#include <map>

#include "compiler/analysis/memory/access.h"
#include "compiler/analysis/threads/divergence.h"
#include "compiler/analysis/threads/shuffles.h"

namespace kern::divergence {

class Cache {
public:
  explicit Cache(const ir::Module& module, Scope scope = Scope::Block);

  const ir::Module& module() const { return module_; }
  const Graph& graph(ir::FunctionId id) { return facts(id).graph; }
  const Summary& summary(ir::FunctionId id) { return facts(id).summary; }

private:
  struct Facts {
    Graph graph;
    Summary summary;
  };

  Facts& facts(ir::FunctionId id);
  Summary summarize(const ir::Function& function, const Graph& graph);
  const std::vector<ParamAccess>& access(ir::FunctionId id);

  const ir::Module& module_;
  Scope scope_;
  bool claims(const ir::Function& function);

  SharedIntervals intervals_;
  Shuffles shuffles_;
  std::map<ir::FunctionId, Facts> facts_; // references into it stay
  std::map<ir::FunctionId, std::vector<ParamAccess>> access_;
};

// Says whether threads disagree on reaching a barrier, or, where it is a call, on reaching one inside.
bool diverges(const Sink& sink, const Reasons& reasons, Cache& cache);
// Says whether they do at any barrier of a function.
bool reaches_barrier(const Graph& graph, const Reasons& reasons, Cache& cache);

} // namespace kern::divergence
