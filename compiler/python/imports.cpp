// Imports. A file of the program is run at the first of them; what another module has is known by its dotted name.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ast/host_modules.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

std::optional<std::size_t> Interpreter::file_of(std::string_view module) const {
  for (const auto& [name, index] : files[frame->scope->file].imports)
    if (name == module) return index;
  return std::nullopt;
}

// Names of Numba and NumPy that are another's, and numbers of `math`.
Value Interpreter::module_value(std::string_view module, Span) {
  const std::size_t dot = module.rfind('.');
  const std::string_view front = dot == module.npos ? "" : module.substr(0, dot),
                         last = module.substr(dot + 1);
  if (front == "math" || front == "cmath" || front == "numpy") {
    if (last == "pi") return 3.141592653589793;
    if (last == "e") return 2.718281828459045;
    if (last == "tau") return 6.283185307179586;
    if (last == "inf") return __builtin_inf();
    if (last == "nan") return __builtin_nan("");
  }
  const std::string_view known = ast::canonical_module(module);
  return values::Path{
      arena.copy(known.starts_with("cupy") ? "numpy" + std::string(known.substr(4)) : std::string(known))};
}

static bool is_path(std::string_view module) {
  return ast::is_host_module(module) || module == "cmath" || module == "cupy" || module.starts_with("cupy.");
}

// `from module import *`.
void Interpreter::import_all(std::string_view module, std::optional<std::size_t> index, Span where) {
  if (!index) {
    // Those of another module that Kern knows are asked for by whoever reads a name that nothing binds.
    if (module == "math")
      for (std::string_view each : ast::math_names())
        bind(each, module_value(fmt::format("math.{}", each), where), where);
    else
      in_doubt = true;
    if (!is_path(module)) bind_all_unknown(frame->scope->space, where);
    return;
  }
  const Space space = file_scopes[*index]->space;
  std::vector<std::pair<std::string_view, Binding>> found;
  store.names.each(key_of(space, 0), key_of(space, ~std::uint32_t{0}),
                   [&](std::uint64_t key, const Binding& each) {
                     found.emplace_back(names[static_cast<std::uint32_t>(key)], each);
                   });
  const Binding* all = own(space, "__all__");
  const auto listed = all ? iterate(all->value) : std::nullopt;
  for (const auto& [each, binding] : found) {
    const auto is_it = [&](const Value& element) {
      const auto* string = as<values::Text>(element);
      return string && string->text == each;
    };
    const bool taken = all ? listed && std::ranges::any_of(*listed, is_it) : !each.starts_with('_');
    if (all && !listed) bind(each, unknown(Why::Bound, where), where);
    if (taken) bind(each, binding.value, where);
  }
}

void Interpreter::import(const ast::Stmt& stmt) {
  if (const auto* node = ast::as<ast::Import>(&stmt)) {
    const bool whole = node->is_renamed || node->alias.size() == node->module.size();
    const std::string_view module = whole ? node->module : node->alias;
    if (const auto index = file_of(module)) {
      run_file(*index);
      return bind(node->alias, values::File{static_cast<std::uint32_t>(*index)}, node->span);
    }
    return bind(node->alias,
                is_path(module) ? module_value(module, node->span) : unknown(Why::Missing, node->span),
                node->span);
  }
  const auto& node = ast::get<ast::FromImport>(stmt);
  const auto index = file_of(node.module);
  if (index) run_file(*index);
  for (const ast::ImportedName& name : node.names) {
    const std::string joined =
        fmt::format("{}{}{}", node.module, node.module.ends_with('.') ? "" : ".", name.name);
    const auto below = file_of(joined);
    if (name.name == "*") {
      import_all(node.module, index, stmt.span);
      continue;
    }
    Value value = unknown(Why::Missing, name.span);
    const bool doubt = in_doubt;
    if (index) value = attribute(values::File{static_cast<std::uint32_t>(*index)}, name.name, name.span);
    if (values::is_unknown(value) && below) {
      run_file(*below);
      value = values::File{static_cast<std::uint32_t>(*below)};
    }
    if (!index && !below && is_path(node.module)) {
      value = attribute(values::Path{ast::canonical_module(node.module)}, name.name, name.span);
      if (node.module.starts_with("cupy")) value = module_value(joined, name.span);
    }
    in_doubt = doubt || values::is_unknown(value);
    bind(name.alias, value, name.span);
  }
}

void Interpreter::run_file(std::size_t index) {
  constexpr std::size_t deepest = 200; // of files that import each other
  if (is_started[index] || frames.size() >= deepest) return;
  is_started[index] = true;
  const bool doubt = in_doubt;
  Frame inner{file_scopes[index], {}, {}, {}};
  Frame* const outer = std::exchange(frame, &inner);
  frames.push_back(&inner);
  const Ends ends = run_block(*files[index].tree);
  if (ends.next) store = *ends.next;
  frames.pop_back();
  frame = outer;
  in_doubt = doubt; // a file that is there is imported, whatever of it is not known
}

} // namespace kern::python
