// Prints for each function of a file, and each name that it reads of those around it, what check/ says it is and what
// python/ says. It goes when python/ has taken over.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ast/host_modules.h"
#include "compiler/ast/walk.h"
#include "compiler/check/checker.h"
#include "compiler/check/host_numbers.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/ir/print.h"
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

namespace checker {

static std::string describe_array(const Value& value) {
  const Numbers numbers = numbers_of(value);
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && text.size() < 400; ++i)
    text += " " + ir::print(numbers.at(i), {});
  return fmt::format("array {} [{}]{}", to_string(numbers.type), fmt::join(numbers.extents, ", "), text);
}

static std::string describe_old(Context& context, const Value& value) {
  std::string text;
  switch (value.kind) {
  case ValueKind::Error: return "unknown";
  case ValueKind::Literal:
    if (is_int_literal(value)) return fmt::format("{}", value.integer);
    if (is_complex_literal(value)) return values::print(values::Complex{value.real(), value.imaginary()});
    return values::print(values::Value(value.real()));
  case ValueKind::Runtime:
    if (value.operand.slot) return "runtime";
    return values::print(values::Number{value.operand});
  case ValueKind::Tuple:
    if (is_constant_array(value)) return describe_array(value);
    for (const Value& each : value.elements) text += (text.empty() ? "" : ", ") + describe_old(context, each);
    for (char& c : text) c = c == '[' ? '(' : c == ']' ? ')' : c; // of arrays inside
    return fmt::format("({})", text);
  case ValueKind::Dict:
    for (std::size_t i = 0; i < value.elements.size(); ++i)
      text += (i == 0 ? "" : i % 2 ? ": " : ", ") + describe_old(context, value.elements[i]);
    return fmt::format("{{{}}}", text);
  case ValueKind::None: return "None";
  case ValueKind::String: return fmt::format("'{}'", value.text);
  case ValueKind::Function: return fmt::format("function {}", value.function->def->name);
  case ValueKind::File:
    return value.file->is_class() ? fmt::format("class {}", value.file->owner->name) : "file";
  case ValueKind::Table: return is_scalar(value.type) ? describe_array(value) : "of a module";
  case ValueKind::Host:
    // A module that nobody finds.
    if (!value.text.starts_with("cmath") && !ast::is_host_module(value.text) &&
        !value.text.starts_with("cupy"))
      return "unknown";
    return "of a module";
  case ValueKind::Type:
  case ValueKind::Builtin:
  case ValueKind::Prefix:
  case ValueKind::Method:
  case ValueKind::TypeMaker: return "of a module";
  case ValueKind::Unknown:
  case ValueKind::Choice:
  case ValueKind::Deferred:
  case ValueKind::Element:
  case ValueKind::Rows:
  case ValueKind::Record:
  case ValueKind::Ellipsis:
  case ValueKind::Range:
  case ValueKind::Reversed:
  case ValueKind::Enumerate:
  case ValueKind::Zip: break;
  }
  return fmt::format("kind {}", static_cast<int>(value.kind));
}

static std::string describe_new(const python::HostModules& modules,
                                const std::optional<python::Found>& found) {
  if (!found) return "nothing";
  if (values::as<values::Path>(found->value) || values::as<values::Term>(found->value)) return "of a module";
  if (const auto* member = values::as<values::Member>(found->value))
    return fmt::format("function {}", member->name);
  if (values::as<values::File>(found->value)) return "file";
  std::string text = modules.print(*found);
  if (text.starts_with("unknown") || text.starts_with("array")) return text;
  // check/ makes no difference between lists and tuples.
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

// What check/ says of a name, and why it says nothing.
static std::pair<std::string, std::string> old_answer(Context& context, const FunctionSymbol& function,
                                                      std::string_view name) {
  FileScope* owner = function.file;
  Symbol* symbol = find_symbol(context, *function.file, name, {std::nullopt, &function}, &owner);
  if (!symbol) return {"nothing", ""};
  const Value value =
      Checker(context, owner, nullptr).symbol_value(*owner, name, *symbol, function.def->name_span);
  const std::string text = describe_old(context, value);
  if (text != "unknown" || symbol->kind != Symbol::Kind::Host) return {text, ""};
  if (symbol->reason == HostReason::Function) return {fmt::format("function {}", name), "function"};
  constexpr std::string_view reasons[] = {"bound", "changed", "launched", "function", "class", "captured"};
  return {text, std::string(reasons[static_cast<int>(symbol->reason)])};
}

static void compare_function(Context& context, const python::HostModules& modules,
                             const FunctionSymbol& function) {
  for (std::string_view name : read_names(*function.def)) {
    const ReportingScope quiet(context.diagnostics, false);
    const auto [old, reason] = old_answer(context, function, name);
    const std::string now = describe_new(modules, modules.find(*function.def, name));
    const bool both_unknown = old == "unknown" && now.starts_with("unknown");
    const char* kind = old == now || both_unknown   ? "agree"
                       : old == "unknown"           ? "new-knows"
                       : now.starts_with("unknown") ? "old-knows"
                                                    : "DIFFER";
    const Location place = context.program.sources->locate(function.def->name_span);
    fmt::print("{}\t{}:{}\t{}\t{}\t{}{}{}\t{}\n", kind,
               context.program.sources->file(function.def->name_span.file).name, place.line,
               function.def->name, name, old, reason.empty() ? "" : " ", reason, now);
  }
}

} // namespace checker

static void compare(const std::string& path) {
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
  const CheckOptions options;
  Diagnostics aside;
  aside.set_enabled(false);
  checker::Context context{program, options, aside};
  checker::build_scopes(context);
  for (const auto& file : context.files) {
    if (!file->is_numba()) continue;
    checker::for_each_scope(*file, [&](checker::FileScope& scope) {
      for (const auto& function : scope.functions) {
        const checker::FunctionOptions& of = function->options;
        if (of.is_kernel || of.is_device) checker::compare_function(context, modules, *function);
      }
    });
  }
}

} // namespace kern

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    std::fflush(stdout);
    kern::compare(words[i]);
  }
  return 0;
}
