// What -D gives: a name is that from the begin on, whatever binds it, in the file, function or class that is written before
// it. One without a point is a name of the root file, and where no statement of its top level binds it that of its functions too.
#include <fmt/format.h>

#include "compiler/ast/bound_names.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

static std::string joined_path(std::string_view front, std::string_view name) {
  return front.empty() ? std::string(name) : fmt::format("{}.{}", front, name);
}

std::string Interpreter::whole_path(const Scope& scope) const {
  const std::string_view module = scope.file < files.size() ? files[scope.file].module : "";
  const std::string path = path_of(scope);
  return path.empty() ? std::string(module) : joined_path(module, path);
}

static bool binds_at_top(const ast::Module& tree, std::string_view name) {
  bool binds = false;
  ast::each_bound_name(tree, [&](std::string_view each, Span) { binds = binds || each == name; });
  return binds;
}

// Binds what is given for a scope that is new.
void Interpreter::bind_given(const Scope& scope) {
  if (given.empty() || (scope.parent && !scope.owner)) return;
  const std::string path = whole_path(scope);
  for (auto& [name, each] : given) {
    const std::size_t dot = name.rfind('.');
    if ((dot == name.npos ? "" : name.substr(0, dot)) != path) continue;
    each.is_used = true;
    const std::string_view last = std::string_view(name).substr(dot == name.npos ? 0 : dot + 1);
    set(scope.space, arena.copy(last), each.value, each.where);
  }
}

Interpreter::GivenValue* Interpreter::given_for(const Scope& scope, std::string_view name) {
  if (given.empty() || (scope.parent && !scope.owner)) return nullptr;
  auto found = given.find(joined_path(whole_path(scope), name));
  const bool is_inner = scope.parent && scope.file == 0;
  if (found == given.end() && is_inner && !binds_at_top(*files[0].tree, name)) found = given.find(name);
  return found == given.end() ? nullptr : &found->second;
}

} // namespace kern::python
