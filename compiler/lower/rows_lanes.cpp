// Where rows of a block end early. Of `if x < n`, once it holds in no lane of a vector, the vectors after it
// in the row need not be asked: a block of 256 threads over rows of 15 elements has 7 such vectors of 32.
// That can be said where x grows with threadIdx.x, n is the same along the row, and a thread does nothing
// but what stands in the `if`.
#include "compiler/ir/compare_op.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

static AlongX along_x(const Lowerer& lower, const ir::Operand& operand) {
  if (!operand.slot) return AlongX::Fixed;
  auto slot = static_cast<std::size_t>(*operand.slot);
  return slot < lower.lanes.along_x.size() ? lower.lanes.along_x[slot] : AlongX::Unknown;
}

static bool is_fixed(Builtin builtin) {
  switch (builtin) {
  case Builtin::ThreadIndexY:
  case Builtin::ThreadIndexZ:
  case Builtin::BlockIndexX:
  case Builtin::BlockIndexY:
  case Builtin::BlockIndexZ:
  case Builtin::BlockDimX:
  case Builtin::BlockDimY:
  case Builtin::BlockDimZ: return true;
  default: return false;
  }
}

// A sum that may wrap does not grow: only 64 bits hold every sum of the indices of a grid.
static AlongX sum_along_x(const Lowerer& lower, const ir::Assign& assign) {
  const auto* sum = std::get_if<ir::Binary>(&assign.value);
  Interval range = lower.shapes.ranges[static_cast<std::size_t>(assign.slot)];
  bool fits = sum && sum->left.type == types::i64 && range.low > INT64_MIN && range.high < INT64_MAX;
  if (!fits || sum->op != ir::BinaryOp::Add) return AlongX::Unknown;
  AlongX left = along_x(lower, sum->left), right = along_x(lower, sum->right);
  bool grows =
      (left == AlongX::Grows && right == AlongX::Fixed) || (left == AlongX::Fixed && right == AlongX::Grows);
  return grows ? AlongX::Grows : AlongX::Unknown;
}

static AlongX along_x(const Lowerer& lower, const ir::Assign& assign) {
  if (const auto* call = std::get_if<ir::CallPure>(&assign.value)) {
    if (call->builtin == Builtin::ThreadIndexX) return AlongX::Grows;
    return is_fixed(call->builtin) ? AlongX::Fixed : AlongX::Unknown;
  }
  if (const auto* copy = std::get_if<ir::Copy>(&assign.value)) return along_x(lower, copy->value);
  const auto* convert = std::get_if<ir::Convert>(&assign.value);
  if (convert && convert->value.type == types::i32 &&
      lower.ir.slots[static_cast<std::size_t>(assign.slot)].type == types::i64)
    return along_x(lower, convert->value);
  bool computes = convert || std::holds_alternative<ir::Binary>(assign.value) ||
                  std::holds_alternative<ir::Compare>(assign.value) ||
                  std::holds_alternative<ir::Extent>(assign.value);
  bool fixed = computes;
  ir::visit_operands(assign.value, [&](const ir::Operand& operand) {
    fixed = fixed && along_x(lower, operand) == AlongX::Fixed;
  });
  return fixed ? AlongX::Fixed : sum_along_x(lower, assign);
}

void find_row_ends(Lowerer& lower) {
  Lanes& lanes = lower.lanes;
  lanes.along_x.assign(lower.slots.size(), AlongX::Unknown);
  lanes.row_end = nullptr;
  const auto* segment =
      lower.ir.body.size() == 1 ? std::get_if<ir::Segment>(&lower.ir.body[0].node) : nullptr;
  if (!segment || segment->body.empty() || lower.state.facts.linear_thread_id) return;
  const auto* last = std::get_if<ir::If>(&segment->body.back().node);
  if (!last || !last->else_body.empty()) return;
  std::vector<std::size_t> writes = ir::count_writes(lower.ir);
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param)
    if (writes[param] == 0) lanes.along_x[param] = AlongX::Fixed;
  for (const ir::Stmt& stmt : std::span(segment->body).first(segment->body.size() - 1)) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign || std::holds_alternative<ir::LocalArray>(assign->value)) return;
    auto slot = static_cast<std::size_t>(assign->slot);
    if (writes[slot] == 1) lanes.along_x[slot] = along_x(lower, *assign);
  }
  lanes.row_end = &segment->body.back();
}

llvm::Value* past_in_row(Lowerer& lower, const ir::Operand& condition, llvm::Value* holds) {
  return along_x(lower, condition) == AlongX::Fixed ? lower.builder.CreateNot(holds) : nullptr;
}

llvm::Value* past_in_row(Lowerer& lower, const ir::Compare& compare, const Value& left, const Value& right) {
  llvm::IRBuilder<>& builder = lower.builder;
  bool swap = along_x(lower, compare.right) == AlongX::Grows;
  const ir::Operand& grows = swap ? compare.right : compare.left;
  const ir::Operand& limit = swap ? compare.left : compare.right;
  ir::CompareOp op = swap ? mirrored(compare.op) : compare.op;
  if (along_x(lower, grows) != AlongX::Grows || along_x(lower, limit) != AlongX::Fixed) return nullptr;
  if (grows.type != types::i64 || (op != ir::CompareOp::Less && op != ir::CompareOp::LessEqual))
    return nullptr;
  llvm::Value *first = swap ? right.value : left.value, *end = swap ? left.value : right.value;
  return op == ir::CompareOp::Less ? builder.CreateICmpSGE(first, end) : builder.CreateICmpSGT(first, end);
}

} // namespace kern::lowering
