// The home of a slot only moves outwards while its uses are met, so all of them together cost one walk and
// the depth of each slot's first use.
#include "compiler/analysis/threads/shape_homes.h"

#include <optional>

#include "compiler/ir/walk.h"

namespace kern {
namespace {

using BodyId = std::uint32_t;

class Finder {
public:
  explicit Finder(const ir::Function& function) : homes_(function.slots.size()) {}

  std::vector<std::uint32_t> find(const ir::Function& function, const std::vector<bool>& outlives) {
    visit(function.body, add_body(0, false));
    std::vector<std::uint32_t> depths(homes_.size());
    for (std::size_t i = 0; i < homes_.size(); ++i) {
      if (!homes_[i]) continue;
      const BodyInfo& home = bodies_[*homes_[i]];
      depths[i] = outlives[i] ? home.outside_loops : home.depth;
    }
    return depths;
  }

private:
  struct BodyInfo {
    BodyId parent;
    std::uint32_t depth;
    std::uint32_t
        outside_loops; // the depth of the body around the outermost loop around this one, or its own
  };

  BodyId add_body(BodyId parent, bool of_loop) {
    if (bodies_.empty()) {
      bodies_.push_back({0, 0, 0});
      return 0;
    }
    const BodyInfo outer = bodies_[parent];
    const bool in_loop = outer.outside_loops != outer.depth;
    bodies_.push_back({parent, outer.depth + 1, of_loop || in_loop ? outer.outside_loops : outer.depth + 1});
    return static_cast<BodyId>(bodies_.size() - 1);
  }

  // Moves the home of a slot out until it holds the body at hand too.
  void use(ir::SlotId slot, BodyId body) {
    std::optional<BodyId>& home = homes_[static_cast<std::size_t>(slot)];
    if (!home) home = body;
    while (bodies_[*home].depth >= path_.size() || path_[bodies_[*home].depth] != *home)
      home = bodies_[*home].parent;
  }

  void visit(const ir::Body& body, BodyId id) {
    const std::size_t depth = bodies_[id].depth;
    path_.resize(depth + 1);
    path_[depth] = id;
    for (const ir::Stmt& stmt : body) {
      const bool loop =
          std::holds_alternative<ir::While>(stmt.node) || std::holds_alternative<ir::For>(stmt.node);
      std::optional<BodyId> inner;
      if (loop) inner = add_body(id, true);
      ir::visit_operands(stmt, [&](const ir::Operand& operand) {
        if (operand.slot && !std::holds_alternative<ir::While>(stmt.node)) use(*operand.slot, id);
      });
      if (!loop) ir::visit_results(stmt, [&](ir::SlotId slot) { use(slot, id); });
      ir::visit_bodies(stmt,
                       [&](const ir::Body& nested) { visit(nested, inner ? *inner : add_body(id, false)); });
      if (loop) use_in_iteration(stmt, *inner);
      path_.resize(depth + 1);
    }
  }

  // A for assigns its variable, and a while reads its condition, in each iteration.
  void use_in_iteration(const ir::Stmt& stmt, BodyId iteration) {
    path_.resize(bodies_[iteration].depth + 1);
    path_[bodies_[iteration].depth] = iteration;
    if (const auto* loop = std::get_if<ir::For>(&stmt.node)) use(loop->variable, iteration);
    if (const auto* loop = std::get_if<ir::While>(&stmt.node))
      if (loop->condition.slot) use(*loop->condition.slot, iteration);
  }

  std::vector<std::optional<BodyId>> homes_;
  std::vector<BodyInfo> bodies_;
  std::vector<BodyId> path_; // from the function's body to the one at hand
};

} // namespace

std::vector<std::uint32_t> find_homes(const ir::Function& function, const std::vector<bool>& outlives) {
  return Finder(function).find(function, outlives);
}

} // namespace kern
