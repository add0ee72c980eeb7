// Arrays larger than the memory of their device.
#include <gtest/gtest.h>

#include <numeric>

#include "expect.h"
#include "kernels.kern.hpp"
#include "test_device.h"

namespace {

using kern::Chunk;
using kern::Device;
using kern::View;

constexpr std::uint64_t limit = 1 << 20;

struct Chunks : testing::Test {
  Device device = (test_device(), is_cuda()) ? Device::cuda(0, {.memory_limit = limit})
                                             : Device::cpu({.memory_limit = limit});
  kernels::Kernels library = kernels::load(device);

  std::vector<float> counted(std::size_t size) {
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }
  auto saxpy() {
    return [this](const Chunk& chunk, View<const float> x, View<float> y) {
      library.saxpy(kern::over(static_cast<std::uint64_t>(chunk.size())).on(chunk.stream), 2, x, y);
    };
  }
};

TEST_F(Chunks, WorkOnMoreThanTheDeviceHolds) {
  constexpr std::size_t size = 3 * limit / sizeof(float) / 2 + 7;
  std::vector<float> x = counted(size), y(size, 1.0f);
  std::vector<std::int64_t> done;
  kern::ChunkOptions options;
  options.progress = [&](const kern::ChunkProgress& progress) {
    EXPECT_EQ(progress.total, static_cast<std::int64_t>(size));
    EXPECT_EQ(y[static_cast<std::size_t>(progress.done) - 1], 2 * static_cast<float>(progress.done - 1) + 1);
    done.push_back(progress.done);
    return true;
  };
  EXPECT_TRUE(kern::for_each_chunk(device, options, saxpy(), kern::in(x), kern::inout(y)));
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(y[i], 2 * x[i] + 1) << i;
  EXPECT_GT(done.size(), 6u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), static_cast<std::int64_t>(size));
}

