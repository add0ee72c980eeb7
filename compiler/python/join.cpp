// Two ways that may both have been gone: what differs is not known any more. What one of them alone defines is there only
// where it was gone, so a function, class or module stays what it is.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

bool is_definition(const Value& value) {
  return values::as<values::Function>(value) || values::as<values::Class>(value) ||
         values::as<values::File>(value) || values::as<values::Path>(value);
}

static const FunctionData* jit_of(const Value& value) {
  const auto* function = values::as<values::Function>(value);
  return function && function->data->is_jit ? function->data : nullptr;
}

Value Interpreter::joined(const Value& a, const Value& b, Span where) const {
  if (values::is_same(a, b)) return a;
  if (values::is_unknown(a)) return a;
  if (values::is_unknown(b)) return b;
  // Where there is no GPU another function stands in for the kernel.
  const FunctionData *x = jit_of(a), *y = jit_of(b);
  if (x && !y && values::as<values::Function>(b)) return a;
  if (y && !x && values::as<values::Function>(a)) return b;
  return values::Unknown{Why::Bound, where};
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

// What a name is that only one way has: unknown where it could be read before, in code that runs now.
Binding Interpreter::joined(std::uint64_t key, const Binding* a, const Binding* b, Span where) {
  ++steps;
  if (a && b) {
    const Value value = joined(a->value, b->value, where);
    return {value,
            values::is_same(value, b->value) && !values::is_same(value, a->value) ? b->where : a->where};
  }
  const Binding& only = a ? *a : *b;
  const auto is_open = [&](const Frame* each) {
    for (const Scope* scope = each->scope; scope; scope = scope->parent)
      if (static_cast<std::uint64_t>(scope->space) == key >> 32) return true;
    return false;
  };
  const bool stays = is_definition(only.value) || values::is_unknown(only.value);
  if (stays || !std::ranges::any_of(frames, is_open)) return only;
  return {values::Unknown{Why::Bound, where}, only.where};
}

Content Interpreter::joined(const Content* a, const Content* b, Span where) {
  ++steps;
  if (!a || !b) return a ? *a : *b;
  if (is_same_content(*a, *b)) return *a;
  Content changed;
  changed.is_known = false;
  changed.where = !a->is_known ? a->where : !b->is_known ? b->where : where;
  return changed;
}

Store Interpreter::joined(const Store& a, const Store& b, Span where) {
  if (a == b) return a;
  const auto pick_name = [&](std::uint64_t key, const Binding* x, const Binding* y) {
    return joined(key, x, y, where);
  };
  const auto pick_content = [&](std::uint64_t, const Content* x, const Content* y) {
    return joined(x, y, where);
  };
  const auto same_binding = [](const Binding& x, const Binding& y) {
    return values::is_same(x.value, y.value) && x.where == y.where;
  };
  Store result;
  result.names = PersistentMap<Binding>::join(arena, a.names, b.names, pick_name, same_binding);
  result.contents =
      PersistentMap<Content>::join(arena, a.contents, b.contents, pick_content, is_same_content);
  return result;
}

void Interpreter::merge(std::optional<Store>& into, const std::optional<Store>& other, Span where) {
  if (!other) return;
  into = into ? joined(*into, *other, where) : *other;
}

void Interpreter::merge(Ends& into, const Ends& other, Span where) {
  merge(into.breaks, other.breaks, where);
  merge(into.continues, other.continues, where);
  merge(into.raises, other.raises, where);
  if (!other.returns) return;
  const bool had = into.returns.has_value();
  merge(into.returns, other.returns, where);
  const Value none = values::None{};
  const Value result = other.result.value_or(none);
  into.result = had ? joined(into.result.value_or(none), result, where) : result;
}

} // namespace kern::python
