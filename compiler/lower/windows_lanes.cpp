// Loads of bytes and halves whose lanes lie close together, in whatever order: pixels with their channels
// side by side, or indices that are clamped to an edge. A register that is loaded from there holds all of
// them, and a permutation takes them out: a gather takes 30 times as long as a plain load (a blur of a colour
// picture: 4.7 ms with gathers, 2.0 without).
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering {

static constexpr unsigned window_bytes = 64, window_lanes = 16; // a lane's word is one of 16

bool has_windows(const Lowerer& lower, llvm::Type* element) {
  return lower.state.has_avx512 && !lower.lanes.masked && element->isIntegerTy() &&
         element->getScalarSizeInBits() < 32;
}

// The longest step of which a window holds 16.
static std::int64_t longest_step(llvm::Type* element) {
  return (window_bytes * 8 / element->getScalarSizeInBits() - 1) / (window_lanes - 1);
}

llvm::Value* in_windows(Lowerer& lower, const Stepping& stepping, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::int64_t longest = longest_step(element);
  llvm::Value* moved = builder.CreateAdd(stepping.step, i64(lower.state, longest));
  return builder.CreateAnd(stepping.holds, builder.CreateICmpULE(moved, i64(lower.state, 2 * longest)));
}

// Loads what lies between lanes and nothing beyond them: there memory may end. `span` bytes follow the first.
static llvm::Value* load_window(Lowerer& lower, llvm::Value* first, llvm::Value* span) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto* bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), window_bytes);
  auto* mask = llvm::FixedVectorType::get(builder.getInt1Ty(), window_bytes);
  llvm::Value* bits =
      builder.CreateLShr(i64(lower.state, -1), builder.CreateSub(i64(lower.state, window_bytes - 1), span));
  return builder.CreateMaskedLoad(bytes, first, llvm::Align(1), builder.CreateBitCast(bits, mask),
                                  llvm::Constant::getNullValue(bytes));
}

llvm::Value* load_windows(Lowerer& lower, llvm::Value* base, const Stepping& stepping, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto* words = llvm::FixedVectorType::get(builder.getInt32Ty(), window_lanes);
  std::uint64_t size = element->getScalarSizeInBits() / 8;
  llvm::Value* step = builder.CreateMul(stepping.step, i64(lower.state, static_cast<std::int64_t>(size)));
  llvm::Value* last = builder.CreateMul(step, i64(lower.state, window_lanes - 1));
  // Where lanes go down, the window begins at the last one.
  llvm::Value* low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last, i64(lower.state, 0));
  llvm::Value* high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, last, i64(lower.state, 0));
  llvm::Value* span =
      builder.CreateAdd(builder.CreateSub(high, low), i64(lower.state, static_cast<std::int64_t>(size) - 1));
  auto each = [&](llvm::Value* scalar) {
    return builder.CreateVectorSplat(window_lanes, builder.CreateTrunc(scalar, builder.getInt32Ty()));
  };
  std::vector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < window_lanes; ++lane) numbers.push_back(builder.getInt32(lane));
  llvm::Value* places =
      builder.CreateSub(builder.CreateMul(each(step), llvm::ConstantVector::get(numbers)), each(low));
  llvm::Value* word_numbers = builder.CreateLShr(places, 2);
  llvm::Value* shift = builder.CreateShl(builder.CreateAnd(places, 3), 3);
  llvm::Value* first =
      builder.CreateGEP(builder.getInt8Ty(), builder.CreateGEP(element, base, stepping.first), low);
  std::vector<llvm::Value*> parts;
  for (unsigned lane = 0; lane < lower.state.lanes(); lane += window_lanes) {
    llvm::Value* window = builder.CreateBitCast(load_window(lower, first, span), words);
    llvm::Value* word =
        builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_si_512, {}, {window, word_numbers});
    parts.push_back(builder.CreateTrunc(builder.CreateLShr(word, shift),
                                        llvm::FixedVectorType::get(element, window_lanes)));
    first = builder.CreateGEP(builder.getInt8Ty(), first,
                              builder.CreateMul(step, i64(lower.state, window_lanes)));
  }
  return concatenate_parts(lower, parts);
}

} // namespace kern::lowering
