// Collects what the files of a program define. Constants are evaluated when they are first used: the host's
// own computations in a .py file are no error as long as no kernel needs them.
#include <algorithm>

#include "compiler/ast/host_modules.h"
#include "compiler/check/checker.h"
#include "compiler/check/host_names.h"
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
  if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) symbol.op = augmented->op;
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
  bool twice =
      known != file.symbols.end() && known->second.back().kind == Symbol::Kind::Function && !file.is_numba();
  if (twice &&
      context.reported.insert({diag::defined_twice.code, def.name_span.file, def.name_span.begin}).second)
    context.diagnostics.report(def.name_span, diag::defined_twice, def.name)
        .note(known->second.back().span, "it is defined here first");
  add_symbol(file, def.name, std::move(symbol), def);
  file.functions.push_back(std::move(function));
}

static void add_import(FileScope& file, Symbol::Kind kind, std::string_view alias, std::string_view module,
                       std::string_view text, Span span, const ast::Stmt& stmt) {
  Symbol symbol;
  symbol.kind = kind;
  symbol.span = span;
  symbol.module = module;
  symbol.text = text;
  add_symbol(file, alias, std::move(symbol), stmt);
}

void add_item(Context& context, FileScope& file, const ast::Stmt& item) {
  if (const auto* assign = ast::as<ast::Assign>(&item)) {
    for (const ast::Expr* target : assign->targets)
      add_constant(file, *target, item, assign->value, nullptr, {});
  } else if (const auto* augmented = ast::as<ast::AugAssign>(&item)) {
    add_constant(file, *augmented->target, item, augmented->value, nullptr, {});
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
    add_import(file, Symbol::Kind::Import, import->alias,
               ast::canonical_module(whole ? import->module : import->alias), import->module, import->span,
               item);
  } else if (const auto* from = ast::as<ast::FromImport>(&item)) {
    for (const ast::ImportedName& name : from->names) {
      if (name.name == "*")
        file.star_imports.push_back({from->module, from->span});
      else
        add_import(file, Symbol::Kind::FromImport, name.alias, from->module, name.name, name.span, item);
    }
  }
}

std::string module_below(std::string_view package, std::string_view name) {
  return fmt::format("{}{}{}", package, package.ends_with('.') ? "" : ".", name);
}

FileScope* find_file(Context& context, const FileScope& from, std::string_view module) {
  for (const auto& [name, file] : from.given_files)
    if (name == module) return file;
  for (const auto& [name, index] : from.file->imports)
    if (name == module) return context.files[index].get();
  return nullptr;
}

// Returns the scopes that `-D` means by a name, and the name in them: `NAME` at the top level of the root file, or
// where that has none in each function of the host that binds it; `make.NAME` in `make`; `module.NAME` in an
// imported file.
static std::pair<std::vector<FileScope*>, std::string_view> defined_name(Context& context,
                                                                         std::string_view name) {
  FileScope& root = *context.files.front();
  std::vector<FileScope*> scopes;
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    if (!root.symbols.contains(name))
      for_each_scope(root, [&](FileScope& scope) {
        if (scope.parent && scope.symbols.contains(name)) scopes.push_back(&scope);
      });
    scopes.push_back(&root);
    return {scopes, name};
  }
  std::string_view front = name.substr(0, dot);
  for (const auto& file : context.files)
    for_each_scope(*file, [&](FileScope& scope) {
      std::string_view module = file->file->module;
      std::string path = module.empty() || scope.path.empty() ? fmt::format("{}{}", module, scope.path)
                                                              : fmt::format("{}.{}", module, scope.path);
      if (path == front) scopes.push_back(&scope);
    });
  return {scopes, name.substr(dot + 1)};
}

// -D NAME=FILE.py:VALUE is an import of the file's name.
static Symbol symbol_in_file(Context& context, FileScope& scope, const Define& define) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::FromImport;
  symbol.module = context.program.arena->copy(std::string_view(define.file->name));
  symbol.text = context.program.arena->copy(std::string_view(define.value));
  for (const auto& other : context.files)
    if (context.program.sources->file(other->tree->file).name == define.file->name)
      scope.given_files.emplace_back(symbol.module, other.get());
  return symbol;
}

