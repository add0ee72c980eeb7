// Collects what the .kern files of a program define, has python/ run the others, and finds names.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/ast/host_modules.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/decorators.h"
#include "compiler/check/host_names.h"
#include "compiler/check/names.h"
#include "compiler/check/scopes.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

static void add_symbol(FileScope& file, std::string_view name, Symbol symbol, const ast::Stmt& stmt) {
  symbol.place = stmt.span.end;
  file.symbols[name].push_back(std::move(symbol));
}

static void add_constant(FileScope& file, const ast::Expr& target, const ast::Stmt& stmt,
                         const ast::Expr* init, const ast::Expr* annotation, std::vector<std::size_t> path) {
  std::span<const ast::Expr* const> elements;
  if (const auto* tuple = ast::as<ast::Tuple>(&target)) elements = tuple->elements;
  if (const auto* list = ast::as<ast::List>(&target)) elements = list->elements;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::vector<std::size_t> inner = path;
    inner.push_back(i);
    add_constant(file, *elements[i], stmt, init, nullptr, std::move(inner));
  }
  const auto* name = ast::as<ast::Name>(&target);
  if (!name) return;
  Symbol symbol;
  symbol.kind = Symbol::Kind::Constant;
  symbol.span = name->span;
  symbol.init = init;
  symbol.annotation = annotation;
  symbol.path = std::move(path);
  add_symbol(file, name->text, std::move(symbol), stmt);
}

static void add_function(Context& context, FileScope& file, const ast::FunctionDef& def) {
  auto function = std::make_unique<FunctionSymbol>();
  function->def = &def;
  function->file = &file;
  Symbol symbol;
  symbol.kind = Symbol::Kind::Function;
  symbol.span = def.name_span;
  symbol.function = function.get();
  auto known = file.symbols.find(def.name);
  const bool twice = known != file.symbols.end() && known->second.back().kind == Symbol::Kind::Function;
  if (twice &&
      context.reported.insert({diag::defined_twice.code, def.name_span.file, def.name_span.begin}).second)
    context.diagnostics.report(def.name_span, diag::defined_twice, def.name)
        .note(known->second.back().span, "it is defined here first");
  add_symbol(file, def.name, std::move(symbol), def);
  file.functions.push_back(std::move(function));
}

static Symbol import_of(Symbol::Kind kind, std::string_view module, std::string_view text, Span span) {
  Symbol symbol;
  symbol.kind = kind;
  symbol.span = span;
  symbol.module = module;
  symbol.text = text;
  return symbol;
}

// Adds what an item of a .kern file defines.
static void add_item(Context& context, FileScope& file, const ast::Stmt& item) {
  if (const auto* assign = ast::as<ast::Assign>(&item)) {
    for (const ast::Expr* target : assign->targets)
      add_constant(file, *target, item, assign->value, nullptr, {});
  } else if (const auto* annotated = ast::as<ast::AnnAssign>(&item)) {
    if (annotated->value)
      add_constant(file, *annotated->target, item, annotated->value, annotated->annotation, {});
  } else if (const auto* def = ast::as<ast::FunctionDef>(&item)) {
    add_function(context, file, *def);
  } else if (const auto* record = ast::as<ast::StructDef>(&item)) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Struct;
    symbol.span = record->name_span;
    symbol.record = record;
    add_symbol(file, record->name, std::move(symbol), item);
  } else if (const auto* import = ast::as<ast::Import>(&item)) {
    // `import a.b` binds `a`.
    bool whole = import->is_renamed || import->alias.size() == import->module.size();
    const std::string_view module = ast::canonical_module(whole ? import->module : import->alias);
    add_symbol(file, import->alias, import_of(Symbol::Kind::Import, module, import->module, import->span),
               item);
  } else if (const auto* from = ast::as<ast::FromImport>(&item)) {
    for (const ast::ImportedName& name : from->names) {
      if (name.name == "*")
        file.star_imports.push_back({from->module, from->span});
      else
        add_symbol(file, name.alias, import_of(Symbol::Kind::FromImport, from->module, name.name, name.span),
                   item);
    }
  }
}

std::string module_below(std::string_view package, std::string_view name) {
  return fmt::format("{}{}{}", package, package.ends_with('.') ? "" : ".", name);
}

FileScope* find_file(Context& context, const FileScope& from, std::string_view module) {
  for (const auto& [name, index] : from.file->imports)
    if (name == module) return context.files[index].get();
  // -D NAME=FILE.py:VALUE names the file itself.
  const bool is_path = module.ends_with(".py") || module.ends_with(".kern");
  for (const auto& file : context.files)
    if (is_path && context.program.sources->file(file->tree->file).name == module) return file.get();
  return nullptr;
}

