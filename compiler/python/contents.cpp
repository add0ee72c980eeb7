// What objects held at the moment at which a reader sees them.
#include "compiler/python/state.h"

namespace kern::python {

using values::as;

std::optional<std::span<const values::Value>> HostModules::elements(std::size_t moment,
                                                                    const values::Value& object) const {
  const auto* term = as<values::Term>(object);
  const auto* list = as<values::List>(object);
  const auto* dict = as<values::Dict>(object);
  if (const auto* tuple = as<values::Tuple>(object)) return tuple->elements;
  if (term) {
    state_->interpreter.store = state_->moments[moment].held;
    return state_->interpreter.named_elements(*term->data);
  }
  if (!list && !dict) return std::nullopt;
  const Content* held = state_->moments[moment].held.contents.find(
      static_cast<std::uint32_t>(list ? list->object : dict->object));
  if (!held || !held->is_known) return std::nullopt;
  return held->elements;
}

std::optional<values::Numbers> HostModules::numbers(std::size_t moment, const values::Array& array) const {
  state_->interpreter.store = state_->moments[moment].held;
  return state_->interpreter.numbers_of(array);
}

} // namespace kern::python
