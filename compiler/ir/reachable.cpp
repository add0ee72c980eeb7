// Functions wait in a list, so that deep calls take no stack.
#include "compiler/ir/reachable.h"

#include "compiler/ir/walk.h"

namespace kern::ir {

void walk_reachable(const Module& module, const Body& body, const std::function<void(const Stmt&)>& visit) {
  std::vector<bool> seen(module.functions.size());
  std::vector<const Body*> open = {&body};
  while (!open.empty()) {
    const Body* next = open.back();
    open.pop_back();
    walk(*next, [&](const Stmt& stmt) {
      visit(stmt);
      const auto* call = std::get_if<Call>(&stmt.node);
      if (!call || seen[static_cast<std::size_t>(call->function)]) return;
      seen[static_cast<std::size_t>(call->function)] = true;
      open.push_back(&module.function(call->function).body);
    });
  }
}

bool has_effects(const Module& module, const Function& kernel, Effects effects) {
  bool found = false;
  walk_reachable(module, kernel.body, [&](const Stmt& stmt) {
    const auto* call = std::get_if<CallEffect>(&stmt.node);
    found |= call && row(call->builtin).effects == effects;
  });
  return found;
}

} // namespace kern::ir
