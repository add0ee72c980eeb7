// Linear values in wider types. Lanes that are not active, that have left a loop or lie beyond a block, go on by
// the same steps and may have wrapped in a narrow type: lane 0 of a u32 that counts down is then 4294967295
// where it would be -1.
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

llvm::Value* widen_first(Lowerer& lower, const ir::Operand& operand, llvm::Value* first, llvm::Type* type) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto widen = [&](llvm::Value* value) {
    return builder.CreateIntCast(value, type, is_signed(operand.type));
  };
  const Shape shape = shape_of(lower, operand);
  const bool widens = type->getIntegerBitWidth() > first->getType()->getIntegerBitWidth();
  if (!widens || !lower.lanes.masked || shape.kind == Shape::Kind::Uniform) return widen(first);
  auto at = [&](llvm::Value* value, llvm::Value* lane) {
    llvm::Value* number = builder.CreateZExtOrTrunc(lane, value->getType());
    llvm::Value* step =
        llvm::ConstantInt::get(value->getType(), static_cast<std::uint64_t>(shape.step), true);
    return builder.CreateMul(number, step);
  };
  llvm::Value* lane = first_active_lane(lower);
  llvm::Value* active = widen(builder.CreateAdd(first, at(first, lane)));
  return builder.CreateSub(active, at(active, lane));
}

} // namespace kern::lowering
