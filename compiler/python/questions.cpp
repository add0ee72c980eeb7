// What is asked of a program that has run beyond the names of its functions. What a question makes and changes is seen by its
// answer alone.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/python/state.h"

namespace kern::python {

using values::as;

Found HostModules::State::keep(const Value& value, Span where, bool is_cut, std::size_t first_made) {
  for (std::size_t i = first_made; i < interpreter.functions.size(); ++i) {
    interpreter.frame_ends[interpreter.functions[i]] = interpreter.store;
    if (is_cut) interpreter.cut_functions.insert(interpreter.functions[i]);
  }
  moments.push_back({{}, interpreter.store, interpreter.store, is_cut});
  return {value, where, moments.size() - 1};
}

const FunctionData* HostModules::function_at(std::uint32_t serial) const {
  const std::vector<FunctionData*>& all = state_->interpreter.functions;
  return serial < all.size() ? all[serial] : nullptr;
}

std::size_t HostModules::file_of(const FunctionData& function) { return function.scope->file; }

std::vector<const FunctionData*> HostModules::decorated_by(std::string_view ending) const {
  std::vector<const FunctionData*> found;
  for (const FunctionData* each : std::span(state_->interpreter.functions).first(state_->functions)) {
    const bool is_so = !each->of && std::ranges::any_of(each->decorators, [&](const Value& decorator) {
      const std::string_view path = callee_name(decorator);
      return path.starts_with("numba.") && path.ends_with(ending);
    });
    if (is_so) found.push_back(each);
  }
  return found;
}

const FunctionData* HostModules::last_of_name(const FunctionData& function) const {
  const FunctionData* last = nullptr;
  for (const FunctionData* each : std::span(state_->interpreter.functions).first(state_->functions))
    if (each->def && !each->of && each->scope == function.scope && each->def->name == function.def->name)
      last = each;
  return last;
}

bool HostModules::is_assigned(std::string_view module, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  const std::string joined = fmt::format("{}.{}", module, name);
  return run.own(module_attributes, run.arena.copy(std::string_view(joined))) != nullptr;
}

std::optional<Found> HostModules::beside(const FunctionData& function, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  run.store = state_->end_of(function);
  const Scope& scope = function.made_in ? *function.made_in : *function.scope;
  std::optional<Found> found = run.look_up(scope, run.arena.copy(name), true);
  run.store = state_->moments.front().end;
  return found;
}

std::string_view HostModules::name_of(const values::TermData& term) const {
  const Interpreter& run = state_->interpreter;
  std::string_view name;
  for (const Scope* file : run.file_scopes)
    state_->moments.front().end.each_name(file->space, [&](std::uint64_t key, const Binding& each) {
      const auto* value = as<values::Term>(each.value);
      if (value && value->data == &term) name = run.names[static_cast<std::uint32_t>(key)];
    });
  return name;
}

std::optional<Found> HostModules::given(std::string_view path) const {
  const auto found = state_->interpreter.given.find(path);
  if (found == state_->interpreter.given.end()) return std::nullopt;
  return Found{found->second.value, found->second.where};
}

bool HostModules::is_limited() const { return state_->is_limited; }

// Calls `answer` in the scope that a reader's code has, with the memory that it sees at the end.
template <class Answer>
auto HostModules::answer_at(const FunctionData* reader, std::size_t file, const Answer& answer) const {
  Interpreter& run = state_->interpreter;
  const std::size_t moment = reader ? moment_of(*reader) : 0;
  const Scope* around = reader ? reader->scope : run.file_scopes[file];
  // The names of a class are not those of its methods.
  const bool is_own_code = !reader || (reader->def && reader->def->generated);
  const Scope* scope = is_own_code ? around : run.new_scope(around, around->file, nullptr, false);
  Frame frame{scope, {}, {}, {}};
  run.frame = &frame;
  run.frames = {&frame};
  run.store = state_->moments[moment].end;
  run.steps = run.numbers_made = 0;
  const std::size_t escaped = run.escaped.size();
  auto result = answer(*scope, state_->moments[moment].is_cut);
  run.escaped.resize(escaped);
  run.frame = nullptr;
  run.frames.clear();
  run.store = state_->moments.front().end;
  return result;
}

std::optional<Found> HostModules::evaluate(const ast::Expr& expr, const FunctionData* reader,
                                           std::size_t file) const {
  return answer_at(reader, file, [&](const Scope&, bool is_cut) {
    Interpreter& run = state_->interpreter;
    const std::size_t first_made = run.functions.size();
    run.reads_given = true;
    const Value value = run.evaluate(expr);
    run.reads_given = false;
    is_cut = is_cut || run.is_cut();
    return State::known(state_->keep(value, expr.span, is_cut, first_made), is_cut);
  });
}

std::optional<Found> HostModules::call(const FunctionData& function, std::span<const Value> args,
                                       std::span<const values::NamedValue> keywords, const Ask& ask) const {
  const Span where = function.statement ? function.statement->name_span : function.def->name_span;
  const std::span<const ast::Param> params = params_of(function);
  bool is_parsed = true;
  for (std::size_t i = 0; i < params.size(); ++i)
    is_parsed = is_parsed && !state_->interpreter.is_unparsed(function, i);
  if (is_parsed && !fits(params, args, keywords)) return std::nullopt;
  return answer_at(&function, 0, [&](const Scope&, bool is_cut) {
    Interpreter& run = state_->interpreter;
    const std::size_t first_made = run.functions.size();
    const Interpreter::Arguments given{{args.begin(), args.end()}, {keywords.begin(), keywords.end()}};
    run.ask = &ask;
    const Value value = is_parsed && can_run(function)
                            ? run.run_body(function, given, where).value_or(values::None{})
                            : run.unknown(Why::NotComputed, where);
    run.ask = nullptr;
    is_cut = is_cut || run.is_cut();
    return State::known(state_->keep(value, where, is_cut, first_made), is_cut);
  });
}

// Calls `visit` with each scope whose names code sees that stands in a scope.
template <class Visit> static void each_seen(const Scope& scope, const Visit& visit) {
  for (const Scope* each = &scope; each; each = each->parent)
    if (!each->is_class || each == &scope) visit(*each);
}

std::vector<std::string_view> HostModules::names(const FunctionData* reader, std::size_t file) const {
  return answer_at(reader, file, [&](const Scope& scope, bool) {
    Interpreter& run = state_->interpreter;
    std::vector<std::string_view> names;
    each_seen(scope, [&](const Scope& each) {
      run.store.each_name(each.space, [&](std::uint64_t key, const Binding&) {
        const std::string_view name = run.names[static_cast<std::uint32_t>(key)];
        if (!is_in(names, name)) names.push_back(name);
      });
    });
    return names;
  });
}

std::string HostModules::define_name(const FunctionData* reader, std::size_t file,
                                     std::string_view name) const {
  return answer_at(reader, file, [&](const Scope& scope, bool) {
    Interpreter& run = state_->interpreter;
    const Scope* binds = nullptr;
    each_seen(scope, [&](const Scope& each) {
      if (!binds && run.own(each.space, run.arena.copy(name))) binds = &each;
    });
    const std::string front = run.whole_path(binds ? *binds : *run.file_scopes[scope.file]);
    return front.empty() ? std::string(name) : fmt::format("{}.{}", front, name);
  });
}

std::vector<std::string_view> HostModules::field_names(const Found& of) const {
  Interpreter& run = state_->interpreter;
  run.store = state_->moments[of.moment].held;
  std::vector<std::string_view> names =
      is_named_tuple(of.value) ? run.field_names(of.value) : std::vector<std::string_view>{};
  run.store = state_->moments.front().end;
  return names;
}

} // namespace kern::python
