// The right-hand sides of assignments: arithmetic, comparisons, conversions, array values. All of it works on
// scalars and on vectors of lanes alike. No operation has an undefined result: quotients by zero are zero,
// the smallest integer divided by -1 wraps, shift counts are masked, floats convert to integers by
// saturation.
#include <llvm/ADT/APSInt.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/ir/walk.h"
#include "compiler/lower/shared/vectors.h"
#include "compiler/support/overloaded.h"

namespace kern::lowering {

// The type with `scalar` elements and as many lanes as `like` has.
static llvm::Type* with_lanes_of(llvm::Type* like, llvm::Type* scalar) {
  return like->getWithNewType(scalar);
}

// ---- Floats ----

// Returns Python's % or // of two floats, with fmod's exact remainder; a divisor of zero gives NaN and left /
// right.
static llvm::Value* float_floor_divide(Lowerer& lower, ScalarKind kind, llvm::Value* left, llvm::Value* right,
                                       bool quotient) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* zero = llvm::ConstantFP::get(left->getType(), 0.0);
  llvm::Value* remainder = call_math(lower, "fmod", kind, {left, right});
  llvm::Value* nonzero = builder.CreateFCmpONE(remainder, zero);
  llvm::Value* signs_differ =
      builder.CreateXor(builder.CreateFCmpOLT(remainder, zero), builder.CreateFCmpOLT(right, zero));
  llvm::Value* adjust = builder.CreateAnd(nonzero, signs_differ);
  if (!quotient) {
    llvm::Value* signed_zero = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, right);
    llvm::Value* is_zero = builder.CreateFCmpOEQ(remainder, zero);
    llvm::Value* moved = builder.CreateSelect(adjust, builder.CreateFAdd(remainder, right), remainder);
    return builder.CreateSelect(is_zero, signed_zero, moved);
  }
  llvm::Value* exact = builder.CreateFDiv(builder.CreateFSub(left, remainder), right);
  exact = builder.CreateSelect(adjust, builder.CreateFSub(exact, llvm::ConstantFP::get(left->getType(), 1.0)),
                               exact);
  llvm::Value* floor = builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, exact);
  llvm::Value* half = llvm::ConstantFP::get(left->getType(), 0.5);
  llvm::Value* low = builder.CreateFCmpOGT(builder.CreateFSub(exact, floor), half);
  floor = builder.CreateSelect(low, builder.CreateFAdd(floor, llvm::ConstantFP::get(left->getType(), 1.0)),
                               floor);
  llvm::Value* plain = builder.CreateFDiv(left, right);
  llvm::Value* signed_zero = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, plain);
  floor = builder.CreateSelect(builder.CreateFCmpOEQ(exact, zero), signed_zero, floor);
  return builder.CreateSelect(builder.CreateFCmpOEQ(right, zero), plain, floor);
}

static llvm::Value* float_binary(Lowerer& lower, ir::BinaryOp op, ScalarKind kind, llvm::Value* left,
                                 llvm::Value* right) {
  llvm::IRBuilder<>& builder = lower.builder;
  switch (op) {
  case ir::BinaryOp::Add: return builder.CreateFAdd(left, right);
  case ir::BinaryOp::Subtract: return builder.CreateFSub(left, right);
  case ir::BinaryOp::Multiply: return builder.CreateFMul(left, right);
  case ir::BinaryOp::Divide:
    if (lower.gpu() && lower.fast_math && kind == ScalarKind::F32)
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_div_approx_f, {}, {left, right});
    return builder.CreateFDiv(left, right);
  case ir::BinaryOp::FloorDivide: return float_floor_divide(lower, kind, left, right, true);
  case ir::BinaryOp::Modulo: return float_floor_divide(lower, kind, left, right, false);
  case ir::BinaryOp::ShiftLeft:
  case ir::BinaryOp::ShiftRight:
  case ir::BinaryOp::BitAnd:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: break;
  }
  assert(false && "floats have no bits");
  return left;
}

// The low bits of a shift count, in the type of what is shifted.
static llvm::Value* shift_count(llvm::IRBuilder<>& builder, llvm::Value* count, llvm::Type* type) {
  std::uint64_t mask = type->getScalarSizeInBits() - 1;
  count = builder.CreateAnd(count, llvm::ConstantInt::get(count->getType(), mask));
  return builder.CreateZExtOrTrunc(count, type);
}

