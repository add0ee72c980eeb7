#include "compiler/analysis/rows.h"

#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

bool has_independent_rows(const ir::Module& module, const ir::Function& kernel) {
  bool independent = true;
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    bool shared = assign && std::holds_alternative<ir::SharedArray>(assign->value);
    independent = independent && !shared && !std::holds_alternative<ir::Atomic>(stmt.node) &&
                  !std::holds_alternative<ir::CallEffect>(stmt.node) &&
                  !std::holds_alternative<ir::Print>(stmt.node);
  });
  return independent;
}

bool shares_rows(const ir::Function& kernel) {
  bool shares = true;
  ir::walk(kernel.body, [&](const ir::Stmt& stmt) {
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    shares = shares && !(loop && loop->count.slot) && !std::holds_alternative<ir::While>(stmt.node) &&
             !std::holds_alternative<ir::Call>(stmt.node);
  });
  return shares;
}

namespace {

// What a slot is of `blockIdx.x * blockDim.x + threadIdx.x`; or a place in a warp, which is none of it.
enum class Part : std::uint8_t { Other, Thread, Block, Size, FirstOfBlock, InGrid, InWarp };

class Parts {
public:
  explicit Parts(const ir::Function& kernel)
      : kernel_(kernel), writes_(ir::count_writes(kernel)), parts_(kernel.slots.size()) {
    ir::walk(kernel.body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign) parts_[static_cast<std::size_t>(assign->slot)] = part_of(*assign);
    });
  }

  // False where a part is read for anything but the sum: asked once all are known, since in a loop a
  // statement reads what those below it assign.
  bool only_sum() const {
    bool only = true;
    ir::walk(kernel_.body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      bool goes_on = assign && parts_[static_cast<std::size_t>(assign->slot)] != Part::Other;
      bool uses = assign && is_own(part_of(assign->value));
      ir::visit_operands(stmt, [&](const ir::Operand& operand) { uses = uses || is_own(part_of(operand)); });
      only = only && (goes_on || !uses);
    });
    return only;
  }

private:
  static bool is_own(Part part) {
    return part == Part::Thread || part == Part::Block || part == Part::FirstOfBlock || part == Part::InWarp;
  }

  // Of a slot that is assigned once, to an integer that holds the sum.
  Part part_of(const ir::Assign& assign) const {
    auto slot = static_cast<std::size_t>(assign.slot);
    Type type = kernel_.slots[slot].type;
    bool holds = !is_array(type) && is_integer(type) && bit_width(type->scalar) >= 32;
    return holds && writes_[slot] == 1 ? part_of(assign.value) : Part::Other;
  }

  Part part_of(const ir::Operand& operand) const {
    if (operand.slot) return parts_[static_cast<std::size_t>(*operand.slot)];
    bool is_size = kernel_.options.block && !is_array(operand.type) && is_integer(operand.type) &&
                   ir::int_value(operand) == (*kernel_.options.block)[0];
    return is_size ? Part::Size : Part::Other;
  }

  Part part_of(const ir::Expr& value) const {
    if (const auto* copy = std::get_if<ir::Copy>(&value)) return part_of(copy->value);
    if (const auto* convert = std::get_if<ir::Convert>(&value)) return part_of(convert->value);
    if (const auto* call = std::get_if<ir::CallPure>(&value)) {
      switch (call->builtin) {
      case Builtin::ThreadIndexX: return Part::Thread;
      case Builtin::BlockIndexX: return Part::Block;
      case Builtin::BlockDimX: return Part::Size;
      case Builtin::ThreadIndexY:
      case Builtin::ThreadIndexZ: return Part::Other; // the same along a row
      default: return row(call->builtin).effects == Effects::Thread ? Part::InWarp : Part::Other;
      }
    }
    const auto* binary = std::get_if<ir::Binary>(&value);
    if (!binary) return Part::Other;
    Part left = part_of(binary->left), right = part_of(binary->right);
    auto are = [&](Part one, Part other) {
      return (left == one && right == other) || (left == other && right == one);
    };
    if (binary->op == ir::BinaryOp::Multiply && are(Part::Block, Part::Size)) return Part::FirstOfBlock;
    if (binary->op == ir::BinaryOp::Add && are(Part::Thread, Part::FirstOfBlock)) return Part::InGrid;
    return Part::Other;
  }

  const ir::Function& kernel_;
  std::vector<std::size_t> writes_;
  std::vector<Part> parts_; // by slot
};

} // namespace

bool sees_grid_only(const ir::Function& kernel) { return Parts(kernel).only_sum(); }

// A small grid: so many threads have numbers of 32 bits.
bool joins_blocks(const ir::Module& module, const ir::Function& kernel, const LaneFacts& facts) {
  return facts.lanes > 1 && !facts.linear_thread_id && facts.small_grid &&
         has_independent_rows(module, kernel) && shares_rows(kernel) && sees_grid_only(kernel);
}

} // namespace kern
