// The functions of numba.extending: `@overload(f)` above a function of Python that is given the types of a call's arguments
// and returns the function to compile in the place of `f`.
#pragma once

#include <optional>

#include "compiler/ast/ast.h"
#include "compiler/python/python.h"

namespace kern::checker {

struct Checker;
struct Value;

// One function with `@overload`.
struct Overload {
  const values::FunctionData* function = nullptr;
  values::Value target;           // what it is of: a function, or a name of a module
  bool is_cuda = false;           // it is for this target alone, and asked before those for any
  bool asks_for_literals = false; // its code speaks of types of literals, which calls do not give here
  bool prefers_literals = false;  // and Numba gives it those first

  std::string_view name() const { return function->statement->name; }
  Span name_span() const { return function->statement->name_span; }
  std::span<const ast::Param> params() const { return function->statement->params; }
};

// Returns what a call of a function with an overload returns; nothing where its callee has none.
std::optional<Value> call_of_overload(Checker& checker, const ast::Call& call);

} // namespace kern::checker
