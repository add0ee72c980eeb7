// A program of texts that is run, and what its names are.
#pragma once

#include <string>

#include "compiler/ast/walk.h"
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

  explicit Ran(const std::string& text, const std::string& imported = "",
               const std::vector<std::pair<std::string, std::string>>& given = {}) {
    files.push_back({tree_of("main.py", text), true, {}});
    if (!imported.empty()) {
      files.push_back({tree_of("cfg.py", imported), true, {}, "cfg"});
      files[0].imports.emplace_back("cfg", 1);
    }
    std::vector<Given> values;
    for (const auto& [path, value] : given) {
      const ast::Module* tree = tree_of(path, "x = " + value + "\n");
      values.push_back({path, ast::get<ast::Assign>(*tree->items[0]).value});
    }
    modules = run(sources, files, values);
  }

  // A program of a root file and others, by the names that it imports them by.
  Ran(const std::string& text, const std::vector<std::pair<std::string, std::string>>& others) {
    files.push_back({tree_of("main.py", text), true, {}});
    for (const auto& [name, other] : others) {
      const bool is_python = !name.ends_with(".kern");
      const std::string module = name.substr(0, name.size() - (is_python ? 0 : 5));
      files[0].imports.emplace_back(module, files.size());
      files.push_back({tree_of(name, other), is_python, {}});
    }
    modules = run(sources, files);
  }

  // The compiled functions: their paths, and the names of the root file that lead to them.
  std::string functions() const {
    std::string text;
    for (const CompiledFunction& each : modules.functions())
      if (each.is_compiled) text += (text.empty() ? "" : ", ") + each.path + ":" + each.root_name;
    return text;
  }

  // The first function of a path.
  const values::FunctionData* function(std::string_view path) const {
    for (const CompiledFunction& each : modules.functions())
      if (each.path == path) return each.data;
    return nullptr;
  }

  const ast::Expr& expression(const std::string& text) {
    return *ast::get<ast::Assign>(*tree_of("expression", "x = " + text + "\n")->items[0]).value;
  }

  // What an expression is in the body of a function, or at the top level.
  std::string evaluated(const std::string& text, const values::FunctionData* reader = nullptr) {
    const std::optional<Found> found = modules.evaluate(expression(text), reader, 0);
    return found ? modules.print(*found) : "nothing";
  }

  // What the function of a name of the root file reads.
  std::string of(std::string_view function, std::string_view name) const {
    for (const CompiledFunction& each : modules.functions())
      if (each.root_name == function)
        if (const std::optional<Found> found = modules.find(*each.data, name)) return modules.print(*found);
    return "nothing";
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
      ast::each_block(statement, [&](const ast::Module& block) {
        if (result == "no kernel") result = in_function(block, name);
      });
    return result;
  }
};

} // namespace kern::python
