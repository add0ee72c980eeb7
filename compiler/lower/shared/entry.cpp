// What a kernel is given: its parameters, the place of CPU code in the grid, expressions of the host over both. Extents and
// alignments are what the launch has checked (docs/abi.md).
#include <cstddef>

#include "compiler/lower/shared/lowerer.h"
#include "kern/abi.h"

namespace kern::lowering {

std::vector<llvm::Type*> block_types(ModuleState& state, Type type) {
  if (!is_array(type)) return {memory_type(state, type->scalar)};
  std::vector<llvm::Type*> types = {pointer_type(state, type->space)};
  types.insert(types.end(), 2 * type->rank, llvm::Type::getInt64Ty(state.context));
  return types;
}

// Stores a parameter's parts into its slot.
static void write_param(Lowerer& lower, ir::SlotId slot, Type type, llvm::ArrayRef<llvm::Value*> parts) {
  if (!is_array(type)) {
    llvm::Value* value = parts[0];
    if (type == types::boolean) value = lower.builder.CreateIsNotNull(value);
    // A complex number is a vector, but the same in all lanes.
    return write_value(lower, slot, {value, Shape{}});
  }
  ArrayValue array{{parts[0]}, {i64(lower.state, 0)}, {}, {}, type->scalar, type->space};
  for (std::size_t axis = 0; axis < type->rank; ++axis) {
    array.extents.push_back({parts[1 + axis]});
    array.strides.push_back({parts[1 + type->rank + axis]});
  }
  write_array(lower, slot, array);
}

void write_params(Lowerer& lower, const std::vector<bool>& which) {
  llvm::ArrayRef<llvm::Value*> parts = lower.param_block;
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param) {
    Type type = lower.ir.slots[param].type;
    std::size_t count = is_array(type) ? 1 + 2 * type->rank : 1;
    if (which[param]) write_param(lower, ir::SlotId{param}, type, parts.take_front(count));
    parts = parts.drop_front(count);
  }
}

static llvm::Value* load_of_place(Lowerer& lower, std::size_t offset) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* from = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), lower.place.where, offset);
  return builder.CreateLoad(builder.getInt32Ty(), from);
}

void load_place(Lowerer& lower) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lower.place.block[axis] = load_of_place(lower, offsetof(kern_where, block) + 4 * axis);
    lower.place.grid[axis] = load_of_place(lower, offsetof(kern_where, grid) + 4 * axis);
    lower.place.block_dim[axis] = load_of_place(lower, offsetof(kern_where, block_dim) + 4 * axis);
    if (lower.ir.options.block)
      lower.place.block_dim[axis] = i32(lower.state, (*lower.ir.options.block)[axis]);
  }
}

void load_rows(Lowerer& lower) {
  lower.place.first_row = load_of_place(lower, offsetof(kern_where, first_row));
  lower.place.end_row = load_of_place(lower, offsetof(kern_where, end_row));
}

// ---- Expressions of the host ----

static llvm::Value* extended(Lowerer& lower, llvm::Value* value, ExpressionType type) {
  bool is_unsigned = type == ExpressionType::Bool || type >= ExpressionType::U8;
  return lower.builder.CreateIntCast(value, lower.builder.getInt64Ty(), !is_unsigned);
}

static llvm::Value* wrapped(Lowerer& lower, llvm::Value* value, ExpressionType type) {
  bool is_8 = type == ExpressionType::I8 || type == ExpressionType::U8;
  bool is_16 = type == ExpressionType::I16 || type == ExpressionType::U16;
  bool is_32 = type == ExpressionType::I32 || type == ExpressionType::U32;
  unsigned bits = is_8 ? 8 : is_16 ? 16 : is_32 ? 32 : 64;
  return extended(lower, lower.builder.CreateTrunc(value, lower.builder.getIntNTy(bits)), type);
}

static llvm::Value* scalar_expression(Lowerer& lower, const kern::Expression& expression) {
  llvm::Value* value = lower.param_block[static_cast<std::size_t>(expression.value)];
  return extended(lower, value, expression.type);
}

// The launch dimension of an axis, 64 bits.
static llvm::Value* dimension(Lowerer& lower, bool of_grid, std::int32_t axis) {
  llvm::Value* value = nullptr;
  if (lower.gpu()) {
    value = read_register(lower.builder, of_grid ? Field::grid_dim_x : Field::block_dim_x,
                          static_cast<std::size_t>(axis));
  } else {
    value = (of_grid ? lower.place.grid : lower.place.block_dim)[axis];
  }
  return lower.builder.CreateZExt(value, lower.builder.getInt64Ty());
}

