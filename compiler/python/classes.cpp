// What classes have, and what others may make of them: a metaclass, a base that is told of it.
#include <algorithm>
#include <array>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

const Binding* Interpreter::class_member(const Value& of, std::string_view name) {
  const auto* made = as<values::Class>(of);
  if (!made) return nullptr;
  if (const Binding* found = own(space_of(*made), name)) return found;
  const Span where = made->statement->name_span;
  const Binding nobody_knows{values::Unknown{Why::NotComputed, where}, where};
  steps += made->bases.size() > 1; // which may have bases in common again and again
  if (is_cut() || own(space_of(*made), is_open)) return arena.make<Binding>(nobody_knows);
  const Binding* first = nullptr;
  for (const Value& base : made->bases) {
    const auto* inner = as<values::Class>(base);
    if (!inner && !first) return nullptr; // it may have the name
    const Binding* found = class_member(base, name);
    if (found && &base == &made->bases.front() && found == own(space_of(*inner), name)) return found;
    // Where bases have a base in common, one that another one has may come first.
    if (found && first && found != first) return arena.make<Binding>(nobody_knows);
    if (found) first = found;
  }
  return first;
}

bool remakes(Interpreter& run, const Value& base) {
  return run.class_member(base, "__init_subclass__") ||
         (values::is_unknown(base) && run.library_name(base).empty());
}

bool numbers_otherwise(Interpreter& run, const values::Class& made) {
  static constexpr std::array<std::string_view, 3> makers = {"__new__", "__init__", "_generate_next_value_"};
  const auto is_enum = [](const Value& each) {
    return as<values::Class>(each) && as<values::Class>(each)->statement->is_enum;
  };
  return (is_enum(made) || std::ranges::any_of(made.bases, is_enum)) &&
         std::ranges::any_of(makers, [&](std::string_view name) { return run.class_member(made, name); });
}

} // namespace kern::python
