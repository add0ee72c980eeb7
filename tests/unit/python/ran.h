// A program of texts that is run, and what its names are.
#pragma once

#include <string>

#include "compiler/lex/lex.h"
#include "compiler/parse/parse.h"
#include "compiler/python/python.h"

namespace kern::python {

// Runs a text and says what its names are.
struct Ran {
  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics;
  std::vector<SourceFile> files;
  HostModules modules;

  explicit Ran(const std::string& text, const std::string& imported = "") {
    files.push_back({tree_of("main.py", text), true, {}});
    if (!imported.empty()) {
      files.push_back({tree_of("cfg.py", imported), true, {}});
      files[0].imports.emplace_back("cfg", 1);
    }
    modules = run(sources, files);
  }

  const ast::Module* tree_of(const std::string& name, const std::string& text) {
    const FileId file = sources.add(name, text);
    return parse(sources, file, lex(sources, file, diagnostics), TopLevel::Host, arena, diagnostics);
  }

  std::string name(std::string_view name) const {
    const std::optional<Found> found = modules.at_end(0, name);
    return found ? modules.print(*found) : "nothing";
  }

  // What the last kernel called `k` at the top level reads.
  std::string in_kernel(std::string_view name) const { return in_function(*files[0].tree, name); }

  std::string in_function(const ast::Module& tree, std::string_view name) const {
    std::string result = "no kernel";
    for (const ast::Stmt* item : tree.items)
      if (const auto* def = ast::as<ast::FunctionDef>(item); def && def->name == "k") {
        const std::optional<Found> found = modules.find(*def, name);
        result = found ? modules.print(*found) : "nothing";
      }
    for (const ast::HostStatement& statement : tree.statements)
      if (statement.code && result == "no kernel") result = in_function(*statement.code, name);
    return result;
  }
};

} // namespace kern::python
