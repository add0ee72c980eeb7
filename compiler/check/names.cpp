// Finds what a name means: a local, then what its file defines or imports, then the vocabulary (in .py files
// only after an import, Python's own builtins always).
#include <algorithm>
#include <array>

#include "compiler/ast/host_modules.h"
#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/constant_calls.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/vocabulary.h"
#include "compiler/check/host_names.h"
#include "compiler/check/inner_functions.h"
#include "compiler/check/names.h"
#include "compiler/check/numba/type_values.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/check/records/records.h"
#include "compiler/check/scopes.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/names.h"
#include "compiler/support/limits.h"
#include "compiler/support/nearest.h"
#include "compiler/types/names.h"

namespace kern::checker {

static void report_undefined(Checker& checker, std::string_view name, Span span);

static constexpr std::array<std::string_view, 21> python_names = {
    "abs",       "min",   "max", "round", "int",      "float",   "bool",
    "len",       "range", "pow", "print", "divmod",   "complex", "zip",
    "enumerate", "sum",   "any", "all",   "reversed", "ord",     "breakpoint"};

// Maps names of numpy to Kern's where these are not the same name behind `math.`.
static constexpr std::array<std::pair<std::string_view, std::string_view>, 19> numpy_names = {{
    {"abs", "abs"},
    {"absolute", "abs"},
    {"fabs", "math.fabs"},
    {"fmax", "max"},
    {"fmin", "min"},
    {"arcsin", "math.asin"},
    {"arccos", "math.acos"},
    {"arctan", "math.atan"},
    {"arctan2", "math.atan2"},
    {"arcsinh", "math.asinh"},
    {"arccosh", "math.acosh"},
    {"arctanh", "math.atanh"},
    {"power", "math.pow"},
    {"round", "round"},
    {"fmod", "math.fmod"},
    {"mod", ""},
    {"conj", "conj"},
    {"conjugate", "conj"},
    {"rint", "rint"},
}};

static bool has_known_names(std::string_view module) {
  return module == "numba" || module == "numba.cuda" || module == "numpy" || module == "math" ||
         module == "kern" || module == "numba.types";
}

// Functions of Python that Kern has not, with what to do instead.
static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> missing_names = {{
    {"sorted", "sort on the host, or in a loop"},
    {"map", "call the function in a loop"},
    {"filter", "test in a loop"},
    {"list", "use a tuple, or `local.array`"},
    {"dict", "use a tuple or an array"},
    {"set", "use a tuple or an array"},
    {"str", "`print` takes the values one by one"},
    {"repr", "`print` takes the values one by one"},
    {"format", "`print` takes the values one by one"},
    {"type", "the type of an array's elements is `a.dtype`"},
    {"hasattr", "what a parameter has is known from its type"},
    {"getattr", "write the attribute: `a.shape`"},
    {"input", "values come as arguments"},
    {"open", "values come as arguments"},
}};

// Returns text that lives as long as the trees do.
static std::string_view keep(Context& context, const std::string& text) {
  return context.program.arena->copy(std::string_view(text));
}

std::optional<Value> vocabulary(Checker& checker, std::string_view path, Span span) {
  if (std::optional<Builtin> builtin = find_builtin(path)) {
    if (row(*builtin).signature.find('(') == std::string_view::npos)
      return builtin_value(checker, *builtin, span);
    Value value = plain_value(ValueKind::Builtin, span);
    value.builtin = *builtin;
    return value;
  }
  // `T.max` is written `f32.max`, behind a type.
  if (path == "T" || find_scalar(path)) return std::nullopt;
  std::string front = std::string(path) + ".";
  for (const BuiltinRow& row : all_builtins())
    if (row.name.starts_with(front))
      return text_value(ValueKind::Prefix, keep(checker.context, std::string(path)), span);
  return std::nullopt;
}

// A builtin that has no name of its own.
static Value builtin_named(Builtin builtin, Span span) {
  Value value = plain_value(ValueKind::Builtin, span);
  value.builtin = builtin;
  return value;
}

using FindScalar = std::optional<ScalarKind> (*)(std::string_view);

static std::optional<Value> type_name(std::string_view name, FindScalar find, Span span) {
  if (name == "int" || name == "float" || name == "complex") {
    Value value = type_value(name == "int" ? types::i64 : name == "float" ? types::f64 : types::c128, span);
    value.text = name;
    return value;
  }
  std::optional<ScalarKind> kind = find(name);
  if (!kind) return std::nullopt;
  return type_value(types::scalar(*kind), span);
}

static std::optional<Value> math_constant(std::string_view name, Span span) {
  if (name == "pi") return float_value(3.141592653589793, span);
  if (name == "e") return float_value(2.718281828459045, span);
  if (name == "tau") return float_value(6.283185307179586, span);
  if (name == "inf") return float_value(__builtin_inf(), span);
  if (name == "nan") return float_value(__builtin_nan(""), span);
  return std::nullopt;
}

// `float32x3`, and as CUDA has it `float3`: a tuple of so many numbers, whose elements are also `x`, `y`, `z`, `w`.
static std::optional<Value> vector_type(Context& context, std::string_view name, Span span) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> aliases = {{
      {"char", "int8"},
      {"short", "int16"},
      {"int", "int32"},
      {"long", "int64"},
      {"longlong", "int64"},
      {"uchar", "uint8"},
      {"ushort", "uint16"},
      {"uint", "uint32"},
      {"ulong", "uint64"},
      {"ulonglong", "uint64"},
      {"float", "float32"},
      {"double", "float64"},
  }};
  if (name.size() < 2 || name.back() < '1' || name.back() > '4') return std::nullopt;
  std::string_view base = name.substr(0, name.size() - 1);
  const auto* alias = std::ranges::find(aliases, base, &std::pair<std::string_view, std::string_view>::first);
  if (alias != aliases.end())
    base = alias->second;
  else if (base.ends_with('x'))
    base.remove_suffix(1);
  else
    return std::nullopt;
  bool is_long = base.starts_with("int") || base.starts_with("uint") || base.starts_with("float");
  std::optional<ScalarKind> kind = is_long ? find_scalar(base) : std::nullopt;
  if (!kind || *kind == ScalarKind::F16) return std::nullopt;
  std::vector<Type> elements(static_cast<std::size_t>(name.back() - '0'), types::scalar(*kind));
  Value value = type_value(context.module.types.tuple(elements), span);
  value.text = name;
  return value;
}