static llvm::Value* arithmetic(Lowerer& lower, const kern::Expression& expression) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* left = lower_host_expression(lower, expression.operands[0]);
  if (expression.op == ExpressionOp::Negate) return builder.CreateNeg(left);
  if (expression.op == ExpressionOp::Wrap) return wrapped(lower, left, expression.type);
  if (expression.op == ExpressionOp::Not)
    return builder.CreateZExt(builder.CreateIsNull(left), builder.getInt64Ty());
  llvm::Value* right = lower_host_expression(lower, expression.operands[1]);
  bool is_unsigned = expression.type == ExpressionType::U64;
  ScalarKind kind = is_unsigned ? ScalarKind::U64 : ScalarKind::I64;
  auto order = [&](llvm::CmpInst::Predicate predicate) {
    return builder.CreateZExt(builder.CreateICmp(predicate, left, right), builder.getInt64Ty());
  };
  switch (expression.op) {
  case ExpressionOp::Add: return builder.CreateAdd(left, right);
  case ExpressionOp::Subtract: return builder.CreateSub(left, right);
  case ExpressionOp::Multiply: return builder.CreateMul(left, right);
  case ExpressionOp::FloorDivide: return binary(lower, ir::BinaryOp::FloorDivide, kind, left, right);
  case ExpressionOp::Modulo: return binary(lower, ir::BinaryOp::Modulo, kind, left, right);
  case ExpressionOp::Minimum:
    return builder.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, left,
                                         right);
  case ExpressionOp::Maximum:
    return builder.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, left,
                                         right);
  case ExpressionOp::BitAnd: return builder.CreateAnd(left, right);
  case ExpressionOp::BitOr: return builder.CreateOr(left, right);
  case ExpressionOp::BitXor: return builder.CreateXor(left, right);
  case ExpressionOp::Select:
    return builder.CreateSelect(builder.CreateIsNotNull(left), right,
                                lower_host_expression(lower, expression.operands[2]));
  case ExpressionOp::Equal: return order(llvm::CmpInst::ICMP_EQ);
  case ExpressionOp::NotEqual: return order(llvm::CmpInst::ICMP_NE);
  case ExpressionOp::Less: return order(is_unsigned ? llvm::CmpInst::ICMP_ULT : llvm::CmpInst::ICMP_SLT);
  case ExpressionOp::LessEqual: return order(is_unsigned ? llvm::CmpInst::ICMP_ULE : llvm::CmpInst::ICMP_SLE);
  case ExpressionOp::Greater: return order(is_unsigned ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_SGT);
  case ExpressionOp::GreaterEqual:
    return order(is_unsigned ? llvm::CmpInst::ICMP_UGE : llvm::CmpInst::ICMP_SGE);
  case ExpressionOp::And: return builder.CreateAnd(left, right);
  case ExpressionOp::Or: return builder.CreateOr(left, right);
  case ExpressionOp::Constant:
  case ExpressionOp::ConstantReal:
  case ExpressionOp::Scalar:
  case ExpressionOp::Extent:
  case ExpressionOp::Stride:
  case ExpressionOp::Address:
  case ExpressionOp::BlockDim:
  case ExpressionOp::GridDim:
  case ExpressionOp::SharedBytes:
  case ExpressionOp::Negate:
  case ExpressionOp::Not:
  case ExpressionOp::Wrap: break;
  }
  assert(false && "an extent is an integer");
  return left;
}

llvm::Value* lower_host_expression(Lowerer& lower, const kern::Expression& expression) {
  std::size_t slot = static_cast<std::size_t>(expression.value);
  std::size_t axis = static_cast<std::size_t>(expression.axis);
  std::size_t rank = static_cast<std::size_t>(expression.rank);
  if (expression.op == ExpressionOp::Constant) return i64(lower.state, expression.value);
  if (expression.op == ExpressionOp::Scalar) return scalar_expression(lower, expression);
  if (expression.op == ExpressionOp::Extent) return lower.param_block[slot + 1 + axis];
  if (expression.op == ExpressionOp::Stride) return lower.param_block[slot + 1 + rank + axis];
  if (expression.op == ExpressionOp::BlockDim) return dimension(lower, false, expression.axis);
  if (expression.op == ExpressionOp::GridDim) return dimension(lower, true, expression.axis);
  return arithmetic(lower, expression);
}

} // namespace kern::lowering
