#include "compiler/check/calls.h"
#include "compiler/check/core/complex.h"

namespace kern::checker {

std::optional<Value> call_complex(Checker& checker, std::string_view name, std::vector<Value> args,
                                  Span span) {
  const FileScope* library = complex_library(checker.context);
  const auto found = library ? library->symbols.find(name) : FileScope{}.symbols.end();
  if (!library || found == library->symbols.end()) return std::nullopt;
  return call_function(checker, *found->second.back().function, {std::move(args), {}, {}}, span);
}

} // namespace kern::checker
