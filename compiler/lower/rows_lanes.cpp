// Where rows of a block begin late or end early. Of `if x < n`, once it holds in no lane of a vector, the
// vectors after it in the row need not be asked: a block of 256 threads over rows of 15 elements has 7 such
// vectors of 32. Of `if 0 < x < n`, vectors begin with the first thread for which it holds, so that it holds
// in all lanes of the first one too. That can be said where x grows with threadIdx.x, n is the same along the
// row, and a thread does nothing but what stands in the `if`.
#include <ranges>

#include "compiler/analysis/rows.h"
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

namespace {

// A comparison of a value that grows along the row by one a thread with one that does not change.
struct RowBound {
  ir::CompareOp op;
  bool swapped; // the former stands on the right
  const ir::Operand &grows, &limit;

  bool is_upper() const { return op == ir::CompareOp::Less || op == ir::CompareOp::LessEqual; }
  bool is_lower() const { return op == ir::CompareOp::Greater || op == ir::CompareOp::GreaterEqual; }
};

} // namespace

static std::optional<RowBound> row_bound(const Lowerer& lower, const ir::Compare& compare) {
  bool swap = along_x(lower, compare.right) == AlongX::Grows;
  const ir::Operand& grows = swap ? compare.right : compare.left;
  const ir::Operand& limit = swap ? compare.left : compare.right;
  bool known = along_x(lower, grows) == AlongX::Grows && along_x(lower, limit) == AlongX::Fixed;
  if (!known || grows.type != types::i64) return std::nullopt;
  return RowBound{swap ? mirrored(compare.op) : compare.op, swap, grows, limit};
}

using Assigns = std::span<const ir::Stmt>;

// Finds the comparisons with a bound of which all must hold for a condition to; none unless rows both begin
// and end with one.
static void find_row_bounds(Lowerer& lower, Assigns before, const ir::Operand& condition) {
  std::vector<const ir::Compare*> bounds;
  bool has_lower = false, has_upper = false;
  std::vector<bool> must_hold(lower.slots.size());
  auto demand = [&](const ir::Operand& operand) {
    if (operand.slot) must_hold[static_cast<std::size_t>(*operand.slot)] = true;
  };
  demand(condition);
  for (const ir::Stmt& stmt : std::views::reverse(before)) {
    const auto& assign = std::get<ir::Assign>(stmt.node);
    auto slot = static_cast<std::size_t>(assign.slot);
    if (!must_hold[slot]) continue;
    must_hold[slot] = false; // what was there before does not matter
    const auto* joint = std::get_if<ir::Binary>(&assign.value);
    const auto* copy = std::get_if<ir::Copy>(&assign.value);
    const auto* compare = std::get_if<ir::Compare>(&assign.value);
    if (joint && joint->op == ir::BinaryOp::BitAnd) demand(joint->left), demand(joint->right);
    if (copy) demand(copy->value);
    std::optional<RowBound> bound = compare ? row_bound(lower, *compare) : std::nullopt;
    if (!bound || (!bound->is_lower() && !bound->is_upper())) continue;
    bounds.push_back(compare);
    (bound->is_lower() ? has_lower : has_upper) = true;
  }
  if (has_lower && has_upper) lower.lanes.row_bounds = std::move(bounds);
}

// Whether nothing is read off the place of a lane, such as the warp that a thread is in.
static bool any_threads_make_a_vector(const Lowerer& lower) {
  bool calls = false;
  ir::walk(lower.ir.body,
           [&](const ir::Stmt& stmt) { calls = calls || std::holds_alternative<ir::Call>(stmt.node); });
  return !calls && sees_grid_only(lower.ir);
}

static Assigns before_last(const ir::Segment& segment) {
  return std::span(segment.body).first(segment.body.size() - 1);
}

void find_row_ends(Lowerer& lower) {
  Lanes& lanes = lower.lanes;
  lanes.along_x.assign(lower.slots.size(), AlongX::Unknown);
  lanes.row_end = nullptr;
  lanes.row_bounds.clear();
  const auto* segment =
      lower.ir.body.size() == 1 ? std::get_if<ir::Segment>(&lower.ir.body[0].node) : nullptr;
  if (!segment || segment->body.empty() || lower.state.facts.linear_thread_id || lower.waits) return;
  const auto* last = std::get_if<ir::If>(&segment->body.back().node);
  if (!last || !last->else_body.empty()) return;
  std::vector<std::size_t> writes = ir::count_writes(lower.ir);
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param)
    if (writes[param] == 0) lanes.along_x[param] = AlongX::Fixed;
  for (const ir::Stmt& stmt : before_last(*segment)) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign || std::holds_alternative<ir::LocalArray>(assign->value)) return;
    auto slot = static_cast<std::size_t>(assign->slot);
    if (writes[slot] == 1) lanes.along_x[slot] = along_x(lower, *assign);
  }
  lanes.row_end = &segment->body.back();
  find_row_bounds(lower, before_last(*segment), last->condition);
  if (!lanes.row_bounds.empty() && !any_threads_make_a_vector(lower)) lanes.row_bounds.clear();
}

