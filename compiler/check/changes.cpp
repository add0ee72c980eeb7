// Finds what host code may change behind the names of a file: by functions that are called at a time that
// nobody knows, and by those that are given an array.
#include "compiler/check/bindings.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/ast/host_modules.h"
#include "compiler/check/host_numbers.h"

namespace kern::checker {

using ast::HostStatement;
using ast::NameUse;

// ---- What may be changed ----

template <std::size_t N>
static bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns what a function does with an array that it is given.
static Handling handling_of(FileScope& file, std::string_view callee) {
  static constexpr std::array<std::string_view, 9> python = {"format", "float",   "int",  "bool", "abs",
                                                             "round",  "complex", "hash", "type"};
  const std::string_view last = callee.substr(callee.rfind('.') + 1);
  if (last.starts_with("assert")) return Handling::Reads;
  const std::string_view first = callee.substr(0, callee.find('.'));
  FileScope* scope = &file;
  while (scope && !versions_of(*scope, first)) scope = scope->parent;
  if (!scope) return callee == first && is_in(python, callee) ? Handling::Reads : Handling::Changes;
  const Symbol& symbol = versions_of(*scope, first)->back();
  if (callee == first && symbol.host && !symbol.host->changes_params) return Handling::Reads;
  if (!is_import(symbol)) return Handling::Changes;
  const bool is_numpy = symbol.module == "numpy" || symbol.module.starts_with("numpy.");
  if (is_numpy && ast::changes_arrays(last)) return Handling::Changes;
  if (is_numpy) return ast::views_arrays(last) ? Handling::Views : Handling::Reads;
  const bool is_cuda = symbol.text == "cuda" || symbol.module == "numba.cuda" || symbol.module == "math" ||
                       symbol.module == "cupy";
  return is_cuda ? Handling::Reads : Handling::Changes;
}

Handling handling_of(FileScope& file, const NameUse& use) {
  if (use.kind == NameUse::Kind::Alias) return Handling::Views;
  if (use.kind == NameUse::Kind::SetAttribute) return Handling::Changes;
  if (use.kind != NameUse::Kind::HandOn) return Handling::Reads;
  return use.callee.empty() ? Handling::Changes : handling_of(file, use.callee);
}

namespace {

// The changes that functions of the host make when they are called, at a time that nobody knows.
struct Changes {
  Context& context;
  FileScope& file;

  // Returns the names that lead to functions which are called: what runs in order mentions them, or a
  // function of the host that is called does. The functions of an imported file may be called by any other.
  std::set<std::string_view> called_names() const {
    std::multimap<std::string_view, const HostStatement*> functions;
    std::vector<std::string_view> names;
    bool is_root = !file.parent && &file == context.files.front().get();
    for (const HostStatement& statement : file.tree->statements) {
      if (statement.kind != HostStatement::Kind::Function || statement.is_jit) continue;
      functions.emplace(statement.name, &statement);
      if (!is_root || file.mentions.contains(statement.name)) names.push_back(statement.name);
    }
    std::set<std::string_view> called(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i)
      for (auto [each, end] = functions.equal_range(names[i]); each != end; ++each)
        for (const NameUse& use : each->second->uses)
          if (functions.contains(use.name) && called.insert(use.name).second) names.push_back(use.name);
    return called;
  }

  // Returns the file of a module, or the scope of a class, that a name is, perhaps through other names.
  FileScope* members_of(FileScope& from, std::string_view name, const Symbol** module = nullptr,
                        int depth = 0) {
    constexpr int longest_chain = 8;
    FileScope* scope = &from;
    while (scope && !versions_of(*scope, name)) scope = scope->parent;
    if (!scope || depth > longest_chain) return nullptr;
    const Symbol& base = versions_of(*scope, name)->back();
    if (base.kind == Symbol::Kind::Host && base.host && base.host->kind == HostStatement::Kind::Class)
      return scope_inside(*scope, *base.host);
    if (base.kind == Symbol::Kind::Constant && base.path.empty()) {
      const auto* call = ast::as<ast::Call>(base.init);
      const auto* other = ast::as<ast::Name>(call ? call->callee : base.init);
      return other && other->text != name ? members_of(*scope, other->text, module, depth + 1) : nullptr;
    }
    if (base.kind == Symbol::Kind::FromImport) {
      if (FileScope* file_below = find_file(context, *scope, module_below(base.module, base.text)))
        return file_below;
      FileScope* other = find_file(context, *scope, base.module);
      return other ? members_of(*other, base.text, module, depth + 1) : nullptr;
    }
    if (base.kind != Symbol::Kind::Import) return nullptr;
    return find_file(context, *scope, base.module);
  }

