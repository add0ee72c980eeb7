// The names that host code binds in its own scope: not those of the functions and classes inside of it.
#pragma once

#include <functional>

#include "compiler/ast/ast.h"

namespace kern::ast {

using VisitName = std::function<void(std::string_view name, Span span)>;

// Call `visit` with each name that a block, or a statement that has blocks, binds, as often as it does so. "*" stands for
// any name, of code that could not be parsed.
void each_bound_name(const Module& block, const VisitName& visit);
void each_bound_name(const HostStatement& statement, const VisitName& visit);

} // namespace kern::ast
