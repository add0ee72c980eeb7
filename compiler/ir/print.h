// Prints a module as text: `kernc --emit=ir`. The form is for people and tests; there is no reader for it.
#pragma once

#include <string>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Returns every function, one statement a line, bodies indented by two spaces.
std::string print(const Module& module);
// Returns one function.
std::string print(const Function& function, const Module& module);
// Returns an operand or expression within its function: "x", "%3", "2.5", "a * b".
std::string print(const Operand& operand, const Function& function);

} // namespace kern::ir
