// What happens where nobody follows: the objects that are within reach are not known any more, and functions that were
// given away run at some time. And launches: what a kernel reads is what its names are when it first runs.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

void Interpreter::reach(const Value& value, Span span, std::set<std::uint32_t>& seen) {
  if (const auto* tuple = as<values::Tuple>(value))
    for (const Value& each : tuple->elements) reach(each, span, seen);
  const auto* list = as<values::List>(value);
  const auto* dict = as<values::Dict>(value);
  const auto* array = as<values::Array>(value);
  if (list || dict || array) {
    const ObjectId object = list ? list->object : dict ? dict->object : array->object;
    if (!seen.insert(static_cast<std::uint32_t>(object)).second) return;
    const Content before = content(object);
    forget(object, span);
    for (const Value& each : before.elements) reach(each, span, seen);
  }
  if (const auto* of = as<values::Class>(value); of && !of->statement->is_enum) {
    if (!seen.insert(static_cast<std::uint32_t>(of->object)).second) return;
    const Space space{static_cast<std::uint32_t>(of->object)};
    std::vector<Value> members;
    store.names.each(key_of(space, 0), key_of(space, ~std::uint32_t{0}),
                     [&](std::uint64_t, const Binding& each) { members.push_back(each.value); });
    for (const Value& each : members) reach(each, span, seen);
    bind_all_unknown(space, span);
  }
  if (const auto* function = as<values::Function>(value)) escape(*function->data, span);
}

Value Interpreter::unknown_call(const Arguments& args, Span span) {
  std::set<std::uint32_t> seen;
  for (const Value& arg : args.positional) reach(arg, span, seen);
  for (const values::NamedValue& keyword : args.keywords) reach(keyword.value, span, seen);
  change_by_escaped(span);
  return unknown(Why::NotComputed, span);
}

void Interpreter::escape(const FunctionData& function, Span span) {
  if (function.is_jit) {
    launch(function, false);
    return;
  }
  const bool is_known = std::ranges::any_of(escaped, [&](const FunctionData* each) {
    return each == &function ||
           (each->statement == function.statement && each->statement && each->scope == function.scope);
  });
  if (is_known) return;
  escaped.push_back(&function);
  change_by_escaped(span);
}

// They may run at any time: each may have run or not.
void Interpreter::change_by_escaped(Span span) {
  if (summary) summary->calls_unknown = true;
  if (summary || is_changing_by_escaped) return;
  is_changing_by_escaped = true;
  for (std::size_t i = 0; i < escaped.size(); ++i) change_by(*escaped[i], span); // more may escape meanwhile
  is_changing_by_escaped = false;
}

void Interpreter::launch(const FunctionData& function, bool is_sure) {
  std::set<const FunctionData*> seen;
  record_launch(function, is_sure, seen);
}

// The names of a function that it reads of those around it lead to others that are compiled with it.
void Interpreter::record_launch(const FunctionData& function, bool is_sure,
                                std::set<const FunctionData*>& seen) {
  if (!seen.insert(&function).second) return;
  if (summary) return summary->launched.push_back(&function);
  const std::uint64_t key = key_of(launched, function.serial);
  const Binding* known = store.names.find(key);
  const bool was_sure = known && as<bool>(known->value);
  if (!was_sure) {
    launches[&function].stores.push_back(store);
    if (is_sure)
      store.names.set(arena, key, {true, {}});
    else if (!known)
      store.names.set(arena, key, {values::Unknown{Why::Launched, {}}, {}});
  }
  if (!function.statement || was_sure) return;
  for (const ast::NameUse& use : function.statement->uses) {
    const std::optional<Found> found = look_up(*function.scope, use.name, false);
    if (!found) continue;
    Value value = found->value;
    const bool in_doubt_before = in_doubt;
    if ((as<values::File>(value) || as<values::Class>(value)) && !use.attribute.empty())
      value = attribute(value, use.attribute.substr(0, use.attribute.find('.')), use.span);
    in_doubt = in_doubt_before;
    if (const auto* inner = as<values::Function>(value)) record_launch(*inner->data, is_sure, seen);
  }
}

// A statement that could not be parsed, by its tokens.
void Interpreter::apply_uses(std::span<const ast::NameUse> uses) {
  using Kind = ast::NameUse::Kind;
  in_doubt = true;
  Arguments args;
  Span last;
  for (const ast::NameUse& use : uses) {
    last = use.span;
    if (use.kind == Kind::Bind) continue;
    const std::optional<Found> found = look_up(*frame->scope, use.name, true);
    if (!found) continue;
    const auto* of = as<values::Class>(found->value);
    const auto* file = as<values::File>(found->value);
    if (use.kind == Kind::SetAttribute && (of || file)) {
      const Space space =
          of ? Space{static_cast<std::uint32_t>(of->object)} : file_scopes[file->index]->space;
      set(space, use.attribute, values::Unknown{Why::Bound, use.span}, use.span);
      continue;
    }
    const bool is_function = as<values::Function>(found->value) != nullptr;
    if (use.kind != Kind::Read || is_function) args.positional.push_back(found->value);
    if (file && use.kind == Kind::HandOn && !use.attribute.empty())
      args.positional.push_back(
          attribute(found->value, use.attribute.substr(0, use.attribute.find('.')), use.span));
  }
  unknown_call(args, last);
  for (const ast::NameUse& use : uses) {
    if (use.kind != Kind::Bind) continue;
    if (use.name == "*")
      bind_all_unknown(file_scopes[frame->scope->file]->space, use.span);
    else
      bind(use.name, values::Unknown{Why::Bound, use.span}, use.span);
  }
}

} // namespace kern::python
