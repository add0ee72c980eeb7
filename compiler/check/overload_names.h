// What overloads (overloads.h) make of names where the types of a call are not known, or there is none.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether a function has an overload, so that its own body is for the host.
bool has_overload(Context& context, const FunctionSymbol& function);

// Looks over the names in what an overload makes of a callee without asking for types; false where it has none.
bool check_overload_names(Checker& checker, const ast::Expr& callee);

} // namespace kern::checker
