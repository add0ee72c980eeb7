// The functions of numba.extending: `@overload(f)` above a function of Python that is given the types of a call's arguments
// and returns the function to compile in the place of `f`.
#pragma once

#include <optional>
#include <string>

#include "compiler/ast/ast.h"

namespace kern::checker {

struct Checker;
struct FileScope;
struct Value;

// One function with `@overload`.
struct Overload {
  FileScope* scope = nullptr; // in which it stands
  const ast::HostStatement* host = nullptr;
  std::string target;   // what it is of: the same text for the same function, whatever it is called where
  bool is_cuda = false; // it is for this target alone, and asked before those for any
  bool asks_for_literals = false; // its code speaks of types of literals, which calls do not give here
  bool prefers_literals = false;  // and Numba gives it those first
};

// Returns what a call of a function with an overload returns; nothing where its callee has none.
std::optional<Value> call_of_overload(Checker& checker, const ast::Call& call);

} // namespace kern::checker
