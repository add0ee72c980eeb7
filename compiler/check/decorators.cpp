// Reads what stands above a `def`: @kernel, @device, @cuda.jit and their options.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/check/checker.h"
#include "compiler/check/ignored_options.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/diagnostics/uniformity.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

enum class Role : std::uint8_t { Kernel, Device, HostJit, Unknown };

// The flags of LLVM that `fastmath` takes as a set, and those that fast math of Kern consists of: it never
// assumes that NaN and infinity do not occur.
constexpr std::array<std::string_view, 8> fast_math_flags = {"fast", "nnan",     "ninf", "nsz",
                                                             "arcp", "contract", "afn",  "reassoc"};
constexpr std::array<std::string_view, 5> needed_flags = {"reassoc", "nsz", "arcp", "contract", "afn"};

// Returns the expression that a name stands for as a decorator: that of `gpu = cuda.jit`; itself where it is
// none.
const ast::Expr& decorator_behind(Context& context, FileScope& file, const ast::Expr& expr) {
  constexpr int longest_chain = 8;
  const ast::Expr* current = &expr;
  for (int i = 0; i < longest_chain; ++i) {
    const auto* name = ast::as<ast::Name>(current);
    const Symbol* symbol =
        name ? find_symbol(context, file, name->text, {name->span.begin, nullptr}) : nullptr;
    bool is_alias = symbol && symbol->kind == Symbol::Kind::Constant && !symbol->op && symbol->path.empty() &&
                    !symbol->is_given;
    if (!is_alias) break;
    current = symbol->init;
  }
  return *current;
}

// Says what a decorator without its arguments is: `kernel`, `c.jit` after `from numba import cuda as c`.
Role role_of(Context& context, FileScope& file, const ast::Expr& expr) {
  if (const auto* name = ast::as<ast::Name>(&expr)) {
    if (const Symbol* symbol = find_symbol(context, file, name->text, {name->span.begin, nullptr})) {
      bool is_import = symbol->kind == Symbol::Kind::FromImport;
      bool is_jit = is_import && symbol->text == "jit";
      if (is_jit && symbol->module == "numba.cuda") return Role::Kernel;
      if (is_jit && symbol->module == "numba") return Role::HostJit;
      bool from_kern = is_import && symbol->module == "kern";
      if (!from_kern) return is_import && symbol->text == "njit" ? Role::HostJit : Role::Unknown;
    }
    if (name->text == "kernel") return Role::Kernel;
    if (name->text == "device") return Role::Device;
    return Role::Unknown;
  }
  const auto* attribute = ast::as<ast::Attribute>(&expr);
  if (!attribute || (attribute->name != "jit" && attribute->name != "njit")) return Role::Unknown;
  const ReportingScope quiet(context.diagnostics, false);
  Checker checker(context, &file, nullptr);
  Value module = checker.evaluate(*attribute->value);
  if (module.kind != ValueKind::Host) return Role::Unknown;
  return module.text == "numba.cuda" ? Role::Kernel : Role::HostJit;
}

struct Reader {
  Context& context;
  FunctionSymbol& function;

  std::optional<Value> constant(const ast::Keyword& keyword) {
    Value value = constant_of_expr(context, *function.file, *keyword.value);
    return is_error(value) ? std::nullopt : std::optional(value);
  }

  void wrong(const ast::Keyword& keyword, std::string_view wanted) {
    context.diagnostics.report(keyword.value->span, diag::option_value, keyword.name, wanted);
  }

  std::optional<bool> truth(const ast::Keyword& keyword) {
    std::optional<Value> value = constant(keyword);
    if (!value) return std::nullopt;
    Checker checker(context, function.file, nullptr);
    std::optional<bool> result = checker.constant_truth(*value);
    if (!result) wrong(keyword, "True or False");
    return result;
  }

  // Returns one to `most` positive integers.
  std::optional<std::vector<std::int64_t>> numbers(const ast::Keyword& keyword, std::string_view wanted,
                                                   std::size_t most = 3) {
    std::optional<Value> value = constant(keyword);
    if (!value) return std::nullopt;
    std::vector<Value> parts = is_tuple(*value) ? value->elements : std::vector<Value>{*value};
    std::vector<std::int64_t> result;
    for (const Value& part : parts) {
      std::optional<WideInt> number = constant_integer(part);
      if (!number || *number < 1 || *number > (1 << 30)) break;
      result.push_back(static_cast<std::int64_t>(*number));
    }
    if (result.size() == parts.size() && !parts.empty() && parts.size() <= most) return result;
    wrong(keyword, wanted);
    return std::nullopt;
  }

