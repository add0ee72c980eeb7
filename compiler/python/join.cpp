// Two ways that may both have been gone: what differs is not known any more. What one of them alone defines is there only
// where it was gone, so a function, class or module stays what it is.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

static const FunctionData* jit_of(const Value& value) {
  const auto* function = values::as<values::Function>(value);
  return function && function->data->is_jit ? function->data : nullptr;
}

Value Interpreter::joined(const Value& a, const Value& b, const Fork& fork) const {
  if (values::is_same(a, b)) return a;
  if (values::is_unknown(a)) return a;
  if (values::is_unknown(b)) return b;
  // Where there is no GPU another function stands in for the kernel.
  const FunctionData *x = jit_of(a), *y = jit_of(b);
  if (x && !y && values::as<values::Function>(b)) return a;
  if (y && !x && values::as<values::Function>(a)) return b;
  return values::Unknown{Why::Bound, fork.where};
}

// Returns what is not known for the ways of a fork alone.
static const values::Unknown* doubt_of(const Value& value, const Fork& fork) {
  const auto* unknown = values::as<values::Unknown>(value);
  return unknown && unknown->why == Why::Bound && unknown->where == fork.where ? unknown : nullptr;
}

// What a name is behind a fork, and where its ways bind it. One that only one way has is unknown where it could be read
// before, in code that runs now.
Binding Interpreter::joined(std::uint64_t key, const Binding* a, const Binding* b, const Fork& fork) {
  ++steps;
  const auto is_open = [&](const Frame* each) {
    for (const Scope* scope = each->scope; scope; scope = scope->parent)
      if (static_cast<std::uint64_t>(scope->space) == key >> 32) return true;
    return false;
  };
  const Binding& first = a ? *a : *b;
  Value value = first.value;
  if (a && b)
    value = joined(a->value, b->value, fork);
  else if (!is_definition(value) && !values::is_unknown(value) && std::ranges::any_of(frames, is_open))
    value = values::Unknown{Why::Bound, fork.where};
  const bool is_second = b && values::is_same(value, b->value) && !values::is_same(value, first.value);
  if (!doubt_of(value, fork)) return {value, is_second ? b->where : first.where};
  std::vector<Span> places;
  Span condition = fork.condition;
  for (const Binding* each : {a, b}) {
    if (!each) continue;
    const values::Unknown* known = doubt_of(each->value, fork);
    const bool is_inside = each->where.file == fork.where.file && each->where.begin >= fork.where.begin &&
                           each->where.end <= fork.where.end;
    std::vector<Span> own;
    if (known && known->doubt) {
      own.assign(known->doubt->bound.begin(), known->doubt->bound.end());
      if (condition.end == 0) condition = known->doubt->condition;
    } else if (is_inside)
      own.push_back(each->where);
    for (Span place : own)
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  const auto* doubt = arena.make<values::Doubt>(std::string_view{}, arena.copy(places), condition);
  return {values::Unknown{Why::Bound, fork.where, doubt}, places.empty() ? first.where : places.front()};
}

bool is_same_content(const Content& a, const Content& b) {
  const bool has_numbers = a.buffer && b.buffer;
  const bool is_one_version = a.buffer == b.buffer && a.version == b.version;
  const bool is_same_buffer =
      is_one_version || (has_numbers && a.buffer->at(a.version) == b.buffer->at(b.version));
  return a.is_known == b.is_known && is_same_buffer && (a.is_known || a.where == b.where) &&
         (a.elements.data() == b.elements.data() ||
          std::ranges::equal(a.elements, b.elements, values::is_same)) &&
         a.elements.size() == b.elements.size();
}

Content Interpreter::joined(const Content* a, const Content* b, const Fork& fork) {
  ++steps;
  if (!a || !b) return a ? *a : *b;
  if (is_same_content(*a, *b)) return *a;
  Content changed;
  changed.is_known = false;
  const Span later = b->where.begin > a->where.begin ? b->where : a->where;
  changed.where = !a->is_known ? a->where : !b->is_known ? b->where : later.end > 0 ? later : fork.where;
  return changed;
}

Store Interpreter::joined(const Store& a, const Store& b, const Fork& fork) {
  if (a == b) return a;
  const auto pick_name = [&](std::uint64_t key, const Binding* x, const Binding* y) {
    return joined(key, x, y, fork);
  };
  const auto pick_content = [&](std::uint64_t, const Content* x, const Content* y) {
    return joined(x, y, fork);
  };
  const auto same_binding = [](const Binding& x, const Binding& y) {
    const auto *a = values::as<values::Unknown>(x.value), *b = values::as<values::Unknown>(y.value);
    const bool same_doubt =
        !a || !b || a->doubt == b->doubt || (a->doubt && b->doubt && *a->doubt == *b->doubt);
    return values::is_same(x.value, y.value) && x.where == y.where && same_doubt;
  };
  Store result;
  result.names = PersistentMap<Binding>::join(arena, a.names, b.names, pick_name, same_binding);
  result.contents =
      PersistentMap<Content>::join(arena, a.contents, b.contents, pick_content, is_same_content);
  return result;
}

void Interpreter::merge(std::optional<Store>& into, const std::optional<Store>& other, const Fork& fork) {
  if (!other) return;
  into = into ? joined(*into, *other, fork) : *other;
}

void Interpreter::merge(Ends& into, const Ends& other, const Fork& fork) {
  merge(into.breaks, other.breaks, fork);
  merge(into.continues, other.continues, fork);
  merge(into.raises, other.raises, fork);
  if (!other.returns) return;
  const Span place = into.undecided.end > 0 ? into.undecided : fork.where;
  if (into.undecided.end == 0) into.undecided = other.next ? fork.where : other.undecided;
  const bool had = into.returns.has_value();
  merge(into.returns, other.returns, fork);
  const Value none = values::None{};
  const Value result = other.result.value_or(none);
  into.result = had ? joined(into.result.value_or(none), result, place) : result;
}

} // namespace kern::python
