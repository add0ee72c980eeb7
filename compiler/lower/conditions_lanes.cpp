// Conditions over thread indices. Where lanes compare values that step alike, two of them tell what holds in
// all: such a condition is tested without a vector, and differs between lanes only at the end of a row.
#include "compiler/ir/compare_op.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

static bool is_computed(const Lowerer& lower, const std::vector<bool>& computed, const ir::Operand& operand) {
  if (is_array(operand.type)) return true;
  return !is_varying(lower, operand) || computed[static_cast<std::size_t>(*operand.slot)] ||
         shape_of(lower, operand).kind == Shape::Kind::Linear;
}

// An assignment that keeps a varying slot free of memory, and, where `geometric`, one that compares linear
// values or combines such conditions.
static bool keeps_free(const Lowerer& lower, const ir::Assign& assign, const std::vector<bool>& computed,
                       bool geometric) {
  if (const auto* compare = std::get_if<ir::Compare>(&assign.value); compare && geometric)
    return shape_of(lower, compare->left).kind != Shape::Kind::Varying &&
           shape_of(lower, compare->right).kind != Shape::Kind::Varying;
  bool free = true;
  ir::visit_operands(ir::Stmt{assign, {}}, [&](const ir::Operand& operand) {
    free = free && is_computed(lower, computed, operand) && !is_float(operand.type);
  });
  return free;
}

static std::vector<bool> find_free_slots(Lowerer& lower, bool geometric) {
  std::vector<bool> free(lower.slots.size(), true);
  for (std::size_t slot = 0; slot < lower.slots.size(); ++slot) {
    Type type = lower.ir.slots[slot].type;
    free[slot] = !is_array(type) && slot >= lower.ir.param_count && (!geometric || type == types::boolean);
  }
  for (bool changed = true; changed;) {
    changed = false;
    ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      ir::visit_results(stmt, [&](ir::SlotId id) {
        auto slot = static_cast<std::size_t>(id);
        if (!free[slot] || (assign && keeps_free(lower, *assign, free, geometric))) return;
        if (!geometric && std::holds_alternative<ir::For>(stmt.node)) return;
        free[slot] = false;
        changed = true;
      });
    });
  }
  return free;
}

void classify_conditions(Lowerer& lower) {
  lower.lanes.geometric = find_free_slots(lower, true);
  lower.lanes.computed = find_free_slots(lower, false);
}

// Compares at one lane.
static llvm::Value* compare_at(Lowerer& lower, ir::CompareOp op, bool is_signed, llvm::Value* left,
                               llvm::Value* right) {
  using P = llvm::CmpInst;
  static constexpr P::Predicate of_signed[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT,
                                               P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P::Predicate of_unsigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT,
                                                 P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  return lower.builder.CreateICmp((is_signed ? of_signed : of_unsigned)[static_cast<int>(op)], left, right);
}

// `value - from`, saturated: how many lanes after lane 0 a value is reached that steps by one from `from`.
static llvm::Value* lanes_until(Lowerer& lower, bool is_signed, llvm::Value* value, llvm::Value* from) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto wide = [&](llvm::Value* v) { return builder.CreateIntCast(v, builder.getInt64Ty(), is_signed); };
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, wide(value), wide(from));
}

// The lanes whose number is below `limit`, an i64 with sign.
static llvm::Value* lanes_below_signed(Lowerer& lower, llvm::Value* limit) {
  return lanes_below(lower,
                     lower.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, i64(lower.state, 0)));
}

