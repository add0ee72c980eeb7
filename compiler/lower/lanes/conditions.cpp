// Conditions over thread indices. Where lanes compare values that step alike, two of them tell what holds in
// all: such a condition is tested without a vector, and differs between lanes only at the end of a row.
#include "compiler/ir/compare_op.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

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
        const auto* loop = std::get_if<ir::For>(&stmt.node);
        if (!geometric && loop && is_computed(lower, free, loop->start) &&
            is_computed(lower, free, loop->step))
          return;
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
  find_lazy_masks(lower);
}

// Compares at one lane, or in all.
static llvm::Value* compare_at(Lowerer& lower, ir::CompareOp op, bool is_signed, llvm::Value* left,
                               llvm::Value* right) {
  using P = llvm::CmpInst;
  static constexpr P::Predicate of_signed[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT,
                                               P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P::Predicate of_unsigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT,
                                                 P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  return lower.builder.CreateICmp((is_signed ? of_signed : of_unsigned)[static_cast<int>(op)], left, right);
}

static bool is_longest(const ir::Operand& operand) { return bit_width(operand.type->scalar) == 64; }

// `to - from + more` as an i64, saturated where it may not fit one; `more` is not negative.
static llvm::Value* distance(Lowerer& lower, const ir::Operand& to, llvm::Value* to_value,
                             const ir::Operand& from, llvm::Value* from_value, std::int64_t more) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto wide = [&](const ir::Operand& operand, llvm::Value* first) {
    return widen_first(lower, operand, first, builder.getInt64Ty());
  };
  llvm::Value *left = wide(to, to_value), *right = wide(from, from_value), *last = i64(lower.state, more);
  if (!is_longest(to)) return builder.CreateNSWAdd(builder.CreateNSWSub(left, right), last);
  llvm::Value* apart = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, left, right);
  return more == 0 ? apart : builder.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, apart, last);
}

// The lanes whose number is below `limit`, an i64 with sign.
static llvm::Value* lanes_below_signed(Lowerer& lower, llvm::Value* limit) {
  return lanes_below(lower,
                     lower.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, i64(lower.state, 0)));
}

// Compares a linear value with one that is the same in all lanes, without a vector of either; null where it
// must be done with vectors.
static llvm::Value* compare_by_distance(Lowerer& lower, const ir::Compare& compare, llvm::Value* left,
                                        llvm::Value* right) {
  llvm::IRBuilder<>& builder = lower.builder;
  ir::Operand linear = compare.left, other = compare.right;
  ir::CompareOp op = compare.op;
  if (!is_varying(lower, linear)) std::swap(linear, other), std::swap(left, right), op = mirrored(op);
  bool known = shape_of(lower, linear) == linear_shape(1) && lower.shapes.is_exact(linear) &&
               !is_varying(lower, other);
  if (!known || linear.type == types::u64) return nullptr;
  // A lane 0 that is not active may have wrapped in 64 bits, and no type is wider.
  if (lower.lanes.masked && is_longest(linear)) return nullptr;
  // Lanes from the first on are below the value; one more is at most it.
  auto below = [&](std::int64_t more) {
    return lanes_below_signed(lower, distance(lower, other, right, linear, left, more));
  };
  switch (op) {
  case ir::CompareOp::Less: return below(0);
  case ir::CompareOp::LessEqual: return below(1);
  case ir::CompareOp::Greater: return builder.CreateNot(below(1));
  case ir::CompareOp::GreaterEqual: return builder.CreateNot(below(0));
  case ir::CompareOp::Equal:
  case ir::CompareOp::NotEqual: return nullptr;
  }
  __builtin_unreachable();
}

llvm::Value* compare_linear(Lowerer& lower, const ir::Compare& compare, const Value& left,
                            const Value& right) {
  if (llvm::Value* mask = compare_by_distance(lower, compare, left.value, right.value)) return mask;
  return compare_at(lower, compare.op, is_signed(compare.left.type), to_vector(lower, left),
                    to_vector(lower, right));
}

llvm::Value* steps_without_wrap(Lowerer& lower, bool is_signed, const ir::Operand& operand,
                                const Value& value) {
  if (value.shape.kind == Shape::Kind::Uniform || lower.shapes.is_exact(operand))
    return lower.builder.getTrue();
  llvm::Value* last = linear_at(lower, value, lower.lane_count() - 1);
  ir::CompareOp order = value.shape.step > 0 ? ir::CompareOp::GreaterEqual : ir::CompareOp::LessEqual;
  return compare_at(lower, order, is_signed, last, value.value);
}

