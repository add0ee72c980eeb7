// Names, by Python's scopes: those of a function, of the functions around it, of the file, then of Python. A class's are
// seen by its own statements alone.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ast/host_modules.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

bool is_definition(const Value& value) {
  return values::as<values::Function>(value) || values::as<values::Class>(value) ||
         values::as<values::File>(value) || values::as<values::Path>(value);
}

std::uint32_t Interpreter::name_id(std::string_view name) {
  const auto [found, is_new] = name_ids.try_emplace(name, static_cast<std::uint32_t>(names.size()));
  if (is_new) names.push_back(name);
  return found->second;
}

const Scope* Interpreter::new_scope(const Scope* parent, std::uint32_t file, const ast::HostStatement* owner,
                                    bool is_class) {
  const Scope& scope =
      *arena.make<Scope>(Space{next_space++}, parent, file, is_class, owner, parent && parent->is_call);
  bind_given(scope);
  return &scope;
}

std::string Interpreter::path_of(const Scope& scope) const {
  std::string path;
  for (const Scope* each = &scope; each; each = each->parent)
    if (each->owner)
      path = path.empty() ? std::string(each->owner->name) : fmt::format("{}.{}", each->owner->name, path);
  return path;
}

void Summary::add_read(std::uint64_t key, const Value& value) {
  const bool is_known = std::ranges::any_of(reads, [&](const auto& each) { return each.first == key; });
  if (!is_known) reads.emplace_back(key, value);
}

// Returns what a name is for a function that is summed up: an object or a definition, which is remembered; other values of
// names that are not its own are not known.
const Binding* Interpreter::summed(std::uint64_t key, const Binding& binding) {
  const Value& value = binding.value;
  const bool leads_on = is_definition(value) || as<values::List>(value) || as<values::Dict>(value) ||
                        as<values::Array>(value) || as<values::Tuple>(value) || as<values::Term>(value);
  if (!leads_on) return arena.make<Binding>(values::Unknown{Why::NotComputed, binding.where}, binding.where);
  summary->add_read(key, value);
  return &binding;
}

const Binding* Interpreter::own(Space space, std::string_view name) {
  const std::uint64_t key = key_of(space, name_id(name));
  const Binding* found = store.names.find(key);
  return found && summary && space < first_own ? summed(key, *found) : found;
}

void Interpreter::set(Space space, std::string_view name, const Value& value, Span where) {
  store.names.set(arena, key_of(space, name_id(name)), {value, where});
}

void Interpreter::bind_in(const Scope& scope, std::string_view name, const Value& value, Span where) {
  const GivenValue* instead = given_for(scope, name);
  set(scope.space, name, instead ? instead->value : value, where);
}

void Interpreter::bind(std::string_view name, const Value& value, Span where) {
  const Scope* scope = frame->scope;
  const Scope* const file = file_scopes[scope->file];
  if (frame->globals.contains(name)) scope = file;
  if (frame->nonlocals.contains(name))
    for (const Scope* outer = scope->parent; outer && outer != file; outer = outer->parent)
      if (!outer->is_class && own(outer->space, name)) {
        scope = outer;
        break;
      }
  bind_in(*scope, name, value, where);
}

void Interpreter::unbind(std::string_view name) {
  const Scope& scope = frame->globals.contains(name) ? *file_scopes[frame->scope->file] : *frame->scope;
  if (!given_for(scope, name)) store.names.erase(arena, key_of(scope.space, name_id(name)));
}

void Interpreter::drop(Space space) {
  std::vector<std::uint64_t> keys;
  store.each_name(space, [&](std::uint64_t key, const Binding&) { keys.push_back(key); });
  for (std::uint64_t key : keys) store.names.erase(arena, key);
}

void Interpreter::bind_all_unknown(Space space, Span where) {
  std::vector<std::uint64_t> keys;
  const auto file = std::ranges::find(file_scopes, space, &Scope::space);
  store.each_name(space, [&](std::uint64_t key, const Binding& binding) {
    if (file != file_scopes.end() && given_for(**file, names[static_cast<std::uint32_t>(key)])) return;
    const bool is_value = !values::as<values::Function>(binding.value) &&
                          !values::as<values::Path>(binding.value) && !values::is_unknown(binding.value) &&
                          !values::as<values::File>(binding.value);
    if (is_value) keys.push_back(key);
  });
  for (std::uint64_t key : keys) store.names.set(arena, key, {unknown(Why::Bound, where), where});
}

std::optional<Found> Interpreter::look_up(const Scope& scope, std::string_view name, bool is_own_code) {
  for (const Scope* each = &scope; each; each = each->parent) {
    if (each->is_class && !(is_own_code && each == &scope)) continue;
    if (const Binding* binding = own(each->space, name)) return Found{binding->value, binding->where};
  }
  return from_star(scope.file, name);
}

Value Interpreter::read(std::string_view name, Span span) {
  const bool is_global = frame->globals.contains(name);
  const Scope& scope = is_global ? *file_scopes[frame->scope->file] : *frame->scope;
  if (std::optional<Found> found = look_up(scope, name, true)) {
    if (values::is_unknown(found->value)) in_doubt = true;
    return found->value;
  }
  if (name == "__name__") return text(frame->scope->file == 0 ? "__main__" : "module");
  if (name == "__file__") return unknown(Why::NotComputed, span);
  in_doubt = in_doubt || !is_builtin(name); // Python raises
  return values::Path{name};
}

} // namespace kern::python
