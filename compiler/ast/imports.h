// Finds where the names of a file's top level are imported from.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "compiler/ast/ast.h"

namespace kern::ast {

struct Imported {
  std::string_view module, name; // "numba.cuda" and "jit" of `from numba.cuda import jit as j`
};

// Returns what a name stands for by the last from-import of it; nothing where there is none.
std::optional<Imported> imported(std::span<const Stmt* const> items, std::string_view alias);

} // namespace kern::ast
