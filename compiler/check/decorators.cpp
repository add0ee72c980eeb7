// What stands above a `def`: @kernel, @device, @cuda.jit and their options.
#include <algorithm>
#include <array>

#include "compiler/check/checker.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

namespace {

enum class Role : std::uint8_t { Kernel, Device, HostJit, Unknown };

// Options of Numba that change nothing in a compilation by kernc.
constexpr std::array<std::string_view, 15> ignored_options = {
    "debug",    "lineinfo",    "cache",       "inline", "opt",
    "link",     "lto",         "extensions",  "abi",    "abi_info",
    "nopython", "boundscheck", "forceinline", "cc",     "shared_memory_carveout"};

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
  bool was_enabled = context.diagnostics.enabled();
  context.diagnostics.set_enabled(false);
  Checker checker(context, &file, nullptr);
  Value module = checker.evaluate(*attribute->value);
  context.diagnostics.set_enabled(was_enabled);
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

  // Returns one to three positive integers.
  std::optional<std::vector<std::int64_t>> numbers(const ast::Keyword& keyword, std::string_view wanted) {
    std::optional<Value> value = constant(keyword);
    if (!value) return std::nullopt;
    std::vector<Value> parts = is_tuple(*value) ? value->elements : std::vector<Value>{*value};
    std::vector<std::int64_t> result;
    for (const Value& part : parts) {
      std::optional<WideInt> number = constant_integer(part);
      if (!number || *number < 1 || *number > (1 << 30)) break;
      result.push_back(static_cast<std::int64_t>(*number));
    }
    if (result.size() == parts.size() && !parts.empty() && parts.size() <= 3) return result;
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

  void read_option(const ast::Keyword& keyword) {
    FunctionOptions& options = function.options;
    if (keyword.name == "device") {
      if (truth(keyword).value_or(false)) options.is_device = true, options.is_kernel = false;
    } else if (keyword.name == "fastmath") {
      options.kernel.fast_math = truth(keyword).value_or(false);
    } else if (keyword.name == "block") {
      read_block(keyword);
    } else if (keyword.name == "max_registers") {
      if (keyword.value->kind == ast::Kind::NoneLiteral) return;
      if (auto sizes = numbers(keyword, "a positive integer")) options.kernel.max_registers = sizes->front();
    } else if (keyword.name == "launch_bounds") {
      auto sizes = numbers(keyword, "a number of threads, or (threads, blocks)");
      if (!sizes) return;
      options.kernel.max_threads = sizes->front();
      if (sizes->size() > 1) options.kernel.min_blocks = (*sizes)[1];
    } else if (keyword.name == "signature") {
      read_signatures(*keyword.value);
    } else if (std::find(ignored_options.begin(), ignored_options.end(), keyword.name) ==
                   ignored_options.end() &&
               !function.file->is_numba()) {
      context.diagnostics.report(keyword.span, diag::unknown_kernel_option, keyword.name)
          .note("the options are `block`, `launch_bounds`, `max_registers`, `fastmath`, `debug`, `lineinfo`, "
                "`inline` and `cache`");
    }
  }

  void read_signatures(const ast::Expr& expr) {
    if (const auto* list = ast::as<ast::List>(&expr)) {
      for (const ast::Expr* element : list->elements) read_signatures(*element);
      return;
    }
    function.options.signatures.push_back(&expr);
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
    for (const ast::Expr* arg : call->args) read_signatures(*arg);
    for (const ast::Keyword& keyword : call->keywords) read_option(keyword);
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

const FunctionSymbol* jitted_function(Context& context, FileScope& file, std::string_view name,
                                      const Symbol& symbol) {
  const auto* call = file.is_numba() && !symbol.op ? ast::as<ast::Call>(symbol.init) : nullptr;
  const auto* arg = call && call->args.size() == 1 ? ast::as<ast::Name>(call->args[0]) : nullptr;
  if (!arg || symbol.is_given) return nullptr;
  const Symbol* inner = find_symbol(context, file, arg->text, {call->span.begin, nullptr});
  if (!inner || inner->kind != Symbol::Kind::Function) return nullptr;
  const auto* options = ast::as<ast::Call>(call->callee);
  const ast::Expr& callee = decorator_behind(context, file, options ? *options->callee : *call->callee);
  Role role = role_of(context, file, callee);
  bool replaces = arg->text == name && call->keywords.empty();
  if (role == Role::Unknown && !replaces) return nullptr;
  if (role == Role::Unknown &&
      context.reported.insert({diag::decorator.code, call->span.file, call->span.begin}).second) {
    bool was_enabled = context.diagnostics.enabled();
    context.diagnostics.set_enabled(true);
    context.diagnostics.report(call->callee->span, diag::decorator, context.source(call->callee->span), name);
    context.diagnostics.set_enabled(was_enabled);
  }
  return inner->function;
}

} // namespace kern::checker
