// Functions are summed up once, since the rewrites ask about statements again and again.
#include <iterator>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/barriers/barriers.h"

namespace kern {

BarrierHolders::BarrierHolders(const ir::Module& module) : functions_(module.functions.size()) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    bool of_grid = ir::has_effects(module, module.functions[id], Effects::Grid);
    bool of_block = ir::has_effects(module, module.functions[id], Effects::Block);
    bool of_warp = ir::has_effects(module, module.functions[id], Effects::Warp);
    functions_[id] = {of_grid || of_block, of_grid, of_warp};
  }
}

BarrierHolders::Kinds BarrierHolders::kinds(const ir::Stmt& stmt) const {
  if (const auto* effect = std::get_if<ir::CallEffect>(&stmt.node)) {
    const Effects effects = row(effect->builtin).effects;
    return {is_barrier(effects), effects == Effects::Grid, effects == Effects::Warp};
  }
  if (const auto* call = std::get_if<ir::Call>(&stmt.node))
    return functions_[static_cast<std::size_t>(call->function)];
  Kinds found;
  ir::visit_bodies(stmt, [&](const ir::Body& body) {
    for (const ir::Stmt& inner : body) {
      const Kinds own = kinds(inner);
      found = {found.any || own.any, found.of_grid || own.of_grid, found.of_warp || own.of_warp};
    }
  });
  return found;
}

bool BarrierHolders::holds(const ir::Stmt& stmt) const { return kinds(stmt).any; }

bool BarrierHolders::holds(const ir::Body& body) const { return last(body).has_value(); }

bool BarrierHolders::holds_of_grid(const ir::Stmt& stmt) const { return kinds(stmt).of_grid; }

bool BarrierHolders::holds_of_warp(const ir::Body& body) const {
  for (const ir::Stmt& stmt : body)
    if (kinds(stmt).of_warp) return true;
  return false;
}

std::optional<std::size_t> BarrierHolders::last(const ir::Body& body) const {
  for (std::size_t i = body.size(); i-- > 0;)
    if (holds(body[i])) return i;
  return std::nullopt;
}

void append(ir::Body& to, ir::Body more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace kern
