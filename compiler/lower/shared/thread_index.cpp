// The index of each lane's thread in its block.
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

// Integers below 2^11 divided as floats: exact, and the hardware has it.
static llvm::Value* divide_small(Lowerer& lower, llvm::Value* left, llvm::Value* right) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* real = vector_of(lower, builder.getFloatTy());
  llvm::Value* quotient =
      builder.CreateFDiv(builder.CreateUIToFP(left, real), builder.CreateUIToFP(right, real));
  return builder.CreateFPToSI(quotient, left->getType());
}

llvm::Value* thread_index_lanes(Lowerer& lower, int axis, Form form) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* first = lower.place.thread[axis];
  if (form == Form::Scalar) return first;
  bool rows = !lower.lanes.linear_id || lower.facts.block_x_multiple;
  if (rows) return to_vector(lower, {first, axis == 0 ? linear_shape(1) : Shape{}});
  auto dim = [&](int which) { return splat(lower, lower.place.block_dim[which]); };
  llvm::Value* linear = to_vector(lower, {lower.lanes.linear_id, linear_shape(1)});
  llvm::Value* row = divide_small(lower, linear, dim(0));
  if (axis == 0) return builder.CreateSub(linear, builder.CreateMul(row, dim(0)));
  llvm::Value* plane = divide_small(lower, row, dim(1));
  return axis == 2 ? plane : builder.CreateSub(row, builder.CreateMul(plane, dim(1)));
}

} // namespace kern::lowering
