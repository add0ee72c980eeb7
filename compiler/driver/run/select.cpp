// Works on the tree, because types of arguments must be known before there is IR.
#include "compiler/driver/run/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "compiler/ast/definitions.h"
#include "compiler/ast/walk.h"
#include "compiler/check/ufunc_methods.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/names.h"
#include "compiler/driver/session/kernels.h"
#include "compiler/support/nearest.h"

namespace kern {

static std::vector<const ast::FunctionDef*> functions_of(const Program& program) {
  std::vector<const ast::FunctionDef*> functions;
  for (const ast::Stmt* item : program.files.front().tree->items)
    if (const auto* function = ast::as<ast::FunctionDef>(item)) functions.push_back(function);
  return functions;
}

// Returns the decorator that makes something else of a function than one kernel; "" where there is none.
static std::string_view other_decorator(const ast::FunctionDef& function) {
  if (function.generated) return "";
  for (const ast::Expr* decorator : function.decorators) {
    const auto* call = ast::as<ast::Call>(decorator);
    const ast::Expr* callee = call ? call->callee : decorator;
    std::string_view name;
    if (const auto* attribute = ast::as<ast::Attribute>(callee)) name = attribute->name;
    if (const auto* plain = ast::as<ast::Name>(callee)) name = plain->text;
    if (name == "vectorize" || name == "guvectorize" || name == "reduce") return name;
  }
  return "";
}

// Says why a decorator makes no kernel, as far as it says so itself.
static std::string why_no_kernel(const ast::FunctionDef& function) {
  for (const ast::Expr* decorator : function.decorators)
    if (const auto* call = ast::as<ast::Call>(decorator))
      for (const ast::Keyword& keyword : call->keywords) {
        if (keyword.name != "target") continue;
        const auto* target = ast::as<ast::StringLiteral>(keyword.value);
        const auto* name = ast::as<ast::Name>(keyword.value);
        if (name)
          return fmt::format("`{0}` is not known to be 'cuda'; give it with `-D {0}='\"cuda\"'`", name->text);
        if (!target) return "its `target` is no string that kernc can read";
        if (target->value == "cuda")
          return "a kernel has named parameters, as many as the layout or the signatures have";
      }
  return "it makes code for the host; ask for a kernel by `target='cuda'`";
}

// Reports that a function cannot be launched for what it is; false where it can.
static bool refuse(const ast::FunctionDef& function, Dialect dialect, Diagnostics& diagnostics) {
  if (std::string_view decorator = other_decorator(function); !decorator.empty()) {
    diagnostics.report(function.name_span, diag::no_kernel_made, decorator, function.name,
                       why_no_kernel(function));
    return true;
  }
  for (const ast::Param& param : function.params) {
    if (param.kind == ast::ParamKind::Normal || dialect == Dialect::Numba) continue;
    diagnostics.report(param.span, diag::kernel_var_args, param.name);
    return true;
  }
  return false;
}

// Returns the function inside of others that a name means, reported where it cannot be launched or several are
// meant; nothing where there is none.
static std::optional<const ast::FunctionDef*> select_inner(const Program& program, const std::string& name,
                                                           Diagnostics& located) {
  std::vector<ast::Definition> found = ast::definitions_named(*program.files.front().tree, name);
  if (found.empty()) return std::nullopt;
  // The check knows which of those in several branches counts, or says that nobody does.
  const bool is_one_path = std::ranges::all_of(found, [&](const ast::Definition& each) {
    return each.path == found.front().path &&
           std::ranges::equal(each.function->params, found.front().function->params, {}, &ast::Param::name,
                              &ast::Param::name);
  });
  if (is_one_path)
    return refuse(*found.front().function, program.files.front().dialect, located) ? nullptr
                                                                                   : found.front().function;
  auto builder = located.report(std::nullopt, diag::several_functions, name);
  for (const ast::Definition& each : found)
    builder.note(each.function->name_span, "there is `{}`", each.path);
  return nullptr;
}

// Returns the function of that name, or the first kernel, that stands inside of a statement; null where there is none.
static const ast::HostStatement* find_inner(const ast::HostStatement& outer, const std::string& name) {
  const ast::HostStatement* found = nullptr;
  ast::each_block(outer, [&](const ast::Module& block) {
    for (const ast::HostStatement& each : block.statements) {
      const bool is_function = each.kind == ast::HostStatement::Kind::Function;
      const bool is_wanted = is_function && (name.empty() ? each.is_jit : each.name == name);
      if (!found) found = is_wanted ? &each : find_inner(each, name);
    }
  });
  return found;
}

// Reports the function of that name, or the kernel, that stands inside of another statement; false where
// there is none.
static bool report_inner(const Program& program, const std::string& name, Diagnostics& diagnostics) {
  const ast::Module& tree = *program.files.front().tree;
  if (const ast::HostStatement* refused = name.empty() ? nullptr : ast::refused_definition(tree, name)) {
    Diagnostics reasons = program.refused.within(refused->span);
    if (reasons.has_errors())
      diagnostics.append(std::move(reasons));
    else
      diagnostics.report(refused->name_span, diag::inner_refused, name, refused->why);
    return true;
  }
  for (const ast::HostStatement& statement : tree.statements) {
    const ast::HostStatement* inner = find_inner(statement, name);
    if (!inner) continue;
    std::string outer = statement.name.empty() ? "another statement" : fmt::format("`{}`", statement.name);
    auto builder = diagnostics.report(inner->name_span, diag::inner_kernel, inner->name, outer);
    for (const ast::Definition& each : ast::inner_definitions(tree))
      if (each.function->name_span == inner->name_span) builder.note("its path is `{}`", each.path);
    return true;
  }
  return false;
}

// Returns the only kernel inside of host code, of a file that has none at its top level.
static const ast::FunctionDef* only_inner_kernel(const Program& program, std::string& name) {
  std::vector<ast::Definition> kernels;
  for (const ast::Definition& each : ast::inner_definitions(*program.files.front().tree))
    if (is_kernel(program, *each.function)) kernels.push_back(each);
  if (kernels.size() != 1) return nullptr;
  name = kernels.front().path;
  return kernels.front().function;
}

const ast::FunctionDef* select_kernel(const Program& program, const std::string& file, std::string& name,
                                      Diagnostics& diagnostics, Diagnostics& located) {
  std::vector<const ast::FunctionDef*> functions = functions_of(program), kernels;
  std::vector<std::string_view> names, kernel_names;
  // A name is that of the last of several functions that have it.
  for (std::size_t i = functions.size(); i-- > 0 && !name.empty();)
    if (functions[i]->name == name)
      return refuse(*functions[i], program.files.front().dialect, located) ? nullptr : functions[i];
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const ast::FunctionDef* function = functions[i];
    bool has_name =
        std::none_of(functions.begin() + static_cast<std::ptrdiff_t>(i) + 1, functions.end(),
                     [&](const ast::FunctionDef* other) { return other->name == function->name; });
    if (!has_name) continue;
    names.push_back(function->name);
    if (!is_kernel(program, *function)) continue;
    kernels.push_back(function);
    kernel_names.push_back(function->name);
  }
  if (!name.empty())
    if (std::optional<const ast::FunctionDef*> inner = select_inner(program, name, located)) return *inner;
  if (const ast::FunctionDef* inner =
          kernels.empty() && name.empty() ? only_inner_kernel(program, name) : nullptr)
    return refuse(*inner, program.files.front().dialect, located) ? nullptr : inner;
  if ((kernels.empty() || !name.empty()) && report_inner(program, name, located)) return nullptr;
  if (!name.empty()) {
    auto builder = diagnostics.report({}, diag::unknown_kernel, file, name);
    const std::size_t dot = std::min(name.rfind('.'), name.size());
    const bool is_method = std::ranges::any_of(functions, [&](const ast::FunctionDef* function) {
      return function->generated && function->name == std::string_view(name).substr(0, dot);
    });
    if (is_method && dot < name.size())
      if (std::string_view advice = ufunc_method_advice(name.substr(dot + 1)); !advice.empty())
        builder.note("`{}` is a method of the host; {}", name, advice);
    if (std::string_view similar = most_similar(name, names); !similar.empty())
      builder.note("did you mean `{}`?", similar);
    return nullptr;
  }
  if (kernels.size() == 1) {
    name = kernels.front()->name;
    return refuse(*kernels.front(), program.files.front().dialect, located) ? nullptr : kernels.front();
  }
  if (kernels.empty())
    for (const ast::FunctionDef* function : functions)
      if (!other_decorator(*function).empty() && refuse(*function, program.files.front().dialect, located))
        return nullptr;
  if (kernels.empty())
    diagnostics.report({}, diag::no_kernel, file);
  else
    diagnostics.report({}, diag::several_kernels, file, fmt::format("{}", fmt::join(kernel_names, ", ")));
  return nullptr;
}

