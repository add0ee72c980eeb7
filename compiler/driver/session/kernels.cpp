// Decorators are read off the tree: a function may be a kernel before any type is known.
#include "compiler/driver/session/kernels.h"

#include <fmt/format.h>

#include "compiler/ast/imports.h"
#include "compiler/ast/param_use.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/signature.h"

namespace kern {

static bool is_true(const ast::Expr* expr) {
  const auto* literal = ast::as<ast::BoolLiteral>(expr);
  return literal && literal->value;
}

// Says whether an attribute as a decorator is none of Numba's: `ct.kernel` of cuTile, `triton.jit` of `import triton`.
static bool is_foreign(const Program& program, const ast::Attribute& decorator) {
  if (decorator.name == "kernel") return true;
  const auto* module = ast::as<ast::Name>(decorator.value);
  const ast::Import* last = nullptr;
  for (const ast::Stmt* item : program.files.front().tree->items)
    if (const auto* import = ast::as<ast::Import>(item); module && import && import->alias == module->text)
      last = import;
  return last && !last->module.starts_with("numba") && last->module != "cuda";
}

// Returns the last name of a decorator without its arguments: of an imported one what it is called at home,
// "" of one that compiles for the host.
static std::string_view decorator_name(const Program& program, const ast::Expr& callee) {
  if (const auto* attribute = ast::as<ast::Attribute>(&callee))
    return is_foreign(program, *attribute) ? "" : attribute->name;
  const auto* name = ast::as<ast::Name>(&callee);
  if (!name) return "";
  std::optional<ast::Imported> from = ast::imported(program.files.front().tree->items, name->text);
  if (from && from->module == "numba") return "";
  return from && from->module == "numba.cuda" ? from->name : name->text;
}

bool is_kernel(const Program& program, const ast::FunctionDef& function) {
  for (const ast::Expr* decorator : function.decorators) {
    const auto* call = ast::as<ast::Call>(decorator);
    const ast::Expr* callee = call ? call->callee : decorator;
    std::string_view name = decorator_name(program, *callee);
    if (name == "kernel") return true;
    if (name != "jit") continue;
    bool device = false;
    if (call)
      for (const ast::Keyword& keyword : call->keywords)
        device |= keyword.name == "device" && is_true(keyword.value);
    return !device;
  }
  return false;
}

// Returns a signature for a kernel without one, by what its parameters are used for.
static std::string signature_of_uses(const Program& program, const ast::FunctionDef& function,
                                     bool has_integers) {
  const bool annotations_count = program.files.front().dialect == Dialect::Kern;
  std::string_view element = annotations_count ? "f32" : "float32",
                   number = annotations_count ? "i32" : "int32";
  if (function.generated && function.generated->kind == ast::Generated::Kind::Reduction)
    return fmt::format("{}(float32[:], float32[:], float32, int32[:])", function.name);
  std::vector<std::string> types;
  for (const ast::Param& param : function.params)
    types.push_back(annotations_count && param.annotation
                        ? std::string(program.sources->text(param.annotation->span))
                        : ast::used_type(function, param.name, has_integers ? number : element, number));
  return fmt::format("{}({})", function.name, fmt::join(types, ", "));
}

// Says whether there is code of a kernel for a signature.
static bool compiles(const Compilation& compilation, const std::string& signature) {
  CompileOptions options = compilation.options();
  std::optional<Signature> parsed = parse_signature(signature);
  if (!parsed) return false;
  options.check.signatures.push_back(std::move(*parsed));
  Compilation trial(std::move(options));
  trial.set_source_of(compilation);
  return trial.module() != nullptr;
}

// The signature to suggest for a kernel without one, which compiles where it has types.
static std::optional<std::string> suggested_signature(const Compilation& compilation,
                                                      const Program& program) {
  for (const ast::Stmt* item : program.files.front().tree->items) {
    const auto* function = ast::as<ast::FunctionDef>(item);
    if (!function || !is_kernel(program, *function)) continue;
    for (bool has_integers : {false, true})
      if (std::string signature = signature_of_uses(program, *function, has_integers);
          compiles(compilation, signature))
        return signature;
    return fmt::format("{}(...)", function->name);
  }
  return std::nullopt;
}

bool has_kernels(Compilation& compilation, const std::string& file) {
  const ir::Module* module = compilation.module();
  if (!module) return false;
  for (const ir::Function& function : module->functions)
    if (function.is_kernel) return true;
  if (std::optional<std::string> signature = suggested_signature(compilation, *compilation.program()))
    compilation.diagnostics()
        .report({}, diag::no_instance, file, *signature)
        .note("kern_add_library takes it behind SIGNATURES, kern::compile in `signatures`");
  else
    compilation.diagnostics().report({}, diag::no_kernel, file);
  return false;
}

} // namespace kern
