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
    for (const ast::HostClause& clause : statement.clauses) run_uncalled(scope, *clause.code);
    const bool is_class = statement.kind == ast::HostStatement::Kind::Class;
    if (is_class && statement.code) {
      const Binding* found = own(scope.space, statement.name);
      const auto* of = found ? as<values::Class>(found->value) : nullptr;
      const auto inner = of ? class_scopes.find(static_cast<std::uint32_t>(of->object)) : class_scopes.end();
      if (inner != class_scopes.end()) run_uncalled(*inner->second, *statement.code);
    }
    if (statement.kind != ast::HostStatement::Kind::Function || !statement.code || statement.is_jit) continue;
    // One that makes no function has none whose names are asked for.
    const std::string_view text =
        sources.text({statement.span.file, statement.name_span.end, statement.span.end});
    if (text.find("def ") == text.npos && text.find("lambda") == text.npos && text.find("jit(") == text.npos)
      continue;
    const Store before = store;
    Frame inner{new_scope(&scope, scope.file, &statement, false), {}, {}, {}};
    Frame* const outer = std::exchange(frame, &inner);
    frames.push_back(&inner);
    FunctionData function;
    function.statement = &statement;
    function.scope = &scope;
    const std::size_t first = functions.size();
    enter(function, {}, Why::Captured, statement.name_span);
    Ends ends = run_block(*statement.code);
    merge(ends.next, ends.returns, statement.span);
    merge(ends.next, ends.raises, statement.span);
    if (ends.next) store = *ends.next;
    for (std::size_t i = first; i < functions.size(); ++i) {
      frame_ends[functions[i]] = store;
      if (is_cut()) cut_functions.insert(functions[i]);
    }
    run_uncalled(*inner.scope, *statement.code);
    frames.pop_back();
    frame = outer;
    store = before;
  }
}

void Interpreter::evaluate_given(std::span<const Given> all) {
  reads_given = true;
  for (const Given& each : all) {
    if (!each.file) {
      given.emplace(each.path, GivenValue{evaluate(*each.value), each.value->span});
      continue;
    }
    run_file(*each.file);
    const Binding* found = own(file_scopes[*each.file]->space, arena.copy(std::string_view(each.of_file)));
    given.emplace(
        each.path,
        found ? GivenValue{found->value, found->where}
              : GivenValue{unknown(Why::Missing, {}, arena.copy(std::string_view(each.of_file))), {}});
  }
  reads_given = false;
  for (const Scope* file : file_scopes) bind_given(*file);
}

HostModules run(const SourceManager& sources, std::span<const SourceFile> files, std::span<const Given> given,
                Limits limits, Knows knows) {
  HostModules result;
  result.state_ = std::make_unique<HostModules::State>(sources, files, limits);
  Interpreter& run = result.state_->interpreter;
  run.knows = std::move(knows);
  for (std::size_t i = 0; i < files.size(); ++i) {
    run.file_scopes.push_back(run.new_scope(nullptr, static_cast<std::uint32_t>(i), nullptr, false));
    const std::string_view text = sources.file(files[i].tree->file).text;
    for (const char* each :
         {".shape =", ".shape=", ".dtype =", ".dtype=", ".strides =", ".resize", "setattr"})
      run.sets_forms = run.sets_forms || text.find(each) != text.npos;
  }
  run.is_started.resize(files.size());
  Frame root{run.file_scopes[0], {}, {}, {}};
  run.frame = &root;
  run.evaluate_given(given);
  for (std::size_t i = 0; i < files.size(); ++i) run.run_file(i);
  const Store end = run.store;
  result.state_->moments.push_back({{}, end, end, run.is_cut()});
  result.state_->is_limited = run.is_limited();
  run.steps = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Frame file{run.file_scopes[i], {}, {}, {}};
    run.frame = &file;
    run.frames = {&file};
    run.run_uncalled(*run.file_scopes[i], *files[i].tree);
  }
  run.frame = nullptr;
  run.frames.clear();
  run.store = end;
  run.is_past = true;
  result.state_->is_limited |= run.is_limited();
  result.state_->functions = run.functions.size();
  return result;
}

