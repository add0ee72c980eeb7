// Runs the Python of a program forward, once, and says what each name is that its kernels read. Host code that cannot be
// followed makes unknown what it may reach; nothing is reported here.
//
// check/ does not ask it yet: it still finds names by a search of its own, and no output of the compiler depends on what is
// said here. tests/unit/check/compare is a program that prints what both say of each name. tests/fuzz/host_names.py holds
// the answers of this folder against Python itself with it, so that check/ can ask here once they are as many and right.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/support/arena.h"
#include "compiler/values/value.h"

namespace kern::python {

// A file of the program, by the names that its imports have for others.
struct SourceFile {
  const ast::Module* tree = nullptr;
  bool is_python = true; // else its names are none of Python's
  std::vector<std::pair<std::string, std::size_t>> imports = {};
};

// -D NAME=VALUE; `path` may be dotted.
struct Given {
  std::string path;
  const ast::Expr* value = nullptr;
};

struct Limits {
  std::size_t steps =
      1 << 16; // expressions and statements run, and names joined, while calls and loops are followed
  std::size_t elements = 1 << 16; // that a loop goes over
  std::size_t calls = 50;         // each inside of the one before it
};

// What a reader sees.
struct Found {
  values::Value value;
  Span where;             // it was bound there
  std::size_t moment = 0; // at which objects hold what the reader sees
};

class HostModules {
public:
  HostModules();
  HostModules(HostModules&&) noexcept;
  HostModules& operator=(HostModules&&) noexcept;
  ~HostModules();
  // Returns what a name of the top level of a file is at the end.
  std::optional<Found> at_end(std::size_t file, std::string_view name) const;
  // Returns what a name is for a function, when a launch first runs it: one that nobody calls sees what is there at the end.
  std::optional<Found> find(const ast::FunctionDef& reader, std::string_view name) const;
  // Returns what a list, or a dict (keys and values in turn), held at a moment; nothing where that is not known.
  std::optional<std::span<const values::Value>> elements(std::size_t moment,
                                                         const values::Value& object) const;
  // Returns the numbers of an array at a moment; nothing where they are not known.
  std::optional<values::Numbers> numbers(std::size_t moment, const values::Array& array) const;
  // Prints a value with what its objects hold.
  std::string print(const Found& found) const;
  // Returns the definition and the name of a function; null of one that could not be parsed as a kernel may be.
  static const ast::FunctionDef* definition(const values::Function& function);

private:
  friend HostModules run(const SourceManager&, std::span<const SourceFile>, std::span<const Given>, Limits);
  struct State;
  std::unique_ptr<State> state_;
};

HostModules run(const SourceManager& sources, std::span<const SourceFile> files,
                std::span<const Given> given = {}, Limits limits = {});

} // namespace kern::python
