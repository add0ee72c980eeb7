// The functions that stand inside of host code of a .py file, by their dotted paths.
#pragma once

#include <string>
#include <vector>

#include "compiler/ast/ast.h"

namespace kern::ast {

// How a name comes to be a function.
enum class Making : std::uint8_t {
  Def,
  Kernel, // by `k = cuda.jit(f)`
  Device, // by `f = cuda.jit(device=True)(g)`
  Result, // by `k = make(3)`, where the function `make` of the file returns one
  Other,  // by a call of something else that is given a function
};

struct Definition {
  std::string path; // "make.k"
  const FunctionDef* function;
  Making making = Making::Def;
  Span place = {}; // of the name
};

// Returns the functions inside of others, of classes and of the blocks of other statements, and those that a
// constant names, at the top level or in a function: `k = cuda.jit(f)`, `k = make(3)`.
std::vector<Definition> inner_definitions(const Module& module);
// Returns those of them that a name means: the one whose path it is, else all whose path ends in it.
std::vector<Definition> definitions_named(const Module& module, std::string_view name);

// Returns a function inside of host code that a name means and that could not be parsed, `why` says for what reason;
// null where there is none.
const HostStatement* refused_definition(const Module& module, std::string_view name);

} // namespace kern::ast
