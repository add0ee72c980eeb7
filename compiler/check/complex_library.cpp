// The module cmath of the standard library, for the operators that need it: read when the first of them is met.
#include "compiler/check/complex.h"

namespace kern::checker {

FileScope* complex_library(Context& context) {
  constexpr std::string_view module = "cmath";
  for (const auto& file : context.files)
    if (file->file->is_library && file->file->module == module) return file.get();
  if (!context.program.load_library) return nullptr;
  const ProgramFile* file = context.program.load_library(std::string(module), context.diagnostics);
  return file ? &add_file(context, *file) : nullptr;
}

const FunctionSymbol* complex_function(Checker& checker, std::string_view name) {
  FileScope* library = complex_library(checker.context);
  if (!library) return nullptr;
  auto found = library->symbols.find(name);
  return found == library->symbols.end() ? nullptr : found->second.back().function;
}

} // namespace kern::checker
