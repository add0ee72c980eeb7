// Imports. A file of the program is run at the first of them; what another module has is known by its dotted name.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ast/host_modules.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

// Returns the file of a module; a folder of modules is one that has no statements.
std::optional<std::size_t> Interpreter::file_of(std::string_view module) {
  // Files of the standard library stand for modules that Kern knows: a name of one is known by its path.
  if (is_known_module(module)) return std::nullopt;
  const std::uint32_t from = frame->scope->file;
  bool is_folder = false;
  for (const auto& [name, index] : files[from].imports) {
    if (name == module) return index;
    is_folder = is_folder || (name.starts_with(module) && name.substr(module.size()).starts_with('.'));
  }
  if (!is_folder || module.ends_with('.')) return std::nullopt;
  const auto [found, is_new] =
      packages.try_emplace(std::string(module), static_cast<std::uint32_t>(file_scopes.size()));
  if (is_new) {
    file_scopes.push_back(new_scope(nullptr, found->second, nullptr, false));
    is_started.push_back(true);
  }
  return found->second;
}

const Binding* Interpreter::member(const Value& of, std::string_view name) {
  const auto* file = as<values::File>(of);
  if (!file) return class_member(of, name);
  run_file(file->index);
  return own(file_scopes[file->index]->space, name);
}

// `from module import *`.
void Interpreter::import_all(std::string_view module, std::optional<std::size_t> index, Span where) {
  if (!index) {
    // Those of another module that Kern knows are asked for by whoever reads a name that nothing binds.
    if (module == "math")
      for (std::string_view each : ast::math_names())
        bind(each, module_value(fmt::format("math.{}", each), where), where);
    else
      stars[frame->scope->file].push_back({module, where}), in_doubt = true;
    if (!is_known_module(module)) bind_all_unknown(frame->scope->space, where);
    return;
  }
  const Space space = file_scopes[*index]->space;
  std::vector<std::pair<std::string_view, Binding>> found;
  store.each_name(space, [&](std::uint64_t key, const Binding& each) {
    found.emplace_back(names[static_cast<std::uint32_t>(key)], each);
  });
  const Binding* all = own(space, "__all__");
  const auto listed = all ? iterate(all->value) : std::nullopt;
  for (const auto& [each, binding] : found) {
    const auto is_it = [&](const Value& element) {
      const auto* string = as<values::Text>(element);
      return string && string->text == each;
    };
    const bool taken = all ? listed && std::ranges::any_of(*listed, is_it) : !each.starts_with('_');
    if (all && !listed) bind(each, unknown(Why::Bound, where), where);
    if (taken) bind(each, binding.value, where);
  }
}

// Runs the files of a module and of the packages it is in, and binds each in the one before it.
Value Interpreter::import_module(std::string_view module, Span where) {
  std::optional<std::size_t> above;
  for (std::size_t dot = module.find_first_not_of('.'); dot != module.npos;) {
    dot = module.find('.', dot + 1);
    const std::string_view part = module.substr(0, dot);
    const auto index = file_of(part);
    if (!index)
      return !above && is_known_module(module) ? module_value(module, where)
                                               : unknown(Why::Missing, where, module);
    run_file(*index);
    const values::File file{static_cast<std::uint32_t>(*index)};
    if (above) bind_in(*file_scopes[*above], part.substr(part.rfind('.') + 1), file, where);
    above = index;
  }
  if (!above) above = file_of(module);
  if (!above) return unknown(Why::Missing, where, module);
  run_file(*above);
  return values::File{static_cast<std::uint32_t>(*above)};
}