// Returns what numpy or cupy has by a name.
static std::optional<Value> numpy_name(Checker& checker, std::string_view module, std::string_view name,
                                       Span span) {
  if (std::optional<Value> constant = math_constant(name, span)) return constant;
  if (std::optional<Value> type = type_name(name, find_numpy_scalar, span); type && type->text.empty())
    return type;
  if (name == "newaxis") return plain_value(ValueKind::None, span);
  // CuPy's types are NumPy's own; its functions are for the host.
  if (module == "cupy")
    return name == "dtype" || name.ends_with("info") ? plain_function(checker, "numpy", name, span)
                                                     : std::nullopt;
  std::string path = "math." + std::string(name);
  for (const auto& [numpy, ours] : numpy_names)
    if (numpy == name && !ours.empty()) path = ours;
  std::optional<Value> found;
  if (name == "maximum" || name == "minimum")
    found = builtin_named(name == "maximum" ? Builtin::NpMaximum : Builtin::NpMinimum, span);
  else
    found = vocabulary(checker, path, span);
  if (!found) return plain_function(checker, module, name, span);
  std::string_view ufunc = ufunc_name(name);
  if (found->kind == ValueKind::Builtin) found->text = ufunc.empty() ? "numpy" : ufunc;
  return found;
}

std::optional<Value> host_name(Checker& checker, std::string_view module, std::string_view name, Span span) {
  const FindScalar find_types = checker.scope->is_numba() ? find_numba_scalar : find_scalar;
  if (module == "math") {
    if (std::optional<Value> constant = math_constant(name, span)) return constant;
    return vocabulary(checker, "math." + std::string(name), span);
  }
  if (module == "numpy" || module == "cupy") return numpy_name(checker, module, name, span);
  if (module == "operator") return plain_function(checker, module, name, span);
  if (module == "numba") {
    if (name == "cuda") return text_value(ValueKind::Host, "numba.cuda", span);
    if (name == "types" || name == "core") return text_value(ValueKind::Host, "numba.types", span);
    if (name == "literal_unroll") return text_value(ValueKind::Prefix, name, span);
    if (std::optional<Value> maker = type_maker(name, span)) return maker;
    if (std::optional<Value> function = plain_function(checker, module, name, span)) return function;
    return type_name(name, find_numba_scalar, span);
  }
  if (module == "collections") return plain_function(checker, module, name, span);
  if (module.starts_with("numba.") && name == "from_dtype")
    return plain_function(checker, "numba", name, span);
  if (module.starts_with("numba.") && name == "numpy_support")
    return text_value(ValueKind::Host, "numba.np.numpy_support", span);
  if (module == "numba.cuda")
    if (std::optional<Value> vector = vector_type(checker.context, name, span)) return vector;
  if (module == "numba.types") {
    if (name == "types") return text_value(ValueKind::Host, "numba.types", span);
    if (std::optional<Value> maker = type_maker(name, span)) return maker;
    if (std::optional<Value> of_types = type_class(name, span)) return of_types;
    return type_name(name, find_numba_scalar, span);
  }
  if (module == "numba.cuda.bf16" && name == "nv_bfloat16")
    return type_name("bfloat16", find_numba_scalar, span);
  if (module.starts_with("numba.") && module != "numba.cuda") return type_name(name, find_numba_scalar, span);
  if (module == "numba.cuda" || module == "kern") {
    // A file that Python runs as well keeps to what Numba has.
    if (module == "numba.cuda" && name == "unroll") return std::nullopt;
    if (std::optional<Value> builtin = vocabulary(checker, name, span)) return builtin;
    if (module == "kern") return type_name(name, find_types, span);
    // The types of numba are found behind numba.cuda too.
    bool is_python = name == "int" || name == "float";
    return is_python ? std::nullopt : host_name(checker, "numba", name, span);
  }
  return std::nullopt;
}

