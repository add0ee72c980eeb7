// Tells what overloads (overloads.h) make of names where the types of a call are not known, or there is none.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Says whether a function has an overload, so that its own body is for the host.
bool has_overload(Context& context, const values::FunctionData& function);

// Returns what an overload makes of a callee without asking for types, where its names are not looked over yet, else null;
// nothing where the callee has no overload.
std::optional<const FunctionSymbol*> overload_without_types(Checker& checker, const ast::Expr& callee);

// Says of an attribute that nothing has that `@overload_method` or `@overload_attribute` makes it, where one does.
void note_overloaded_attribute(Checker& checker, Report& error, std::string_view name);

} // namespace kern::checker