// Of a function that was made several times the one counts that the code around it makes without a call, made last.
const FunctionData* HostModules::function_of(const ast::FunctionDef& def) const {
  const FunctionData* found = nullptr;
  for (const FunctionData* each : std::span(state_->interpreter.functions).first(state_->functions))
    if (each->def == &def && (each->statement || def.generated || def.name != "lambda") &&
        (!found || !each->scope->is_call || found->scope->is_call))
      found = each;
  return found;
}

// Looks something up in each memory that a reader may see: where they differ it is not known.
template <class Look> std::optional<Found> HostModules::State::look(std::size_t moment, const Look& look) {
  const Moment& at = moments[moment];
  const Store end = moments.front().end;
  const auto look_in = [&](const Store& store) {
    interpreter.store = store;
    std::optional<Found> found = look();
    for (const Branch& branch : at.branches) {
      const auto* unknown = found ? as<values::Unknown>(found->value) : nullptr;
      if (!unknown || unknown->why != Why::Bound || unknown->where != branch.fork) continue;
      interpreter.store = branch.end;
      found = look();
    }
    return found;
  };
  std::optional<Found> last = look_in(at.end);
  for (const Store& launch : at.launches) {
    const std::optional<Found> then = look_in(launch);
    if (last && then && !values::is_same(then->value, last->value))
      last->value = values::Unknown{Why::Launched, last->where};
  }
  if (last) {
    last->moment = moment;
    interpreter.store = at.held;
    const std::optional<ObjectId> object = object_of(last->value);
    const bool has_content = object && !as<values::Array>(last->value);
    const Content* content = has_content ? &interpreter.content(*object) : nullptr;
    if (content && !content->is_known) last->value = values::Unknown{Why::Changed, content->where};
  }
  interpreter.store = end;
  return known(last, at.is_cut);
}

std::size_t HostModules::moment_of(const FunctionData& reader) const {
  const auto [found, is_new] = state_->moment_of.try_emplace(&reader, state_->moments.size());
  if (!is_new) return found->second;
  Interpreter& run = state_->interpreter;
  const auto inner = run.frame_ends.find(&reader);
  const State::Moment& last = state_->moments.front();
  const bool is_cut = run.cut_functions.contains(&reader) || (inner == run.frame_ends.end() && last.is_cut);
  State::Moment moment{{}, inner != run.frame_ends.end() ? inner->second : last.end, {}, is_cut};
  const auto known = run.launches.find(&reader);
  if (known != run.launches.end()) moment.launches = known->second.stores;
  const Binding* sure = moment.end.names.find(key_of(launched, reader.serial));
  // The outermost first, as names are joined.
  if (const auto made = run.branches.find(&reader); made != run.branches.end()) {
    std::ranges::reverse(made->second);
    moment.branches = made->second;
  }
  moment.held = moment.end;
  for (std::size_t i = 0; i < moment.launches.size(); ++i) {
    const bool is_first = i == 0 && sure && as<bool>(sure->value);
    moment.held = is_first ? moment.launches[0] : run.joined(moment.held, moment.launches[i], Span{});
  }
  state_->moments.push_back(std::move(moment));
  return found->second;
}

std::optional<Found> HostModules::find(const FunctionData& reader, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  const std::size_t moment = moment_of(reader);
  // A kernel that was generated in a class calls the function beside it.
  const bool is_generated = reader.def && reader.def->generated;
  return state_->look(moment, [&] { return run.look_up(*reader.scope, name, is_generated); });
}

std::optional<Found> HostModules::find(const ast::FunctionDef& reader, std::string_view name) const {
  const FunctionData* function = function_of(reader);
  return function ? find(*function, name) : std::nullopt;
}