// Evaluates a module constant, once.
static void evaluate_constant(Context& context, FileScope& file, std::string_view name, Symbol& symbol) {
  symbol.state = Symbol::State::Evaluating;
  std::string_view outer_name = std::exchange(context.constant_name, name);
  Value value = constant_of_expr(context, file, *symbol.init);
  for (std::size_t index : symbol.path) {
    bool fits = is_tuple(value) && index < value.elements.size();
    value = fits ? Value(value.elements[index]) : error_value(symbol.init->span);
  }
  if (symbol.annotation && !is_error(value)) {
    std::optional<Type> type = type_of_expr(context, file, *symbol.annotation);
    Checker checker(context, &file, nullptr);
    if (type) value = convert_value(checker, value, *type, Purpose::Assignment);
  }
  symbol.value = std::move(value);
  symbol.state = Symbol::State::Done;
  context.constant_name = outer_name;
}

std::string captured_define(const Checker& checker, const std::string& name, Span span) {
  if (checker.called == span) return fmt::format("{}=FILE.py:FUNCTION", name);
  if (name.ends_with("type")) return fmt::format("{}=float32", name);
  // A module that a function is given has the name that the file would import it by.
  for (std::string_view module : {"numba.cuda", "numpy", "math"}) {
    std::string_view last = module.substr(module.rfind('.') + 1);
    if (name.ends_with(fmt::format(".{}", last)) || (last == "numpy" && name.ends_with(".np")))
      return fmt::format("{}={}", name, module);
  }
  return fmt::format("{}={}", name, name.ends_with("shape") ? "(16,16)" : "VALUE");
}

// Returns a constant of a .kern file.
static Value symbol_constant(Checker& checker, FileScope& file, std::string_view name, Symbol& symbol,
                             Span span) {
  Context& context = checker.context;
  if (symbol.state == Symbol::State::Evaluating) {
    checker.report(symbol.span, diag::constant_cycle, name);
    return error_value(span);
  }
  if (symbol.state == Symbol::State::New && context.open_constants >= limits::constant_chain) {
    checker.report(symbol.span, diag::nesting_too_deep, limits::constant_chain,
                   "a constant that others need stands best before them");
    return error_value(span);
  }
  if (symbol.state == Symbol::State::New) {
    // A constant is evaluated once, whatever round asks first: its errors are reported then.
    ++context.open_constants;
    evaluate_constant(context, file, name, symbol);
    --context.open_constants;
  }
  return read_at(symbol.value, span);
}

// A module of the host, or a package: `pkg` of `import pkg.b`.
static Value package_value(FileScope& file, std::string_view module, Span span) {
  Value value = text_value(ValueKind::Host, module, span);
  value.file = &file;
  return value;
}

// Returns what a name below a package is that leads to a file: the file, or a function of the standard library
// that the package has as its own.
static Value file_or_member(Checker& checker, FileScope* file, std::string_view name, Span span) {
  Symbol* member = file->file->is_library ? find_symbol(checker.context, *file, name) : nullptr;
  return member ? symbol_value(checker, *file, name, *member, span) : file_value(file, span);
}

