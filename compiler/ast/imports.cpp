// Goes through all imports of a file, since the last one of a name counts, as in Python.
#include "compiler/ast/imports.h"

namespace kern::ast {

std::optional<Imported> imported(std::span<const Stmt* const> items, std::string_view alias) {
  std::optional<Imported> found;
  for (const Stmt* item : items)
    if (const auto* from = as<FromImport>(item))
      for (const ImportedName& name : from->names)
        if (name.alias == alias) found = Imported{from->module, name.name};
  return found;
}

} // namespace kern::ast
