// The rows as data, and the way from a name to its row.
#include "compiler/builtins/builtins.h"

#include <array>

namespace kern {

// Returns a signature up to its type parameters, parameters, type or value.
static constexpr std::string_view name_of(std::string_view signature) {
  return signature.substr(0, signature.find_first_of("[(: ="));
}

static constexpr std::array rows = {
#define BUILTIN(Id, Signature, Kind, Gpu, Cpu, Doc)                                                          \
  BuiltinRow{Builtin::Id, #Id, name_of(Signature), Signature, Effects::Kind, Doc},
#include "compiler/builtins/builtins.def"
};

static constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (rows[i].name == rows[k].name) return false;
  return true;
}
static_assert(names_are_unique(), "a name is one row");

std::span<const BuiltinRow> all_builtins() { return rows; }

const BuiltinRow& row(Builtin builtin) { return rows[static_cast<std::size_t>(builtin)]; }

std::optional<Builtin> find_builtin(std::string_view name) {
  if (name.starts_with('_')) return std::nullopt;
  for (const BuiltinRow& row : rows)
    if (row.name == name) return row.id;
  return std::nullopt;
}

} // namespace kern
