// Prints a module as text: `kernc --emit=ir`. The form is for people and tests; there is no reader for it.
//
//   kernel saxpy(a: f32, x: f32[:], y: f32[:])
//     var i: i64
//     %4: bool = i < n
//     if %4:
//       guard x[0] i @7:13
//       %5: f32 = load x[i]
//       store y[i] = %5
#pragma once

#include <string>

#include "compiler/ir/ir.h"

namespace kern::ir {

// Returns every function, one statement a line, bodies indented by two spaces. With `sources` what can fault
// or print shows its line and column.
std::string print(const Module& module, const SourceManager* sources = nullptr);
// Returns one function.
std::string print(const Function& function, const Module& module, const SourceManager* sources = nullptr);
// Returns the first line of a statement, without its bodies.
std::string print(const Stmt& stmt, const Function& function, const Module& module);
// Returns an operand within its function: "x", "%3", "2.5". A name that several slots have gets the slot's
// number: "x.7".
std::string print(const Operand& operand, const Function& function);

} // namespace kern::ir