// ---- Finding names ----

// Says whether `from module import *` takes a name that the module has.
static bool has_public(Context& context, FileScope& file, const StarImport& star, std::string_view name,
                       std::set<const FileScope*>& visited);

static Symbol* find_in(Context& context, FileScope& file, std::string_view name,
                       std::optional<std::uint32_t> place, std::set<const FileScope*>& visited) {
  if (!visited.insert(&file).second) return nullptr;
  if (const auto found = file.symbols.find(name); found != file.symbols.end()) {
    // A constant is made of what others are at its place, and where they are bound later alone, of that.
    std::vector<Symbol>& versions = found->second;
    if (!place) return &versions.back();
    const auto is_before = [&](const Symbol& version) { return version.place <= *place; };
    const auto last = std::find_if(versions.rbegin(), versions.rend(), is_before);
    return last == versions.rend() ? &versions.front() : &*last;
  }
  for (std::size_t i = file.star_imports.size(); i-- > 0;) {
    const StarImport& star = file.star_imports[i];
    if (!has_public(context, file, star, name, visited)) continue;
    file.symbols[name] = {import_of(Symbol::Kind::FromImport, star.module, name, star.span)};
    return &file.symbols[name].front();
  }
  return nullptr;
}

static bool has_public(Context& context, FileScope& file, const StarImport& star, std::string_view name,
                       std::set<const FileScope*>& visited) {
  if (name.starts_with('_')) return false;
  if (FileScope* other = find_file(context, file, star.module))
    return other->is_numba() ? context.host->modules.at_end(other->index, name).has_value()
                             : find_in(context, *other, name, {}, visited) != nullptr;
  if (star.module == "math") return std::ranges::find(ast::math_names(), name) != ast::math_names().end();
  const ReportingScope quiet(context.diagnostics, false);
  Checker checker(context, &file, nullptr);
  return host_name(checker, star.module, name, star.span).has_value();
}

Symbol* find_symbol(Context& context, FileScope& file, std::string_view name,
                    std::optional<std::uint32_t> place) {
  std::set<const FileScope*> visited;
  return find_in(context, file, name, place, visited);
}

std::vector<FunctionSymbol*> functions_named(Context& context, std::string_view name) {
  FileScope& root = *context.files.front();
  if (!root.is_numba()) {
    const Symbol* found = find_symbol(context, root, name);
    return found && found->function ? std::vector{found->function} : std::vector<FunctionSymbol*>{};
  }
  const python::HostModules& modules = context.host->modules;
  std::vector<FunctionSymbol*> found, whole;
  for (const python::CompiledFunction& each : modules.functions()) {
    if (each.root_name == name) return {&function_symbol(context, *each.data)};
    const bool is_inner =
        modules.file_of(*each.data) == 0 && !each.is_of_call && each.path.find('.') != each.path.npos;
    if (!is_inner || !each.is_named(name)) continue;
    // Of several of one name the code that runs decides; where nobody knows that, it is none.
    const std::optional<python::Found> meant = modules.beside(*each.data, each.name());
    const auto* function = meant ? values::as<values::Function>(meant->value) : nullptr;
    if (meant && values::as<values::Unknown>(meant->value)) continue;
    FunctionSymbol& symbol =
        function_symbol(context, function && function->data->def ? *function->data : *each.data);
    if (std::ranges::find(found, &symbol) == found.end()) found.push_back(&symbol);
    if (each.path == name) whole = {&symbol};
  }
  return whole.empty() ? found : whole;
}

std::string path_of(Context& context, const FunctionSymbol& function) {
  return function.data ? context.host->modules.path_of(*function.data) : std::string(function.def->name);
}

// ---- -D ----

// Names the constants of other files that the last word may mean.
static void report_unknown(Context& context, const Define& define) {
  Diagnostics::Builder builder = context.diagnostics.report(std::nullopt, diag::unknown_define, define.name);
  const std::string_view written = define.name;
  const std::string_view name = written.substr(written.rfind('.') + 1);
  for (const auto& file : context.files) {
    const std::string_view module = file->file->module;
    const auto found = file->symbols.find(name);
    std::optional<Span> place;
    if (found != file->symbols.end() && found->second.back().kind == Symbol::Kind::Constant)
      place = found->second.back().span;
    if (const auto bound = file->is_numba() ? context.host->modules.at_end(file->index, name) : std::nullopt)
      place = bound->where;
    const std::string path = module.empty() ? std::string(name) : fmt::format("{}.{}", module, name);
    if (place) builder.note(*place, "this one is `-D {}=...`", path);
  }
}

