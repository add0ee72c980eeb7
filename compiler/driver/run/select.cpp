// Works on the tree, because types of arguments must be known before there is IR.
#include "compiler/driver/run/select.h"

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/kernels.h"
#include "compiler/driver/suggest.h"

namespace kern {

static std::vector<const ast::FunctionDef*> functions_of(const Program& program) {
  std::vector<const ast::FunctionDef*> functions;
  for (const ast::Stmt* item : program.files.front().tree->items)
    if (const auto* function = ast::as<ast::FunctionDef>(item)) functions.push_back(function);
  return functions;
}

const ast::FunctionDef* select_kernel(const Program& program, const std::string& file,
                                      const std::string& name, Diagnostics& diagnostics) {
  std::vector<const ast::FunctionDef*> functions = functions_of(program), kernels;
  std::vector<std::string_view> names, kernel_names;
  for (const ast::FunctionDef* function : functions) {
    if (!name.empty() && function->name == name) return function;
    names.push_back(function->name);
    if (!is_kernel(program, *function)) continue;
    kernels.push_back(function);
    kernel_names.push_back(function->name);
  }
  if (!name.empty()) {
    auto builder = diagnostics.report({}, diag::unknown_kernel, file, name);
    if (std::string_view similar = most_similar(name, names); !similar.empty())
      builder.note("did you mean `{}`?", similar);
    return nullptr;
  }
  if (kernels.size() == 1) return kernels.front();
  if (kernels.empty())
    diagnostics.report({}, diag::no_kernel, file);
  else
    diagnostics.report({}, diag::several_kernels, file, fmt::format("{}", fmt::join(kernel_names, ", ")));
  return nullptr;
}

std::optional<Signature> needed_signature(const Program& program, const ast::FunctionDef& kernel,
                                          const std::vector<Argument>& arguments) {
  bool annotations_count = program.files.front().dialect == Dialect::Kern;
  bool all_annotated = annotations_count;
  Signature signature{std::string(kernel.name), {}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ast::Expr* annotation = annotations_count ? kernel.params[i].annotation : nullptr;
    all_annotated &= annotation != nullptr;
    signature.params.push_back(annotation ? std::string(program.sources->text(annotation->span))
                                          : type_text(arguments[i]));
  }
  if (all_annotated && is_kernel(program, kernel)) return std::nullopt;
  return signature;
}

} // namespace kern