TEST_F(Chunks, CopyPinnedMemoryAsItIs) {
  constexpr std::int64_t size = 3 * limit / 4;
  kern::HostBuffer<float> x(test_device(), size), y(test_device(), size);
  std::fill(x.begin(), x.end(), 3.0f);
  std::fill(y.begin(), y.end(), 1.0f);
  kern::for_each_chunk(device, {.rows = 10'000}, saxpy(), kern::in(x), kern::inout(y));
  EXPECT_EQ(std::count(y.begin(), y.end(), 7.0f), size);
}

TEST_F(Chunks, ComeWithTheRowsBesideThem) {
  constexpr std::int64_t rows = 1000, columns = 300;
  std::vector<float> from = counted(rows * columns), to(rows * columns, -1.0f);
  auto sum = [&](const Chunk& chunk, View<const float, 2> in, View<float, 2> out) {
    library.column_sum(
        kern::over(columns, static_cast<std::uint64_t>(chunk.size())).block(32, 8).on(chunk.stream),
        chunk.begin - chunk.first, in, out);
  };
  kern::for_each_chunk(device, {.halo = 2}, sum, kern::in(from.data(), kern::extents(rows, columns)),
                       kern::out(to.data(), kern::extents(rows, columns)));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      float expected = 0;
      for (std::int64_t k = std::max<std::int64_t>(0, row - 2); k < std::min(rows, row + 3); ++k)
        expected += from[static_cast<std::size_t>(k * columns + column)];
      ASSERT_EQ(to[static_cast<std::size_t>(row * columns + column)], expected) << row << ", " << column;
    }
}

// Beside a chunk there are no more rows than the array has, whatever is asked for.
TEST_F(Chunks, ComeWithAllRowsForAnyHalo) {
  std::vector<float> x(100), y(100);
  for (std::int64_t halo : {std::int64_t(100), std::int64_t(1000), INT64_MAX / 2, INT64_MAX}) {
    int calls = 0;
    auto step = [&](const Chunk& chunk, View<const float> from, View<float> to) {
      EXPECT_EQ(chunk.first, 0);
      EXPECT_EQ(from.size(), 100);
      calls += to.size() == 10;
    };
    EXPECT_TRUE(kern::for_each_chunk(device, {.rows = 10, .halo = halo}, step, kern::in(x), kern::out(y)));
    EXPECT_EQ(calls, 10) << halo;
  }
}

TEST_F(Chunks, EndWhenTheyAreTold) {
  std::vector<float> x(100'000), y(100'000, 1.0f);
  int calls = 0;
  kern::ChunkOptions options{.rows = 1000};
  options.progress = [&](const kern::ChunkProgress& progress) { return ++calls, progress.done < 5000; };
  EXPECT_FALSE(kern::for_each_chunk(device, options, saxpy(), kern::in(x), kern::inout(y)));
  EXPECT_EQ(calls, 5);
}

TEST_F(Chunks, TellFaultsAndLeaveNothingUnderWay) {
  std::vector<float> y(100'000);
  kern::Status status;
  auto careless = [&](const Chunk& chunk, View<float> part) {
    bool bad = chunk.index == 7;
    library.careless(kern::over(static_cast<std::uint64_t>(part.size() + bad)).block(1).on(chunk.stream),
                     part, 1);
  };
  EXPECT_FALSE(kern::for_each_chunk(status, device, {.rows = 1000}, careless, kern::inout(y)));
  EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
  EXPECT_EQ(status.fault().extent, 1000);
  EXPECT_EQ(y[6999], 1);
}

TEST_F(Chunks, RefuseWhatCannotBe) {
  std::vector<float> x(1000), y(999);
  auto refusal = [&](const kern::ChunkOptions& options, auto&&... arrays) {
    return thrown_by<kern::ArgumentError>(
        [&] { kern::for_each_chunk(device, options, [](const Chunk&, auto&&...) {}, arrays...); });
  };
  EXPECT_TRUE(contains(refusal({}, kern::in(x), kern::out(y)), "different numbers of rows: 1000 and 999"));
  EXPECT_TRUE(contains(refusal({.halo = 1}, kern::inout(x)), "with a halo an array cannot be inout()"));
  EXPECT_TRUE(contains(refusal({.streams = 0}, kern::in(x)), "chunks need 1 to 64 streams"));
  EXPECT_TRUE(contains(refusal({.streams = 1'000'000}, kern::in(x)), "chunks need 1 to 64 streams"));
  for (auto extents :
       {kern::extents(-1, 4), kern::extents(1, -4), kern::extents(std::int64_t(1) << 32, 1 << 30),
        kern::extents(INT64_MAX, INT64_MAX), kern::extents(0, INT64_MAX)})
    EXPECT_TRUE(contains(refusal({}, kern::in(x.data(), extents)), "no array has the extents "));
}

// The message says how much one row takes on all streams.
TEST_F(Chunks, NeedRoomForARowOfEachStream) {
  std::vector<float> rows(100 * 1000);
  auto array = kern::inout(rows.data(), kern::extents(100, 1000));
  auto refusal = [&](const kern::ChunkOptions& options) {
    return thrown_by<kern::OutOfMemory>(
        [&] { kern::for_each_chunk(device, options, [](const Chunk&, auto&&...) {}, array); });
  };
  for (std::uint64_t memory : {1, 3999, 4000, 11'999})
    EXPECT_TRUE(contains(refusal({.memory = memory}),
                         "chunks of 1 rows of 4000 bytes, with 0 rows of halo on both sides, on 3 streams "
                         "take 12000 bytes, and do not fit in " +
                             std::to_string(memory) + " bytes"));
  EXPECT_TRUE(contains(refusal({.rows = 100, .memory = 100'000}), "take 1200000 bytes"));
  kern::Status status;
  EXPECT_FALSE(kern::for_each_chunk(status, device, {.memory = 23}, [](const Chunk&, auto&&...) {}, array));
  EXPECT_EQ(status.kind(), KERN_OUT_OF_MEMORY);
  EXPECT_EQ(status.bytes_asked(), 12'000u);
  // A device with less than a row.
  std::vector<float> wide(3 * limit);
  auto widest = kern::inout(wide.data(), kern::extents(3, limit));
  EXPECT_TRUE(contains(thrown_by<kern::OutOfMemory>(
                           [&] { kern::for_each_chunk(device, {}, [](const Chunk&, auto&&...) {}, widest); }),
                       "chunks of 1 rows of 4194304 bytes"));
  int chunks = 0;
  auto count = [&](const Chunk& chunk, View<float, 2>) {
    ++chunks;
    EXPECT_EQ(chunk.size(), 1);
  };
  EXPECT_TRUE(kern::for_each_chunk(device, {.memory = 12'000}, count, array));
  EXPECT_EQ(chunks, 100);
}

// More rows and halos than there are mean all of them.
TEST_F(Chunks, TakeAnyNumberOfRows) {
  constexpr std::int64_t rows = 10, columns = 3;
  for (std::int64_t many :
       {std::int64_t(1), std::int64_t(9), std::int64_t(10), std::int64_t(11), INT64_MAX / 2, INT64_MAX}) {
    std::vector<float> from = counted(rows * columns), to(rows * columns, -1.0f);
    auto sum = [&](const Chunk& chunk, View<const float, 2> in, View<float, 2> out) {
      EXPECT_LE(in.extent(0), rows);
      EXPECT_EQ(out.extent(0), chunk.size());
      library.column_sum(kern::over(columns, rows).block(32, 8).on(chunk.stream), chunk.begin - chunk.first,
                         in, out);
    };
    auto run = [&](const kern::ChunkOptions& options) {
      std::fill(to.begin(), to.end(), -1.0f);
      kern::for_each_chunk(device, options, sum, kern::in(from.data(), kern::extents(rows, columns)),
                           kern::out(to.data(), kern::extents(rows, columns)));
      EXPECT_EQ(to[5 * columns], 5 * 15);
    };
    if (many > 2) run({.rows = many, .halo = 2});
    if (many > 2) run({.rows = 3, .halo = many});
    if (many > 2) run({.rows = many, .halo = many});
    run({.rows = many, .halo = 3, .streams = 64});
  }
}

TEST_F(Chunks, LimitMemory) {
  kern::Buffer<float> half(device, limit / 8);
  try {
    kern::Buffer<float> more(device, limit / 4 - 1000);
    FAIL();
  } catch (const kern::OutOfMemory& error) {
    EXPECT_EQ(error.asked, limit - 4000);
    EXPECT_LE(error.available, limit / 2);
    EXPECT_GE(error.held, limit / 2);
    EXPECT_TRUE(contains(error.what(), std::to_string(limit)));
  }
  half = kern::Buffer<float>(device, 1); // survived: what was given back can be had
  kern::Buffer<float> more(device, limit / 4 - 200'000);
  more.fill(1).wait();
}

} // namespace