// -D k.n=VALUE gives the parameter `n` of a function of the root file a value, so that the launch gives it none.
static bool give_parameter(Context& context, const Define& define) {
  std::size_t dot = define.name.rfind('.');
  if (dot == std::string::npos || !context.files.front()->is_numba()) return false;
  std::vector<FunctionSymbol*> functions =
      functions_named(context, std::string_view(define.name).substr(0, dot));
  if (functions.size() != 1) return false;
  FunctionSymbol& function = *functions.front();
  const std::string_view name = std::string_view(define.name).substr(dot + 1);
  auto param = std::ranges::find(function.def->params, name, &ast::Param::name);
  if (param == function.def->params.end() || param->kind != ast::ParamKind::Normal) return false;
  const auto place = static_cast<std::size_t>(param - function.def->params.begin());
  if (const auto given = context.host->modules.given(define.name)) function.given.emplace(place, *given);
  return true;
}

// -D NAME=VALUE or module.NAME=VALUE replaces the initialiser of a constant of a .kern file.
static bool define_constant(Context& context, const Define& define) {
  const std::size_t dot = define.name.rfind('.');
  const std::string_view module =
      dot == std::string::npos ? "" : std::string_view(define.name).substr(0, dot);
  const std::string_view name = std::string_view(define.name).substr(dot == std::string::npos ? 0 : dot + 1);
  bool is_used = false;
  for (const auto& file : context.files) {
    const auto found = file->symbols.find(name);
    const bool is_meant = module.empty() ? file == context.files.front() : file->file->module == module;
    if (!is_meant || found == file->symbols.end() || found->second.back().kind != Symbol::Kind::Constant)
      continue;
    is_used = true;
    Symbol symbol;
    symbol.span = found->second.back().span;
    symbol.annotation = found->second.back().annotation;
    if (define.file) {
      symbol.kind = Symbol::Kind::FromImport;
      symbol.module = context.program.arena->copy(std::string_view(define.file->name));
      symbol.text = context.program.arena->copy(std::string_view(define.value));
    } else {
      symbol.kind = Symbol::Kind::Constant;
      // What is wrong with it is said where it is given to the Python of a program too.
      const ReportingScope reports(context.diagnostics, context.diagnostics.enabled() && !context.host);
      symbol.init = parse_text(context, fmt::format("{}{}>", define_file, define.name), define.value);
      if (!symbol.init) continue;
    }
    found->second = {std::move(symbol)};
  }
  return is_used;
}

static void apply_define(Context& context, const Define& define) {
  const bool is_constant = define_constant(context, define);
  const bool is_of_host = context.host && context.host->modules.is_used(define.name);
  if (!is_constant && !is_of_host && !give_parameter(context, define)) report_unknown(context, define);
}

// Returns the choices of a dialect.
static Rules rules_of(Dialect dialect) {
  Rules rules{};
  const bool numba = dialect == Dialect::Numba;
#define DIALECT_RULE(Name, InKern, InNumba) rules.Name = numba ? InNumba : InKern;
#include "compiler/check/core/dialect.def"
  rules.functions = numba ? &numba_functions : &kern_functions;
  return rules;
}

static FileScope& new_scope(Context& context, const ProgramFile& program_file) {
  auto file = std::make_unique<FileScope>();
  file->file = &program_file;
  file->tree = program_file.tree;
  file->index = context.files.size();
  file->rules = rules_of(program_file.dialect);
  if (context.options.negative_index_faults) file->rules.counts_from_end = false;
  context.files.push_back(std::move(file));
  return *context.files.back();
}

// Adds what a .kern file defines.
static void add_items(Context& context, FileScope& file) {
  if (file.is_numba()) return;
  for (const ast::Stmt* item : file.tree->items) add_item(context, file, *item);
}

FileScope& add_file(Context& context, const ProgramFile& program_file) {
  FileScope& file = new_scope(context, program_file);
  add_items(context, file);
  for (const auto& function : file.functions) read_decorators(context, *function);
  return file;
}

void build_scopes(Context& context) {
  for (const ProgramFile& program_file : context.program.files) new_scope(context, program_file);
  for (const auto& file : context.files) add_items(context, *file);
  run_host_code(context);
  for (const Define& define : context.options.defines) apply_define(context, define);
  for (const auto& file : context.files)
    for (const auto& function : file->functions) read_decorators(context, *function);
}

// It is read when the first operator that needs it is met.
FileScope* complex_library(Context& context) {
  constexpr std::string_view module = "cmath";
  for (const auto& file : context.files)
    if (file->file->is_library && file->file->module == module) return file.get();
  if (!context.program.load_library) return nullptr;
  const ProgramFile* file = context.program.load_library(std::string(module), context.diagnostics);
  return file ? &add_file(context, *file) : nullptr;
}

} // namespace kern::checker
