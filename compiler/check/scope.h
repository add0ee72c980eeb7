// The names that the files of a program define: constants (evaluated when first used), functions, imports.
#pragma once

#include <deque>
#include <map>
#include <memory>
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

// The options that the decorators of a function give it.
struct FunctionOptions {
  bool is_kernel = false;
  bool is_device = false;
  bool is_host = false;                  // a .py function with decorators of something else: code of the host
  bool is_host_jit = false;              // Numba compiles it for the host
  bool is_uniform = false;               // it says that its result is the same in the whole block
  std::vector<const ast::Expr*> unknown; // decorators of something else
  ir::KernelOptions kernel;
  std::vector<const ast::Expr*> signatures; // string literals and calls or tuples of types
};

// Why a name is none that kernc can evaluate.
enum class HostReason : std::uint8_t {
  Bound,    // host code binds it
  Changed,  // host code may change the list that it is
  Launched, // it is bound again where a kernel that reads it may run already
  Function, // it is a function of the host
  Class,
  Captured, // it is a parameter of a function of the host
};

// A compound statement of the host: what its clauses bind, where it is known which of them run.
struct Choice {
  const ast::HostStatement* statement = nullptr;
  std::vector<FileScope*> blocks; // of its clauses
  enum class State : std::uint8_t { New, Deciding, Done };
  State state = State::New;
  bool is_decided = false;
  std::optional<std::size_t> taken = {}; // the clause that runs; none does, where it is decided all the same
};

// A place from which on an object that a name stands for may be another one than it was made.
struct Doubt {
  std::uint32_t place = 0;
  Span span;
  bool is_any_time = false; // in code that is called
  bool is_part = false;     // one of its elements may be
};

// Another name for the same object, for a view of it, or for an object that shares elements with it.
struct Alias {
  std::string_view name;
  bool is_part = false;
};

// The meaning of a name at the top level of a file, from one place of the file on.
struct Symbol {
  enum class Kind : std::uint8_t {
    Constant, // name = init, or name op= init
    Function,
    Struct,
    Import,     // import a.b as name
    FromImport, // from a.b import text as name
    Host,       // by `reason`; `text` says why a function is no item
  };
  enum class State : std::uint8_t { New, Evaluating, Done };
  Kind kind{};
  State state = State::New;
  Span span;
  std::uint32_t place = 0; // from where on it is seen
  bool is_given = false;   // by -D
  HostReason reason{};
  std::optional<ast::BinaryOp> op; // of an augmented assignment
  const ast::Expr* init = nullptr;
  const ast::Expr* annotation = nullptr;
  std::vector<std::size_t> path; // of `a, (b, c) = init`: which element
  FunctionSymbol* function = nullptr;
  const ast::StructDef* record = nullptr;
  std::string_view module, text;
  const ast::HostStatement* host = nullptr; // a function or class of the host, whose body was parsed
  Value value;                              // where Done
  const ast::Expr* store = nullptr;         // of `name[i] = init`: the element
  Choice* choice = nullptr;                 // that may bind the name, to what one of its clauses does
  FileScope* home = nullptr;                // of what a clause binds: its scope
};

struct FunctionSymbol {
  const ast::FunctionDef* def = nullptr;
  FileScope* file = nullptr;
  FileScope* options_file = nullptr; // where its options stand, when that is another place
  FunctionOptions options;
  std::map<std::size_t, Symbol> given; // the parameters that -D gives a value, by their places
};

// from module import *
struct StarImport {
  std::string_view module;
  Span span;
};

// The names of a file, or of a function or class of the host in it, which see those around it.
struct FileScope {
  const ProgramFile* file = nullptr;
  const ast::Module* tree = nullptr;
  FileScope* parent = nullptr;               // of a function or class
  const ast::HostStatement* owner = nullptr; // that function or class
  std::string path;                          // its dotted path in the file: "make", "Model.run"
  std::vector<std::unique_ptr<FileScope>> children;
  std::map<std::string, std::unique_ptr<FileScope>> calls; // bodies of host functions, by their arguments
  Rules rules{};
  std::unordered_map<std::string_view, std::vector<Symbol>>
      symbols; // what each name is, in the order of places
  std::vector<std::pair<std::string_view, FileScope*>> given_files; // of -D, by their names
  std::vector<StarImport> star_imports;                             // in order
  std::vector<std::unique_ptr<FunctionSymbol>> functions;
  std::map<const ast::Node*, std::unique_ptr<FunctionSymbol>> made_functions; // by `cuda.jit(f)` and lambdas
  std::unordered_map<std::string_view, Symbol> changed; // names that code which is called may bind; "*": any
  std::unordered_map<std::string_view, std::vector<std::uint32_t>>
      mentions; // of a name by what runs in order
  std::unordered_map<std::string_view, std::vector<std::string_view>>
      readers; // the functions that mention a name
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> launches; // see names_order.cpp
  std::deque<Symbol> made;                                                   // while names were looked up
  std::deque<Choice> choices;
  std::unordered_map<std::string_view, std::vector<Doubt>> doubts;
  std::unordered_map<std::string_view, std::vector<Alias>> aliases;
  std::unordered_map<std::string_view, std::uint32_t>
      launched;          // kernels, by the place of the first launch that is sure
  bool is_round = false; // of a loop that is evaluated: it sees what the scope around it does at the loop

  // Defined in checker.cpp, as those of a Value are in value.cpp.
  FileScope();
  ~FileScope();

  bool is_numba() const { return file->dialect == Dialect::Numba; }
  bool is_class() const { return owner && owner->kind == ast::HostStatement::Kind::Class; }
};

} // namespace kern::checker