// Names the constants of other files that the last word may mean.
static void report_unknown(Context& context, const Define& define) {
  Diagnostics::Builder builder = context.diagnostics.report(std::nullopt, diag::unknown_define, define.name);
  const std::string_view written = define.name;
  const std::string_view name = written.substr(written.rfind('.') + 1);
  for (const auto& file : context.files) {
    const std::string_view module = file->file->module;
    const auto found = file->symbols.find(name);
    if (found == file->symbols.end() || found->second.back().kind != Symbol::Kind::Constant) continue;
    const std::string path = module.empty() ? std::string(name) : fmt::format("{}.{}", module, name);
    builder.note(found->second.back().span, "this one is `-D {}=...`", path);
  }
}

// -D k.n=VALUE gives the parameter `n` of a function of the root file a value, so that the launch gives it none.
static bool give_parameter(Context& context, const Define& define) {
  std::size_t dot = define.name.rfind('.');
  if (dot == std::string::npos) return false;
  std::vector<FunctionSymbol*> functions =
      functions_named(context, std::string_view(define.name).substr(0, dot));
  if (functions.size() != 1 || !functions.front()->file->is_numba()) return false;
  FunctionSymbol& function = *functions.front();
  const std::string_view name = std::string_view(define.name).substr(dot + 1);
  auto param = std::ranges::find(function.def->params, name, &ast::Param::name);
  if (param == function.def->params.end() || param->kind != ast::ParamKind::Normal) return false;
  Symbol symbol;
  if (define.file)
    symbol = symbol_in_file(context, *function.file, define);
  else
    symbol.init = parse_text(context, fmt::format("{}{}>", define_file, define.name), define.value);
  symbol.is_given = true;
  symbol.span = param->span;
  if (define.file || symbol.init)
    function.given.emplace(static_cast<std::size_t>(param - function.def->params.begin()), std::move(symbol));
  return true;
}

// -D NAME=VALUE replaces an initialiser. In a .py file it may also give a value that only Python computes.
static void apply_define(Context& context, const Define& define) {
  auto [scopes, name] = defined_name(context, define.name);
  const ast::Expr* init = nullptr;
  bool is_used = false;
  for (FileScope* file : scopes) {
    auto found = file->symbols.find(name);
    std::vector<Symbol>* versions = found != file->symbols.end() ? &found->second : nullptr;
    if (!versions && file->is_numba()) versions = &file->symbols[context.program.arena->copy(name)];
    bool is_constant = versions && (file->is_numba() || versions->back().kind == Symbol::Kind::Constant);
    if (!is_constant) continue;
    if (!init && !define.file)
      init = parse_text(context, fmt::format("{}{}>", define_file, define.name), define.value);
    Symbol symbol;
    if (define.file)
      symbol = symbol_in_file(context, *file, define);
    else if (init)
      symbol.init = init;
    else
      return;
    symbol.is_given = true;
    symbol.span = versions->empty() ? (init ? init->span : Span{}) : versions->back().span;
    symbol.annotation = versions->empty() ? nullptr : versions->back().annotation;
    versions->assign(1, symbol);
    is_used = true;
  }
  if (!is_used && !give_parameter(context, define)) report_unknown(context, define);
}

// Decorators inside of host code may be wrong: nothing is said of them until a kernel needs the function.
static void read_all_decorators(Context& context, FileScope& scope) {
  const ReportingScope quiet(context.diagnostics, context.diagnostics.enabled() && !scope.parent);
  for (const auto& function : scope.functions) read_decorators(context, *function);
}

static FileScope& new_scope(Context& context, const ProgramFile& program_file) {
  auto file = std::make_unique<FileScope>();
  file->file = &program_file;
  file->tree = program_file.tree;
  file->rules = rules_of(program_file.dialect);
  if (context.options.negative_index_faults) file->rules.negative_index = Rules::negative_index_rule::Fault;
  context.files.push_back(std::move(file));
  return *context.files.back();
}

FileScope& add_file(Context& context, const ProgramFile& program_file) {
  FileScope& file = new_scope(context, program_file);
  bind_names(context, file);
  find_changes(context, file);
  for (const auto& function : file.functions) read_decorators(context, *function);
  return file;
}

void build_scopes(Context& context) {
  for (const ProgramFile& program_file : context.program.files) new_scope(context, program_file);
  for (const auto& file : context.files) bind_names(context, *file);
  for (const auto& file : context.files) build_children(context, *file);
  for (const auto& file : context.files)
    for_each_scope(*file, [&](FileScope& scope) { find_changes(context, scope); });
  for (const Define& define : context.options.defines) apply_define(context, define);
  for (const auto& file : context.files)
    for_each_scope(*file, [&](FileScope& scope) { read_all_decorators(context, scope); });
  run_host_code(context);
}

} // namespace kern::checker