// Returns what an import of the file finds below a package: `b` of `import pkg.b`, `sub` of
// `import pkg.sub.c`.
static std::optional<Value> value_below(Checker& checker, const Value& package, std::string_view name,
                                        Span span) {
  std::string path = module_below(package.text, name);
  if (FileScope* file = find_file(checker.context, package.file ? *package.file : *checker.scope, path))
    return file_or_member(checker, file, name, span);
  if (!package.file) return std::nullopt;
  for (const auto& [module, index] : package.file->file->imports)
    if (module.starts_with(path + "."))
      return package_value(*package.file, keep(checker.context, path), span);
  return std::nullopt;
}

Value host_attribute(Checker& checker, const Value& module, std::string_view name, Span span) {
  if (std::optional<Value> below = value_below(checker, module, name, span)) return *below;
  if (checker.context.host && checker.scope->is_numba() &&
      checker.context.host->modules.is_assigned(module.text, name)) {
    checker.report(span, diag::host_assigned, name, module.text);
    return error_value(span);
  }
  if (std::optional<Value> inner = host_name(checker, module.text, name, span)) return *inner;
  report_not_in_module(checker, name, module.text, span);
  return error_value(span);
}

// A struct is evaluated once; one that holds itself is open then.
static Value struct_value(Checker& checker, FileScope& file, std::string_view name, Symbol& symbol,
                          Span span) {
  if (symbol.state == Symbol::State::Evaluating) {
    checker.report(symbol.span, diag::recursive_struct, name).note(span, "it is a field of itself here");
    return error_value(span);
  }
  if (symbol.state == Symbol::State::New) {
    symbol.state = Symbol::State::Evaluating;
    std::optional<Type> type = struct_type(checker, file, *symbol.record);
    symbol.value = type ? type_value(*type, symbol.span) : error_value(symbol.span);
    symbol.state = Symbol::State::Done;
  }
  return read_at(symbol.value, span);
}

// from module import text
static Value imported_value(Checker& checker, FileScope& file, const Symbol& symbol, Span span) {
  FileScope* inner = find_file(checker.context, file, module_below(symbol.module, symbol.text));
  if (FileScope* other = find_file(checker.context, file, symbol.module)) {
    if (other->is_numba()) {
      if (const auto found = checker.context.host->modules.at_end(other->index, symbol.text)) {
        Checker there(checker.context, other, nullptr);
        there.final = true;
        return host_value(there, {&checker.context.host->modules, *found}, symbol.text, span);
      }
    } else if (Symbol* found =
                   other == &file && inner ? nullptr : find_symbol(checker.context, *other, symbol.text)) {
      return symbol_value(checker, *other, symbol.text, *found, span);
    }
    if (inner) return file_value(inner, span);
    report_not_in_module(checker, symbol.text, symbol.module, symbol.span);
    return error_value(span);
  }
  if (inner) return file_or_member(checker, inner, symbol.text, span);
  return host_path(checker, keep(checker.context, module_below(symbol.module, symbol.text)), span);
}

Value symbol_value(Checker& checker, FileScope& file, std::string_view name, Symbol& symbol, Span span) {
  switch (symbol.kind) {
  case Symbol::Kind::Constant: return symbol_constant(checker, file, name, symbol, span);
  case Symbol::Kind::Function: return function_value(symbol.function, span);
  case Symbol::Kind::Struct: return struct_value(checker, file, name, symbol, span);
  case Symbol::Kind::Import:
    if (FileScope* other = find_file(checker.context, file, symbol.module)) return file_value(other, span);
    return package_value(file, symbol.module, span);
  case Symbol::Kind::FromImport: {
    // Files may import a name from each other, so that none of them makes it.
    if (checker.context.open_constants >= limits::constant_chain) {
      checker.report(symbol.span, diag::constant_cycle, name);
      return error_value(span);
    }
    ++checker.context.open_constants;
    Value value = imported_value(checker, file, symbol, span);
    --checker.context.open_constants;
    return value;
  }
  }
  return error_value(span);
}

// Returns what Python itself has by a name, int or len.
static std::optional<Value> python_name(Checker& checker, std::string_view name, Span span) {
  const bool is_type = name == "bool" || name == "int" || name == "float" || name == "complex";
  if (std::ranges::find(python_names, name) != python_names.end()) {
    if (name == "bool") return type_value(types::boolean, span);
    if (std::optional<Value> type = is_type ? type_name(name, find_numba_scalar, span) : std::nullopt)
      return type;
    if (std::optional<Value> builtin = vocabulary(checker, name, span)) return builtin;
  }
  return plain_function(checker, "", name, span);
}

