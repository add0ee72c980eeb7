// Loads of bytes and halves whose lanes lie close together, in whatever order: pixels with their channels
// side by side, or indices that are clamped to an edge. A register that is loaded from there holds some
// lanes, and a permutation takes them out: a gather takes 30 times as long as a plain load (a blur of a
// colour picture: 4.7 ms with gathers, 2.0 without).
//
// Memory may end behind the last lane, and before lanes that are not active. AVX-512 loads bytes under a
// mask, where all lanes are active and none stops at an edge; else whole registers are loaded where they lie
// in one page: the element of some active lane is in it, so all of it is there.
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/lower/lanes.h"

namespace kern::lowering {

// A window is so many lanes with four bytes of memory for each.
static unsigned window_lanes(const Lowerer& lower) { return lower.state.has_avx512 ? 16 : 4; }
static constexpr std::int64_t bytes_each = 4;

// LLVM may know where arrays of the kernel's own end, and drop what reads more.
bool may_read_more(AddressSpace space) { return space == AddressSpace::Global; }

bool has_windows(const Lowerer& lower, AddressSpace space, llvm::Type* element) {
  bool may_load = (lower.state.has_avx512 && !lower.lanes.masked) || may_read_more(space);
  return may_load && element->isIntegerTy() && element->getScalarSizeInBits() < 32;
}

llvm::Value* in_one_page(Lowerer& lower, llvm::Value* first, std::uint64_t bytes) {
  static constexpr std::uint64_t page = 4096;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* place =
      builder.CreateAnd(builder.CreatePtrToInt(first, builder.getInt64Ty()), builder.getInt64(page - 1));
  return builder.CreateICmpULE(place, builder.getInt64(page - bytes));
}

// In each lane, what lane `which` of its window has.
static llvm::Value* of_window(Lowerer& lower, llvm::Value* vector, unsigned which) {
  const unsigned width = window_lanes(lower);
  std::vector<int> lanes;
  for (unsigned lane = 0; lane < lower.lane_count(); ++lane)
    lanes.push_back(static_cast<int>(lane / width * width + which));
  return lower.builder.CreateShuffleVector(vector, lanes);
}

Windows find_windows(Lowerer& lower, llvm::Value* base, const Stepping& stepping, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  const std::int64_t size = element->getScalarSizeInBits() / 8, longest = bytes_each / size;
  llvm::Value* moved = builder.CreateAdd(stepping.step, i64(lower.state, longest));
  llvm::Value* numbers = lane_steps(lower, builder.getInt32Ty(), 1);
  llvm::Value* first = stepping.first;
  if (stepping.numbers) numbers = stepping.numbers->lanes, first = stepping.numbers->first;
  llvm::Value* step =
      builder.CreateTrunc(builder.CreateMul(stepping.step, i64(lower.state, size)), builder.getInt32Ty());
  llvm::Value* places = builder.CreateMul(numbers, splat(lower, step));
  // Where lanes go down, a window begins at its last one.
  llvm::Value *begin = of_window(lower, places, 0), *end = of_window(lower, places, window_lanes(lower) - 1);
  Windows windows{builder.CreateICmpULE(moved, i64(lower.state, 2 * longest)),
                  builder.CreateGEP(element, base, first),
                  builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin, end),
                  builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, end),
                  places,
                  !lower.state.has_avx512 || lower.lanes.masked || stepping.numbers};
  return windows;
}

// An element of a vector of i32, as an i64.
static llvm::Value* at(Lowerer& lower, llvm::Value* vector, unsigned lane) {
  return lower.builder.CreateSExt(lower.builder.CreateExtractElement(vector, lane),
                                  lower.builder.getInt64Ty());
}

llvm::Value* in_page(Lowerer& lower, const Windows& windows) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (!windows.whole) return builder.getTrue();
  // Each begins at the lowest of its lanes, and with the longest step they fill what is asked for.
  llvm::Value* lowest = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at(lower, windows.low, 0),
                                                      at(lower, windows.low, lower.lane_count() - 1));
  return in_one_page(lower, builder.CreateGEP(builder.getInt8Ty(), windows.first, lowest),
                     bytes_each * lower.lane_count());
}

