// Reads what stands above a `def`: @kernel, @device, @cuda.jit and their options.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/decorators.h"
#include "compiler/check/expressions.h"
#include "compiler/check/host_names.h"
#include "compiler/check/numba/ignored_options.h"
#include "compiler/check/scopes.h"
#include "compiler/check/signatures.h"
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

// An option, `device=True`: an expression of a .kern file, or a value of Python.
struct Option {
  std::string_view name; // "" of options that nobody knows
  Span span, value_span;
  const ast::Expr* expr = nullptr;      // as it is written, where it is
  const values::Value* value = nullptr; // of Python

  // Returns where an element stands, if the option is a tuple, list or set that is written out.
  Span element(std::size_t i) const {
    ast::ExprList elements;
    if (const auto* tuple = ast::as<ast::Tuple>(expr)) elements = tuple->elements;
    if (const auto* list = ast::as<ast::List>(expr)) elements = list->elements;
    if (const auto* set = ast::as<ast::Set>(expr)) elements = set->elements;
    return i < elements.size() ? elements[i]->span : value_span;
  }
};

// Says what a decorator of a .kern file is without its arguments: `kernel`, `c.jit` after `from numba import cuda as c`.
Role role_of(Context& context, FileScope& file, const ast::Expr& expr) {
  if (const auto* name = ast::as<ast::Name>(&expr)) {
    if (const Symbol* symbol = find_symbol(context, file, name->text)) {
      const bool is_import = symbol->kind == Symbol::Kind::FromImport;
      if (is_import && symbol->text == "jit")
        return symbol->module == "numba.cuda" ? Role::Kernel
               : symbol->module == "numba"    ? Role::HostJit
                                              : Role::Unknown;
      const bool from_kern = is_import && symbol->module == "kern";
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
  Value module = checker::evaluate(checker, *attribute->value);
  if (module.kind != ValueKind::Host) return Role::Unknown;
  return module.text == "numba.cuda" ? Role::Kernel : Role::HostJit;
}

// Says the same of a decorator of Python.
Role role_of(std::string_view path) {
  if (path == "numba.cuda.jit" || path == "kern.kernel") return Role::Kernel;
  if (path == "kern.device") return Role::Device;
  return path == "numba.jit" || path == "numba.njit" ? Role::HostJit : Role::Unknown;
}

struct Reader {
  Context& context;
  FunctionSymbol& function;

  Value evaluate(const Option& option) {
    if (!option.value) return constant_of_expr(context, *function.file, *option.expr);
    Checker checker(context, function.file, nullptr);
    if (option.expr && option.expr->kind == ast::Kind::Set) return checker::evaluate(checker, *option.expr);
    return host_value(checker, found(*option.value, option.value_span), context.source(option.value_span),
                      option.value_span, option.expr);
  }

  HostFound found(const values::Value& value, Span span) const {
    return {&context.host->modules, {value, span, 0}};
  }

  std::optional<Value> constant(const Option& option) {
    Value value = evaluate(option);
    return is_error(value) ? std::nullopt : std::optional(value);
  }

  void wrong(const Option& option, std::string_view wanted) {
    context.diagnostics.report(option.value_span, diag::option_value, option.name, wanted);
  }

  bool is_none(const Option& option) const {
    return option.value ? values::as<values::None>(*option.value) != nullptr
                        : option.expr->kind == ast::Kind::NoneLiteral;
  }

  std::optional<bool> truth(const Option& option) {
    std::optional<Value> value = constant(option);
    if (!value) return std::nullopt;
    Checker checker(context, function.file, nullptr);
    std::optional<bool> result = constant_truth(*value);
    if (!result) wrong(option, "True or False");
    return result;
  }

  // Returns one to `most` positive integers.
  std::optional<std::vector<std::int64_t>> numbers(const Option& option, std::string_view wanted,
                                                   std::size_t most = 3) {
    std::optional<Value> value = constant(option);
    if (!value) return std::nullopt;
    std::vector<Value> parts = is_tuple(*value) ? value->elements : std::vector<Value>{*value};
    std::vector<std::int64_t> result;
    for (const Value& part : parts) {
      std::optional<WideInt> number = constant_integer(part);
      if (!number || *number < 1 || *number > (1 << 30)) break;
      result.push_back(static_cast<std::int64_t>(*number));
    }
    if (result.size() == parts.size() && !parts.empty() && parts.size() <= most) return result;
    wrong(option, wanted);
    return std::nullopt;
  }

  void read_block(const Option& option) {
    std::optional<std::vector<std::int64_t>> sizes = numbers(option, "one to three positive integers");
    if (!sizes) return;
    sizes->resize(3, 1);
    bool fits = (*sizes)[0] * (*sizes)[1] * (*sizes)[2] <= limits::launch_threads;
    for (std::size_t axis = 0; axis < 3; ++axis) fits = fits && (*sizes)[axis] <= limits::launch_block[axis];
    if (!fits)
      return wrong(option, fmt::format("a block of at most {} threads, {} of them along z",
                                       limits::launch_threads, limits::launch_block[2]));
    function.options.kernel.block = {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  }

  // Returns the flags of a set, "" for what is no text; nothing where the option is none.
  std::optional<std::vector<std::string_view>> flags_of(const Option& option) const {
    std::vector<std::string_view> flags;
    const auto* set = option.value ? nullptr : ast::as<ast::Set>(option.expr);
    if (set) {
      for (const ast::Expr* element : set->elements) {
        const auto* flag = ast::as<ast::StringLiteral>(element);
        flags.push_back(flag ? flag->value : "");
      }
      return flags;
    }
    const auto* term = option.value ? values::as<values::Term>(*option.value) : nullptr;
    if (!term || values::path_name(term->data->callee) != "set") return std::nullopt;
    for (const values::Value& element : term->data->args) {
      const auto* flag = values::as<values::Text>(element);
      flags.push_back(flag ? flag->text : "");
    }
    return flags;
  }

  // True, False, or a set of LLVM's flags. Kern's fast math is whole or none: where a flag is missing, the
  // function is exact, which every set allows.
  void read_fast_math(const Option& option) {
    const std::optional<std::vector<std::string_view>> flags = flags_of(option);
    if (!flags) {
      function.options.kernel.fast_math = truth(option).value_or(false);
      return;
    }
    for (std::size_t i = 0; i < flags->size(); ++i) {
      if (std::ranges::find(fast_math_flags, (*flags)[i]) != fast_math_flags.end()) continue;
      context.diagnostics
          .report(option.element(i), diag::option_value, option.name, "True, False or a set of LLVM's flags")
          .note("the flags are `{}`", fmt::join(fast_math_flags, "`, `"));
      return;
    }
    auto has = [&](std::string_view flag) { return std::ranges::find(*flags, flag) != flags->end(); };
    std::vector<std::string_view> missing;
    for (std::string_view flag : needed_flags)
      if (!has("fast") && !has(flag)) missing.push_back(flag);
    function.options.kernel.fast_math = missing.empty();
    if (!missing.empty() && !function.options.is_host_jit)
      report_no_effect(context, option.value_span, "this `fastmath`",
                       fmt::format("fast math of Kern also needs `{}`; write `fastmath=True` to allow them",
                                   fmt::join(missing, "`, `")));
  }

  void read_launch_bounds(const Option& option) {
    if (is_none(option)) return;
    auto sizes = numbers(option, "a number of threads, or (threads, blocks)");
    if (!sizes) return;
    if (sizes->front() > limits::launch_threads)
      return wrong(option, fmt::format("at most {} threads", limits::launch_threads));
    function.options.kernel.max_threads = sizes->front();
    if (sizes->size() > 1) function.options.kernel.min_blocks = (*sizes)[1];
    if (sizes->size() == 3)
      report_no_effect(context, option.element(2), "the third number of `launch_bounds`",
                       "a kernel of Kern is launched without clusters");
  }

  void read_foreign_option(const Option& option) {
    // How Numba compiles a function for the host is no matter of the kernel that calls it.
    const bool of_host = function.options.is_host_jit && function.file->is_numba();
    if (of_host) return;
    Value value;
    {
      const ReportingScope quiet(context.diagnostics, false);
      value = evaluate(option);
    }
    if (read_ignored_option(context, option.name, cover(option.span, option.value_span), value)) return;
    // An option of a .py file may be for another version of Numba, so it is no error there.
    if (function.file->is_numba())
      return report_no_effect(context, option.span, fmt::format("`{}`", option.name),
                              "kernc does not know this option");
    context.diagnostics.report(option.span, diag::unknown_kernel_option, option.name)
        .note("the options are `block`, `launch_bounds`, `max_registers`, `fastmath`, `debug`, `lineinfo`, "
              "`inline` and `cache`");
  }

  void read_option(const Option& option) {
    FunctionOptions& options = function.options;
    if (option.name.empty()) {
      report_no_effect(context, option.value_span, fmt::format("`**{}`", context.source(option.value_span)),
                       "kernc does not know what it holds; write the options here");
    } else if (option.name == "device") {
      if (truth(option).value_or(false)) options.is_device = true, options.is_kernel = false;
    } else if (option.name == "fastmath") {
      read_fast_math(option);
    } else if (option.name == "block") {
      read_block(option);
    } else if (option.name == "max_registers") {
      if (is_none(option)) return;
      if (auto sizes = numbers(option, "a positive integer", 1))
        options.kernel.max_registers = sizes->front();
    } else if (option.name == "launch_bounds") {
      read_launch_bounds(option);
    } else if (option.name == "uniform") {
      read_uniform(option);
    } else if (option.name == "signature") {
      read_signatures(option, false);
    } else {
      read_foreign_option(option);
    }
  }

  // A claim that nothing proves, so only those who ship it with the compiler may make it.
  void read_uniform(const Option& option) {
    if (!function.file->file->is_library) {
      if (function.file->is_numba()) return read_foreign_option(option);
      context.diagnostics.report(option.span, diag::uniform_claim);
      return;
    }
    function.options.is_uniform = truth(option).value_or(false);
  }

  // A list of signatures, or the one that an argument is. `@vectorize` takes a tuple for a list.
  void read_signatures(const Option& option, bool may_be_tuple) {
    std::vector<WrittenSignature>& signatures = function.options.signatures;
    if (!option.value) {
      const auto* list = ast::as<ast::List>(option.expr);
      for (const ast::Expr* each : list ? list->elements : ast::ExprList{})
        signatures.push_back({each->span, each});
      if (!list) signatures.push_back({option.value_span, option.expr});
      return;
    }
    const auto* tuple = values::as<values::Tuple>(*option.value);
    if (!tuple || !(tuple->was_list || may_be_tuple)) {
      signatures.push_back({option.value_span, nullptr, {*option.value, option.value_span, 0}, option.expr});
      return;
    }
    for (std::size_t i = 0; i < tuple->elements.size(); ++i)
      signatures.push_back({option.element(i), nullptr, {tuple->elements[i], option.element(i), 0}});
  }

  // ---- The decorators ----

  // Reads what a decorator is called with: signatures, then options.
  void read_all(std::span<const Option> arguments, std::span<const Option> options) {
    for (const Option& option : arguments) read_signatures(option, function.def->generated);
    for (const Option& option : options) read_option(option);
    check_options(options);
  }

  bool set_role(Role role) {
    if (role == Role::Unknown) return false;
    (role == Role::Kernel ? function.options.is_kernel : function.options.is_device) = true;
    function.options.is_host_jit = role == Role::HostJit;
    return true;
  }

  void read(const ast::Expr& decorator) {
    const auto* call = ast::as<ast::Call>(&decorator);
    if (!set_role(role_of(context, *function.file, call ? *call->callee : decorator))) {
      function.options.is_host = true;
      context.diagnostics.report(decorator.span, diag::unknown_decorator, context.source(decorator.span));
      return;
    }
    if (!call) return;
    std::vector<Option> arguments, options;
    for (const ast::Expr* arg : call->args) arguments.push_back({"", arg->span, arg->span, arg});
    for (const ast::Keyword& each : call->keywords)
      options.push_back({each.name, each.span, each.value->span, each.value});
    read_all(arguments, options);
  }

  // Reads a decorator of Python; `written` is null of one that is called with the function.
  void read(const values::Value& decorator, const ast::Expr* written) {
    const auto* term = values::as<values::Term>(decorator);
    const values::TermData* data = term ? term->data : nullptr;
    // `cuda.jit("void(i4)")(f, device=True)`
    const auto* inner = data ? values::as<values::Term>(data->callee) : nullptr;
    if (inner) read(data->callee, written);
    if (!inner && !set_role(role_of(values::callee_name(decorator)))) {
      function.options.is_host = true;
      if (written) function.options.unknown.push_back(written);
      return;
    }
    if (!data) return;
    const Span whole = data->call ? data->call->span : function.def->name_span;
    std::vector<Option> arguments, options;
    for (std::size_t i = 0; i < data->args.size(); ++i) {
      const bool is_written = data->call && i < data->call->args.size();
      const Span span = is_written ? data->call->args[i]->span : whole;
      arguments.push_back({"", span, span, is_written ? data->call->args[i] : nullptr, &data->args[i]});
    }
    for (const values::NamedValue& each : data->keywords) {
      Option option{each.name, whole, whole, nullptr, &each.value};
      for (const ast::Keyword& keyword : data->call ? data->call->keywords : std::span<const ast::Keyword>{})
        if (keyword.name == each.name || (keyword.name.empty() && option.span == whole))
          option.span = keyword.span, option.value_span = keyword.value->span, option.expr = keyword.value;
      options.push_back(option);
    }
    read_all(arguments, options);
  }

  // Checks what no option says alone.
  void check_options(std::span<const Option> options) {
    const ir::KernelOptions& kernel = function.options.kernel;
    std::int64_t threads = kernel.block ? (*kernel.block)[0] * (*kernel.block)[1] * (*kernel.block)[2] : 0;
    for (const Option& option : options)
      if (option.name == "launch_bounds" && kernel.max_threads > 0 && threads > kernel.max_threads)
        wrong(option, fmt::format("at least the {} threads of `block`", threads));
    if (function.options.is_kernel || function.options.is_host_jit) return;
    for (const Option& option : options)
      if (option.name == "block" || option.name == "launch_bounds" || option.name == "max_registers")
        report_no_effect(context, option.span, fmt::format("`{}`", option.name),
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
  if (!function.data) {
    for (const ast::Expr* decorator : function.def->decorators) reader.read(*decorator);
    return;
  }
  const std::span<const values::Value> decorators = function.data->decorators;
  const bool is_written = !function.data->of && decorators.size() == function.def->decorators.size();
  for (std::size_t i = 0; i < decorators.size(); ++i)
    reader.read(decorators[i], is_written ? function.def->decorators[i] : nullptr);
  FunctionOptions& options = function.options;
  if (function.data->wrapped_by) options.unknown.push_back(function.data->wrapped_by);
  if (!options.is_kernel && !options.is_device) {
    if (function.data->wrapped_by) report_unknown_decorators(context, function);
    return;
  }
  options.is_host = false;
  if (is_last_definition(context, function)) report_unknown_decorators(context, function);
}

// A function at the top of a file counts where no other one takes its name.
bool is_last_definition(Context& context, const FunctionSymbol& function) {
  if (!function.data || function.data->of) return true;
  const values::FunctionData* last = context.host->modules.last_of_name(*function.data);
  return !last || last == function.data;
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

} // namespace kern::checker