llvm::Value* binary(Lowerer& lower, ir::BinaryOp op, ScalarKind kind, llvm::Value* left, llvm::Value* right) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (is_small_float(kind)) {
    llvm::Value* result =
        float_binary(lower, op, ScalarKind::F32, convert(lower, left, kind, ScalarKind::F32),
                     convert(lower, right, kind, ScalarKind::F32));
    return convert(lower, result, ScalarKind::F32, kind);
  }
  if (is_float_kind(kind)) return float_binary(lower, op, kind, left, right);
  switch (op) {
  case ir::BinaryOp::Add: return builder.CreateAdd(left, right);
  case ir::BinaryOp::Subtract: return builder.CreateSub(left, right);
  case ir::BinaryOp::Multiply: return builder.CreateMul(left, right);
  case ir::BinaryOp::Divide: break;
  case ir::BinaryOp::FloorDivide: return integer_divide(lower, kind, left, right, true);
  case ir::BinaryOp::Modulo: return integer_divide(lower, kind, left, right, false);
  case ir::BinaryOp::ShiftLeft: return builder.CreateShl(left, shift_count(builder, right, left->getType()));
  case ir::BinaryOp::ShiftRight: {
    llvm::Value* count = shift_count(builder, right, left->getType());
    return is_signed_kind(kind) ? builder.CreateAShr(left, count) : builder.CreateLShr(left, count);
  }
  case ir::BinaryOp::BitAnd: return builder.CreateAnd(left, right);
  case ir::BinaryOp::BitOr: return builder.CreateOr(left, right);
  case ir::BinaryOp::BitXor: return builder.CreateXor(left, right);
  }
  assert(false && "integers have no `/`");
  return left;
}

static llvm::Value* unary(Lowerer& lower, ir::UnaryOp op, ScalarKind kind, llvm::Value* value) {
  llvm::IRBuilder<>& builder = lower.builder;
  switch (op) {
  case ir::UnaryOp::Not: return builder.CreateNot(value);
  case ir::UnaryOp::BitNot: return builder.CreateNot(value);
  case ir::UnaryOp::Negate:
    if (is_small_float(kind))
      return builder.CreateXor(value, llvm::ConstantInt::get(value->getType(), 0x8000));
    return is_float_kind(kind) ? builder.CreateFNeg(value) : builder.CreateNeg(value);
  }
  __builtin_unreachable();
}

static llvm::Value* compare(Lowerer& lower, ir::CompareOp op, ScalarKind kind, llvm::Value* left,
                            llvm::Value* right) {
  using P = llvm::CmpInst;
  if (is_small_float(kind)) {
    left = convert(lower, left, kind, ScalarKind::F32);
    right = convert(lower, right, kind, ScalarKind::F32);
  }
  bool real = is_float_kind(kind), sign = is_signed_kind(kind);
  auto pick = [&](P::Predicate of_float, P::Predicate of_signed, P::Predicate of_unsigned) {
    return lower.builder.CreateCmp(real ? of_float : sign ? of_signed : of_unsigned, left, right);
  };
  switch (op) {
  case ir::CompareOp::Equal: return pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
  case ir::CompareOp::NotEqual: return pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
  case ir::CompareOp::Less: return pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
  case ir::CompareOp::LessEqual: return pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
  case ir::CompareOp::Greater: return pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT);
  case ir::CompareOp::GreaterEqual: return pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE);
  }
  __builtin_unreachable();
}

// ---- Conversions ----

// f64 to f32 rounded to odd, so that a second rounding to fewer bits is right.
static llvm::Value* truncate_to_odd(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* f32 = with_lanes_of(value->getType(), builder.getFloatTy());
  llvm::Type* bits_type = with_lanes_of(value->getType(), builder.getInt32Ty());
  llvm::Value* rounded = builder.CreateFPTrunc(value, f32);
  llvm::Value* back = builder.CreateFPExt(rounded, value->getType());
  llvm::Value* bits = builder.CreateBitCast(rounded, bits_type);
  llvm::Value* magnitude = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value* too_large =
      builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back), magnitude);
  llvm::Value* inexact = builder.CreateFCmpONE(back, value);
  llvm::Value* low_bit = builder.CreateAnd(bits, llvm::ConstantInt::get(bits_type, 1));
  llvm::Value* even = builder.CreateICmpEQ(low_bit, llvm::ConstantInt::get(bits_type, 0));
  llvm::Value* step = builder.CreateSelect(too_large, llvm::ConstantInt::getSigned(bits_type, -1),
                                           llvm::ConstantInt::get(bits_type, 1));
  llvm::Value* moved = builder.CreateAdd(bits, step);
  bits = builder.CreateSelect(builder.CreateAnd(inexact, even), moved, bits);
  return builder.CreateBitCast(bits, f32);
}

