// What a call of a function may change that is not followed. The function runs once with parameters that nobody knows,
// and with nothing known but what leads to objects and functions, so what it changes then is all that it may change at any
// time. A loop or a circle of calls costs no more than that once.
#include <algorithm>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

void Interpreter::sum_up(const FunctionData& function, Span span, Summary& into) {
  const Store before = store;
  Summary* const outer = std::exchange(summary, &into);
  const Space outer_space = std::exchange(first_own, Space{next_space});
  const ObjectId outer_object = std::exchange(first_own_object, ObjectId{next_object});
  Arguments args;
  const std::span<const ast::Param> params = params_of(function);
  for (const ast::Param& param : params)
    args.positional.emplace_back(values::Unknown{Why::NotComputed, param.span});
  const bool is_method =
      !params.empty() && function.scope->is_class && (params[0].name == "self" || params[0].name == "cls");
  if (is_method)
    args.positional[0] =
        values::Class{ObjectId{static_cast<std::uint32_t>(function.scope->space)}, function.scope->owner};
  run_function(function, args, span);
  const std::uint64_t own_names = key_of(first_own, 0);
  store.names.each_since(before.names, [&](std::uint64_t key, const Binding& after) {
    const Binding* then = before.names.find(key);
    const bool is_same = then && values::is_same(then->value, after.value) && then->where == after.where;
    const bool is_outer = key < own_names || key >= key_of(module_attributes, 0);
    if (is_outer && !is_same) into.names.emplace_back(key, after);
  });
  const auto last_outer = static_cast<std::uint64_t>(first_own_object);
  store.contents.each_since(before.contents, [&](std::uint64_t object, const Content& after) {
    const Content* then = before.contents.find(object);
    if (object < last_outer && then && !is_same_content(*then, after))
      into.contents.emplace_back(object, after);
  });
  store = before;
  summary = outer;
  first_own = outer_space;
  first_own_object = outer_object;
}

// A call that is not followed, of a function that is known.
Value Interpreter::call_unfollowed(const FunctionData& function, const Arguments& args, Span span) {
  reach(args, span);
  change_by(function, span);
  return unknown(Why::NotComputed, span);
}

// Joins what is so with what a function makes of it.
void Interpreter::change_by(const FunctionData& function, Span span) {
  if (!has_code(function)) return;
  Summary& sum = summaries[&function];
  if (sum.is_open) {
    if (summary) summary->lowest = std::min(summary->lowest, sum.depth);
    return;
  }
  if (!summary) ++generation;
  // One that is made of an open one lacks what that one changes; the open one has it all in the end.
  const bool is_whole = sum.lowest >= sum.depth;
  const bool stands = sum.is_made && (is_whole || sum.generation == generation);
  const bool is_current = stands && std::ranges::all_of(sum.reads, [&](const auto& read) {
                            const Binding* now = store.names.find(read.first);
                            return now && values::is_same(now->value, read.second);
                          });
  if (!is_current) {
    sum = {};
    sum.is_open = true;
    sum.depth = summary ? summary->depth + 1 : 0;
    const bool doubt = in_doubt;
    sum_up(function, span, sum);
    in_doubt = doubt;
    sum.is_open = false;
    sum.is_made = true;
    sum.generation = generation;
  }
  if (summary)
    for (const auto& [key, value] : sum.reads)
      if (key < key_of(first_own, 0)) summary->add_read(key, value);
  if (summary && sum.lowest < sum.depth) summary->lowest = std::min(summary->lowest, sum.lowest);
  for (const auto& [key, after] : sum.names) {
    const Binding* now = store.names.find(key);
    Binding both = joined(key, now, &after, after.where);
    const auto* unknown = as<values::Unknown>(both.value);
    if (unknown && unknown->why == Why::NotComputed) both.value = values::Unknown{Why::Bound, after.where};
    if (!now || !values::is_same(now->value, both.value)) store.names.set(arena, key, both);
  }
  for (const auto& [object, after] : sum.contents) {
    const Content* now = store.contents.find(object);
    if (!now || is_same_content(*now, after)) continue;
    reach({{values::List{ObjectId{static_cast<std::uint32_t>(object)}}}, {}},
          after.is_known ? span : after.where);
  }
  const std::vector<const FunctionData*> launched = sum.launched; // the summary may go meanwhile
  for (const FunctionData* each : launched) launch(*each, false);
  if (sum.calls_unknown) change_by_escaped(span);
}

} // namespace kern::python
