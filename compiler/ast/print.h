// Prints a syntax tree as indented text: `kernc --emit=ast`.
#pragma once

#include <string>

#include "compiler/ast/ast.h"

namespace kern::ast {

// Returns the tree, one node a line, children indented by two spaces.
std::string print(const Module& module);

} // namespace kern::ast