// Lowers what a comparison is made of; each is assigned once.
static void lower_operands(Lowerer& lower, const ir::Compare& compare) {
  std::vector<bool> needed(lower.slots.size());
  auto need = [&](const ir::Operand& operand) {
    if (operand.slot) needed[static_cast<std::size_t>(*operand.slot)] = true;
  };
  need(compare.left);
  need(compare.right);
  std::vector<const ir::Assign*> assigns;
  for (const ir::Stmt& stmt :
       std::views::reverse(before_last(std::get<ir::Segment>(lower.ir.body[0].node)))) {
    const auto& assign = std::get<ir::Assign>(stmt.node);
    if (!needed[static_cast<std::size_t>(assign.slot)]) continue;
    assigns.push_back(&assign);
    ir::visit_operands(assign.value, need);
  }
  for (const ir::Assign* assign : std::views::reverse(assigns)) lower_assign(lower, *assign);
}

// Nothing of it changes from row to row where limits do not: it is computed once for the call. Vectors are
// whole, whether there are threads for all lanes of the last one or not: those that are not there are beyond
// the end.
llvm::Value* first_in_row(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  Place& place = lower.place;
  llvm::Value *zero = builder.getInt32(0), *start = i64(lower.state, 0), *end = i64(lower.state, INT64_MAX);
  // Sums are kept by vectors.
  if (lower.lanes.row_bounds.empty() || !lower.scratch.sums.empty()) return zero;
  place.thread[0] = zero;
  llvm::Value* block = std::exchange(place.block[0], zero);
  for (const ir::Compare* compare : lower.lanes.row_bounds) {
    RowBound bound = *row_bound(lower, *compare);
    lower_operands(lower, *compare);
    bool one_more = bound.op == ir::CompareOp::Greater || bound.op == ir::CompareOp::LessEqual;
    llvm::Value* threads = distance(lower, bound.limit, read_value(lower, bound.limit).value, bound.grows,
                                    read_value(lower, bound.grows).value, one_more);
    llvm::Value*& result = bound.is_lower() ? start : end;
    result = builder.CreateBinaryIntrinsic(bound.is_lower() ? llvm::Intrinsic::smax : llvm::Intrinsic::smin,
                                           result, threads);
  }
  place.block[0] = block;
  llvm::Value* in_grid = builder.CreateMul(builder.CreateZExt(place.grid[0], builder.getInt64Ty()),
                                           builder.CreateZExt(place.block_dim[0], builder.getInt64Ty()));
  llvm::Value* fits = builder.CreateICmpSLE(end, in_grid);
  llvm::Value* fills =
      builder.CreateICmpSGE(end, builder.CreateAdd(start, i64(lower.state, lower.state.lanes())));
  fits = builder.CreateAnd(builder.CreateAnd(fits, builder.CreateICmpSLE(start, in_grid)), fills);
  // Rows that begin and end elsewhere are left to run as they come.
  llvm::Value* whole =
      builder.CreateICmpEQ(place.grid[0], place.joins_blocks ? place.blocks : builder.getInt32(1));
  return builder.CreateSelect(builder.CreateAnd(whole, fits),
                              builder.CreateTrunc(start, builder.getInt32Ty()), zero, "first_in_row");
}

llvm::Value* past_in_row(Lowerer& lower, const ir::Operand& condition, llvm::Value* holds) {
  return along_x(lower, condition) == AlongX::Fixed ? lower.builder.CreateNot(holds) : nullptr;
}

llvm::Value* past_in_row(Lowerer& lower, const ir::Compare& compare, const Value& left, const Value& right) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::optional<RowBound> bound = row_bound(lower, compare);
  if (!bound || !bound->is_upper()) return nullptr;
  llvm::Value* first = bound->swapped ? right.value : left.value;
  llvm::Value* end = bound->swapped ? left.value : right.value;
  return bound->op == ir::CompareOp::Less ? builder.CreateICmpSGE(first, end)
                                          : builder.CreateICmpSGT(first, end);
}

} // namespace kern::lowering
