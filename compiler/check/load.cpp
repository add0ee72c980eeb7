// Files are loaded from a list that their imports lengthen, so that no chain of imports is too long; cycles
// are found in the finished graph. In a .py file an import that leads nowhere is host code, and cycles are
// Python's own affair.
#include "compiler/check/load.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>

#include "compiler/ast/host_modules.h"
#include "compiler/ast/walk.h"
#include "compiler/check/numba/generated.h"
#include "compiler/diagnostics/names.h"
#include "compiler/lex/lex.h"
#include "compiler/parse/parse.h"

namespace kern {

namespace {

// File `from` imports file `to` at this place.
struct Edge {
  std::size_t from, to;
  Span span;
};

struct Loader {
  SourceManager& sources;
  const FindModule& find_module;
  std::span<const Define> defines;
  Diagnostics& diagnostics;
  Program& program;
  std::vector<FileId> ids;                    // of program.files
  std::map<std::string, std::size_t> by_name; // files by their names for messages
  std::vector<Edge> edges;

  void add(FileId id, std::string module, Dialect dialect) {
    by_name.emplace(sources.file(id).name, program.files.size());
    ids.push_back(id);
    program.files.push_back({std::move(module), dialect, nullptr, {}});
  }

  void parse_file(std::size_t index) {
    const bool is_numba = program.files[index].dialect == Dialect::Numba;
    const TopLevel top_level = is_numba ? TopLevel::Host : TopLevel::Strict;
    std::vector<Token> tokens = lex(sources, ids[index], diagnostics);
    const ast::Module* tree =
        parse(sources, ids[index], tokens, top_level, *program.arena, diagnostics, &program.refused);
    if (is_numba) {
      const ast::Module* const written = tree;
      tree =
          generate_kernels(sources, *tree, program.files[index].module, defines, *program.arena, diagnostics);
      program.files[index].has_generated = tree != written;
      program.files[index].names_compiler = std::ranges::any_of(tokens, [&](const Token& token) {
        const bool is_name = token.kind == TokenKind::Name;
        return is_name && (sources.text(token.span) == "numba" || sources.text(token.span) == "kern");
      });
    }
    program.files[index].tree = tree;
    follow_all(index, *tree);
    follow_attributes(index, tokens);
  }

  void follow_all(std::size_t index, const ast::Module& tree) {
    for (const ast::Stmt* item : tree.items) follow(index, *item);
    for (const ast::HostStatement& statement : tree.statements)
      ast::each_block(statement, [&](const ast::Module& block) { follow_all(index, block); });
  }

  void follow(std::size_t index, const ast::Stmt& item) {
    if (auto* import = ast::as<ast::Import>(&item)) {
      std::string module(import->module);
      if (ast::is_host_module(module))
        link_library(index, ast::canonical_module(module));
      else if (!link(index, module, import->span))
        report_missing(index, module, import->span);
    } else if (auto* from = ast::as<ast::FromImport>(&item)) {
      follow_from(index, *from);
    }
  }

  // `from package import name` may name a file inside a package; such a one is linked as "package.name".
  void follow_from(std::size_t index, const ast::FromImport& from) {
    std::string module(from.module);
    if (ast::is_host_module(module)) {
      link_library(index, module);
      for (const ast::ImportedName& name : from.names)
        link_library(index, module + "." + std::string(name.name));
      return;
    }
    if (link(index, module, from.module_span)) {
      // A package's own file may leave a name to a file beside it.
      if (!is_package(index, module)) return;
      for (const ast::ImportedName& name : from.names)
        if (name.name != "*")
          link(index, module + (module.ends_with('.') ? "" : ".") + std::string(name.name), name.span);
      return;
    }
    bool is_dots = module.find_first_not_of('.') == std::string::npos;
    bool found_all = !from.names.empty();
    for (const ast::ImportedName& name : from.names)
      found_all = link(index, module + (is_dots ? "" : ".") + std::string(name.name), name.span) && found_all;
    if (!found_all) report_missing(index, module, from.module_span);
  }

  // Some modules of Numba are files of the standard library.
  void link_library(std::size_t index, std::string_view module) {
    std::string_view library = ast::library_of(module);
    if (library.empty()) return;
    const auto& imports = program.files[index].imports;
    if (std::ranges::any_of(imports, [&](const auto& known) { return known.first == module; })) return;
    std::optional<FoundFile> found = find_module(std::string(library), std::string(library_importer));
    if (!found) return;
    std::size_t target = load(std::move(*found), std::string(module));
    program.files[index].imports.emplace_back(module, target);
  }

  // `cuda.libdevice.sinf` needs no import of its own.
  void follow_attributes(std::size_t index, std::span<const Token> tokens) {
    if (program.files[index].dialect != Dialect::Numba) return;
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      bool is_attribute = tokens[i].kind == TokenKind::Name && tokens[i - 1].kind == TokenKind::Dot &&
                          tokens[i - 2].kind == TokenKind::Name;
      if (!is_attribute) continue;
      std::string_view name = sources.text(tokens[i].span), front = sources.text(tokens[i - 2].span);
      // Every program reads `np.random`.
      if (name == "random" && front != "cuda") continue;
      link_library(index, fmt::format("numba.cuda.{}", name));
    }
  }

  bool is_package(std::size_t index, std::string_view module) const {
    for (const auto& [name, target] : program.files[index].imports)
      if (name == module) return sources.file(ids[target]).name.ends_with("__init__.py");
    return false;
  }

