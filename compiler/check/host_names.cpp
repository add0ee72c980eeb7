#include "compiler/check/host_names.h"

#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/decorators.h"
#include "compiler/check/inner_functions.h"
#include "compiler/check/names.h"
#include "compiler/check/scopes.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

using values::as;

// Returns what -D gives, by the index of its file where it is a name of one.
static std::vector<python::Given> given_by_options(Context& context) {
  std::vector<python::Given> given;
  for (const Define& define : context.options.defines) {
    if (!define.file) {
      const ast::Expr* value =
          parse_text(context, fmt::format("{}{}>", define_file, define.name), define.value);
      if (value) given.push_back({define.name, value});
      continue;
    }
    for (std::size_t i = 0; i < context.program.files.size(); ++i)
      if (context.program.sources->file(context.program.files[i].tree->file).name == define.file->name)
        given.push_back({define.name, nullptr, i, define.value});
  }
  return given;
}

// Says whether Python may give a function to Numba or Kern, or names of it are asked for: that of a script without kernels need
// not run.
static bool is_asked_for(const Context& context) {
  const CheckOptions& options = context.options;
  if (!options.defines.empty() || !options.signatures.empty() || !options.only.empty()) return true;
  if (context.program.files.front().dialect != Dialect::Numba) return true;
  bool has_maker = false, names_module = false;
  for (const ProgramFile& file : context.program.files) {
    const std::string_view text = context.program.sources->file(file.tree->file).text;
    const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (file.has_generated) return true;
    has_maker = has_maker || has("jit") || has("import kern") || has("kern import");
    names_module = names_module || file.names_compiler;
  }
  return has_maker && names_module;
}

static python::HostModules run(Context& context, python::Limits limits) {
  static const ast::Module nothing{};
  std::vector<python::SourceFile> files;
  const bool runs = is_asked_for(context);
  for (const ProgramFile& file : context.program.files)
    files.push_back({runs ? file.tree : &nothing, file.dialect == Dialect::Numba, file.imports, file.module});
  const auto knows = [&context](std::string_view module, std::string_view name) {
    const ReportingScope quiet(context.diagnostics, false);
    FileScope* python = nullptr;
    for (const auto& file : context.files)
      if (file->is_numba()) python = file.get();
    FileScope* library = find_file(context, *python, module);
    if (library) return find_symbol(context, *library, name) != nullptr;
    Checker checker(context, python, nullptr);
    return host_name(checker, module, name, {}).has_value();
  };
  return python::run(*context.program.sources, files, given_by_options(context), limits, knows);
}

void run_host_code(Context& context) {
  const auto is_python = [](const ProgramFile& file) { return file.dialect == Dialect::Numba; };
  if (std::ranges::none_of(context.program.files, is_python)) return;
  context.host = std::make_unique<HostNames>(run(context, {}));
  // Those at the top of a file are read, with what is wrong in their decorators, whether or not a kernel calls them.
  for (const python::CompiledFunction& each : context.host->modules.functions())
    if (each.is_at_top()) function_symbol(context, *each.data);
}

FunctionSymbol& function_symbol(Context& context, const values::FunctionData& data) {
  std::unique_ptr<FunctionSymbol>& made = context.host->functions[&data];
  if (made) return *made;
  made = std::make_unique<FunctionSymbol>();
  FunctionSymbol& symbol = *made;
  const FileScope& file = *context.files[context.host->modules.file_of(data)];
  FileScope& scope = context.host->scopes.emplace_back();
  scope.file = file.file;
  scope.tree = file.tree;
  scope.index = file.index;
  scope.rules = file.rules;
  scope.reader = &data;
  symbol.def = data.def;
  symbol.data = &data;
  symbol.file = &scope;
  const bool is_inner = context.host->modules.path_of(data).find('.') != std::string::npos;
  // Decorators inside of host code may be wrong: nothing is said of them until a kernel needs the function.
  const ReportingScope reports(context.diagnostics, context.diagnostics.enabled() && !is_inner);
  read_decorators(context, symbol);
  return symbol;
}

std::optional<HostFound> find_host_name(Context& context, const FileScope& scope, std::string_view name) {
  const python::HostModules& modules = context.host->modules;
  const std::optional<python::Found> found = seen_by(modules, scope, name);
  if (!found) return std::nullopt;
  const auto* unknown = as<values::Unknown>(found->value);
  const HostFound first{&modules, *found};
  if (!unknown || unknown->why != values::Why::NotComputed || !modules.is_limited()) return first;
  // Nobody may read what takes long to compute, so it is computed for the first who does.
  std::optional<python::HostModules>& again = context.host->again;
  constexpr python::Limits large{1 << 18, 1 << 20, 1 << 26};
  if (!again) {
    const ReportingScope quiet(context.diagnostics, false); // it was said the first time
    again = run(context, large);
  }
  const values::FunctionData* reader = scope.reader ? again->function_at(scope.reader->serial) : nullptr;
  if (scope.reader && (!reader || reader->def != scope.reader->def)) return first;
  const std::optional<python::Found> computed =
      reader ? again->find(*reader, name) : again->at_end(scope.index, name);
  const bool is_number =
      computed && (values::is_number(computed->value) || as<values::Array>(computed->value));
  return is_number ? HostFound{&*again, *computed} : first;
}

// Returns what a dotted name is whose front is a class or a file.
static std::optional<HostFound> find_path(Context& context, const FileScope& scope, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return find_host_name(context, scope, path);
  const std::optional<HostFound> of = find_path(context, scope, path.substr(0, dot));
  if (!of) return std::nullopt;
  const bool has_names = as<values::Class>(of->found.value) || as<values::File>(of->found.value);
  const std::string_view name = path.substr(dot + 1);
  // A member of an enumeration is its number.
  if (!has_names)
    return name == "value" && path.find('.') != dot && values::is_number(of->found.value) ? of : std::nullopt;
  const std::optional<python::Found> member = of->modules->attribute(of->found, name);
  return member ? std::optional(HostFound{of->modules, *member}) : std::nullopt;
}

std::optional<Value> host_name_value(Checker& checker, const ast::Expr& expr) {
  if (!checker.context.host || !checker.scope->is_numba()) return std::nullopt;
  const std::string path = ast::dotted_name(expr);
  const std::string_view first = std::string_view(path).substr(0, path.find('.'));
  if (path.empty() || find_local(checker, first) || inner_function(checker, first, expr.span))
    return std::nullopt;
  std::map<std::pair<const FileScope*, std::string>, std::optional<Value>>& known =
      checker.context.host->values;
  if (const auto value = known.find({checker.scope, path}); value != known.end())
    return value->second ? std::optional(read_at(*value->second, expr.span)) : std::nullopt;
  const std::optional<HostFound> found = find_path(checker.context, *checker.scope, path);
  std::optional<Value> value;
  if (found) value = host_value(checker, *found, path, expr.span);
  // What is wrong is said wherever the name is read, and a name of a module may be code there.
  const bool is_constant =
      found && !as<values::Path>(found->found.value) && !as<values::Member>(found->found.value);
  if (!value || (is_constant && !is_error(*value))) known.emplace(std::pair(checker.scope, path), value);
  return value;
}

} // namespace kern::checker
