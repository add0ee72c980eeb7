// The functions that stand inside of host code of a .py file, by their dotted paths.
#pragma once

#include <string>
#include <vector>

#include "compiler/ast/ast.h"

namespace kern::ast {

struct Definition {
  std::string path; // "make.k"
  const FunctionDef* function;
};

// Returns the functions inside of others, of classes and of the blocks of other statements, and those that a
// constant of the top level names: `k = cuda.jit(f)`, `k = make(3)`.
std::vector<Definition> inner_definitions(const Module& module);
// Returns those of them that a name means: the one whose path it is, else all whose path ends in it.
std::vector<Definition> definitions_named(const Module& module, std::string_view name);

// Returns a function inside of host code that a name means and that could not be parsed, `why` says for what reason;
// null where there is none.
const HostStatement* refused_definition(const Module& module, std::string_view name);

} // namespace kern::ast
