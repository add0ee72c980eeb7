// Load sinking: moves the load of an atomic's index, which nothing else needs, right before the atomic, where
// code for several lanes lets each load its own (lower/lanes/effects.cpp):
//
//     a = load data[i]; k = i64(a); w = load weights[i]; atomic.add counts[k], w
//         ->   w = load weights[i]; a = load data[i]; k = i64(a); atomic.add counts[k], w
//
// The load is from global memory and the atomic on shared memory. Nobody can tell: on the way nothing writes
// global memory, and nothing waits for others or orders memory. Guards that are kept stay where they are.
#include <algorithm>
#include <utility>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::SlotId;
using ir::Stmt;

// How many statements a load may be away from its atomic, so that the pass takes no longer than a body is
// long.
constexpr std::size_t farthest = 200;

bool is_global(const ir::Operand& array) { return array.type->space == AddressSpace::Global; }

// Says whether a load of global memory may move down past a statement.
bool is_passed(const Stmt& stmt) {
  if (const auto* store = std::get_if<ir::Store>(&stmt.node)) return !is_global(store->array);
  if (const auto* atomic = std::get_if<ir::Atomic>(&stmt.node))
    return !is_global(atomic->array) &&
           atomic->builtin != Builtin::AtomicStore; // which comes behind all before it
  if (const auto* load = std::get_if<ir::Load>(&stmt.node)) return !load->is_polled;
  return std::holds_alternative<ir::Assign>(stmt.node) || ir::guard_state(stmt);
}

class Sinker {
public:
  explicit Sinker(ir::Function& function) : definitions_(function) {}

  void sink_in(Body& body) {
    for (std::size_t at = 0; at < body.size(); ++at) {
      ir::visit_bodies(body[at], [&](Body& inner) { sink_in(inner); });
      const auto* atomic = std::get_if<ir::Atomic>(&body[at].node);
      if (atomic && atomic->array.type->space == AddressSpace::Shared && atomic->indices.size() == 1)
        sink(body, at, atomic->indices[0]);
    }
  }

private:
  bool is_for_one(const ir::Operand& value) const {
    return value.slot && definitions_.is_used_once(*value.slot);
  }

  // Goes back from an atomic to the load of its index, over what converts it.
  void sink(Body& body, std::size_t end, ir::Operand value) {
    std::vector<SlotId> values, assigned; // of the load and what converts it; of all on the way
    const std::size_t first = end - std::min(end, farthest);
    for (std::size_t at = end; at-- > first && is_for_one(value) && is_passed(body[at]);) {
      const std::size_t known = assigned.size();
      ir::visit_results(body[at], [&](SlotId slot) { assigned.push_back(slot); });
      if (assigned.size() == known || assigned.back() != *value.slot) continue;
      values.push_back(*value.slot);
      if (const auto* load = std::get_if<ir::Load>(&body[at].node)) {
        if (is_global(load->array) && !is_assigned(body[at], assigned)) move(body, at, end, values);
        return;
      }
      const auto* assign = std::get_if<ir::Assign>(&body[at].node);
      const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
      if (!convert) return;
      value = convert->value;
    }
  }

  static bool is_assigned(const Stmt& load, const std::vector<SlotId>& assigned) {
    bool found = false;
    ir::visit_operands(load, [&](const ir::Operand& operand) {
      found = found || (operand.slot && std::ranges::find(assigned, *operand.slot) != assigned.end());
    });
    return found;
  }

  // Moves what assigns these values, and the guards of them.
  static void move(Body& body, std::size_t begin, std::size_t end, const std::vector<SlotId>& values) {
    auto is_value = [&](SlotId slot) { return std::ranges::find(values, slot) != values.end(); };
    auto stays = [&](const Stmt& stmt) {
      if (const auto* guard = std::get_if<ir::Guard>(&stmt.node))
        return !guard->index.slot || !is_value(*guard->index.slot);
      if (const auto* fit = std::get_if<ir::Fit>(&stmt.node))
        return !fit->value.slot || !is_value(*fit->value.slot);
      bool found = false;
      ir::visit_results(stmt, [&](SlotId slot) { found = found || is_value(slot); });
      return !found;
    };
    Body first, last;
    for (std::size_t at = begin; at < end; ++at)
      (stays(body[at]) ? first : last).push_back(std::move(body[at]));
    auto place = body.begin() + static_cast<std::ptrdiff_t>(begin);
    place = std::move(first.begin(), first.end(), place);
    std::move(last.begin(), last.end(), place);
  }

  ir::Definitions definitions_;
};

} // namespace

void sink_loads(ir::Module& module) {
  for (ir::Function& function : module.functions) Sinker(function).sink_in(function.body);
}

} // namespace kern
