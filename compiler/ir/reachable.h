// Finds what a kernel may run: its own statements and those of the functions that it calls.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/walk.h"

namespace kern::ir {

// Returns the functions that a body, or what it calls, may call, each once.
std::vector<const Function*> called_functions(const Module& module, const Body& body);

// Calls `visit` for every statement of a body and of what it calls, each function once.
void walk_reachable(const Module& module, const Body& body, const std::function<void(const Stmt&)>& visit);

// Says whether `matches` holds for one of them; stops at the first.
bool any_reachable(const Module& module, const Body& body, const Predicate& matches);

// Says whether a kernel, or what it calls, has a call with such effects.
bool has_effects(const Module& module, const Function& kernel, Effects effects);

// Says whether a thread may return from a kernel with barriers of the grid otherwise than at its end.
bool returns_before_grid_barrier(const Module& module, const Function& kernel);

} // namespace kern::ir
