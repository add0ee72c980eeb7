// Functions wait in a list, so that deep calls take no stack.
#include "compiler/ir/reachable.h"

#include <algorithm>

namespace kern::ir {

std::vector<const Function*> called_functions(const Module& module, const Body& body) {
  std::vector<bool> seen(module.functions.size());
  std::vector<const Function*> found;
  auto add = [&](const Stmt& stmt) {
    const auto* call = std::get_if<Call>(&stmt.node);
    if (!call || seen[static_cast<std::size_t>(call->function)]) return;
    seen[static_cast<std::size_t>(call->function)] = true;
    found.push_back(&module.function(call->function));
  };
  walk(body, add);
  for (std::size_t next = 0; next < found.size(); ++next) walk(found[next]->body, add);
  return found;
}

void walk_reachable(const Module& module, const Body& body, const std::function<void(const Stmt&)>& visit) {
  walk(body, visit);
  for (const Function* function : called_functions(module, body)) walk(function->body, visit);
}

bool any_reachable(const Module& module, const Body& body, const Predicate& matches) {
  return any(body, matches) ||
         std::ranges::any_of(called_functions(module, body),
                             [&](const Function* function) { return any(function->body, matches); });
}

static bool is_barrier_of_grid(const Stmt& stmt) {
  const auto* call = std::get_if<CallEffect>(&stmt.node);
  return call && row(call->builtin).effects == Effects::Grid;
}

bool has_effects(const Module& module, const Function& kernel, Effects effects) {
  return any_reachable(module, kernel.body, [&](const Stmt& stmt) {
    const auto* call = std::get_if<CallEffect>(&stmt.node);
    return call && row(call->builtin).effects == effects;
  });
}

bool returns_before_grid_barrier(const Module& module, const Function& kernel) {
  auto is_return = [](const Stmt& stmt) { return std::holds_alternative<Return>(stmt.node); };
  auto is_barrier = [&](const Stmt& stmt) {
    const auto* call = std::get_if<Call>(&stmt.node);
    return is_barrier_of_grid(stmt) ||
           (call && has_effects(module, module.function(call->function), Effects::Grid));
  };
  if (!any(kernel.body, is_return) || !has_effects(module, kernel, Effects::Grid)) return false;
  bool may_have_left = false, found = false;
  walk(kernel.body, [&](const Stmt& stmt) {
    // A loop with a return repeats, so the return may come before any barrier in it.
    may_have_left = may_have_left || is_return(stmt) || (is_loop(stmt) && any(stmt, is_return));
    found = found || (may_have_left && is_barrier(stmt));
  });
  return found;
}

} // namespace kern::ir