  // name.attribute = value, name.A.attribute = value
  void set_attribute(const NameUse& use) {
    std::vector<Symbol>* versions = versions_of(file, use.name);
    FileScope* members = members_of(file, use.name);
    std::string_view attribute = use.attribute;
    for (std::size_t dot; members && (dot = attribute.find('.')) != attribute.npos;) {
      members = members_of(*members, attribute.substr(0, dot));
      attribute.remove_prefix(dot + 1);
    }
    if (members) {
      members->changed.try_emplace(attribute, host_symbol(HostReason::Bound, use.span, 0));
      return;
    }
    if (!versions) return;
    const Symbol& base = versions->back();
    if (is_import(base))
      context.host_changes.insert(
          {base.kind == Symbol::Kind::Import ? base.module : base.text, use.attribute});
  }

  void change(FileScope& scope, std::string_view name, const NameUse& use) {
    if (changes_list(scope, name, use))
      scope.changed.try_emplace(name, host_symbol(HostReason::Changed, use.span, 0));
    else if (!is_list(scope, name))
      scope.doubts[name].push_back({0, use.span, true, use.is_part});
  }

  // A change of an object that another file, or a class, has a name for.
  void change_elsewhere(const NameUse& use) {
    if (handling_of(file, use) == Handling::Reads) return;
    std::vector<Symbol>* versions = versions_of(file, use.name);
    if (versions && versions->back().kind == Symbol::Kind::FromImport)
      if (FileScope* other = find_file(context, file, versions->back().module))
        change(*other, versions->back().text, use);
    FileScope* members = members_of(file, use.name);
    if (!members) return;
    if (!use.attribute.empty()) return change(*members, use.attribute, use);
    // Whoever has a class may set its attributes, but for those of an enumeration; `C["name"]` is not the class.
    const bool is_settable = members->is_class() && !members->owner->is_enum && !use.is_part;
    if (is_settable && use.kind == NameUse::Kind::HandOn)
      members->changed.try_emplace("*", host_symbol(HostReason::Bound, use.span, 0));
  }

  // Says whether an object that one of the names stands for may be changed.
  bool is_in_doubt(std::span<const NameUse> uses) const {
    std::vector<std::string_view> names;
    std::set<std::string_view> seen;
    for (const NameUse& use : uses)
      if (use.kind != NameUse::Kind::Read && use.kind != NameUse::Kind::Alias && seen.insert(use.name).second)
        names.push_back(use.name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (file.doubts.contains(names[i])) return true;
      if (auto aliases = file.aliases.find(names[i]); aliases != file.aliases.end())
        for (const Alias& alias : aliases->second)
          if (seen.insert(alias.name).second) names.push_back(alias.name);
    }
    return false;
  }

  // Applies what the methods of a class do to its own attributes.
  void apply_methods(const HostStatement& statement) {
    FileScope* members = scope_inside(file, statement);
    if (!members) return;
    for (const NameUse& use : statement.uses) {
      const bool is_own = use.name == "cls" || use.name == "self";
      const bool sets = use.kind == NameUse::Kind::SetAttribute && use.name == "cls";
      if (sets) members->changed.try_emplace(use.attribute, host_symbol(HostReason::Bound, use.span, 0));
      if (is_own && use.kind == NameUse::Kind::HandOn && !use.attribute.empty())
        change(*members, use.attribute, use);
    }
  }

  void apply(std::span<const NameUse> uses, bool is_body) {
    for (const NameUse& use : uses) {
      if (use.kind == NameUse::Kind::SetAttribute) set_attribute(use);
      if (use.kind == NameUse::Kind::HandOn ||
          (use.kind == NameUse::Kind::Alias && (is_body || is_in_doubt(uses))))
        change_elsewhere(use);
      if (!is_body) continue;
      if (use.kind == NameUse::Kind::Bind)
        file.changed.try_emplace(use.name, host_symbol(HostReason::Bound, use.span, 0));
      if (versions_of(file, use.name) && use.kind != NameUse::Kind::Bind &&
          handling_of(file, use) != Handling::Reads)
        change(file, use.name, use);
    }
  }

  void find() {
    std::set<std::string_view> called = called_names();
    for (const HostStatement& statement : file.tree->statements) {
      if (statement.kind == HostStatement::Kind::Class) apply_methods(statement);
      if (statement.kind != HostStatement::Kind::Function)
        apply(statement.uses, false);
      else if (!statement.is_jit && called.contains(statement.name))
        apply(statement.uses, true);
    }
  }
};

} // namespace

void find_changes(Context& context, FileScope& file) { Changes{context, file}.find(); }

} // namespace kern::checker