// Returns the type of a record of a .py file from the fields that were given of it: "from_dtype([('x', 'float32')])".
static std::string fields_text(std::span<const Argument> arguments, std::size_t owner) {
  std::string text, last;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].owner != owner) continue;
    const std::string path = arguments[i].param.substr(arguments[i].param.find('.') + 1);
    const std::string name = path.substr(0, path.find('.'));
    if (name == std::exchange(last, name)) continue; // another element of an array in it
    const std::string type = type_text(arguments[i]);
    const auto count = std::ranges::count_if(arguments, [&](const Argument& each) {
      return each.owner == owner &&
             each.param.starts_with(arguments[i].param.substr(0, arguments[i].param.find('.') + 1) + name +
                                    ".");
    });
    text += fmt::format("('{}', '{}'{}), ", name, type, path == name ? "" : fmt::format(", ({},)", count));
  }
  return "from_dtype([" + text + "])";
}

std::optional<Signature> needed_signature(const Program& program, const ast::FunctionDef& kernel,
                                          const std::string& name, const std::vector<Argument>& arguments) {
  bool annotations_count = program.files.front().dialect == Dialect::Kern;
  bool all_annotated = annotations_count;
  std::vector<std::string> given(kernel.params.size());
  for (const Argument& argument : arguments) {
    std::string& text = given[argument.owner];
    if (argument.is_field) {
      if (text.empty()) text = fields_text(arguments, argument.owner);
      continue;
    }
    if (!text.empty()) text += ", ";
    text += argument.brackets.before + type_text(argument) + argument.brackets.after;
  }
  Signature signature{name, {}, true};
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ast::Expr* annotation = annotations_count ? kernel.params[i].annotation : nullptr;
    all_annotated &= annotation != nullptr;
    signature.params.push_back(annotation         ? std::string(program.sources->text(annotation->span))
                               : given[i].empty() ? "None"
                                                  : std::move(given[i]));
  }
  if (all_annotated && is_kernel(program, kernel)) return std::nullopt;
  return signature;
}

} // namespace kern
