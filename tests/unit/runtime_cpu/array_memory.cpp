// Memory for arrays: aligned, writable to its end, and large ones not all at the same place of a huge page.
#include "runtime/cpu/array_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

using namespace kern::cpu;

namespace {

constexpr std::uint64_t huge_page = 2 << 20;

std::uint64_t address(const ArrayMemory& memory) { return reinterpret_cast<std::uint64_t>(memory.get()); }

TEST(ArrayMemory, IsAlignedAndWritable) {
  for (std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{256}, std::uint64_t{100'000},
                              2 * huge_page, 2 * huge_page + 1, 3 * huge_page}) {
    ArrayMemory memory = allocate_array(bytes);
    ASSERT_TRUE(memory) << bytes;
    EXPECT_EQ(address(memory) % array_alignment, 0u) << bytes;
    std::memset(memory.get(), 1, bytes);
  }
}

TEST(ArrayMemory, PutsLargeArraysAtDifferentPlacesOfTheirPages) {
  std::vector<ArrayMemory> arrays;
  std::set<std::uint64_t> places, in_small_pages;
  for (int i = 0; i < 16; ++i) {
    arrays.push_back(allocate_array(2 * huge_page));
    places.insert(address(arrays.back()) % huge_page);
    in_small_pages.insert(address(arrays.back()) % 4096);
  }
  EXPECT_EQ(places.size(), 16u);
  EXPECT_EQ(in_small_pages.size(), 16u);
}

TEST(ArrayMemory, IsNullWhereThereIsNone) {
  EXPECT_FALSE(allocate_array(PTRDIFF_MAX));
  EXPECT_FALSE(allocate_array(UINT64_MAX));
}

} // namespace
