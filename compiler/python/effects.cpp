// What happens where nobody follows: the objects that are within reach are not known any more, and functions that were
// given away run at some time. And launches: what a kernel reads is what its names are when it first runs.
#include <algorithm>
#include <array>
#include <functional>

#include "compiler/ast/walk.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

static constexpr std::array<std::string_view, 5> parts_of_terms = {"operator.getitem", "getattr", "dict.keys",
                                                                   "dict.values", "dict.items"};

void Interpreter::reach(const Value& value, Span span, std::set<std::uint32_t>& seen) {
  if (const auto* tuple = as<values::Tuple>(value))
    for (const Value& each : tuple->elements) reach(each, span, seen);
  const auto* term = as<values::Term>(value);
  // A part of a term may be a view of it.
  const bool is_part =
      term && !term->data->args.empty() && is_in(parts_of_terms, path_name(term->data->callee));
  if (is_part) reach(term->data->args.front(), span, seen);
  if (const std::optional<ObjectId> object = object_of(value)) {
    if (!seen.insert(static_cast<std::uint32_t>(*object)).second) return;
    const Content before = content(*object);
    forget(*object, span);
    for (const Value& each : term ? term->data->args : before.elements) reach(each, span, seen);
  }
  if (const auto* of = as<values::Class>(value); of && !of->statement->is_enum) {
    if (!seen.insert(static_cast<std::uint32_t>(of->object)).second) return;
    reach_members(*of, span, seen);
    bind_all_unknown(space_of(*of), span);
  }
  if (const auto* function = as<values::Function>(value)) escape(*function->data, span);
}

// What a class holds, whatever its names are bound to meanwhile.
void Interpreter::reach_members(const values::Class& of, Span span, std::set<std::uint32_t>& seen) {
  std::vector<Value> members;
  store.each_name(space_of(of), [&](std::uint64_t, const Binding& each) { members.push_back(each.value); });
  for (const Value& each : members) reach(each, span, seen);
}

// An instance of a class is not followed: its methods may run, and what the class holds may be changed through it.
void Interpreter::reach_by_instance(const values::Class& of, Span span) {
  std::set<std::uint32_t> seen;
  reach_members(of, span, seen);
  for (const Value& base : of.bases)
    if (const auto* inner = as<values::Class>(base)) reach_members(*inner, span, seen);
}

void Interpreter::reach(const Arguments& args, Span span) {
  std::set<std::uint32_t> seen;
  for (const Value& arg : args.positional) reach(arg, span, seen);
  for (const values::NamedValue& keyword : args.keywords) reach(keyword.value, span, seen);
}

// Of an operation on what is not known that is said, where it stands in what Python would compute. The result may be, or hold,
// what its operands hold.
Value Interpreter::not_computed(Span where, std::span<const Value> of) {
  std::set<std::uint32_t> seen;
  for (const Value& each : of) {
    const auto* dict = dict_of(each);
    const auto held = dict ? std::optional(content(dict->object).elements) : elements_of(each);
    for (const Value& part : held.value_or(std::span<const Value>{})) reach(part, where, seen);
  }
  for (const Value& each : of) {
    const auto* operand = values::as<values::Unknown>(each);
    if (!operand) continue;
    in_doubt = true;
    if (operand->why == Why::Captured) return each;
    if (operand->why == Why::NotComputed) return values::Unknown{Why::NotComputed, operand->where};
  }
  return unknown(Why::NotComputed, where);
}

Value Interpreter::unknown_call(const Arguments& args, Span span) {
  reach(args, span);
  change_by_escaped(span);
  return unknown(Why::NotComputed, span);
}

