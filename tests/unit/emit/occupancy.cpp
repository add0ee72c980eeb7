// Tests the occupancy of blocks against figures of NVIDIA's occupancy calculator, and the reader of what ptxas says.
#include "compiler/emit/occupancy.h"

#include <gtest/gtest.h>

#include "compiler/emit/resources.h"

namespace kern::test {
namespace {

TEST(Occupancy, IsLimitedByWhatRunsOutFirst) {
  struct Case {
    const char* arch;
    BlockNeeds needs;
    std::int64_t blocks;
    int percent;
  };
  const Case cases[] = {
      {"sm_80", {256, 32, 0}, 8, 100},       // threads
      {"sm_80", {32, 16, 0}, 32, 50},        // blocks
      {"sm_80", {256, 33, 0}, 6, 75},        // registers, which warps get by 256
      {"sm_80", {256, 255, 0}, 1, 12},       // eight warps of 255 registers
      {"sm_80", {288, 255, 0}, 0, 0},        // nine do not fit
      {"sm_80", {1024, 64, 0}, 1, 50},       //
      {"sm_80", {1024, 65, 0}, 0, 0},        //
      {"sm_80", {128, 32, 48 << 10}, 3, 18}, // shared memory, of which each block has 1 KiB more
      {"sm_80", {128, 32, 164 << 10}, 0, 0}, //
      {"sm_90", {128, 32, 48 << 10}, 4, 25}, //
      {"sm_70", {128, 32, 48 << 10}, 2, 12}, // nothing more
      {"sm_86", {1024, 32, 0}, 1, 66},       //
      {"sm_75", {1024, 32, 0}, 1, 100},      //
      {"sm_120", {256, 40, 0}, 6, 100},      //
      {"sm_90a", {256, 40, 0}, 6, 75},       //
  };
  for (const Case& each : cases) {
    std::optional<Multiprocessor> on = multiprocessor(each.arch);
    ASSERT_TRUE(on);
    EXPECT_EQ(resident_blocks(*on, each.needs), each.blocks) << each.arch << ' ' << each.needs.threads;
    EXPECT_EQ(occupancy(*on, each.needs), each.percent) << each.arch << ' ' << each.needs.threads;
  }
}

TEST(Occupancy, KnowsTheLargestBlock) {
  const Multiprocessor on = *multiprocessor("sm_90");
  EXPECT_EQ(largest_block(on, {0, 64, 0}, 1024), 1024);
  EXPECT_EQ(largest_block(on, {0, 128, 0}, 1024), 512);
  EXPECT_EQ(largest_block(on, {0, 255, 0}, 1024), 256);
  EXPECT_EQ(largest_block(on, {0, 32, 0}, 100), 96);
  EXPECT_EQ(largest_block(on, {0, 32, 228 << 10}, 1024), 0);
}

TEST(Occupancy, TakesTheNearestOlderArch) {
  EXPECT_EQ(multiprocessor("sm_88")->capability, 87);
  EXPECT_FALSE(multiprocessor("sm_60"));
  EXPECT_FALSE(multiprocessor("x86-64-v3"));
}

TEST(Resources, AreReadOfEntryFunctionsOnly) {
  std::vector<KernelResources> kernels =
      read_resources("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                     "ptxas info    : Function properties for k\n"
                     "    64 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
                     "ptxas info    : Used 32 registers, used 1 barriers, 256 bytes smem, 380 bytes cmem[0], "
                     "8 bytes cmem[2]\n"
                     "ptxas info    : Function properties for kern_fault\n"
                     "    16 bytes stack frame, 1 bytes spill stores, 1 bytes spill loads\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].symbol, "k");
  EXPECT_EQ(kernels[0].registers, 32);
  EXPECT_EQ(kernels[0].local, 64);
  EXPECT_EQ(kernels[0].spill_stores, 4);
  EXPECT_EQ(kernels[0].spill_loads, 8);
  EXPECT_EQ(kernels[0].shared, 256);
  EXPECT_EQ(kernels[0].constant, 388);
  EXPECT_TRUE(read_resources("").empty());
}

} // namespace
} // namespace kern::test
