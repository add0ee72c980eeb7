// What the files of a program define, by name: constants (evaluated when first used), functions, imports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/check/load.h"
#include "compiler/check/rules.h"
#include "compiler/check/value.h"

namespace kern::checker {

struct FileScope;

// What the decorators of a function say.
struct FunctionOptions {
  bool is_kernel = false;
  bool is_device = false;
  bool is_host = false; // a .py function with decorators of something else: code of the host
  ir::KernelOptions kernel;
  std::vector<const ast::Expr*> signatures; // string literals and calls or tuples of types
};

struct FunctionSymbol {
  const ast::FunctionDef* def = nullptr;
  FileScope* file = nullptr;
  FunctionOptions options;
};

// A name at the top level of a file.
struct Symbol {
  enum class Kind : std::uint8_t {
    Constant, // name = init
    Function,
    Struct,
    Import,     // import a.b as name
    FromImport, // from a.b import text as name
  };
  enum class State : std::uint8_t { New, Evaluating, Done };
  Kind kind{};
  State state = State::New;
  Span span;
  const ast::Expr* init = nullptr;
  const ast::Expr* annotation = nullptr;
  std::vector<std::size_t> path; // of `a, (b, c) = init`: which element
  FunctionSymbol* function = nullptr;
  std::string_view module, text;
  Value value; // where Done
};

struct FileScope {
  const ProgramFile* file = nullptr;
  Rules rules{};
  std::unordered_map<std::string_view, Symbol> symbols;
  std::vector<std::string_view> star_imports; // modules, in order
  std::vector<std::unique_ptr<FunctionSymbol>> functions;
  bool is_numba() const { return file->dialect == Dialect::Numba; }
};

} // namespace kern::checker
