// Names of the modules that Kern knows, by their dotted paths.
#include <fmt/format.h>

#include "compiler/ast/host_modules.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

bool is_known_module(std::string_view module) {
  return ast::is_host_module(module) || module == "cmath" || module == "cupy" || module.starts_with("cupy.");
}

bool is_builtin(std::string_view name) {
  static constexpr std::string_view names = " abs all any bool bytes callable chr classmethod complex dict "
                                            "divmod enumerate eval exec filter float format "
                                            "frozenset getattr globals hasattr hash hex id input int "
                                            "isinstance issubclass iter len list locals map max min "
                                            "next object oct open ord pow print property range repr reversed "
                                            "round set setattr slice sorted staticmethod str "
                                            "sum super tuple type vars zip Exception BaseException Warning "
                                            "NotImplemented StopIteration KeyboardInterrupt "
                                            "SystemExit Ellipsis __name__ __file__ __debug__ ";
  return name.ends_with("Error") || names.find(fmt::format(" {} ", name)) != names.npos;
}

std::string Interpreter::library_name(const Value& value) const {
  const auto* unknown = values::as<values::Unknown>(value);
  const std::string_view path = values::path_name(value);
  if (!unknown || !unknown->doubt)
    return path.find('.') != path.npos || is_builtin(path) ? std::string(path) : "";
  const std::string_view name = unknown->doubt->name;
  if (unknown->why == Why::NotComputed) return std::string(name);
  // from abc import ABC
  const bool is_import = unknown->why == Why::Missing && ast::is_python_module(name);
  const std::string_view text = is_import ? sources.text(unknown->where) : "";
  return is_import ? fmt::format("{}.{}", name, text.substr(0, text.find(' '))) : "";
}

// Names of Numba and NumPy that are another's, and numbers of `math`.
Value Interpreter::module_value(std::string_view module, Span span) {
  const std::size_t dot = module.rfind('.');
  const std::string_view front = dot == module.npos ? "" : module.substr(0, dot),
                         last = module.substr(dot + 1);
  if (ast::is_python_module(front) && !is_known_module(front)) return unknown(Why::NotComputed, span, module);
  const std::span<const std::string_view> math = ast::math_names();
  if (front == "math" && !is_in(math, last)) in_doubt = true; // Python raises
  // There is no simulator where kernels are compiled, and no checker of types runs.
  if (last == "ENABLE_CUDASIM" || last == "TYPE_CHECKING") return false;
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

std::optional<Found> Interpreter::from_star(std::uint32_t file, std::string_view name) {
  const auto found = stars.find(file);
  if (found == stars.end() || !knows) return std::nullopt;
  for (std::size_t i = found->second.size(); i-- > 0;) {
    const auto& [module, where] = found->second[i];
    if (knows(module, name)) return Found{module_value(fmt::format("{}.{}", module, name), where), where};
  }
  return std::nullopt;
}

} // namespace kern::python