// The difference of two linear values is linear where nothing wraps: an order that holds at the end where it
// is hardest to keep holds in all lanes.
llvm::Value* order_in_all(Lowerer& lower, ir::CompareOp order, bool is_signed, const Value& left,
                          const Value& right) {
  bool grows = left.shape.step > right.shape.step;
  bool wants_less = order == ir::CompareOp::Less || order == ir::CompareOp::LessEqual;
  std::int64_t hardest = grows == wants_less ? lower.lane_count() - 1 : 0;
  return compare_at(lower, order, is_signed, linear_at(lower, left, hardest),
                    linear_at(lower, right, hardest));
}

static llvm::Value* holds_in_all(Lowerer& lower, ir::CompareOp op, bool is_signed, const Value& left,
                                 const Value& right) {
  auto order = [&](ir::CompareOp which) { return order_in_all(lower, which, is_signed, left, right); };
  if (op == ir::CompareOp::Equal)
    return lower.builder.CreateAnd(order(ir::CompareOp::LessEqual), order(ir::CompareOp::GreaterEqual));
  if (op == ir::CompareOp::NotEqual)
    return lower.builder.CreateOr(order(ir::CompareOp::Less), order(ir::CompareOp::Greater));
  return order(op);
}

// A condition of which it is kept what holds in all lanes together.
static bool keeps_test(const Lowerer& lower, ir::SlotId slot) {
  return !lower.lanes.masked && lower.ir.slots[static_cast<std::size_t>(slot)].kind == ir::Slot::Kind::Temp;
}

void note_linear_test(Lowerer& lower, ir::SlotId slot, const ir::Compare& compare) {
  if (!keeps_test(lower, slot) || !is_integer(compare.left.type)) return;
  Value left = read_value(lower, compare.left), right = read_value(lower, compare.right);
  if (left.shape.kind == Shape::Kind::Varying || right.shape.kind == Shape::Kind::Varying) return;
  if (left.shape.kind == Shape::Kind::Uniform && right.shape.kind == Shape::Kind::Uniform) return;
  bool sign = is_signed(compare.left.type);
  llvm::Value* exact = lower.builder.CreateAnd(steps_without_wrap(lower, sign, compare.left, left),
                                               steps_without_wrap(lower, sign, compare.right, right));
  auto holds = [&](ir::CompareOp op) {
    return lower.builder.CreateAnd(exact, holds_in_all(lower, op, sign, left, right));
  };
  lower.lanes.tests[slot] = {holds(compare.op), holds(opposite(compare.op)),
                             [=, &lower] { return compare_linear(lower, compare, left, right); }};
}

// Writes the mask of a condition that is read after all.
static void write_mask(Lowerer& lower, const ir::Operand& condition) {
  if (condition.slot && test_is_enough(lower, *condition.slot))
    write(lower, *condition.slot, lower.lanes.tests.at(*condition.slot).mask());
}

// Whether a condition holds in all lanes and whether in none, where that is known without a vector.
static std::optional<LaneTest> known_test(Lowerer& lower, const ir::Operand& condition) {
  if (!is_varying(lower, condition)) {
    llvm::Value* holds = read(lower, condition);
    return LaneTest{holds, lower.builder.CreateNot(holds), [=, &lower] { return splat(lower, holds); }};
  }
  auto known = lower.lanes.tests.find(*condition.slot);
  return known == lower.lanes.tests.end() ? std::nullopt : std::optional(known->second);
}

void note_joint_test(Lowerer& lower, ir::SlotId slot, const ir::Binary& joint) {
  bool is_and = joint.op == ir::BinaryOp::BitAnd;
  if (!keeps_test(lower, slot) || joint.left.type != types::boolean) return;
  if (!is_varying(lower, {types::boolean, slot}) || (!is_and && joint.op != ir::BinaryOp::BitOr)) return;
  std::optional<LaneTest> left = known_test(lower, joint.left), right = known_test(lower, joint.right);
  if (!left || !right) return write_mask(lower, joint.left), write_mask(lower, joint.right);
  llvm::IRBuilder<>& builder = lower.builder;
  auto mask = [op = is_and ? llvm::Instruction::And : llvm::Instruction::Or, of_left = left->mask,
               of_right = right->mask, &builder] {
    llvm::Value* lanes = of_left();
    return builder.CreateBinOp(op, lanes, of_right());
  };
  if (is_and) {
    lower.lanes.tests[slot] = {builder.CreateAnd(left->all, right->all),
                               builder.CreateOr(left->none, right->none), mask};
  } else {
    lower.lanes.tests[slot] = {builder.CreateOr(left->all, right->all),
                               builder.CreateAnd(left->none, right->none), mask};
  }
}

LaneTest test_condition(Lowerer& lower, const ir::Operand& condition) {
  if (auto known = known_test(lower, condition)) return *known;
  llvm::Value* mask = read(lower, condition, Form::Vector);
  return {all_lanes(lower, mask), lower.builder.CreateNot(any_lane(lower, mask)), [=] { return mask; }};
}

} // namespace kern::lowering