  void read_block(const ast::Keyword& keyword) {
    std::optional<std::vector<std::int64_t>> sizes = numbers(keyword, "one to three positive integers");
    if (!sizes) return;
    sizes->resize(3, 1);
    bool fits = (*sizes)[0] * (*sizes)[1] * (*sizes)[2] <= limits::launch_threads;
    for (std::size_t axis = 0; axis < 3; ++axis) fits = fits && (*sizes)[axis] <= limits::launch_block[axis];
    if (!fits)
      return wrong(keyword, fmt::format("a block of at most {} threads, {} of them along z",
                                        limits::launch_threads, limits::launch_block[2]));
    function.options.kernel.block = {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  }

  // True, False, or a set of LLVM's flags. Kern's fast math is whole or none: where a flag is missing, the
  // function is exact, which every set allows.
  void read_fast_math(const ast::Keyword& keyword) {
    const ast::Expr& written = decorator_behind(context, *function.file, *keyword.value);
    const auto* set = ast::as<ast::Set>(&written);
    if (!set) {
      function.options.kernel.fast_math = truth(keyword).value_or(false);
      return;
    }
    std::vector<std::string_view> flags;
    for (const ast::Expr* element : set->elements) {
      const auto* flag = ast::as<ast::StringLiteral>(element);
      if (!flag ||
          std::find(fast_math_flags.begin(), fast_math_flags.end(), flag->value) == fast_math_flags.end()) {
        context.diagnostics
            .report(element->span, diag::option_value, keyword.name, "True, False or a set of LLVM's flags")
            .note("the flags are `{}`", fmt::join(fast_math_flags, "`, `"));
        return;
      }
      flags.push_back(flag->value);
    }
    auto has = [&](std::string_view flag) {
      return std::find(flags.begin(), flags.end(), flag) != flags.end();
    };
    std::vector<std::string_view> missing;
    for (std::string_view flag : needed_flags)
      if (!has("fast") && !has(flag)) missing.push_back(flag);
    function.options.kernel.fast_math = missing.empty();
    if (!missing.empty() && !function.options.is_host_jit)
      report_no_effect(context, keyword.value->span, "this `fastmath`",
                       fmt::format("fast math of Kern also needs `{}`; write `fastmath=True` to allow them",
                                   fmt::join(missing, "`, `")));
  }

  void read_launch_bounds(const ast::Keyword& keyword) {
    if (keyword.value->kind == ast::Kind::NoneLiteral) return;
    auto sizes = numbers(keyword, "a number of threads, or (threads, blocks)");
    if (!sizes) return;
    if (sizes->front() > limits::launch_threads)
      return wrong(keyword, fmt::format("at most {} threads", limits::launch_threads));
    function.options.kernel.max_threads = sizes->front();
    if (sizes->size() > 1) function.options.kernel.min_blocks = (*sizes)[1];
    if (sizes->size() < 3) return;
    const auto* tuple = ast::as<ast::Tuple>(keyword.value);
    report_no_effect(context, tuple ? tuple->elements[2]->span : keyword.value->span,
                     "the third number of `launch_bounds`", "a kernel of Kern is launched without clusters");
  }

  void read_foreign_option(const ast::Keyword& keyword) {
    // How Numba compiles a function for the host is no matter of the kernel that calls it.
    bool of_host = function.options.is_host_jit && function.file->is_numba();
    const ast::Expr& value = decorator_behind(context, *function.file, *keyword.value);
    if (of_host || read_ignored_option(context, keyword, value)) return;
    // An option of a .py file may be for another version of Numba, so it is no error there.
    if (function.file->is_numba())
      return report_no_effect(context, keyword.span, fmt::format("`{}`", keyword.name),
                              "kernc does not know this option");
    context.diagnostics.report(keyword.span, diag::unknown_kernel_option, keyword.name)
        .note("the options are `block`, `launch_bounds`, `max_registers`, `fastmath`, `debug`, `lineinfo`, "
              "`inline` and `cache`");
  }

  // **options, where they are written in a dict or by `dict(fastmath=True)`.
  void read_unpacked(const ast::Keyword& keyword) {
    const ast::Expr& written = decorator_behind(context, *function.file, *keyword.value);
    const auto* dict = ast::as<ast::Dict>(&written);
    const auto* call = ast::as<ast::Call>(&written);
    const auto* callee = call ? ast::as<ast::Name>(call->callee) : nullptr;
    if (callee && callee->text == "dict" && call->args.empty()) {
      for (const ast::Keyword& each : call->keywords) read_option(each);
      return;
    }
    for (std::size_t i = 0; dict && i < dict->keys.size(); ++i) {
      const auto* name = ast::as<ast::StringLiteral>(dict->keys[i]);
      if (name) read_option({name->value, dict->keys[i]->span, dict->values[i]});
    }
    if (!dict)
      report_no_effect(context, keyword.value->span,
                       fmt::format("`**{}`", context.source(keyword.value->span)),
                       "kernc does not know what it holds; write the options here");
  }

  void read_option(const ast::Keyword& keyword) {
    FunctionOptions& options = function.options;
    if (keyword.name.empty()) return read_unpacked(keyword);
    if (keyword.name == "device") {
      if (truth(keyword).value_or(false)) options.is_device = true, options.is_kernel = false;
    } else if (keyword.name == "fastmath") {
      read_fast_math(keyword);
    } else if (keyword.name == "block") {
      read_block(keyword);
    } else if (keyword.name == "max_registers") {
      if (keyword.value->kind == ast::Kind::NoneLiteral) return;
      if (auto sizes = numbers(keyword, "a positive integer", 1))
        options.kernel.max_registers = sizes->front();
    } else if (keyword.name == "launch_bounds") {
      read_launch_bounds(keyword);
    } else if (keyword.name == "uniform") {
      read_uniform(keyword);
    } else if (keyword.name == "signature") {
      read_signatures(*keyword.value, false);
    } else {
      read_foreign_option(keyword);
    }
  }

  // A claim that nothing proves, so only those who ship it with the compiler may make it.
  void read_uniform(const ast::Keyword& keyword) {
    if (!function.file->file->is_library) {
      if (function.file->is_numba()) return read_foreign_option(keyword);
      context.diagnostics.report(keyword.span, diag::uniform_claim);
      return;
    }
    function.options.is_uniform = truth(keyword).value_or(false);
  }

  // A list of signatures, or the one that an expression is. `@vectorize` takes a tuple for a list.
  void read_signatures(const ast::Expr& expr, bool may_be_tuple) {
    const ast::Expr& written = decorator_behind(context, *function.file, expr);
    std::vector<const ast::Expr*>& signatures = function.options.signatures;
    const auto* list = ast::as<ast::List>(&written);
    const auto* tuple = may_be_tuple ? ast::as<ast::Tuple>(&written) : nullptr;
    const ast::ExprList elements = list ? list->elements : tuple ? tuple->elements : made_texts(expr);
    if (!list && !tuple && elements.empty()) return signatures.push_back(&expr);
    signatures.insert(signatures.end(), elements.begin(), elements.end());
  }

  // Returns the texts of a list that Python makes, `[f"void({T}[:])" for T in names]`; none of what is no such list.
  ast::ExprList made_texts(const ast::Expr& expr) {
    const ReportingScope quiet(context.diagnostics, false);
    const Value value = constant_of_expr(context, *function.file, expr);
    std::vector<const ast::Expr*> texts;
    for (const Value& element : is_tuple(value) ? value.elements : std::vector<Value>{}) {
      if (element.kind != ValueKind::String) return {};
      auto* text = context.program.arena->make<ast::StringLiteral>(expr.span);
      text->value = element.text;
      texts.push_back(text);
    }
    return context.program.arena->copy(texts);
  }

  void read(const ast::Expr& written) {
    const ast::Expr& decorator = decorator_behind(context, *function.file, written);
    const auto* call = ast::as<ast::Call>(&decorator);
    const ast::Expr& callee = decorator_behind(context, *function.file, call ? *call->callee : decorator);
    Role role = role_of(context, *function.file, callee);
    if (role == Role::Unknown) {
      function.options.is_host = true;
      function.options.unknown.push_back(&written);
      if (!function.file->is_numba())
        context.diagnostics.report(written.span, diag::unknown_decorator, context.source(written.span));
      return;
    }
    (role == Role::Kernel ? function.options.is_kernel : function.options.is_device) = true;
    function.options.is_host_jit = role == Role::HostJit;
    if (!call) return;
    for (const ast::Expr* arg : call->args) read_signatures(*arg, function.def->generated);
    for (const ast::Keyword& keyword : call->keywords) read_option(keyword);
    check_options(*call);
  }

  // `cuda.jit(f, device=True)`: what stands beside the function are options.
  void read_call(const ast::Call& call) {
    read(*call.callee);
    for (const ast::Keyword& keyword : call.keywords) read_option(keyword);
  }

  // Checks what no option says alone.
  void check_options(const ast::Call& call) {
    const ir::KernelOptions& kernel = function.options.kernel;
    std::int64_t threads = kernel.block ? (*kernel.block)[0] * (*kernel.block)[1] * (*kernel.block)[2] : 0;
    for (const ast::Keyword& keyword : call.keywords)
      if (keyword.name == "launch_bounds" && kernel.max_threads > 0 && threads > kernel.max_threads)
        wrong(keyword, fmt::format("at least the {} threads of `block`", threads));
    if (function.options.is_kernel || function.options.is_host_jit) return;
    for (const ast::Keyword& keyword : call.keywords)
      if (keyword.name == "block" || keyword.name == "launch_bounds" || keyword.name == "max_registers")
        report_no_effect(context, keyword.span, fmt::format("`{}`", keyword.name),
                         "only a kernel is launched; write it there");
  }
};

} // namespace