// f32 to bf16, to nearest even; NaNs stay quiet NaNs and denormals stay.
static llvm::Value* to_bf16(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* i32_type = with_lanes_of(value->getType(), builder.getInt32Ty());
  llvm::Type* i16_type = with_lanes_of(value->getType(), builder.getInt16Ty());
  auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(i32_type, n); };
  llvm::Value* bits = builder.CreateBitCast(value, i32_type);
  llvm::Value* odd = builder.CreateAnd(builder.CreateLShr(bits, number(16)), number(1));
  llvm::Value* rounded = builder.CreateAdd(bits, builder.CreateAdd(odd, number(0x7FFF)));
  llvm::Value* quiet = builder.CreateOr(bits, number(0x400000));
  llvm::Value* result = builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, rounded);
  return builder.CreateTrunc(builder.CreateLShr(result, number(16)), i16_type);
}

// Between f32 and the bits of f16 or bf16.
static llvm::Value* widen_small(llvm::IRBuilder<>& builder, llvm::Value* bits, ScalarKind kind) {
  llvm::Type* f32 = with_lanes_of(bits->getType(), builder.getFloatTy());
  if (kind == ScalarKind::F16) {
    llvm::Value* half = builder.CreateBitCast(bits, with_lanes_of(bits->getType(), builder.getHalfTy()));
    return builder.CreateFPExt(half, f32);
  }
  llvm::Type* i32_type = with_lanes_of(bits->getType(), builder.getInt32Ty());
  llvm::Value* high =
      builder.CreateShl(builder.CreateZExt(bits, i32_type), llvm::ConstantInt::get(i32_type, 16));
  return builder.CreateBitCast(high, f32);
}

static llvm::Value* narrow_to_small(llvm::IRBuilder<>& builder, llvm::Value* value, ScalarKind kind) {
  if (kind == ScalarKind::BF16) return to_bf16(builder, value);
  llvm::Value* half = builder.CreateFPTrunc(value, with_lanes_of(value->getType(), builder.getHalfTy()));
  return builder.CreateBitCast(half, with_lanes_of(value->getType(), builder.getInt16Ty()));
}

// LLVM takes vectors apart for its saturating conversions. Here values are first moved into the range, a NaN
// to its lower end; the upper end may be no float, and a NaN is zero, so these two are put right afterwards.
static llvm::Value* lanes_to_integer(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type,
                                     bool is_signed) {
  unsigned bits = type->getScalarSizeInBits();
  const llvm::fltSemantics& format = value->getType()->getScalarType()->getFltSemantics();
  llvm::APSInt lowest = llvm::APSInt::getMinValue(bits, !is_signed);
  llvm::APSInt highest = llvm::APSInt::getMaxValue(bits, !is_signed);
  llvm::APFloat low(format), high(format);
  low.convertFromAPInt(lowest, is_signed, llvm::APFloat::rmTowardZero);
  bool exact = high.convertFromAPInt(highest, is_signed, llvm::APFloat::rmTowardZero) == llvm::APFloat::opOK;
  llvm::Constant* least = llvm::ConstantFP::get(value->getType(), low);
  llvm::Constant* most = llvm::ConstantFP::get(value->getType(), high);
  llvm::Value* inside = builder.CreateSelect(builder.CreateFCmpOGT(value, least), value, least);
  inside = builder.CreateSelect(builder.CreateFCmpOLT(inside, most), inside, most);
  llvm::Type* wide = bits < 32 ? with_lanes_of(type, builder.getInt32Ty()) : type;
  llvm::Value* result =
      is_signed || bits < 32 ? builder.CreateFPToSI(inside, wide) : builder.CreateFPToUI(inside, wide);
  result = builder.CreateTrunc(result, type);
  if (!exact)
    result = builder.CreateSelect(builder.CreateFCmpOGT(value, most), llvm::ConstantInt::get(type, highest),
                                  result);
  if (!is_signed) return result;
  return builder.CreateSelect(builder.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(type),
                              result);
}

