// Syntax trees to IR: names, constants, types, instances. Every kernel whose parameters are all annotated
// becomes IR; others only for the signatures that are asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/check/load.h"
#include "compiler/ir/ir.h"

namespace kern {

// --sig 'f(f32[:], i64)', or the types of the arguments of `kernc run`.
struct Signature {
  std::string function;
  std::vector<std::string> params; // Kern text of types, in order
  bool of_arguments = false; // a signature that is written in the decorator of a .py file comes before it
};

struct CheckOptions {
  std::vector<Define> defines;
  std::vector<ir::ConstantDecl>
      arrays; // which `_array(0)` in a define means: those too large to be written as text
  std::vector<Signature> signatures;
  std::string only;                   // the one kernel that is wanted, as `kernc run` does; empty for all
  bool negative_index_faults = false; // --negative-index=fault, for .py files
  bool fast_math = false;             // --fast-math, for every kernel
  bool keeps_constants = false;       // a local that is always the same constant is a variable still, for -g
};

// Returns the number that an expression of the root file is, a default of a kernel's parameter, as it could
// be written: "100", "2.5", "True", "f32:0.5" of one with a type; nothing where it is no number known now.
std::optional<std::string> constant_text(const Program& program, const CheckOptions& options,
                                         const ast::Expr& expr);

// Says whether a file of a checked program is the text of a define or a signature, and so none of the source.
bool is_option_text(std::string_view file_name);
// The name that such a text calls with a nested tuple and the name of a type, to make an array of that type.
inline constexpr std::string_view array_constant = "_array";

// Checks the whole program. The module is sound (ir/verify.h) where no error was reported.
ir::Module check(const Program& program, const CheckOptions& options, Diagnostics& diagnostics);

} // namespace kern