// Returns what a name of a .py file is that nothing binds there: one of Python's, or in the text of an option one of Numba's.
static std::optional<Value> option_name(Checker& checker, const ast::Name& name, bool is_option) {
  if (is_option)
    if (std::optional<Value> maker = type_maker(name.text, name.span)) return maker;
  const bool is_module = name.text == "numba" || name.text == "numpy" || name.text == "math";
  if (is_option && is_module) return text_value(ValueKind::Host, name.text, name.span);
  if (checker.names_types && name.text == "from_dtype")
    if (std::optional<Value> maker = plain_function(checker, "numba", name.text, name.span)) return maker;
  return python_name(checker, name.text, name.span);
}

// Returns what a name of a .kern file is that nothing binds there.
static std::optional<Value> kern_name(Checker& checker, const ast::Name& name) {
  if (name.text == "math" || name.text == "numba") return text_value(ValueKind::Host, name.text, name.span);
  if (name.text == "cmath")
    if (FileScope* library = complex_library(checker.context)) return file_value(library, name.span);
  if (name.text == "cuda") return text_value(ValueKind::Host, "numba.cuda", name.span);
  if (name.text == "np") return text_value(ValueKind::Host, "numpy", name.span);
  if (name.text == "bool") return type_value(types::boolean, name.span);
  if (std::optional<Value> type = type_name(name.text, find_scalar, name.span)) return type;
  if (std::optional<Value> value = vocabulary(checker, name.text, name.span)) return value;
  return plain_function(checker, "", name.text, name.span);
}

Report report_not_found(Checker& checker, std::string_view name, std::string_view module,
                        const std::string& define, Span span) {
  return checker.report(span, diag::import_not_found, name, module,
                        ast::is_python_module(module)
                            ? "a module of Python's own, which kernc does not read:"
                            : "which kernc does not find: name its folder with `-I`, or",
                        captured_define(checker, define, span));
}

Value host_path(Checker& checker, std::string_view path, Span span) {
  Context& context = checker.context;
  if (FileScope* file = find_file(context, *checker.scope, path))
    return file_or_member(checker, file, path.substr(path.rfind('.') + 1), span);
  const std::size_t dot = path.rfind('.');
  const bool is_module = has_known_names(path) || ast::is_host_module(path) || ast::is_python_module(path);
  if (dot == path.npos) {
    if (is_module) return package_value(*checker.scope, path, span);
    if (std::optional<Value> builtin = python_name(checker, path, span)) return *builtin;
    // The text of -D needs no import.
    if (std::optional<Value> type = type_name(path, find_numba_scalar, span)) return *type;
    if (std::optional<Value> maker = type_maker(path, span)) return *maker;
    report_undefined(checker, path, span);
    return error_value(span);
  }
  const std::string_view module = path.substr(0, dot), name = path.substr(dot + 1);
  // `from numba.cuda.random import xoroshiro128p_next`, of the standard library
  FileScope* library = find_file(context, *checker.scope, module);
  if (Symbol* member = library ? find_symbol(context, *library, name) : nullptr)
    return symbol_value(checker, *library, name, *member, span);
  if (std::optional<Value> value = host_name(checker, module, name, span)) return *value;
  if (is_module) return package_value(*checker.scope, path, span);
  if (has_known_names(module))
    return host_attribute(checker, text_value(ValueKind::Host, module, span), name, span);
  report_not_found(checker, name, module, std::string(name), span);
  return error_value(span);
}

// Returns the place of an expression that stands at the top level of its file.
static std::optional<std::uint32_t> place_of(const Checker& checker, Span span) {
  const bool is_at_top = !checker.instance && !checker.frame && span.file == checker.scope->tree->file;
  return is_at_top ? std::optional(span.begin) : std::nullopt;
}

