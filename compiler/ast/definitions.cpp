// Walks host code with the trees around each function, so that a name in it is looked up from the inside out,
// as in Python. Names that name each other end the search after a few steps.
#include "compiler/ast/definitions.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compiler/ast/walk.h"

namespace kern::ast {

namespace {

// A function that an expression is, and what made it.
struct Made {
  const FunctionDef* function = nullptr;
  Making making = Making::Def;
};

// Returns how `cuda.jit`, or `cuda.jit(...)`, makes a function of its argument; nothing where a callee is something else.
std::optional<Making> jit_of(const Expr* callee) {
  const auto* options = as<Call>(callee);
  const Expr* decorator = options ? options->callee : callee;
  const auto* attribute = as<Attribute>(decorator);
  const auto* name = as<Name>(decorator);
  if ((attribute ? attribute->name : name ? name->text : "") != "jit") return std::nullopt;
  Making making = Making::Kernel;
  if (options)
    for (const Keyword& keyword : options->keywords)
      if (keyword.name == "device" && keyword.value->kind != Kind::NoneLiteral) {
        const auto* truth = as<BoolLiteral>(keyword.value);
        if (!truth || truth->value) making = Making::Device;
      }
  return making;
}

// Says whether a function is given to Numba: what is inside of it is no host code.
bool is_compiled(const HostStatement& statement) {
  return statement.kind == HostStatement::Kind::Function && statement.is_jit;
}

// Returns what the first `return` among the statements of a function returns, those of the blocks inside of it left out.
const Expr* result_of(const HostStatement& function) {
  if (!function.code || is_compiled(function)) return nullptr;
  for (const HostStatement& statement : function.code->statements)
    if (const auto* result = statement.simple.empty() ? nullptr : as<Return>(statement.simple.front()))
      return result->value;
  return nullptr;
}

struct Collector {
  std::vector<Definition> found{};
  std::vector<const Module*> trees{}; // that the names of a tree are looked for in, outer ones first

  void collect(const Module& tree, const std::string& path) {
    trees.push_back(&tree);
    for (const HostStatement& statement : tree.statements) {
      if (statement.is_item || is_compiled(statement)) continue;
      const std::string inner = statement.name.empty() ? path : fmt::format("{}{}.", path, statement.name);
      each_block(statement, [&](const Module& block) {
        for (const Stmt* item : block.items)
          if (const auto* function = as<FunctionDef>(item))
            found.push_back(
                {inner + std::string(function->name), function, Making::Def, function->name_span});
        collect(block, inner);
        collect_aliases(block, inner);
      });
    }
    trees.pop_back();
  }

  // Returns the function that an expression is: one that `cuda.jit(f)` is given, or that a call of a function of
  // the host returns.
  Made made_by(const Module& tree, const Expr* expr, int depth) const {
    const auto* call = as<Call>(expr);
    if (!call || depth > 8) return {};
    const auto* callee = as<Name>(call->callee);
    if (callee)
      for (const HostStatement& statement : tree.statements)
        if (const Expr* result = statement.name == callee->text ? result_of(statement) : nullptr) {
          Made made = named(*statement.code, result, depth + 1);
          bool is_jitted = made.making == Making::Kernel || made.making == Making::Device;
          return {made.function, is_jitted ? made.making : Making::Result};
        }
    if (call->args.size() != 1) return {};
    std::optional<Making> jit = jit_of(call->callee);
    for (const Keyword& keyword : call->keywords) // cuda.jit(f, device=True)
      if (jit && keyword.name == "device") jit = Making::Device;
    return {named(tree, call->args[0], depth + 1).function, jit.value_or(Making::Other)};
  }

  Made named(const Module& tree, const Expr* expr, int depth) const {
    if (const auto* lambda = as<Lambda>(expr)) return {lambda->function};
    const auto* name = as<Name>(expr);
    if (!name) return made_by(tree, expr, depth);
    Made made = named_in(tree, *name, depth);
    for (std::size_t i = trees.size(); !made.function && i-- > 0;) made = named_in(*trees[i], *name, depth);
    return made;
  }

  Made named_in(const Module& tree, const Name& name, int depth) const {
    Made made;
    for (const Stmt* item : tree.items) {
      const auto* def = as<FunctionDef>(item);
      if (def && def->name == name.text) made = {def};
      const auto* assign = as<Assign>(item);
      const auto* target = assign ? as<Name>(assign->targets.front()) : nullptr;
      if (target && target->text == name.text) made = made_by(tree, assign->value, depth + 1);
    }
    return made;
  }

  void collect_aliases(const Module& tree, const std::string& path) {
    for (const Stmt* item : tree.items) {
      const auto* assign = as<Assign>(item);
      const auto* target = assign ? as<Name>(assign->targets.front()) : nullptr;
      Made made = target ? made_by(tree, assign->value, 0) : Made{};
      if (made.function)
        found.push_back({path + std::string(target->text), made.function, made.making, target->span});
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
    if (is_meant && statement.is_jit && !statement.why.empty()) return &statement;
    const HostStatement* inner = nullptr;
    each_block(statement, [&](const Module& block) {
      if (!inner) inner = find_refused(block, name, statement.name.empty() ? path : fmt::format("{}.", own));
    });
    if (inner) return inner;
  }
  return nullptr;
}

const HostStatement* refused_definition(const Module& module, std::string_view name) {
  return find_refused(module, name, "");
}

} // namespace kern::ast