void Interpreter::escape(const FunctionData& function, Span span) {
  if (function.is_jit) {
    launch(function, false);
    return;
  }
  // Of one that every call of another makes anew, the first ones stand for all.
  constexpr std::ptrdiff_t most = 4;
  const auto is_same_code = [&](const FunctionData* each) {
    return function.statement ? each->statement == function.statement : each->def == function.def;
  };
  const bool is_known = std::ranges::any_of(escaped, [&](const FunctionData* each) {
    return each == &function || (is_same_code(each) && each->scope == function.scope);
  });
  if (is_known || std::ranges::count_if(escaped, is_same_code) >= most) return;
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

// The names, and parts of them, that a function reads; its own are among them.
const ReadNames& Interpreter::names_read(const ast::FunctionDef& def) {
  const auto [found, is_new] = read_names.try_emplace(&def);
  if (!is_new) return found->second;
  const std::function<void(const ast::Expr&)> add = [&](const ast::Expr& expr) {
    const ast::Expr* first = &expr;
    while (const auto* part = ast::as<ast::Attribute>(first)) first = part->value;
    if (first->kind == ast::Kind::Name)
      found->second.push_back(&expr);
    else
      ast::each_part(expr, add);
  };
  ast::each_stmt(def.body, [&](const ast::Stmt& stmt) { ast::each_expr(stmt, add); });
  return found->second;
}

// Calls `visit` with each function in a value, and in what it holds.
template <class Visit>
static void each_function(Interpreter& run, const Value& value, const Visit& visit, int depth = 0) {
  constexpr int deepest = 4;
  if (const auto* function = as<values::Function>(value)) visit(*function->data);
  if (const auto elements = run.elements_of(value); elements && depth < deepest)
    for (const Value& each : *elements) each_function(run, each, visit, depth + 1);
}

// Calls `visit` with each function that the names of a function lead to, which is compiled with it.
template <class Visit>
void Interpreter::each_function_read(const FunctionData& function, const Visit& visit) {
  if (!function.def) return;
  const bool doubt = in_doubt;
  const std::function<Value(const ast::Expr&)> value_of = [&](const ast::Expr& expr) -> Value {
    if (const auto* part = ast::as<ast::Attribute>(&expr)) {
      const Binding* found = member(value_of(*part->value), part->name);
      return found ? found->value : Value(values::Unknown{});
    }
    const auto found =
        look_up(*function.scope, ast::get<ast::Name>(expr).text, function.def->generated != nullptr);
    return found ? found->value : Value(values::Unknown{});
  };
  for (const ast::Expr* name : names_read(*function.def)) each_function(*this, value_of(*name), visit);
  in_doubt = doubt;
}

void Interpreter::record_launch(const FunctionData& function, bool is_sure,
                                std::set<const FunctionData*>& seen) {
  if (is_past || !seen.insert(&function).second) return;
  if (summary) return summary->launched.push_back(&function);
  const std::uint64_t key = key_of(launched, function.serial);
  const Binding* known = store.names.find(key);
  const bool was_sure = known && as<bool>(known->value);
  if (was_sure) return;
  launches[&function].stores.push_back(store);
  if (is_sure)
    store.names.set(arena, key, {true, {}});
  else if (!known)
    store.names.set(arena, key, {values::Unknown{Why::Launched, {}}, {}});
  each_function_read(function, [&](const FunctionData& inner) { record_launch(inner, is_sure, seen); });
}

std::vector<const FunctionData*> Interpreter::compiled_functions() {
  std::vector<const FunctionData*> found;
  std::set<const FunctionData*> seen;
  for (const FunctionData* each : functions)
    if (each->is_jit && seen.insert(each).second) found.push_back(each);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto inner = frame_ends.find(found[i]);
    const Store end = store;
    if (inner != frame_ends.end()) store = inner->second;
    each_function_read(*found[i], [&](const FunctionData& each) {
      if (each.def && seen.insert(&each).second) found.push_back(&each);
    });
    store = end;
  }
  std::ranges::sort(found, {}, &FunctionData::serial);
  return found;
}

// A statement, or the head of one, that could not be parsed, by its tokens.
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
      const Space space = of ? space_of(*of) : file_scopes[file->index]->space;
      if (use.attribute == "*")
        bind_all_unknown(space, use.span);
      else
        set(space, use.attribute, values::Unknown{Why::Bound, use.span}, use.span);
      continue;
    }
    args.positional.push_back(found->value);
    if (file && !use.attribute.empty())
      args.positional.push_back(attribute(found->value, use.attribute, use.span));
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