void report_unknown_decorators(Context& context, const FunctionSymbol& function) {
  for (const ast::Expr* decorator : function.options.unknown)
    if (context.reported.insert({diag::decorator.code, decorator->span.file, decorator->span.begin}).second)
      context.diagnostics.report(decorator->span, diag::decorator, context.source(decorator->span),
                                 function.def->name);
}

void read_decorators(Context& context, FunctionSymbol& function) {
  Reader reader{context, function};
  for (const ast::Expr* decorator : function.def->decorators) reader.read(*decorator);
  FunctionOptions& options = function.options;
  if (!options.is_kernel && !options.is_device) return;
  options.is_host = options.is_host && !function.file->is_numba();
  if (function.file->is_numba() && is_last_definition(function)) report_unknown_decorators(context, function);
}

// Returns the function that an expression names, or makes by a `lambda`; null where it is none.
static const FunctionSymbol* function_given(Context& context, FileScope& file, const ast::Expr& arg) {
  if (const auto* lambda = ast::as<ast::Lambda>(&arg)) return lambda_function(file, *lambda);
  const auto* name = ast::as<ast::Name>(&arg);
  FileScope* owner = &file;
  Symbol* found = name ? find_symbol(context, file, name->text, {arg.span.begin, nullptr}, &owner) : nullptr;
  if (!found) return nullptr;
  if (found->kind == Symbol::Kind::Function) return found->function;
  bool is_value = found->kind == Symbol::Kind::Constant || found->kind == Symbol::Kind::FromImport;
  if (!is_value) return nullptr;
  const ReportingScope quiet(context.diagnostics, false);
  Value value = Checker(context, owner, nullptr).symbol_value(*owner, name->text, *found, arg.span);
  return value.kind == ValueKind::Function ? value.function : nullptr;
}

