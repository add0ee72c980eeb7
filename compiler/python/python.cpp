// The run of a program from its first file's first statement on, then once more each function that nobody called: kernels
// inside of it read what a call would see.
#include "compiler/python/python.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/python/state.h"

namespace kern::python {

using values::as;

HostModules::HostModules() : state_(nullptr) {}
HostModules::HostModules(HostModules&&) noexcept = default;
HostModules& HostModules::operator=(HostModules&&) noexcept = default;
HostModules::~HostModules() = default;

const ast::FunctionDef* HostModules::definition(const values::Function& function) {
  return function.data->def;
}

// Runs the functions of a block whose names are in a scope, with parameters that nobody knows.
void Interpreter::run_uncalled(const Scope& scope, const ast::Module& tree) {
  for (const ast::HostStatement& statement : tree.statements) {
    for (const ast::HostClause& clause : statement.code_clauses) run_uncalled(scope, *clause.code);
    const bool is_class = statement.kind == ast::HostStatement::Kind::Class;
    if (is_class && statement.code) {
      const Binding* found = own(scope.space, statement.name);
      const auto* of = found ? as<values::Class>(found->value) : nullptr;
      const auto inner = of ? class_scopes.find(static_cast<std::uint32_t>(of->object)) : class_scopes.end();
      if (inner != class_scopes.end()) run_uncalled(*inner->second, *code_of(statement));
    }
    if (statement.kind != ast::HostStatement::Kind::Function || !statement.code || statement.is_jit) continue;
    // One that makes no function has none whose names are asked for.
    const std::string_view text =
        sources.text({statement.span.file, statement.name_span.end, statement.span.end});
    if (text.find("def ") == text.npos && text.find("lambda") == text.npos) continue;
    const Store before = store;
    Frame inner{new_scope(&scope, scope.file, &statement, false), {}, {}, {}};
    Frame* const outer = std::exchange(frame, &inner);
    frames.push_back(&inner);
    FunctionData function;
    function.statement = &statement;
    function.scope = &scope;
    const std::size_t first = functions.size();
    enter(function, {}, Why::Captured, statement.name_span);
    Ends ends = run_block(*code_of(statement));
    merge(ends.next, ends.returns, statement.span);
    merge(ends.next, ends.raises, statement.span);
    if (ends.next) store = *ends.next;
    for (std::size_t i = first; i < functions.size(); ++i) {
      frame_ends[functions[i]] = store;
      if (is_cut()) cut_functions.insert(functions[i]);
    }
    run_uncalled(*inner.scope, *code_of(statement));
    frames.pop_back();
    frame = outer;
    store = before;
  }
}

HostModules run(const SourceManager& sources, std::span<const SourceFile> files, std::span<const Given> given,
                Limits limits) {
  HostModules result;
  result.state_ = std::make_unique<HostModules::State>(sources, files, limits);
  Interpreter& run = result.state_->interpreter;
  for (std::size_t i = 0; i < files.size(); ++i)
    run.file_scopes.push_back(run.new_scope(nullptr, static_cast<std::uint32_t>(i), nullptr, false));
  run.is_started.resize(files.size());
  Frame root{run.file_scopes[0], {}, {}, {}};
  run.frame = &root;
  for (const Given& each : given) run.given.emplace(each.path, run.evaluate(*each.value));
  for (const auto& [path, value] : run.given)
    if (path.find('.') == path.npos)
      run.set(root.scope->space, run.arena.copy(std::string_view(path)), value, {});
  for (std::size_t i = 0; i < files.size(); ++i) run.run_file(i);
  result.state_->end = run.store;
  result.state_->is_cut = run.is_cut();
  run.steps = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Frame file{run.file_scopes[i], {}, {}, {}};
    run.frame = &file;
    run.frames = {&file};
    run.run_uncalled(*run.file_scopes[i], *files[i].tree);
  }
  run.frame = nullptr;
  run.frames.clear();
  run.store = result.state_->end;
  return result;
}

// Of a function that was made several times the one counts that the code around it makes without a call, made last.
static const FunctionData* reader_of(const Interpreter& run, const ast::FunctionDef& def) {
  const FunctionData* found = nullptr;
  for (const FunctionData* each : run.functions)
    if (each->def == &def && (each->statement || def.generated || def.name != "lambda") &&
        (!found || !each->scope->is_call || found->scope->is_call))
      found = each;
  return found;
}

std::optional<Found> HostModules::find(const ast::FunctionDef& reader, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  const FunctionData* function = reader_of(run, reader);
  if (!function) return std::nullopt;
  const auto inner = run.frame_ends.find(function);
  const Store& end = inner != run.frame_ends.end() ? inner->second : state_->end;
  std::vector<Store> stores;
  if (const auto known = run.launches.find(function); known != run.launches.end())
    stores = known->second.stores;
  run.store = end;
  std::optional<Found> last = run.look_up(*function->scope, name, false);
  const Binding* known = end.names.find(key_of(launched, function->serial));
  const bool is_sure = known && as<bool>(known->value);
  Store held = end;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    run.store = stores[i];
    const std::optional<Found> then = run.look_up(*function->scope, name, false);
    const bool differs = last && then && !values::is_same(then->value, last->value);
    if (differs) last->value = values::Unknown{Why::Launched, last->where};
    held = i == 0 && is_sure ? stores[0] : run.joined(held, stores[i], last ? last->where : Span{});
  }
  run.store = state_->end;
  if (last) {
    last->moment = state_->moments.size();
    state_->moments.push_back(held);
    run.store = held;
    const auto* list = as<values::List>(last->value);
    const auto* dict = as<values::Dict>(last->value);
    if (list || dict)
      if (const Content& content = run.content(list ? list->object : dict->object); !content.is_known)
        last->value = values::Unknown{Why::Changed, content.where};
    run.store = state_->end;
  }
  return last;
}

std::optional<Found> HostModules::at_end(std::size_t file, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  run.store = state_->end;
  std::optional<Found> found = run.look_up(*run.file_scopes[file], name, false);
  if (found) {
    found->moment = state_->moments.size();
    state_->moments.push_back(state_->end);
  }
  return State::known(found, state_->is_cut);
}

static std::string print_value(const Interpreter& run, const Value& value, int depth = 0) {
  if (depth > 8) return "...";
  const auto* list = as<values::List>(value);
  const auto* dict = as<values::Dict>(value);
  const auto* whole = as<values::Tuple>(value);
  if (const auto* function = as<values::Function>(value))
    return fmt::format("function {}",
                       function->data->def ? function->data->def->name : function->data->statement->name);
  if (const auto* array = as<values::Array>(value)) return run.print_array(*array);
  if (!list && !dict && !whole) return values::print(value);
  std::span<const Value> elements = whole ? whole->elements : std::span<const Value>{};
  if (!whole) {
    const Content& held = run.content(list ? list->object : dict->object);
    if (!held.is_known) return "unknown (changed)";
    elements = held.elements;
  }
  std::string text;
  for (std::size_t i = 0; i < elements.size(); ++i)
    text += (i == 0 ? "" : dict && i % 2 == 1 ? ": " : ", ") + print_value(run, elements[i], depth + 1);
  if (dict) return fmt::format("{{{}}}", text);
  return list ? fmt::format("[{}]", text) : fmt::format("({}{})", text, elements.size() == 1 ? "," : "");
}

std::string HostModules::print(const Found& found) const {
  state_->interpreter.store = state_->moments[found.moment];
  std::string text = print_value(state_->interpreter, found.value);
  state_->interpreter.store = state_->end;
  return text;
}

} // namespace kern::python
