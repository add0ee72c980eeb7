// The names that the files of a program define. Those of a .kern file stand here: constants (evaluated when first used),
// functions, structs, imports. What names of a .py file are python/ says (host_names.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/check/core/rules.h"
#include "compiler/check/core/value.h"
#include "compiler/check/load.h"
#include "compiler/python/python.h"

namespace kern::checker {

struct FileScope;

// A signature as a decorator names it: a value of Python, or what is written in a .kern file.
struct WrittenSignature {
  Span span;
  const ast::Expr* expr = nullptr;
  python::Found value = {};
  const ast::Expr* written = nullptr; // of Python, where it is written there
};

// The options that the decorators of a function give it.
struct FunctionOptions {
  bool is_kernel = false;
  bool is_device = false;
  bool is_host = false;                  // a .py function with decorators of something else: code of the host
  bool is_host_jit = false;              // Numba compiles it for the host
  bool is_uniform = false;               // it says that its result is the same in the whole block
  std::vector<const ast::Expr*> unknown; // decorators of something else
  ir::KernelOptions kernel;
  std::vector<WrittenSignature> signatures;
};

// The meaning of a name of a .kern file.
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
  std::uint32_t place = 0; // from where on it is seen
  const ast::Expr* init = nullptr;
  const ast::Expr* annotation = nullptr;
  std::vector<std::size_t> path; // of `a, (b, c) = init`: which element
  FunctionSymbol* function = nullptr;
  const ast::StructDef* record = nullptr;
  std::string_view module, text;
  Value value; // where Done
};

struct FunctionSymbol {
  const ast::FunctionDef* def = nullptr;
  FileScope* file = nullptr;
  const values::FunctionData* data = nullptr; // of a .py file; null of one inside of a kernel
  FunctionOptions options;
  std::map<std::size_t, python::Found> given; // the parameters that -D gives a value, by their places
};

// from module import *
struct StarImport {
  std::string_view module;
  Span span;
};

// Where names are looked up: a file, or the code of a function of a .py file, which sees the names around it.
struct FileScope {
  const ProgramFile* file = nullptr;
  const ast::Module* tree = nullptr;
  std::size_t index = 0;                        // of the file in the program
  const values::FunctionData* reader = nullptr; // that function
  Rules rules{};
  // Of a .kern file, as all that follows: what each name is, in the order in which it is bound.
  std::unordered_map<std::string_view, std::vector<Symbol>> symbols;
  std::vector<StarImport> star_imports; // in order
  std::vector<std::unique_ptr<FunctionSymbol>> functions;
  // Functions inside of functions, and `lambda`s.
  std::map<const ast::Node*, std::unique_ptr<FunctionSymbol>> made_functions;

  // Defined in checker.cpp, as those of a Value are in value.cpp.
  FileScope();
  ~FileScope();

  bool is_numba() const { return file->dialect == Dialect::Numba; }
};

} // namespace kern::checker