Value read_name(Checker& checker, const ast::Name& name) {
  const bool is_text = is_option_text(checker.context.program.sources->file(name.span.file).name);
  // The text of a -D whose value is an array of a file calls this name.
  if (name.text == array_constant && is_text) return builtin_named(Builtin::ArrayConstant, name.span);
  if (Local* local = find_local(checker, name.text)) return read_local(checker, *local, name.span);
  if (checker.frame)
    if (auto found = checker.frame->names.find(name.text); found != checker.frame->names.end())
      return read_at(found->second, name.span);
  if (std::optional<Value> inner = inner_function(checker, name.text, name.span)) return *inner;
  const bool numba = checker.scope->is_numba();
  const FindScalar find_types = numba ? find_numba_scalar : find_scalar;
  // The text of a signature or of -D needs no imports. That of a signature means Numba's types, whatever else
  // has their names.
  const bool is_option = checker.names_types || is_text;
  std::optional<Value> option = is_option ? type_name(name.text, find_types, name.span) : std::nullopt;
  if (option && checker.names_types && numba) return *option;
  if (numba) {
    if (std::optional<Value> value = host_name_value(checker, name)) return *value;
  } else if (Symbol* symbol =
                 find_symbol(checker.context, *checker.scope, name.text, place_of(checker, name.span))) {
    return symbol_value(checker, *checker.scope, name.text, *symbol, name.span);
  }
  // The standard library alone may write this name.
  if (checker.scope->file->is_library && name.text == "_cache_hint")
    return builtin_named(Builtin::CacheHint, name.span);
  if (option) return *option;
  if (std::optional<Value> value = numba ? option_name(checker, name, is_option) : kern_name(checker, name))
    return *value;
  report_undefined(checker, name.text, name.span);
  return error_value(name.span);
}

void report_not_in_module(Checker& checker, std::string_view name, std::string_view module, Span span) {
  static constexpr std::array<std::string_view, 8> makers = {"zeros", "empty",      "ones",       "full",
                                                             "array", "zeros_like", "empty_like", "ndarray"};
  Report error = checker.report(span, diag::not_in_module, name, module);
  if (!error.is_kept()) return;
  if (module == "numpy" && std::find(makers.begin(), makers.end(), name) != makers.end()) {
    error.note(
        "the arrays that a kernel makes are `local.array(shape, dtype)` and `shared.array(shape, dtype)`; "
        "the type of an array is written `f32[:, :]`");
    return;
  }
  if (!has_known_names(module)) return;
  if (std::string instead = instead_of(module, name); !instead.empty()) {
    error.note("in Kern it is {}", instead);
    return;
  }
  bool is_vocabulary = module == "numba.cuda" || module == "kern";
  std::string_view best = nearest_builtin(is_vocabulary ? "" : "math", name);
  if (!best.empty())
    error.note("the nearest name is `{}`", best);
  else if (module == "numpy")
    error.note("Kern has the part of NumPy that kernels use; docs/from-numba.md tells which");
}

// Returns the name in sight that is nearest to one that nothing defines.
static std::string_view nearest_name(const Checker& checker, std::string_view name) {
  NearestName nearest(name);
  auto offer = [&](std::string_view candidate) {
    if (candidate.find('.') == std::string_view::npos && !candidate.starts_with("_"))
      nearest.offer(candidate);
  };
  if (checker.instance)
    for (const auto& [local, unused] : checker.instance->locals) offer(local);
  for (const auto& [symbol, versions] : checker.scope->symbols)
    if (!versions.empty()) offer(symbol);
  if (checker.scope->is_numba())
    for (std::string_view each :
         checker.context.host->modules.names(checker.scope->reader, checker.scope->index))
      offer(each);
  if (!checker.scope->is_numba())
    for (const BuiltinRow& row : all_builtins()) offer(row.name.substr(0, row.name.find('.')));
  for (std::string_view python : python_names) offer(python);
  return nearest.best();
}

static void report_undefined(Checker& checker, std::string_view name, Span span) {
  for (const auto& [missing, instead] : missing_names) {
    if (missing != name) continue;
    checker.report(span, diag::missing_function, name, instead);
    return;
  }
  Report error = checker.report(span, diag::undefined_name, name);
  if (!error.is_kept()) return;
  std::string instead = instead_of("", name);
  if (find_builtin("math." + std::string(name)))
    error.note("it is `math.{}`", name);
  else if (checker.scope->is_numba() && find_builtin(name))
    error.note("it is `cuda.{}`, with `from numba import cuda`", name);
  else if (!instead.empty())
    error.note("in Kern it is {}", instead);
  else if (std::string_view nearest = nearest_name(checker, name); !nearest.empty())
    error.note("the nearest name is `{}`", nearest);
  if (checker.scope->is_numba())
    error.note("a value that only Python computes is given as `-D {}=VALUE`", name);
}

} // namespace kern::checker
