// A Status over several calls, and what errors say of memory.
#include "expect.h"
#include "fixture.h"

namespace {

struct StatusOf : OnDevice {
  kern::Status status;
  kern::Buffer<float> x{device, 8};
};

TEST_F(StatusOf, SeveralCallsKeepsTheFirstError) {
  kern::Buffer<float> bad(status, device, kern::extents(-1));
  const std::string first = status.message();
  EXPECT_TRUE(contains(first, "the extents -1"));
  kern::Buffer<float> good(status, device, kern::extents(1));
  EXPECT_EQ(good.size(), 1);
  std::vector<float> seven(7), eight(8, 3);
  x.copy_from(status, seven);
  library.careless(status, kern::grid(1).block(9), x, 1).wait(status);
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  EXPECT_EQ(status.message(), first);
  status.refuse("something else");
  EXPECT_EQ(status.message(), first);
  status.clear();
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.message(), "");
  library.careless(status, kern::grid(1).block(9), x, 1).wait(status);
  EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
  EXPECT_EQ(status.fault().index, 8);
}

// Calls go on behind an error, and do all that they say: host memory is not left to a copy under way.
TEST_F(StatusOf, EarlierErrorsDoesNotShortenLaterCalls) {
  status.refuse("before");
  std::vector<float> from(8, 3), to(8);
  x.copy_from(status, from);
  library.scale(status, kern::over(8), x, 2);
  x.copy_to(status, to);
  EXPECT_EQ(to, std::vector<float>(8, 6));
  bool came = kern::for_each_chunk(
      status, device, {.rows = 3},
      [&](const kern::Chunk& chunk, kern::View<float> part) {
        library.scale(status, kern::over(3).on(chunk.stream), part, 2);
      },
      kern::inout(to));
  EXPECT_TRUE(came);
  EXPECT_EQ(to, std::vector<float>(8, 12));
  EXPECT_EQ(status.message(), "before");
}

TEST_F(StatusOf, ChunksEndsWhereTheirFunctionTellsAnError) {
  std::vector<float> host(9);
  int calls = 0;
  bool came = kern::for_each_chunk(
      status, device, {.rows = 3},
      [&](const kern::Chunk&, kern::View<float>) { ++calls, status.refuse("enough"); }, kern::inout(host));
  EXPECT_FALSE(came);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(status.message(), "enough");
}

TEST_F(StatusOf, MissingMemorySaysWhatBuffersHold) {
  if (is_cuda()) GTEST_SKIP() << "the driver's limits";
  kern::Device own = kern::Device::cpu({.threads = 2});
  kern::Buffer<float> held(own, 1 << 20);
  kern::Buffer<double> more(status, own, kern::extents(std::int64_t(1) << 57));
  EXPECT_EQ(status.kind(), KERN_OUT_OF_MEMORY);
  EXPECT_EQ(status.bytes_held(), 4u << 20);
  EXPECT_EQ(status.bytes_asked(), std::uint64_t(1) << 60);
}

} // namespace
