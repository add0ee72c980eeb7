// The parts of an array that a subscript takes: views of the same numbers.
#include <algorithm>

#include "compiler/python/interpreter.h"
#include "compiler/support/limits.h"

namespace kern::python {

using values::Array;
using values::ArrayForm;
using values::as;
using values::Extents;

std::optional<Taken> taken_by(Interpreter& run, const ast::Slice& slice, std::int64_t count) {
  const auto bound = [&](const ast::Expr* part, WideInt otherwise) -> std::optional<WideInt> {
    const Value value = part ? run.evaluate(*part) : Value(values::None{});
    return as<values::None>(value) ? std::optional(otherwise) : values::integer_of(value);
  };
  const auto step = bound(slice.step, 1);
  if (!step || *step == 0) return std::nullopt;
  const bool up = *step > 0;
  const auto start = bound(slice.start, up ? 0 : count - 1),
             stop = bound(slice.stop, up ? count : -count - 1);
  if (!start || !stop) return std::nullopt;
  const auto clamp = [&](WideInt at) {
    return std::clamp<WideInt>(at < 0 ? at + count : at, up ? 0 : -1, up ? count : count - 1);
  };
  const WideInt from = clamp(*start), to = clamp(*stop), width = up ? *step : -*step;
  const WideInt distance = up ? to - from : from - to;
  return Taken{static_cast<std::int64_t>(from),
               static_cast<std::int64_t>(std::clamp<WideInt>(*step, -count - 1, count + 1)),
               static_cast<std::int64_t>(distance > 0 ? (distance + width - 1) / width : 0)};
}

// Returns the part of an array that a subscript means: a view.
std::optional<Value> Interpreter::array_part(const Array& array, const ast::Subscript& expr) {
  const ArrayForm& form = *array.form;
  if (is_opaque(form)) return array;
  Extents extents, strides;
  std::int64_t first = form.first;
  std::size_t axis = 0;
  const auto take_whole = [&] {
    extents.push_back(form.extents[axis]);
    strides.push_back(form.strides[axis++]);
  };
  const auto take_one = [&](const Value& index) {
    const std::optional<WideInt> place =
        as<bool>(index) || axis == form.extents.size() ? std::nullopt : values::integer_of(index);
    const auto at =
        place ? values::index_in(*place, static_cast<std::size_t>(form.extents[axis])) : std::nullopt;
    if (!at) return false;
    first += static_cast<std::int64_t>(*at) * form.strides[axis++];
    return true;
  };
  const auto is_new_axis = [](const ast::Expr* index) { return index->kind == ast::Kind::NoneLiteral; };
  const auto new_axes = std::ranges::count_if(expr.indices, is_new_axis);
  for (const ast::Expr* index : expr.indices) {
    const auto* slice = ast::as<ast::Slice>(index);
    if (index->kind == ast::Kind::EllipsisLiteral) {
      const std::size_t others = expr.indices.size() - 1 - static_cast<std::size_t>(new_axes);
      for (std::size_t k = others; k < form.extents.size(); ++k) take_whole();
    } else if (is_new_axis(index)) {
      extents.push_back(1);
      strides.push_back(0);
    } else if (!slice) {
      const Value value = evaluate(*index);
      const auto* whole = as<values::Tuple>(value);
      const auto all = whole && expr.indices.size() == 1 ? whole->elements : std::span(&value, 1);
      if (!std::ranges::all_of(all, take_one)) return std::nullopt;
    } else if (axis == form.extents.size()) {
      return std::nullopt;
    } else {
      const std::optional<Taken> taken = taken_by(*this, *slice, form.extents[axis]);
      if (!taken) return std::nullopt;
      if (taken->count > 0) first += taken->start * form.strides[axis];
      extents.push_back(taken->count);
      strides.push_back(taken->step * form.strides[axis++]);
    }
  }
  while (axis < form.extents.size()) take_whole();
  if (extents.size() > static_cast<std::size_t>(limits::array_rank)) return std::nullopt;
  return Array{array.object,
               arena.make<ArrayForm>(form.type, arena.copy(extents), arena.copy(strides), first)};
}

} // namespace kern::python