const FunctionSymbol* lambda_function(FileScope& file, const ast::Lambda& lambda) {
  std::unique_ptr<FunctionSymbol>& made = file.made_functions[&lambda];
  if (!made) {
    made = std::make_unique<FunctionSymbol>();
    made->def = lambda.function;
    made->file = &file;
  }
  return made.get();
}

const FunctionSymbol* jitted_call(Context& context, FileScope& file, const ast::Call& call) {
  if (!file.is_numba() || call.args.size() != 1) return nullptr;
  const auto* options = ast::as<ast::Call>(call.callee);
  if (options && !call.keywords.empty()) return nullptr;
  const ast::Expr& callee = decorator_behind(context, file, options ? *options->callee : *call.callee);
  const auto* behind = ast::as<ast::Call>(&callee);
  Role role = role_of(context, file, behind ? *behind->callee : callee);
  if (role == Role::Unknown || (options && behind)) return nullptr;
  const FunctionSymbol* inner = function_given(context, file, *call.args[0]);
  if (!inner) return nullptr;
  std::unique_ptr<FunctionSymbol>& made = file.made_functions[&call];
  if (made) return made.get();
  made = std::make_unique<FunctionSymbol>();
  made->def = inner->def;
  made->file = inner->file;
  made->options = inner->options;
  // The names in the call are looked up in the file where the call stands.
  FunctionSymbol given;
  given.def = inner->def;
  given.file = &file;
  Reader{context, given}.read_call(call);
  made->options = given.options;
  made->options_file = &file;
  return made.get();
}

const FunctionSymbol* jitted_function(Context& context, FileScope& file, std::string_view name,
                                      const Symbol& symbol) {
  const bool is_changed = symbol.op || symbol.store;
  const auto* call = file.is_numba() && !is_changed ? ast::as<ast::Call>(symbol.init) : nullptr;
  if (!call || symbol.is_given) return nullptr;
  {
    const ReportingScope reports(context.diagnostics, true);
    if (const FunctionSymbol* jitted = jitted_call(context, file, *call)) return jitted;
  }
  const auto* arg = call->args.size() == 1 ? ast::as<ast::Name>(call->args[0]) : nullptr;
  if (!arg || arg->text != name || !call->keywords.empty()) return nullptr;
  const Symbol* inner = find_symbol(context, file, arg->text, {call->span.begin, nullptr});
  if (!inner || inner->kind != Symbol::Kind::Function) return nullptr;
  if (context.reported.insert({diag::decorator.code, call->span.file, call->span.begin}).second) {
    const ReportingScope reports(context.diagnostics, true);
    context.diagnostics.report(call->callee->span, diag::decorator, context.source(call->callee->span), name);
  }
  return inner->function;
}

} // namespace kern::checker