llvm::Value* compare_linear(Lowerer& lower, const ir::Compare& compare) {
  llvm::IRBuilder<>& builder = lower.builder;
  ir::Operand left = compare.left, right = compare.right;
  ir::CompareOp op = compare.op;
  if (!is_varying(lower, left)) std::swap(left, right), op = mirrored(op);
  bool known =
      shape_of(lower, left) == linear_shape(1) && lower.shapes.is_exact(left) && !is_varying(lower, right);
  if (!known || left.type == types::u64) return nullptr;
  llvm::Value* limit = lanes_until(lower, is_signed(left.type), read(lower, right), read(lower, left));
  // Lanes from the first on are below the value; one more is at most it.
  auto past = [&] {
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, limit, i64(lower.state, 1));
  };
  switch (op) {
  case ir::CompareOp::Less: return lanes_below_signed(lower, limit);
  case ir::CompareOp::LessEqual: return lanes_below_signed(lower, past());
  case ir::CompareOp::Greater: return builder.CreateNot(lanes_below_signed(lower, past()));
  case ir::CompareOp::GreaterEqual: return builder.CreateNot(lanes_below_signed(lower, limit));
  case ir::CompareOp::Equal:
  case ir::CompareOp::NotEqual: return nullptr;
  }
  __builtin_unreachable();
}

// Whether a linear value steps from the first lane to the last without wrapping.
static llvm::Value* steps_without_wrap(Lowerer& lower, bool is_signed, const ir::Operand& operand,
                                       const Value& value) {
  if (value.shape.kind == Shape::Kind::Uniform || lower.shapes.is_exact(operand))
    return lower.builder.getTrue();
  llvm::Value* last = linear_at(lower, value, lower.state.lanes() - 1);
  ir::CompareOp order = value.shape.step > 0 ? ir::CompareOp::GreaterEqual : ir::CompareOp::LessEqual;
  return compare_at(lower, order, is_signed, last, value.value);
}

// The difference of two linear values is linear where nothing wraps: an order that holds at both ends holds
// between them. Of `!=` it must be the same order at both.
static llvm::Value* holds_at_both_ends(Lowerer& lower, ir::CompareOp op, bool is_signed, const Value& left,
                                       const Value& right) {
  std::int64_t last = lower.state.lanes() - 1;
  auto both = [&](ir::CompareOp order) {
    llvm::Value* first_holds = compare_at(lower, order, is_signed, left.value, right.value);
    llvm::Value* last_holds =
        compare_at(lower, order, is_signed, linear_at(lower, left, last), linear_at(lower, right, last));
    return lower.builder.CreateAnd(first_holds, last_holds);
  };
  if (op != ir::CompareOp::NotEqual) return both(op);
  return lower.builder.CreateOr(both(ir::CompareOp::Less), both(ir::CompareOp::Greater));
}

void note_linear_test(Lowerer& lower, ir::SlotId slot, const ir::Compare& compare) {
  if (!lower.is_vector() || lower.lanes.masked || !is_integer(compare.left.type)) return;
  if (lower.ir.slots[static_cast<std::size_t>(slot)].kind != ir::Slot::Kind::Temp) return;
  Value left = read_value(lower, compare.left), right = read_value(lower, compare.right);
  if (left.shape.kind == Shape::Kind::Varying || right.shape.kind == Shape::Kind::Varying) return;
  if (left.shape.kind == Shape::Kind::Uniform && right.shape.kind == Shape::Kind::Uniform) return;
  bool sign = is_signed(compare.left.type);
  llvm::Value* exact = lower.builder.CreateAnd(steps_without_wrap(lower, sign, compare.left, left),
                                               steps_without_wrap(lower, sign, compare.right, right));
  auto holds = [&](ir::CompareOp op) {
    return lower.builder.CreateAnd(exact, holds_at_both_ends(lower, op, sign, left, right));
  };
  lower.lanes.tests[slot] = {holds(compare.op), holds(opposite(compare.op))};
}

std::pair<llvm::Value*, llvm::Value*> test_condition(Lowerer& lower, const ir::Operand& condition) {
  auto known = lower.lanes.tests.find(*condition.slot);
  if (known != lower.lanes.tests.end()) return known->second;
  llvm::Value* mask = read(lower, condition, Form::Vector);
  return {all_lanes(lower, mask), lower.builder.CreateNot(any_lane(lower, mask))};
}

} // namespace kern::lowering