static llvm::Value* float_to_integer(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type,
                                     bool is_signed) {
  if (type->isVectorTy()) return lanes_to_integer(builder, value, type, is_signed);
  auto id = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return builder.CreateIntrinsic(id, {type, value->getType()}, {value});
}

// An integer of 64 bits such that its f64 can be rounded once more: beyond 2^53 what an f64 has no bits for
// goes into the last bit that stays.
static llvm::Value* nearly_exact(llvm::IRBuilder<>& builder, llvm::Value* value, bool is_signed) {
  auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(value->getType(), n); };
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;
  llvm::Value* from_least = is_signed ? builder.CreateAdd(value, number(exact)) : value;
  llvm::Value* fits = builder.CreateICmpULE(from_least, number(is_signed ? 2 * exact : exact));
  llvm::Value* is_cut = builder.CreateICmpNE(builder.CreateAnd(value, number(0x7FF)), number(0));
  llvm::Value* last = builder.CreateShl(builder.CreateZExt(is_cut, value->getType()), number(11));
  llvm::Value* kept = builder.CreateOr(builder.CreateAnd(value, number(~std::uint64_t{0x7FF})), last);
  return builder.CreateSelect(fits, value, kept);
}

llvm::Value* convert(Lowerer& lower, llvm::Value* value, ScalarKind from, ScalarKind to) {
  if (from == to) return value;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = with_lanes_of(value->getType(), register_type(lower.state, to));
  if (is_small_float(from)) return convert(lower, widen_small(builder, value, from), ScalarKind::F32, to);
  if (is_small_float(to)) {
    if (from == ScalarKind::F64) return narrow_to_small(builder, truncate_to_odd(builder, value), to);
    if (from == ScalarKind::F32) return narrow_to_small(builder, value, to);
    // Any integer is first an f64. What that rounds is far above the largest f16.
    if (to == ScalarKind::BF16 && value->getType()->getScalarSizeInBits() == 64)
      value = nearly_exact(builder, value, is_signed_kind(from));
    return convert(lower, convert(lower, value, from, ScalarKind::F64), ScalarKind::F64, to);
  }
  if (to == ScalarKind::Bool) {
    llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
    return is_float_kind(from) ? builder.CreateFCmpUNE(value, zero) : builder.CreateICmpNE(value, zero);
  }
  bool from_signed = is_signed_kind(from);
  if (is_float_kind(from)) {
    if (is_float_kind(to)) return builder.CreateFPCast(value, type);
    return float_to_integer(builder, value, type, is_signed_kind(to));
  }
  if (is_float_kind(to))
    return from_signed ? builder.CreateSIToFP(value, type) : builder.CreateUIToFP(value, type);
  return from_signed ? builder.CreateSExtOrTrunc(value, type) : builder.CreateZExtOrTrunc(value, type);
}

static llvm::Value* fused(Lowerer& lower, const ir::Fma& fma, Form form) {
  ScalarKind kind = fma.a.type->scalar;
  llvm::Value* a = read(lower, fma.a, form);
  llvm::Value* b = read(lower, fma.b, form);
  llvm::Value* c = read(lower, fma.c, form);
  ScalarKind wide = is_small_float(kind) ? ScalarKind::F64 : kind;
  a = convert(lower, a, kind, wide), b = convert(lower, b, kind, wide), c = convert(lower, c, kind, wide);
  llvm::Value* result = lower.builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  return convert(lower, result, wide, kind);
}

// ---- Assignments ----

// A vector is computed only where the slot holds one and what it is computed from is not all the same.
static Form form_of(const Lowerer& lower, const ir::Assign& assign) {
  const ir::Operand slot{types::error, assign.slot};
  if (shape_of(lower, slot).kind != Shape::Kind::Varying) return Form::Scalar;
  if (const auto* call = std::get_if<ir::CallPure>(&assign.value);
      call && row(call->builtin).effects == Effects::Thread)
    return Form::Vector;
  bool uniform = true;
  ir::visit_operands(ir::Stmt{assign, {}}, [&](const ir::Operand& operand) {
    uniform = uniform && (is_array(operand.type) || shape_of(lower, operand).kind == Shape::Kind::Uniform);
  });
  return uniform ? Form::Scalar : Form::Vector;
}