std::optional<Found> HostModules::at_end(std::size_t file, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  return state_->look(0, [&] { return run.look_up(*run.file_scopes[file], name, false); });
}

std::optional<Found> HostModules::attribute(const Found& of, std::string_view name) const {
  Interpreter& run = state_->interpreter;
  return state_->look(of.moment, [&]() -> std::optional<Found> {
    if (as<values::File>(of.value) || as<values::Class>(of.value)) {
      const Binding* found = run.member(of.value, name);
      return found ? std::optional(Found{found->value, found->where}) : std::nullopt;
    }
    return Found{run.attribute(of.value, name, of.where), of.where};
  });
}

const Store& HostModules::State::end_of(const FunctionData& function) const {
  const auto inner = interpreter.frame_ends.find(&function);
  return inner != interpreter.frame_ends.end() ? inner->second : moments.front().end;
}

std::string HostModules::path_of(const FunctionData& function) const {
  const Interpreter& run = state_->interpreter;
  const Scope& scope = function.made_in ? *function.made_in : *function.scope;
  std::string_view name = function.def ? function.def->name : function.statement->name;
  // What a call made has the name that is given to it there.
  bool is_named = !function.of;
  state_->end_of(function).each_name(scope.space, [&](std::uint64_t key, const Binding& each) {
    const auto* value = as<values::Function>(each.value);
    if (!is_named && value && value->data == &function)
      name = run.names[static_cast<std::uint32_t>(key)], is_named = true;
  });
  const std::string around = run.path_of(scope);
  return around.empty() ? std::string(name) : fmt::format("{}.{}", around, name);
}

// Maps functions to the names of a file that they are at the end: of several its own, or the first one.
static void find_root_names(Interpreter& run, Space space, const std::string& front,
                            std::unordered_map<const FunctionData*, std::string>& names) {
  run.store.each_name(space, [&](std::uint64_t key, const Binding& each) {
    const std::string_view name = run.names[static_cast<std::uint32_t>(key)];
    if (const auto* function = as<values::Function>(each.value)) {
      const ast::FunctionDef* def = function->data->def;
      const auto [found, is_new] = names.try_emplace(function->data, front + std::string(name));
      if (!is_new && def && def->name == name) found->second = front + std::string(name);
    }
    const auto* of = as<values::Class>(each.value);
    const bool is_inner = of && of->statement->name == name && front.size() < 200;
    if (is_inner) find_root_names(run, space_of(*of), fmt::format("{}{}.", front, name), names);
  });
}

std::vector<CompiledFunction> HostModules::functions() const {
  Interpreter& run = state_->interpreter;
  run.store = state_->moments.front().end;
  std::unordered_map<const FunctionData*, std::string> names;
  find_root_names(run, run.file_scopes[0]->space, "", names);
  std::vector<CompiledFunction> result;
  const std::vector<const FunctionData*> compiled = run.compiled_functions();
  const std::set<const FunctionData*> is_compiled(compiled.begin(), compiled.end());
  for (const FunctionData* each : std::span(run.functions).first(state_->functions)) {
    const bool is_lambda = each->def && !each->statement && !each->def->generated;
    if (!each->def || (is_lambda && !is_compiled.contains(each))) continue;
    const auto name = names.find(each);
    result.push_back({each, path_of(*each), name == names.end() ? "" : name->second,
                      is_compiled.contains(each), (each->made_in ? each->made_in : each->scope)->is_call});
  }
  return result;
}

bool HostModules::is_used(std::string_view given) const {
  const auto found = state_->interpreter.given.find(given);
  return found != state_->interpreter.given.end() && found->second.is_used;
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
  state_->interpreter.store = state_->moments[found.moment].held;
  std::string text = print_value(state_->interpreter, found.value);
  state_->interpreter.store = state_->moments.front().end;
  return text;
}

} // namespace kern::python
