// What types have in common, those of tuples element by element.
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"

namespace kern::checker {

std::optional<Type> join_types(Checker& checker, Type a, Type b) {
  if (!is_tuple(a) || !is_tuple(b)) return checker.rules.functions->join(a, b);
  if (a->elements.size() != b->elements.size()) return std::nullopt;
  if (is_record(a) || is_record(b)) return a == b ? std::optional(a) : std::nullopt;
  std::vector<Type> elements;
  for (std::size_t i = 0; i < a->elements.size(); ++i) {
    std::optional<Type> element = join_types(checker, a->elements[i], b->elements[i]);
    if (!element) return std::nullopt;
    elements.push_back(*element);
  }
  return checker.context.module.types.named(elements, a->record == b->record ? a->record : nullptr);
}

std::optional<Type> join_assigned(Checker& checker, Type a, Type b) {
  if (!checker.rules.types_literals && is_literal(a) && is_boolean(b)) return a;
  if (!checker.rules.types_literals && is_boolean(a) && is_literal(b)) return b;
  return join_types(checker, a, b);
}

Type default_deep(Checker& checker, Type type) {
  if (!is_tuple(type)) return default_type(type);
  std::vector<Type> elements;
  if (is_record(type)) return type;
  for (Type element : type->elements) elements.push_back(default_deep(checker, element));
  return checker.context.module.types.named(elements, type->record);
}

} // namespace kern::checker
