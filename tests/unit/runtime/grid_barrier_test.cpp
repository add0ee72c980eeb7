// Kernels whose blocks wait for each other: nobody is early, and a fault holds nobody up.
#include <numeric>
#include <thread>

#include "expect.h"
#include "fixture.h"

namespace {

constexpr std::int64_t size = 120, never = -1;

struct GridBarrier : OnDevice {
  kern::Launch shape = kern::grid(4).block(33);
  kern::Buffer<std::int64_t> x = kern::zeros<std::int64_t>(device, size),
                             y = kern::zeros<std::int64_t>(device, size);

  GridBarrier() { x.copy_from(start()); }

  static std::vector<std::int64_t> start() {
    std::vector<std::int64_t> values(size);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }
  static void add_neighbours(std::vector<std::int64_t>& values) {
    std::vector<std::int64_t> before = values;
    for (std::size_t i = 0; i < size; ++i) values[i] += before[(i + 1) % size];
  }
  static std::vector<std::int64_t> values_of(const kern::Buffer<std::int64_t>& buffer) {
    std::vector<std::int64_t> values(size);
    buffer.copy_to(values);
    return values;
  }
};

TEST_F(GridBarrier, WaitsForAllBlocks) {
  std::vector<std::int64_t> expected = start();
  for (int round = 0; round < 9; ++round) add_neighbours(expected);
  library.add_neighbours(shape, x, y, 9, never);
  EXPECT_EQ(values_of(x), expected);
  for (int round = 0; round < 5; ++round) add_neighbours(expected);
  auto prepared = library.prepare_add_neighbours(shape, x, y, 5, never);
  prepared();
  EXPECT_EQ(values_of(x), expected);
}

TEST_F(GridBarrier, LeavesWhereAThreadHasFaulted) {
  std::vector<std::int64_t> expected = start();
  for (int round = 0; round < 3; ++round) add_neighbours(expected);
  std::vector<std::int64_t> before = start();
  for (int round = 0; round < 2; ++round) add_neighbours(before);
  expected[40] = before[40]; // the others wrote what they had to before the next barrier
  kern::Status status;
  library.add_neighbours(shape, x, y, 9, 2).wait(status);
  ASSERT_EQ(status.kind(), KERN_KERNEL_FAULT) << status.message();
  EXPECT_EQ(status.fault().index, 40 + size);
  EXPECT_EQ(status.fault().block[0], 1u);
  EXPECT_EQ(status.fault().thread[0], 7u);
  EXPECT_EQ(values_of(x), expected);
  add_neighbours(expected);
  library.add_neighbours(shape, x, y, 1, never);
  EXPECT_EQ(values_of(x), expected);
}

TEST_F(GridBarrier, RunsOnManyStreams) {
  std::vector<std::int64_t> expected = start();
  for (int round = 0; round < 20; ++round) add_neighbours(expected);
  std::vector<std::thread> threads;
  std::vector<std::vector<std::int64_t>> results(4);
  for (std::vector<std::int64_t>& result : results)
    threads.emplace_back([&] {
      kern::Buffer<std::int64_t> own = kern::zeros<std::int64_t>(device, size),
                                 other = kern::zeros<std::int64_t>(device, size);
      own.copy_from(start());
      for (int launch = 0; launch < 10; ++launch) library.add_neighbours(shape, own, other, 2, never);
      result = values_of(own);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::int64_t>& result : results) EXPECT_EQ(result, expected);
}

TEST_F(GridBarrier, RefusesWhatCannotRunAtOnce) {
  std::string refusal = thrown_by<kern::ArgumentError>(
      [&] { library.add_neighbours(kern::grid(100'000).block(33), x, y, 1, never); });
  EXPECT_TRUE(contains(refusal, "is launched cooperatively over 100000 blocks of 33x1x1, and ")) << refusal;
  refusal = thrown_by<kern::ArgumentError>([&] { library.add_neighbours(kern::over(120), x, y, 1, never); });
  EXPECT_TRUE(contains(refusal, "has barriers: say its block")) << refusal;
}

TEST_F(GridBarrier, IsNotCaptured) {
  kern::Stream stream(device);
  std::string refusal = thrown_by<kern::ArgumentError>(
      [&] { kern::capture(stream, [&] { library.add_neighbours(shape.on(stream), x, y, 1, never); }); });
  EXPECT_TRUE(contains(refusal, "has barriers of the grid, so it cannot be captured in a graph")) << refusal;
}

} // namespace