  // Finds the file of a module, loads it where it is new, and records the import; false where there is none.
  bool link(std::size_t index, const std::string& module, Span span) {
    const auto& imports = program.files[index].imports;
    if (std::ranges::any_of(imports, [&](const auto& known) { return known.first == module; })) return true;
    std::optional<FoundFile> found = find_module(module, sources.file(ids[index]).name);
    if (!found) return false;
    std::size_t target = load(std::move(*found), module);
    program.files[index].imports.emplace_back(module, target);
    edges.push_back({index, target, span});
    return true;
  }

  // Returns the index of a file, which is added where it is new.
  std::size_t load(FoundFile found, std::string module) {
    auto known = by_name.find(found.name);
    if (known != by_name.end()) return known->second;
    Dialect dialect = dialect_of(found.name);
    add(sources.add(std::move(found.name), std::move(found.text)), std::move(module), dialect);
    program.files.back().is_library = found.is_library;
    return program.files.size() - 1;
  }

  void report_missing(std::size_t index, const std::string& module, Span span) {
    if (program.files[index].dialect == Dialect::Numba) return;
    std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
    std::string path = module.substr(dots);
    std::ranges::replace(path, '.', '/');
    for (std::size_t up = 1; up < dots; ++up) path.insert(0, "../");
    diagnostics.report(span, diag::module_not_found, module)
        .note("looked for `{0}.kern` and `{0}.py` beside this file{1}", path,
              dots > 0 ? "" : ", in the folders of `-I` and in the standard library");
  }
};

// Finds cycles among the imports of .kern files, depth first without recursion.
struct CycleFinder {
  const Loader& loader;
  enum class State : std::uint8_t { New, Open, Done };
  std::vector<State> states;
  std::vector<std::size_t> next_edge; // of each open file
  std::vector<std::size_t> path;      // edges that lead to the last open file

  void report(std::size_t closing) {
    const Edge& last = loader.edges[closing];
    auto begin =
        std::ranges::find_if(path, [&](std::size_t edge) { return loader.edges[edge].from == last.to; });
    auto builder = loader.diagnostics.report(last.span, diag::import_cycle, name(last.to));
    for (auto edge = begin; edge != path.end(); ++edge)
      builder.note(loader.edges[*edge].span, "`{}` imports `{}` here", name(loader.edges[*edge].from),
                   name(loader.edges[*edge].to));
  }

  std::string_view name(std::size_t file) const { return loader.sources.file(loader.ids[file]).name; }

  bool counts(const Edge& edge) const { return loader.program.files[edge.from].dialect == Dialect::Kern; }

  // Goes one edge further from the last file of the path; returns false where it has no more.
  bool advance(std::size_t file) {
    for (std::size_t& edge = next_edge[file]; edge < loader.edges.size(); ++edge) {
      const Edge& candidate = loader.edges[edge];
      if (candidate.from != file || !counts(candidate)) continue;
      if (states[candidate.to] == State::Open) report(edge);
      if (states[candidate.to] != State::New) continue;
      states[candidate.to] = State::Open;
      path.push_back(edge++);
      return true;
    }
    return false;
  }

  void search(std::size_t root) {
    states.assign(loader.program.files.size(), State::New);
    next_edge.assign(loader.program.files.size(), 0);
    states[root] = State::Open;
    for (std::size_t file = root;;) {
      if (!advance(file)) {
        states[file] = State::Done;
        if (path.empty()) return;
        path.pop_back();
      }
      file = path.empty() ? root : loader.edges[path.back()].to;
    }
  }
};

// Loads modules of the standard library when they are asked for.
struct LibraryLoader {
  SourceManager* sources;
  Arena* arena;
  FindModule find_module;
  std::string importer; // a name of a file of the standard library: it is looked for nowhere else
  std::shared_ptr<std::deque<ProgramFile>> loaded = std::make_shared<std::deque<ProgramFile>>();

  const ProgramFile* operator()(const std::string& module, Diagnostics& diagnostics) const {
    for (const ProgramFile& file : *loaded)
      if (file.module == module) return &file;
    std::optional<FoundFile> found = find_module(module, importer);
    if (!found || !found->is_library) return nullptr;
    FileId id = sources->add(std::move(found->name), std::move(found->text));
    std::vector<Token> tokens = lex(*sources, id, diagnostics);
    const ast::Module* tree = parse(*sources, id, tokens, TopLevel::Strict, *arena, diagnostics);
    loaded->push_back({module, Dialect::Kern, tree, {}, true});
    return &loaded->back();
  }
};

} // namespace

Program load_program(SourceManager& sources, FileId root, std::optional<Dialect> dialect,
                     const FindModule& find_module, Diagnostics& diagnostics, std::span<const Define> defines,
                     bool is_library) {
  Program program{&sources, std::make_unique<Arena>(), {}, {}};
  program.load_library =
      LibraryLoader{&sources, program.arena.get(), find_module, std::string(library_importer)};
  Loader loader{sources, find_module, defines, diagnostics, program, {}, {}, {}};
  loader.add(root, "", dialect.value_or(dialect_of(sources.file(root).name)));
  program.files.front().is_library = is_library;
  for (const Define& define : defines)
    if (define.file && !loader.by_name.contains(define.file->name))
      loader.add(sources.add(define.file->name, define.file->text), define.file->name,
                 dialect_of(define.file->name));
  for (std::size_t i = 0; i < program.files.size(); ++i) loader.parse_file(i);
  CycleFinder{loader, {}, {}, {}}.search(0);
  return program;
}

} // namespace kern
