// Words of sums and products of 64 bits. `u32(product)` beside `u32(product >> 32)` keeps the long product
// alive: in a vector it is two registers and a multiplication of 64 bits, and LLVM carries it over a loop as
// such. What the words are made of makes the low one as well (Philox with AVX2: 0.41 of the time).
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

namespace {

// What is assigned to slots that are assigned once; null of others.
using Assigns = std::vector<const ir::Assign*>;

} // namespace

static bool is_word(Type type) { return is_integer(type) && bit_width(type->scalar) <= 32; }
static bool is_long(Type type) { return is_integer(type) && bit_width(type->scalar) == 64; }

// A long that was a word, and still is what it was then.
static bool was_word(Lowerer& lower, const ir::Operand& operand, const Assigns& assigns) {
  if (!operand.slot) return true;
  const ir::Assign* assign = assigns[static_cast<std::size_t>(*operand.slot)];
  const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
  return convert && is_word(convert->value.type) && is_steady(lower, *operand.slot);
}

static bool wraps(ir::BinaryOp op) {
  return op == ir::BinaryOp::Add || op == ir::BinaryOp::Subtract || op == ir::BinaryOp::Multiply;
}

void find_narrowed(Lowerer& lower) {
  const std::vector<std::size_t> writes = ir::count_writes(lower.ir), reads = ir::count_reads(lower.ir);
  Assigns assigns(lower.slots.size());
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (assign && writes[static_cast<std::size_t>(assign->slot)] == 1)
      assigns[static_cast<std::size_t>(assign->slot)] = assign;
  });
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    if (!convert || !convert->value.slot || !is_long(convert->value.type)) return;
    auto from = static_cast<std::size_t>(*convert->value.slot);
    // What nobody else reads, LLVM narrows by itself.
    bool is_shared = reads[from] > 1 && assigns[from] && is_steady(lower, *convert->value.slot);
    if (!is_shared || !is_word(lower.ir.slots[static_cast<std::size_t>(assign->slot)].type)) return;
    const auto* binary = std::get_if<ir::Binary>(&assigns[from]->value);
    if (binary && wraps(binary->op) && was_word(lower, binary->left, assigns) &&
        was_word(lower, binary->right, assigns))
      lower.lanes.narrowed[convert] = binary;
  });
}

llvm::Value* narrowed(Lowerer& lower, const ir::Convert& convert, ScalarKind kind) {
  auto found = lower.lanes.narrowed.find(&convert);
  if (found == lower.lanes.narrowed.end()) return nullptr;
  const ir::Binary& e = *found->second;
  auto word = [&](const ir::Operand& operand) {
    return kern::lowering::convert(lower, read(lower, operand, Form::Vector), operand.type->scalar, kind);
  };
  llvm::Value* left = word(e.left);
  return binary(lower, e.op, kind, left, word(e.right));
}

} // namespace kern::lowering