void Interpreter::import(const ast::Stmt& stmt) {
  if (const auto* node = ast::as<ast::Import>(&stmt)) {
    const bool is_whole = node->is_renamed || node->alias.size() == node->module.size();
    Value value = import_module(node->module, node->span);
    if (!is_whole && !values::is_unknown(value)) value = import_module(node->alias, node->span);
    if (values::is_unknown(value) && ast::is_python_module(node->module))
      value = values::Path{is_whole ? node->module : node->alias};
    in_doubt = in_doubt || values::is_unknown(value);
    return bind(node->alias, value, node->span);
  }
  const auto& node = ast::get<ast::FromImport>(stmt);
  const bool doubt = in_doubt;
  const Value module = import_module(node.module, node.span);
  const auto* file = values::as<values::File>(module);
  in_doubt = doubt;
  for (const ast::ImportedName& name : node.names) {
    const std::string below =
        fmt::format("{}{}{}", node.module, node.module.ends_with('.') ? "" : ".", name.name);
    if (name.name == "*") {
      import_all(node.module, file ? std::optional<std::size_t>(file->index) : std::nullopt, stmt.span);
      continue;
    }
    Value value = values::Unknown{Why::Missing, name.span, arena.make<values::Doubt>(node.module)};
    const Binding* found = member(module, name.name);
    if (found)
      value = found->value;
    else if (const auto index = file_of(below))
      value = import_module(arena.copy(std::string_view(below)), name.span);
    else if (values::as<values::Path>(module))
      value = node.module.starts_with("cupy") ? module_value(below, name.span)
                                              : attribute(module, name.name, name.span);
    // A module may lack what Kern has no use for.
    const std::string_view path = values::path_name(value);
    const bool is_there = path.empty() || !knows || is_jit(path) || !ast::library_of(path).empty() ||
                          knows(node.module, name.name);
    in_doubt = in_doubt || values::is_unknown(value) || !is_there;
    bind(name.alias, value, name.span);
  }
}

// A file that is no Python has no order: what its names are check/ says.
static void bind_members(Interpreter& run, std::size_t index) {
  auto bind = [&](std::string_view name, Span where) {
    run.bind(name, values::Member{static_cast<std::uint32_t>(index), name}, where);
  };
  for (const ast::Stmt* item : run.files[index].tree->items) {
    if (const auto* def = ast::as<ast::FunctionDef>(item)) bind(def->name, def->name_span);
    if (const auto* record = ast::as<ast::StructDef>(item)) bind(record->name, record->name_span);
    if (const auto* import = ast::as<ast::Import>(item)) bind(import->alias, import->span);
    if (const auto* from = ast::as<ast::FromImport>(item)) {
      for (const ast::ImportedName& name : from->names)
        if (name.name != "*") bind(name.alias, name.span);
      if (from->names.front().name == "*") run.import(*item);
    }
    std::vector<const ast::Expr*> targets;
    if (const auto* assign = ast::as<ast::Assign>(item))
      targets.assign(assign->targets.begin(), assign->targets.end());
    if (const auto* annotated = ast::as<ast::AnnAssign>(item)) targets.push_back(annotated->target);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (const auto* name = ast::as<ast::Name>(targets[i])) bind(name->text, name->span);
      const auto* several = ast::as<ast::Tuple>(targets[i]);
      const ast::ExprList inner = several ? several->elements : ast::ExprList{};
      targets.insert(targets.end(), inner.begin(), inner.end());
    }
  }
}

void Interpreter::run_file(std::size_t index) {
  constexpr std::size_t deepest = 200; // of files that import each other
  if (is_started[index] || frames.size() >= deepest) return;
  is_started[index] = true;
  const bool doubt = in_doubt;
  Frame inner{file_scopes[index], {}, {}, {}};
  Frame* const outer = std::exchange(frame, &inner);
  frames.push_back(&inner);
  if (files[index].is_python) {
    const Ends ends = run_block(*files[index].tree);
    if (ends.next) store = *ends.next;
  } else {
    bind_members(*this, index);
  }
  frames.pop_back();
  frame = outer;
  in_doubt = doubt; // a file that is there is imported, whatever of it is not known
}

} // namespace kern::python
