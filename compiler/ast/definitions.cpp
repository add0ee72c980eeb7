#include "compiler/ast/definitions.h"

#include <algorithm>

#include <fmt/format.h>

namespace kern::ast {

namespace {

struct Collector {
  std::vector<Definition> found{};

  void collect(const Module& tree, const std::string& path) {
    for (const HostStatement& statement : tree.statements) {
      if (!statement.body || statement.is_item) continue;
      bool is_named =
          statement.kind == HostStatement::Kind::Function || statement.kind == HostStatement::Kind::Class;
      std::string inner = is_named ? fmt::format("{}{}.", path, statement.name) : path;
      for (const Stmt* item : statement.body->items)
        if (const auto* function = as<FunctionDef>(item))
          found.push_back({inner + std::string(function->name), function});
      collect(*statement.body, inner);
      collect_aliases(*statement.body, inner);
    }
  }

  // Returns the function that an expression is: one that `cuda.jit(f)` is given, or that a call of a function of
  // the host returns.
  const FunctionDef* made_by(const Module& tree, const Expr* expr, int depth) const {
    const auto* call = as<Call>(expr);
    if (!call || depth > 8) return nullptr;
    const auto* callee = as<Name>(call->callee);
    if (callee)
      for (const HostStatement& statement : tree.statements)
        if (statement.body && statement.name == callee->text && statement.body->result)
          return named(*statement.body, statement.body->result, depth + 1);
    return call->args.size() == 1 ? named(tree, call->args[0], depth + 1) : nullptr;
  }

  const FunctionDef* named(const Module& tree, const Expr* expr, int depth) const {
    if (const auto* lambda = as<Lambda>(expr)) return lambda->function;
    const auto* name = as<Name>(expr);
    if (!name) return made_by(tree, expr, depth);
    const FunctionDef* function = nullptr;
    for (const Stmt* item : tree.items) {
      const auto* def = as<FunctionDef>(item);
      if (def && def->name == name->text) function = def;
      const auto* assign = as<Assign>(item);
      const auto* target = assign ? as<Name>(assign->targets.front()) : nullptr;
      if (target && target->text == name->text) function = made_by(tree, assign->value, depth + 1);
    }
    return function;
  }

  void collect_aliases(const Module& tree, const std::string& path) {
    for (const Stmt* item : tree.items) {
      const auto* assign = as<Assign>(item);
      const auto* target = assign ? as<Name>(assign->targets.front()) : nullptr;
      const FunctionDef* function = target ? made_by(tree, assign->value, 0) : nullptr;
      if (function) found.push_back({path + std::string(target->text), function});
    }
  }
};

} // namespace

std::vector<Definition> inner_definitions(const Module& module) {
  Collector collector;
  collector.collect(module, "");
  collector.collect_aliases(module, "");
  return std::move(collector.found);
}

std::vector<Definition> definitions_named(const Module& module, std::string_view name) {
  std::vector<Definition> all = inner_definitions(module), ends;
  for (const Definition& each : all) {
    if (each.path == name) return {each};
    if (each.path.ends_with("." + std::string(name))) ends.push_back(each);
  }
  return ends;
}

static const HostStatement* find_refused(const Module& tree, std::string_view name, const std::string& path) {
  for (const HostStatement& statement : tree.statements) {
    if (statement.is_item) continue;
    std::string own = path + std::string(statement.name);
    bool is_meant = own == name || own.ends_with("." + std::string(name));
    if (is_meant && !path.empty() && statement.is_jit && !statement.why.empty()) return &statement;
    if (!statement.body) continue;
    const HostStatement* inner =
        find_refused(*statement.body, name, statement.name.empty() ? path : fmt::format("{}.", own));
    if (inner) return inner;
  }
  return nullptr;
}

const HostStatement* refused_definition(const Module& module, std::string_view name) {
  return find_refused(module, name, "");
}

} // namespace kern::ast
