// Reads a file and, through its imports, every file that it needs, and parses them all. Who finds the bytes
// is the caller's affair (disk, stdin, the stdlib inside kernc, a test's map).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/check/dialect.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/support/arena.h"

namespace kern {

// A file as found: its name for messages and its text.
struct FoundFile {
  std::string name;
  std::string text;
  bool is_library = false; // it is part of the compiler, which trusts it
};

// The prefix of the names of files of the standard library, which are part of the compiler.
inline constexpr std::string_view library_importer = "<stdlib>/";

// Finds the file of a dotted module name imported by the file `importer`; nothing where there is none. The
// order is: beside the importer, the -I folders, the stdlib; .kern before .py.
using FindModule =
    std::function<std::optional<FoundFile>(const std::string& module, const std::string& importer)>;

// One parsed file. `imports` has, for each dotted name that it imports and that was found, the index in
// Program::files; where `from package import name` found no file for the package but one for the name, the
// dotted name is "package.name".
struct ProgramFile {
  std::string module; // dotted name; "" for the root
  Dialect dialect;
  const ast::Module* tree;
  std::vector<std::pair<std::string, std::size_t>> imports;
  bool is_library = false;     // of the standard library
  bool has_generated = false;  // kernels that decorators generated of functions
  bool names_compiler = false; // a word of its code is `numba` or `kern`
};

// Every file of a compilation, the root first.
struct Program {
  SourceManager* sources;
  std::unique_ptr<Arena> arena;
  std::vector<ProgramFile> files;
  // Loads a module of the standard library that no file imports; null where there is none. It lives as long as the
  // program.
  std::function<const ProgramFile*(const std::string& module, Diagnostics&)> load_library = {};
  // The errors that keep kernels at the top level of .py files from being parsed, for whoever needs them.
  Diagnostics refused{};
};

// -D NAME=VALUE: replaces the initialiser of a module constant before constants are evaluated. NAME may be
// `module.NAME`.
struct Define {
  std::string name;
  std::string value;                  // Kern text: a number, tuple or type
  std::optional<FoundFile> file = {}; // of -D NAME=FILE.py:VALUE, where `value` is a name of that file
};

// Loads `root`, whose text the sources hold already. What a .kern file imports must be found, and without a
// cycle; what a .py file imports may be code of the host. The host's modules need no file. `defines` name files, and
// strings that make a kernel of a function. `is_library`: the root is a file of the standard library.
Program load_program(SourceManager& sources, FileId root, std::optional<Dialect> dialect,
                     const FindModule& find_module, Diagnostics& diagnostics,
                     std::span<const Define> defines = {}, bool is_library = false);

} // namespace kern
