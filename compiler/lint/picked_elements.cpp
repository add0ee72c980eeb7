// Finds the elements that data pick: an index is what memory holds, through operators each of whose results
// some number there gives. An index that the kernel compares is given up, since it may no longer be any
// number.
#include <algorithm>
#include <unordered_set>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/shared_touches.h"
#include "runtime/common/integers.h"

namespace kern {

namespace {

class PickedElements {
public:
  explicit PickedElements(const ir::Function& function) : function_(function), definitions_(function) {}

  // Returns which elements of an array an index picks, of one that is whole.
  std::optional<Interval> of(const ir::Operand& array, const ir::Operand& index) {
    const ir::Stmt* made = definitions_.sole(*array.slot);
    const auto* assign = made ? std::get_if<ir::Assign>(&made->node) : nullptr;
    if (!assign || !std::holds_alternative<ir::SharedArray>(assign->value)) return std::nullopt;
    const std::optional<Interval> result = evaluate(index);
    return result && !is_compared() ? result : std::nullopt;
  }

private:
  std::optional<Interval> evaluate(const ir::Operand& operand) {
    const ir::Stmt* stmt =
        operand.slot && is_integer(operand.type) ? definitions_.sole(*operand.slot) : nullptr;
    if (!stmt || !definitions_.is_steady(*operand.slot)) return std::nullopt;
    made_of_.insert(*operand.slot);
    if (const auto* load = std::get_if<ir::Load>(&stmt->node)) {
      if (load->array.type->space != AddressSpace::Global) return std::nullopt;
      loaded_from_.insert(*load->array.slot);
      return type_interval(operand.type);
    }
    const auto* assign = std::get_if<ir::Assign>(&stmt->node);
    if (!assign) return std::nullopt;
    if (const auto* copy = std::get_if<ir::Copy>(&assign->value)) return evaluate(copy->value);
    if (const auto* convert = std::get_if<ir::Convert>(&assign->value))
      return converted(evaluate(convert->value), operand.type);
    const auto* binary = std::get_if<ir::Binary>(&assign->value);
    return binary ? evaluate(*binary) : std::nullopt;
  }

  // All numbers of a wider type are all of a narrower one, too.
  static std::optional<Interval> converted(const std::optional<Interval>& value, Type type) {
    if (!value) return std::nullopt;
    const Interval own = type_interval(type);
    if (contains(own, *value)) return value;
    return value->high - value->low >= own.high - own.low ? std::optional(own) : std::nullopt;
  }

  // Evaluates an operator whose other operand is a positive constant.
  std::optional<Interval> evaluate(const ir::Binary& binary) {
    const bool is_mirrored = !binary.left.slot && binary.op == ir::BinaryOp::BitAnd;
    const ir::Operand &operand = is_mirrored ? binary.right : binary.left,
                      &other = is_mirrored ? binary.left : binary.right;
    const auto constant = static_cast<std::int64_t>(other.bits);
    if (other.slot || constant <= 0) return std::nullopt;
    const std::optional<Interval> value = evaluate(operand);
    if (!value) return std::nullopt;
    switch (binary.op) {
    case ir::BinaryOp::Modulo: return residues(*value, constant);
    case ir::BinaryOp::BitAnd:
      return (constant & (constant + 1)) == 0 ? residues(*value, Wide{constant} + 1) : std::nullopt;
    case ir::BinaryOp::FloorDivide:
      return Interval{floor_divide(value->low, Wide{constant}), floor_divide(value->high, Wide{constant})};
    case ir::BinaryOp::ShiftRight:
      if (constant >= bit_width(binary.left.type->scalar)) return std::nullopt;
      return Interval{value->low >> constant, value->high >> constant};
    case ir::BinaryOp::Add:
    case ir::BinaryOp::Subtract:
    case ir::BinaryOp::Multiply:
    case ir::BinaryOp::Divide:
    case ir::BinaryOp::ShiftLeft:
    case ir::BinaryOp::BitOr:
    case ir::BinaryOp::BitXor: break;
    }
    return std::nullopt;
  }

  static std::optional<Interval> residues(const Interval& value, Wide count) {
    const Interval all{0, count - 1};
    if (contains(all, value)) return value;
    return value.high - value.low >= count - 1 ? std::optional(all) : std::nullopt;
  }

  // Says whether a comparison is made of what the index is, or of other elements of the arrays that it comes from.
  bool is_compared() const {
    std::unordered_set<ir::SlotId> known = made_of_;
    bool compares = false;
    // The second round finds what a loop carries back.
    for (int round = 0; round < 2; ++round)
      ir::walk(function_.body, [&](const ir::Stmt& stmt) {
        const auto* load = std::get_if<ir::Load>(&stmt.node);
        bool is_known = load && loaded_from_.contains(*load->array.slot);
        ir::visit_operands(stmt, [&](const ir::Operand& operand) {
          is_known = is_known || (!load && operand.slot && known.contains(*operand.slot));
        });
        if (!is_known) return;
        const auto* assign = std::get_if<ir::Assign>(&stmt.node);
        compares = compares || (assign && std::holds_alternative<ir::Compare>(assign->value));
        ir::visit_results(stmt, [&](ir::SlotId slot) { known.insert(slot); });
      });
    return compares;
  }

  const ir::Function& function_;
  ir::Definitions definitions_;
  std::unordered_set<ir::SlotId> made_of_, loaded_from_;
};

} // namespace

std::optional<Interval> picked_elements(const Touch& touch) {
  const auto* atomic = std::get_if<ir::Atomic>(&touch.stmt->node);
  if (!atomic || atomic->indices.size() != 1) return std::nullopt;
  return PickedElements(*touch.function).of(atomic->array, atomic->indices[0]);
}

} // namespace kern
