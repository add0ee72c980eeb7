// Loads of bytes and halves whose lanes lie close together, in whatever order: pixels with their channels
// side by side, or indices that are clamped to an edge. A register that is loaded from there holds all of
// them, and a permutation takes them out: a gather takes 30 times as long as a plain load (a blur of a colour
// picture: 4.7 ms with gathers, 2.0 without).
//
// Memory may end behind the last lane. AVX-512 loads bytes under a mask; AVX2 loads whole registers where
// they lie in one page: a lane's element is in it, so all of it is there.
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering {

namespace {

// A register's worth of memory; a lane's word is one of as many as there are lanes in it.
struct Window {
  unsigned bytes;
  unsigned lanes() const { return bytes / 4; }
};

} // namespace

static Window window_of(const Lowerer& lower) { return {lower.state.has_avx512 ? 64U : 32U}; }

// LLVM may know where arrays of the kernel's own end, and drop what reads more.
bool may_read_more(AddressSpace space) { return space == AddressSpace::Global; }

bool has_windows(const Lowerer& lower, AddressSpace space, llvm::Type* element) {
  bool may_load = lower.state.has_avx512 || may_read_more(space);
  return may_load && !lower.lanes.masked && element->isIntegerTy() && element->getScalarSizeInBits() < 32;
}

// The longest step of which a window holds all of its lanes.
static std::int64_t longest_step(Window window, llvm::Type* element) {
  return (window.bytes * 8 / element->getScalarSizeInBits() - 1) / (window.lanes() - 1);
}

llvm::Value* in_one_page(Lowerer& lower, llvm::Value* first, std::uint64_t bytes) {
  static constexpr std::uint64_t page = 4096;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* place =
      builder.CreateAnd(builder.CreatePtrToInt(first, builder.getInt64Ty()), builder.getInt64(page - 1));
  return builder.CreateICmpULE(place, builder.getInt64(page - bytes));
}

llvm::Value* in_windows(Lowerer& lower, llvm::Value* base, const Stepping& stepping, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::int64_t longest = longest_step(window_of(lower), element);
  llvm::Value* moved = builder.CreateAdd(stepping.step, i64(lower.state, longest));
  llvm::Value* close = builder.CreateICmpULE(moved, i64(lower.state, 2 * longest));
  if (lower.state.has_avx512) return close;
  const Window window = window_of(lower);
  const unsigned lanes = lower.state.lanes();
  // What lies between lanes lies in their pages. Where lanes go up the longest step fills its windows, and
  // those of a shorter one read on; where they go down one reads on behind lane 0.
  llvm::Value* first = builder.CreateGEP(element, base, stepping.first);
  return builder.CreateAnd(close, in_one_page(lower, first, window.bytes * (lanes / window.lanes())));
}

// The words of a window: what lies between lanes and nothing beyond them, where that can be told. `span`
// bytes follow the first.
static llvm::Value* load_window(Lowerer& lower, llvm::Value* first, llvm::Value* span) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Window window = window_of(lower);
  auto* words = llvm::FixedVectorType::get(builder.getInt32Ty(), window.lanes());
  if (!lower.state.has_avx512) return builder.CreateAlignedLoad(words, first, llvm::Align(1));
  auto* bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), window.bytes);
  auto* mask = llvm::FixedVectorType::get(builder.getInt1Ty(), window.bytes);
  llvm::Value* bits =
      builder.CreateLShr(i64(lower.state, -1), builder.CreateSub(i64(lower.state, window.bytes - 1), span));
  llvm::Value* loaded = builder.CreateMaskedLoad(
      bytes, first, llvm::Align(1), builder.CreateBitCast(bits, mask), llvm::Constant::getNullValue(bytes));
  return builder.CreateBitCast(loaded, words);
}

llvm::Value* load_windows(Lowerer& lower, llvm::Value* base, const Stepping& stepping, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Window window = window_of(lower);
  std::int64_t size = element->getScalarSizeInBits() / 8;
  llvm::Value* step = builder.CreateMul(stepping.step, i64(lower.state, size));
  llvm::Value* last = builder.CreateMul(step, i64(lower.state, window.lanes() - 1));
  // Where lanes go down, the window begins at the last one.
  llvm::Value* low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last, i64(lower.state, 0));
  llvm::Value* high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, last, i64(lower.state, 0));
  llvm::Value* span = builder.CreateAdd(builder.CreateSub(high, low), i64(lower.state, size - 1));
  auto each = [&](llvm::Value* scalar) {
    return builder.CreateVectorSplat(window.lanes(), builder.CreateTrunc(scalar, builder.getInt32Ty()));
  };
  std::vector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < window.lanes(); ++lane) numbers.push_back(builder.getInt32(lane));
  llvm::Value* places =
      builder.CreateSub(builder.CreateMul(each(step), llvm::ConstantVector::get(numbers)), each(low));
  llvm::Value* word_numbers = builder.CreateLShr(places, 2);
  // An element goes up to the end of its word and down again: nothing is left above it.
  std::int64_t above = 32 - 8 * size;
  llvm::Value* up = builder.CreateSub(llvm::ConstantInt::get(places->getType(), above),
                                      builder.CreateShl(builder.CreateAnd(places, 3), 3));
  llvm::Value* first =
      builder.CreateGEP(builder.getInt8Ty(), builder.CreateGEP(element, base, stepping.first), low);
  auto permute =
      lower.state.has_avx512 ? llvm::Intrinsic::x86_avx512_permvar_si_512 : llvm::Intrinsic::x86_avx2_permd;
  std::vector<llvm::Value*> parts;
  for (unsigned lane = 0; lane < lower.state.lanes(); lane += window.lanes()) {
    llvm::Value* loaded = load_window(lower, first, span);
    llvm::Value* word = builder.CreateIntrinsic(permute, {}, {loaded, word_numbers});
    parts.push_back(builder.CreateShl(word, up));
    first = builder.CreateGEP(builder.getInt8Ty(), first,
                              builder.CreateMul(step, i64(lower.state, window.lanes())));
  }
  llvm::Value* words = builder.CreateLShr(concatenate_parts(lower, parts), above);
  return builder.CreateTrunc(words, vector_of(lower.state, element));
}

} // namespace kern::lowering
