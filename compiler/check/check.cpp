// The face: collects what the files define, makes an instance of every kernel whose parameters are annotated
// or that a signature names, and looks over what no instance reached.
#include "compiler/check/check.h"
#include "compiler/check/declared_types.h"

#include <algorithm>
#include <map>

#include "compiler/ast/definitions.h"
#include "compiler/ast/param_use.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/decorators.h"
#include "compiler/check/hooks.h"
#include "compiler/check/host_names.h"
#include "compiler/check/instances.h"
#include "compiler/check/names.h"
#include "compiler/check/scopes.h"
#include "compiler/check/signatures.h"
#include "compiler/check/unchecked.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/print.h"
#include "compiler/types/names.h"

namespace kern {

namespace checker {

namespace {

// Returns a value of a type as an argument that the launch gives.
Value argument_of(Type type, Span span) {
  return value_of_leaves(type, span, [](Type leaf) { return ir::Operand{leaf, std::nullopt, 0}; });
}

bool is_annotated(const FunctionSymbol& function) {
  bool reads = function.file->rules.reads_annotations;
  return reads &&
         std::all_of(function.def->params.begin(), function.def->params.end(), [](const ast::Param& param) {
           return param.annotation && param.kind == ast::ParamKind::Normal;
         });
}

std::optional<std::vector<Type>> annotated_types(Context& context, const FunctionSymbol& function) {
  std::vector<Type> types;
  bool ok = true;
  for (const ast::Param& param : function.def->params) {
    std::optional<Type> type = type_of_expr(context, *function.file, *param.annotation);
    if (type)
      types.push_back(*type);
    else
      ok = false;
  }
  return ok ? std::optional(types) : std::nullopt;
}

// Returns what -D gives a parameter. Numbers stay known: they may be shapes.
Value given_value(Context& context, const FunctionSymbol& function, std::size_t param) {
  const ast::Param& of = function.def->params[param];
  Checker checker(context, function.file, nullptr);
  const Value value =
      host_value(checker, {&context.host->modules, function.given.at(param)}, of.name, of.span);
  if (std::optional<WideInt> integer = is_boolean(value.type) ? std::nullopt : constant_integer(value))
    return int_value(*integer, value.span);
  if (is_constant_number(value) && !is_fixed(value))
    if (std::optional<double> real = constant_real(value)) return float_value(*real, value.span);
  return value;
}

// A signature may leave out what -D gives.
void add_given(const FunctionSymbol& function, std::vector<Type>& types) {
  if (types.size() + function.given.size() != function.def->params.size()) return;
  for (const auto& [place, value] : function.given)
    types.insert(types.begin() + static_cast<std::ptrdiff_t>(place), types::none);
}

Instance* make_instance(Context& context, const FunctionSymbol& function, const std::vector<Type>& types,
                        bool is_kernel, Span span) {
  const ast::FunctionDef& def = *function.def;
  std::vector<Value> args;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (auto given = function.given.find(i); given != function.given.end()) {
      args.push_back(given_value(context, function, i));
      if (is_error(args.back())) return nullptr;
      continue;
    }
    // None is known while compiling: the launch gives nothing for it.
    bool is_none = types[i] == types::none;
    args.push_back(is_none ? plain_value(ValueKind::None, def.params[i].span)
                           : argument_of(types[i], def.params[i].span));
  }
  Instance* instance = find_instance(context, function, std::move(args), is_kernel, nullptr, span);
  if (instance) emit(context, *instance);
  return instance;
}

// Reports what keeps a kernel at the top level from being parsed; false where it stands somewhere else.
bool report_refused(Context& context, const ast::HostStatement& statement) {
  Diagnostics reasons = context.program.refused.within(statement.span);
  const bool any = reasons.has_errors();
  context.diagnostics.append(std::move(reasons));
  return any;
}

// Returns the functions that are defined at the top of the root file, of several that have one name the last one.
std::vector<FunctionSymbol*> root_functions(Context& context) {
  std::vector<FunctionSymbol*> functions;
  FileScope& root = *context.files.front();
  for (const auto& function : root.functions) functions.push_back(function.get());
  for (const python::CompiledFunction& each :
       root.is_numba() ? context.host->modules.functions() : std::vector<python::CompiledFunction>{}) {
    const values::FunctionData& data = *each.data;
    if (!each.is_at_top() || context.host->modules.file_of(data) != 0 || data.of) continue;
    FunctionSymbol& function = function_symbol(context, data);
    if (is_last_definition(context, function)) functions.push_back(&function);
  }
  return functions;
}

// Returns those with signatures that calls of decorators made there, `k = cuda.jit("void(float32[:])")(f)`.
std::vector<FunctionSymbol*> made_at_top(Context& context) {
  std::vector<FunctionSymbol*> functions;
  for (const python::CompiledFunction& each :
       context.host ? context.host->modules.functions() : std::vector<python::CompiledFunction>{}) {
    const bool is_at_top = !each.root_name.empty() && each.root_name.find('.') == std::string::npos;
    if (!is_at_top || !each.data->of || context.host->modules.file_of(*each.data) != 0) continue;
    FunctionSymbol& function = function_symbol(context, *each.data);
    if (!function.options.signatures.empty()) functions.push_back(&function);
  }
  return functions;
}

// Reports a function that stands in several branches, so that nothing is known of it; false where there is none.
bool report_undecided(Context& context, std::string_view name) {
  if (!context.host) return false;
  const python::HostModules& modules = context.host->modules;
  const auto report = [&](FileScope& scope, const std::optional<python::Found>& found,
                          std::string_view last) {
    if (!found || !values::as<values::Unknown>(found->value)) return false;
    Checker checker(context, &scope, nullptr);
    report_unknown(checker, {&modules, *found}, last, found->where);
    return true;
  };
  for (const python::CompiledFunction& each : modules.functions()) {
    if (modules.file_of(*each.data) != 0 || !each.is_named(name)) continue;
    const std::optional<python::Found> meant = modules.beside(*each.data, each.name());
    if (report(*function_symbol(context, *each.data).file, meant, each.name())) return true;
  }
  FileScope& root = *context.files.front();
  return root.is_numba() && report(root, modules.at_end(0, name), name);
}

void report_unknown_function(Context& context, std::string_view name) {
  if (const ast::HostStatement* refused = ast::refused_definition(*context.files.front()->tree, name)) {
    if (!report_refused(context, *refused))
      context.diagnostics.report(refused->name_span, diag::inner_refused, name, refused->why);
    return;
  }
  if (report_undecided(context, name)) return;
  auto builder = context.diagnostics.report(std::nullopt, diag::unknown_function, name);
  for (const FunctionSymbol* function : root_functions(context))
    if (function->options.is_kernel)
      builder.note(function->def->name_span, "there is `{}`", function->def->name);
}

// Returns the one function of that name; null where there is none or several, which is reported.
FunctionSymbol* find_function(Context& context, std::string_view name) {
  std::vector<FunctionSymbol*> found = functions_named(context, name);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    report_unknown_function(context, name);
    return nullptr;
  }
  auto builder = context.diagnostics.report(std::nullopt, diag::several_functions, name);
  for (const FunctionSymbol* function : found)
    builder.note(function->def->name_span, "there is `{}`", path_of(context, *function));
  return nullptr;
}

// The two short names that mean different types in .kern and .py files are refused on the command line.
bool has_clash(Context& context, const FunctionSymbol& function, std::string_view type) {
  if (!function.file->is_numba()) return false;
  std::string_view words = clashing_name(type.substr(0, type.find('[')));
  if (words.empty()) return false;
  context.diagnostics.report(std::nullopt, diag::clashing_type, type, words);
  return true;
}

// The arguments of a launch are counted: each has a name. In a .py file what is left of them is a tuple.
bool has_named_params(Context& context, const FunctionSymbol& function) {
  if (function.file->is_numba()) return true;
  for (const ast::Param& param : function.def->params) {
    if (param.kind == ast::ParamKind::Normal) continue;
    context.diagnostics.report(param.span, diag::kernel_var_args, param.name);
    return false;
  }
  return true;
}

// Makes one type of those that `*args` takes. `kernc run` and --sig may write the tuple themselves.
void gather_var_args(Context& context, const FunctionSymbol& function, std::vector<Type>& types,
                     bool may_be_tuple) {
  std::span<const ast::Param> params = function.def->params;
  if (params.empty() || params.back().kind != ast::ParamKind::VarArgs) return;
  std::size_t before = params.size() - 1;
  if (types.size() < before) return;
  bool is_tuple_given = may_be_tuple && types.size() == params.size() && is_tuple(types.back());
  if (is_tuple_given) return;
  if (may_be_tuple && types.size() == params.size() && types.back() == types::none) types.pop_back();
  std::vector<Type> rest(types.begin() + static_cast<std::ptrdiff_t>(before), types.end());
  types.erase(types.begin() + static_cast<std::ptrdiff_t>(before), types.end());
  types.push_back(context.module.types.tuple(rest));
}

// `-> None` is all that a kernel may say of its result.
void check_result(Context& context, const FunctionSymbol& function) {
  const ast::Expr* returns = function.def->returns;
  bool reads = function.file->rules.reads_annotations;
  if (returns && reads && returns->kind != ast::Kind::NoneLiteral)
    context.diagnostics.report(returns->span, diag::kernel_returns_value, function.def->name);
}

void check_kernel(Context& context, const FunctionSymbol& function) {
  const ast::FunctionDef& def = *function.def;
  check_result(context, function);
  if (!has_named_params(context, function)) return;
  for (const WrittenSignature& signature : function.options.signatures) {
    std::optional<DeclaredTypes> declared = read_signature(context, *function.file, signature);
    if (!declared) continue;
    std::optional<std::vector<Type>> types = declared->params;
    if (def.generated)
      types = generated_types(context, def, *declared, signature.span);
    else if (declared->result.value_or(types::none) != types::none)
      context.diagnostics.report(signature.span, diag::kernel_returns_value, def.name);
    if (!types) continue;
    add_given(function, *types);
    gather_var_args(context, function, *types, false);
    if (has_count(context, function, types->size(), signature.span))
      make_instance(context, function, *types, true, signature.span);
  }
  if (!function.options.signatures.empty() || !is_annotated(function)) return;
  if (std::optional<std::vector<Type>> types = annotated_types(context, function))
    make_instance(context, function, *types, true, def.name_span);
}

void check_signature(Context& context, const Signature& signature) {
  FunctionSymbol* function = find_function(context, signature.function);
  if (!function) return;
  // Numba makes code for the written types alone, whatever a launch passes.
  const FunctionOptions& options = function->options;
  const bool is_written = function->file->is_numba() && !function->def->generated && options.is_kernel &&
                          !options.signatures.empty();
  if (is_written && signature.of_arguments) return check_kernel(context, *function);
  if (!has_named_params(context, *function)) return;
  std::vector<Type> types;
  for (const std::string& param : signature.params) {
    if (has_clash(context, *function, param)) return;
    const ast::Expr* expr =
        parse_text(context, fmt::format("{}{}>", signature_file, signature.function), param);
    std::optional<Type> type = expr ? type_of_expr(context, *function->file, *expr, true) : std::nullopt;
    if (!type) return;
    types.push_back(*type);
  }
  add_given(*function, types);
  gather_var_args(context, *function, types, true);
  if (has_count(context, *function, types.size(), std::nullopt))
    make_instance(context, *function, types, true, function->def->name_span);
}

// A kernel with one instance has its own name; the others and device functions say their types.
void name_symbols(Context& context) {
  std::map<std::string, int> kernels, symbols;
  for (const ir::Function& function : context.module.functions) kernels[function.name] += function.is_kernel;
  for (ir::Function& function : context.module.functions)
    if (function.is_kernel && kernels[function.name] == 1)
      function.symbol = function.symbol.substr(0, function.symbol.find('$', function.name.size()));
  for (ir::Function& function : context.module.functions) {
    int count = ++symbols[function.symbol];
    if (count > 1) function.symbol += fmt::format("$n{}", count);
  }
}

bool is_instantiated(const Context& context, const FunctionSymbol& function) {
  return std::any_of(context.instances.begin(), context.instances.end(), [&](const auto& entry) {
    return entry.second->function == &function && entry.second->id;
  });
}

// A kernel without types is in no output, which is told where other kernels are in it. Of a file that has no others
// the outputs themselves are errors. Those of the standard library are to have none.
void warn_without_code(Context& context, const FunctionSymbol& function) {
  if (function.file->file->is_library) return;
  std::string_view name = function.def->name;
  bool reads = function.file->rules.reads_annotations;
  auto untyped = std::ranges::find_if(function.def->params, [&](const ast::Param& param) {
    return !reads || !param.annotation || param.kind != ast::ParamKind::Normal;
  });
  bool is_only_generic = std::ranges::none_of(context.module.functions, &ir::Function::is_kernel);
  if (untyped == function.def->params.end() || is_only_generic) return;
  std::string advice = reads ? fmt::format("annotate it, `{}: {}`", untyped->name,
                                           ast::used_type(*function.def, untyped->name, "f32", "i32"))
                             : fmt::format("write them in the decorator, `@cuda.jit('void(...)')`");
  context.diagnostics.report(function.def->name_span, diag::generic_kernel, name, untyped->name,
                             fmt::format("{}, or give all types: `--sig '{}(...)'`", advice, name));
}

// Checks a function that no kernel calls: with its types where it is annotated, else its names.
void check_rest(Context& context, const FunctionSymbol& function) {
  const FunctionOptions& of = function.options;
  bool belongs = of.is_kernel || (of.is_device && !of.is_host_jit) || !function.file->is_numba();
  if (!belongs || function.options.is_host || is_instantiated(context, function)) return;
  check_declared(context, function);
  bool typed = is_annotated(function) && !function.options.is_kernel;
  std::optional<std::vector<Type>> types = typed ? annotated_types(context, function) : std::nullopt;
  if (types)
    make_instance(context, function, *types, false, function.def->name_span);
  else if (!typed)
    check_names(context, function);
  if (of.is_kernel) warn_without_code(context, function);
}

bool is_asked(Context& context, const FunctionSymbol& function) {
  std::string path = path_of(context, function);
  return std::ranges::any_of(context.options.signatures, [&](const Signature& signature) {
    return signature.function == function.def->name || signature.function == path;
  });
}

void check_file(Context& context) {
  const std::vector<FunctionSymbol*> functions = root_functions(context);
  for (const FunctionSymbol* function : functions)
    if (function->options.is_kernel && !is_asked(context, *function)) check_kernel(context, *function);
  // What `k = cuda.jit("void(float32[:])")(f)` makes at the top level.
  for (const FunctionSymbol* function : made_at_top(context)) {
    check_declared(context, *function);
    if (function->options.is_kernel && !is_asked(context, *function)) check_kernel(context, *function);
  }
  for (const FunctionSymbol* function : functions) check_rest(context, *function);
}

// Checks the one function that is asked for, unless a signature names it: then it is checked already.
void check_only(Context& context, std::string_view name) {
  bool is_named = std::ranges::any_of(context.options.signatures,
                                      [&](const Signature& signature) { return signature.function == name; });
  FunctionSymbol* function = is_named ? nullptr : find_function(context, name);
  if (function && function->options.is_kernel) check_kernel(context, *function);
  // A kernel that is wanted alone may have no types yet. One that `cuda.jit(f)` makes somewhere says nothing itself.
  if (!function || !context.options.signatures.empty()) return;
  const bool is_plain = !function->options.is_kernel && !function->options.is_device;
  if (is_plain && function->file->is_numba() && !is_instantiated(context, *function))
    check_names(context, *function);
  else
    check_rest(context, *function);
}

void check_constants(Context& context, FileScope& file) {
  if (file.is_numba()) return;
  std::map<std::uint32_t, std::pair<std::string_view, Symbol*>> in_order;
  for (auto& [name, versions] : file.symbols)
    for (Symbol& symbol : versions)
      if (symbol.kind == Symbol::Kind::Constant) in_order[symbol.span.begin] = {name, &symbol};
  Checker checker(context, &file, nullptr);
  checker.final = true;
  for (auto& [place, constant] : in_order)
    symbol_value(checker, file, constant.first, *constant.second, constant.second->span);
}

} // namespace

} // namespace checker

std::optional<std::string> constant_text(const Program& program, const CheckOptions& options,
                                         const ast::Expr& expr) {
  using namespace checker;
  Diagnostics unread;
  unread.set_enabled(false);
  Context context{program, options, unread, hooks};
  build_scopes(context);
  const checker::Value value = constant_of_expr(context, *context.files.front(), expr);
  if (!is_constant_number(value)) return std::nullopt;
  Checker checker(context, context.files.front().get(), nullptr);
  std::string text = ir::print(as_operand(checker, value), {});
  bool has_type = !is_literal(value) && !is_boolean(value.type);
  return has_type ? fmt::format("{}:{}", to_string(value.type), text) : text;
}

ir::Module check(const Program& program, const CheckOptions& options, Diagnostics& diagnostics) {
  using namespace checker;
  Context context{program, options, diagnostics, hooks};
  build_scopes(context);
  for (const auto& file : context.files) check_constants(context, *file);
  for (const Signature& signature : options.signatures) check_signature(context, signature);
  if (!options.only.empty())
    check_only(context, options.only);
  else
    check_file(context);
  name_symbols(context);
  return std::move(context.module);
}

} // namespace kern
