// Prints for each function of a file that is compiled, and each name that it reads of those around it, what python/ says it is.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "compiler/ast/walk.h"
#include "compiler/check/load.h"
#include "compiler/python/python.h"

namespace kern {

static std::optional<FoundFile> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || path.ends_with("/")) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return FoundFile{path, std::move(text)};
}

static std::optional<FoundFile> find_beside(const std::string& module, const std::string& importer) {
  std::string folder = importer.substr(0, importer.rfind('/') + 1);
  std::string path = module;
  std::size_t dots = std::min(path.find_first_not_of('.'), path.size());
  path = path.substr(dots);
  for (std::size_t up = 1; up < dots; ++up) folder += "../";
  std::ranges::replace(path, '.', '/');
  for (const char* suffix : {".kern", ".py", "/__init__.py"})
    if (auto found = read(std::filesystem::path(folder + path + suffix).lexically_normal())) return found;
  return std::nullopt;
}

static std::string describe(const python::HostModules& modules, const std::optional<python::Found>& found) {
  if (!found) return "nothing";
  if (values::as<values::Path>(found->value) || values::as<values::Term>(found->value)) return "of a module";
  if (const auto* member = values::as<values::Member>(found->value))
    return fmt::format("function {}", member->name);
  if (values::as<values::File>(found->value)) return "file";
  std::string text = modules.print(*found);
  if (text.starts_with("unknown") || text.starts_with("array")) return text;
  // A kernel sees no difference between lists and tuples.
  if (text.find("unknown (") != text.npos)
    for (std::size_t at; (at = text.find(" (not computed)")) != text.npos;) text.erase(at, 15);
  const bool is_text = text.find('\'') != text.npos;
  for (char& c : text)
    if (!is_text) c = c == '[' ? '(' : c == ']' ? ')' : c;
  for (std::size_t at; !is_text && (at = text.find(",)")) != text.npos;) text.erase(at, 1);
  return text;
}

// The names that a function reads and does not bind itself.
static std::set<std::string_view> read_names(const ast::FunctionDef& def) {
  std::set<std::string_view> names, bound;
  for (const ast::Param& param : def.params) bound.insert(param.name);
  const std::function<void(const ast::Expr&)> add = [&](const ast::Expr& expr) {
    if (const auto* name = ast::as<ast::Name>(&expr)) names.insert(name->text);
    ast::each_part(expr, add);
  };
  const std::function<void(const ast::Expr&)> bind = [&](const ast::Expr& expr) {
    if (const auto* name = ast::as<ast::Name>(&expr)) bound.insert(name->text);
    if (const auto* tuple = ast::as<ast::Tuple>(&expr))
      for (const ast::Expr* each : tuple->elements) bind(*each);
  };
  ast::each_stmt(def.body, [&](const ast::Stmt& stmt) {
    ast::each_expr(stmt, add);
    if (const auto* assign = ast::as<ast::Assign>(&stmt))
      for (const ast::Expr* target : assign->targets) bind(*target);
    if (const auto* loop = ast::as<ast::For>(&stmt)) bind(*loop->target);
    if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) bind(*augmented->target);
    if (const auto* annotated = ast::as<ast::AnnAssign>(&stmt)) bind(*annotated->target);
    if (const auto* inner = ast::as<ast::FunctionDef>(&stmt)) bound.insert(inner->name);
  });
  for (std::string_view name : bound) names.erase(name);
  return names;
}

static void print(const std::string& path) {
  SourceManager sources;
  Diagnostics diagnostics;
  std::optional<FoundFile> found = read(path);
  if (!found) return;
  const FileId root = sources.add(path, found->text);
  const Program program = load_program(sources, root, std::nullopt, find_beside, diagnostics);
  std::vector<python::SourceFile> files;
  for (const ProgramFile& file : program.files)
    files.push_back({file.tree, file.dialect == Dialect::Numba, file.imports, file.module});
  const python::HostModules modules = python::run(sources, files);
  std::set<const ast::FunctionDef*> printed;
  for (const python::CompiledFunction& each : modules.functions()) {
    const ast::FunctionDef& def = *each.data->def;
    if (!each.is_compiled || !printed.insert(&def).second) continue;
    const Location place = sources.locate(def.name_span);
    for (std::string_view name : read_names(def))
      fmt::print("{}:{}\t{}\t{}\t{}\n", sources.file(def.name_span.file).name, place.line, def.name, name,
                 describe(modules, modules.find(def, name)));
  }
}

} // namespace kern

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    std::fflush(stdout);
    kern::print(words[i]);
  }
  return 0;
}
