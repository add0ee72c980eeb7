// Which variant of a kernel a launch takes, at the boundary of each fact, and that all of them do the same. The
// fake driver says which it was.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::View;

struct Variants : OnDevice {
  // Holds 0, 1, 2 and so on.
  Buffer<float> numbers = kern::zeros<float>(device, 64);
  Buffer<float> out = kern::zeros<float>(device, 64);

  void SetUp() override {
    std::vector<float> host(64);
    std::iota(host.begin(), host.end(), 0.0f);
    numbers.copy_from(host);
  }
  View<const float> from(std::int64_t first, std::int64_t extent, std::int64_t stride) {
    return {numbers.view().buffer(), numbers.data() + first, {extent}, {stride}};
  }
  View<float> to(std::int64_t extent, std::int64_t stride) {
    return {out.view().buffer(), out.data(), {extent}, {stride}};
  }
  static void expect_taken(const char* variant) {
    if (fake_cuda() && is_cuda()) {
      EXPECT_EQ(last_variant(), variant);
    }
  }
};

TEST_F(Variants, ArePickedByStrides) {
  struct Case {
    std::int64_t first, stride, out_stride;
    const char* variant;
  };
  const Case cases[] = {{0, 1, 1, "copy"},     {1, 1, 1, "copy"},    {0, 2, 1, "copy$v1"},
                        {9, -1, 1, "copy$v1"}, {0, 1, 2, "copy$v1"}, {5, 0, 1, "copy$v1"},
                        {9, -1, 3, "copy$v1"}, {0, 1, 1, "copy"}};
  for (const Case& now : cases) {
    out.fill(-1).wait();
    library.copy(kern::over(10), from(now.first, 10, now.stride), to(10, now.out_stride)).wait();
    expect_taken(now.variant);
    for (std::int64_t i = 0; i < 10; ++i)
      EXPECT_EQ(out.read(i * now.out_stride), static_cast<float>(now.first + i * now.stride));
    if (now.out_stride > 1) {
      EXPECT_EQ(out.read(1), -1);
    }
  }
}

TEST_F(Variants, ArePickedByExtents) {
  out.fill(-1).wait();
  library.copy(kern::over(10), from(0, 11, 1), to(10, 1)).wait();
  expect_taken("copy");
  library.copy(kern::over(10), from(0, 10, 1), to(10, 1)).wait();
  expect_taken("copy");
  EXPECT_EQ(out.read(9), 9);
  // One element too few: the thread that has none faults, as it does without variants.
  EXPECT_TRUE(contains(
      thrown_by<kern::KernelFault>([&] { library.copy(kern::over(10), from(0, 9, 1), to(10, 1)).wait(); }),
      "index 9"));
  expect_taken("copy$v1");
}

// Strides of an axis of one element mean nothing, and one without elements is never reached.
TEST_F(Variants, TakeArraysOfOneElementAndNone) {
  library.copy(kern::over(1), from(7, 1, 5), to(1, 9)).wait();
  EXPECT_EQ(out.read(0), 7);
  out.fill(-1).wait();
  library.copy(kern::over(10), from(0, 0, 1), to(0, 1)).wait();
  expect_taken("copy");
  library.copy(kern::over(10), from(0, 0, 3), to(0, 3)).wait();
  EXPECT_EQ(out.read(0), -1);
  EXPECT_TRUE(contains(
      thrown_by<kern::KernelFault>([&] { library.copy(kern::over(10), from(0, 0, 1), to(1, 1)).wait(); }),
      "index 0"));
}

TEST_F(Variants, ArePickedAnewByPreparedLaunches) {
  auto prepared = library.prepare_copy(kern::over(10), from(0, 10, 1), to(10, 1));
  prepared().wait();
  expect_taken("copy");
  prepared.set<0>(from(9, 10, -1));
  prepared().wait();
  expect_taken("copy$v1");
  EXPECT_EQ(out.read(0), 9);
  prepared.set<0>(from(3, 10, 1));
  prepared().wait();
  expect_taken("copy");
  EXPECT_EQ(out.read(0), 3);
}

TEST_F(Variants, AreKeptByGraphs) {
  kern::Stream stream(device);
  kern::Graph graph =
      kern::capture(stream, [&] { library.copy(kern::over(10).on(stream), from(9, 10, -1), to(10, 1)); });
  graph.launch(stream).wait();
  expect_taken("copy$v1");
  EXPECT_EQ(out.read(9), 0);
  EXPECT_EQ(out.read(0), 9);
}

} // namespace