static void assign_array(Lowerer& lower, const ir::Assign& assign, Type type) {
  auto array = [&](const ArrayValue& value) { write_array(lower, assign.slot, value); };
  if (const auto* e = std::get_if<ir::Copy>(&assign.value)) return array(read_array(lower, e->value));
  if (const auto* e = std::get_if<ir::View>(&assign.value)) return array(lower_view(lower, *e));
  if (const auto* e = std::get_if<ir::Restride>(&assign.value)) return array(lower_restride(lower, *e, type));
  if (const auto* e = std::get_if<ir::SharedArray>(&assign.value))
    return array(lower_shared_array(lower, *e, type));
  if (const auto* e = std::get_if<ir::LocalArray>(&assign.value))
    return array(lower_local_array(lower, *e, type));
  if (const auto* e = std::get_if<ir::ConstantArray>(&assign.value))
    return array(lower_constant_array(lower, *e, type));
  assert(false && "no other expression is an array");
}

// The value of an expression that is no array; what is linear stays so.
static Value value_of(Lowerer& lower, const ir::Assign& assign) {
  Type type = lower.ir.slots[static_cast<std::size_t>(assign.slot)].type;
  ScalarKind kind = type->scalar;
  Form form = form_of(lower, assign);
  auto plain = [&](llvm::Value* value) {
    return Value{value, form == Form::Vector ? varying_shape : Shape{}};
  };
  return match(
      assign.value, [&](const ir::Copy& e) { return read_value(lower, e.value); },
      [&](const ir::Unary& e) { return plain(unary(lower, e.op, kind, read(lower, e.value, form))); },
      [&](const ir::Binary& e) {
        llvm::Value* left = read(lower, e.left, form);
        return plain(binary(lower, e.op, kind, left, read(lower, e.right, form)));
      },
      [&](const ir::Compare& e) {
        // LLVM drops this, but counts it where it decides what to inline: without it the code of some kernels is another.
        read_value(lower, e.left), read_value(lower, e.right);
        llvm::Value* left = read(lower, e.left, form);
        return plain(compare(lower, e.op, e.left.type->scalar, left, read(lower, e.right, form)));
      },
      [&](const ir::Convert& e) {
        llvm::Value* value = read(lower, e.value, form);
        if (form == Form::Scalar && is_integer(e.value.type) && is_integer(type))
          return plain(widen_first(lower, e.value, value, register_type(lower.state, kind)));
        return plain(convert(lower, value, e.value.type->scalar, kind));
      },
      [&](const ir::Select& e) {
        llvm::Value* condition = read(lower, e.condition, form);
        llvm::Value* then_value = read(lower, e.then_value, form);
        return plain(lower.builder.CreateSelect(condition, then_value, read(lower, e.else_value, form)));
      },
      [&](const ir::Fma& e) { return plain(fused(lower, e, form)); },
      [&](const ir::CallPure& e) { return plain(lower_builtin(lower, e.builtin, type, e.args, form)); },
      [&](const ir::Extent& e) {
        return read_array(lower, e.array).extents[static_cast<std::size_t>(e.axis)];
      },
      [&](const ir::Stride& e) {
        return read_array(lower, e.array).strides[static_cast<std::size_t>(e.axis)];
      },
      [&](const ir::Misalignment& e) { return misalignment(lower, e); },
      [&](const auto&) {
        assert(false && "an array");
        return Value{};
      });
}

void lower_assign(Lowerer& lower, const ir::Assign& assign) {
  Type type = lower.ir.slots[static_cast<std::size_t>(assign.slot)].type;
  if (is_array(type)) {
    bool stands = lower.block_arrays_stand && lower.block_arrays[static_cast<std::size_t>(assign.slot)];
    return stands ? void() : assign_array(lower, assign, type);
  }
  write_value(lower, assign.slot, value_of(lower, assign));
}

} // namespace kern::lowering
