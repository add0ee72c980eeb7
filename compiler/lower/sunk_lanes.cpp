// Loads that wait for the atomic whose place they are. `counts[data[i]] += 1` in shared memory goes lane by
// lane, and there each lane loads what it needs: a vector of them would go to memory first, and lanes that
// read back parts of what was just written as one take longer than lanes that read neighbouring elements (a
// histogram of 24 KiB: 11 us, not 13). Nobody can tell: the value is for the atomic alone, and between the
// two nothing happens.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

namespace {

class Finder {
public:
  explicit Finder(Lowerer& lower)
      : lower_(lower), reads_(ir::count_reads(lower.ir)), writes_(ir::count_writes(lower.ir)) {
    // A proved guard reads nothing.
    ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
      if (!is_proved(stmt)) return;
      const std::optional<ir::SlotId>& index = std::get<ir::Guard>(stmt.node).index.slot;
      if (index) --reads_[static_cast<std::size_t>(*index)];
    });
  }

  void visit(const ir::Body& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto* atomic = std::get_if<ir::Atomic>(&body[i].node);
      if (atomic && has_plain_place(*atomic)) search(*atomic, std::span(body).first(i));
      ir::visit_bodies(body[i], [&](const ir::Body& inner) { visit(inner); });
    }
  }

private:
  static bool is_proved(const ir::Stmt& stmt) {
    const auto* guard = std::get_if<ir::Guard>(&stmt.node);
    return guard && guard->state == ir::GuardState::Proved;
  }

  // Whether an index is the place itself: of a shared array that is where it is from the start of the block.
  bool has_plain_place(const ir::Atomic& atomic) const {
    auto array = static_cast<std::size_t>(*atomic.array.slot);
    return atomic.indices.size() == 1 && array < lower_.block_arrays.size() && lower_.block_arrays[array];
  }

  bool is_used_once(const ir::Operand& value) const {
    auto slot = static_cast<std::size_t>(*value.slot);
    return reads_[slot] == 1 && writes_[slot] == 1;
  }

  static bool assigns_operand_of(const ir::Load& load, const std::vector<ir::SlotId>& assigned) {
    auto is_assigned = [&](const ir::Operand& operand) {
      return operand.slot && std::find(assigned.begin(), assigned.end(), *operand.slot) != assigned.end();
    };
    return is_assigned(load.array) || std::any_of(load.indices.begin(), load.indices.end(), is_assigned);
  }

  bool can_wait(const ir::Load& load) const {
    ScalarKind kind = load.array.type->scalar;
    return load.array.type->space == AddressSpace::Global && is_integer(types::scalar(kind)) &&
           lower_.shapes.arrays[static_cast<std::size_t>(*load.array.slot)].base == uniform_shape &&
           lower_.shapes.element(load.array, load.indices).kind == Shape::Kind::Linear;
  }

  // Goes back from an atomic through what only computes, to the load of its index or of what is converted to
  // it.
  void search(const ir::Atomic& atomic, std::span<const ir::Stmt> before) {
    ir::Operand value = atomic.indices[0];
    std::vector<ir::SlotId> values, assigned; // on the way
    for (auto stmt = before.rbegin(); stmt != before.rend(); ++stmt) {
      if (!value.slot || !is_used_once(value)) return;
      if (is_proved(*stmt)) continue;
      const auto* load = std::get_if<ir::Load>(&stmt->node);
      const auto* assign = std::get_if<ir::Assign>(&stmt->node);
      if (!load && !assign) return;
      assigned.push_back(load ? load->slot : assign->slot);
      if (assigned.back() != *value.slot) continue;
      values.push_back(*value.slot);
      if (load) {
        if (can_wait(*load) && !assigns_operand_of(*load, assigned)) sink(atomic, *load, values);
        return;
      }
      const auto* convert = std::get_if<ir::Convert>(&assign->value);
      if (!convert || !keeps_value(convert->value.type, value.type)) return;
      value = convert->value;
    }
  }

  void sink(const ir::Atomic& atomic, const ir::Load& load, const std::vector<ir::SlotId>& values) {
    lower_.lanes.sunk[&atomic] = &load;
    for (ir::SlotId slot : values) lower_.lanes.unused[static_cast<std::size_t>(slot)] = true;
  }

  Lowerer& lower_;
  std::vector<std::size_t> reads_, writes_; // by slot
};

} // namespace

void find_sunk(Lowerer& lower) { Finder(lower).visit(lower.ir.body); }

} // namespace kern::lowering