// The bytes of a window, of which `last` is the last that must be there.
static llvm::Value* load_window(Lowerer& lower, llvm::Value* first, llvm::Value* last, bool whole) {
  llvm::IRBuilder<>& builder = lower.builder;
  const unsigned size = window_lanes(lower) * bytes_each;
  auto* bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), size);
  if (whole) return builder.CreateAlignedLoad(bytes, first, llvm::Align(1));
  auto* mask = llvm::FixedVectorType::get(builder.getInt1Ty(), size);
  llvm::Value* bits =
      builder.CreateLShr(i64(lower.state, -1), builder.CreateSub(i64(lower.state, size - 1), last));
  return builder.CreateMaskedLoad(bytes, first, llvm::Align(1), builder.CreateBitCast(bits, mask),
                                  llvm::Constant::getNullValue(bytes));
}

// Takes words out of a register of words, and elements of `size` bytes out of them: up to the end of its word
// and down again, nothing is left above one.
static llvm::Value* take_words(Lowerer& lower, llvm::Value* window, llvm::Value* places, std::int64_t size) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::int64_t above = 32 - 8 * size;
  llvm::Value* words = builder.CreateBitCast(window, places->getType());
  llvm::Value* word = builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_si_512, {},
                                              {words, builder.CreateLShr(places, 2)});
  llvm::Value* up = builder.CreateSub(llvm::ConstantInt::get(word->getType(), above),
                                      builder.CreateShl(builder.CreateAnd(places, 3), 3));
  return builder.CreateLShr(builder.CreateShl(word, up), above);
}

// Takes elements out of both halves of a register of AVX2, each a window: bytes by their numbers to the end
// of their words, where those with the highest bit are zero.
static llvm::Value* take_bytes(Lowerer& lower, llvm::Value* windows, llvm::Value* places, std::int64_t size) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* words = places->getType();
  std::uint64_t up = size == 1 ? 0x1000000 : 0x1010000, others = size == 1 ? 0x808080 : 0x1008080;
  llvm::Value* numbers = builder.CreateOr(builder.CreateMul(places, llvm::ConstantInt::get(words, up)),
                                          llvm::ConstantInt::get(words, others));
  llvm::Value* taken = builder.CreateIntrinsic(llvm::Intrinsic::x86_avx2_pshuf_b, {},
                                               {windows, builder.CreateBitCast(numbers, windows->getType())});
  return builder.CreateLShr(builder.CreateBitCast(taken, words), 32 - 8 * size);
}

llvm::Value* load_windows(Lowerer& lower, const Windows& windows, llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  const std::int64_t size = element->getScalarSizeInBits() / 8;
  const unsigned lanes = lower.lane_count(), each = window_lanes(lower),
                 width = lower.state.has_avx512 ? 16 : 8;
  llvm::Value *places = builder.CreateSub(windows.places, windows.low),
              *span = builder.CreateSub(windows.high, windows.low);
  std::vector<llvm::Value*> words;
  for (unsigned lane = 0; lane < lanes; lane += width) {
    std::vector<llvm::Value*> loaded;
    for (unsigned window = lane; window < lane + width; window += each) {
      llvm::Value* from =
          builder.CreateGEP(builder.getInt8Ty(), windows.first, at(lower, windows.low, window));
      llvm::Value* last = builder.CreateAdd(at(lower, span, window), i64(lower.state, size - 1));
      loaded.push_back(load_window(lower, from, last, windows.whole));
    }
    auto* take = lower.state.has_avx512 ? take_words : take_bytes;
    words.push_back(take(lower, concatenate_parts(lower, loaded), part_of(lower, places, lane, width), size));
  }
  return builder.CreateTrunc(concatenate_parts(lower, words), vector_of(lower, element));
}

} // namespace kern::lowering
