// Many streams: they cost no thread each, what is put on them is done whoever waits, and none is forgotten.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <thread>
#include <vector>

#include "fixture.h"

namespace {

struct Streams : OnDevice {};

std::ptrdiff_t thread_count() {
  std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// Waits until a condition holds, for at most some seconds.
template <class Condition> bool comes(Condition condition) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

TEST_F(Streams, CostNoThreadEach) {
  if (is_cuda()) GTEST_SKIP();
  constexpr std::size_t count = 5000;
  kern::Device own = kern::Device::cpu({.threads = 4});
  auto of_own = kernels::load(own);
  const std::ptrdiff_t before = thread_count();
  kern::Buffer<float> x = kern::zeros<float>(own, count);
  x.fill(1).wait();
  std::deque<kern::Stream> streams;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    streams.emplace_back(own);
    auto element = x.view().slice(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1);
    for (int k = 0; k < 3; ++k) of_own.scale(kern::over(1).on(streams.back()), element, 2);
    if (i % 100 == 0) most = std::max(most, thread_count());
  }
  EXPECT_LT(std::max(most, thread_count()) - before, 40);
  for (kern::Stream& stream : streams) stream.wait();
  std::vector<float> values(count);
  x.copy_to(values);
  EXPECT_EQ(std::ranges::count(values, 8.0f), static_cast<std::ptrdiff_t>(count));
}

// Nobody waits for them.
TEST_F(Streams, AreWorkedOffByThemselves) {
  kern::HostBuffer<float> x(device, 40, {.mapped = true});
  std::ranges::fill(x, 1.0f);
  {
    std::deque<kern::Stream> streams;
    for (std::int64_t i = 0; i < 40; ++i) {
      streams.emplace_back(device);
      for (int k = 0; k < 10; ++k)
        library.scale(kern::over(1).on(streams.back()), x.view().slice(0, i, i + 1), 2);
    }
  }
  auto value = [&](std::size_t i) { return std::atomic_ref(x.data()[i]).load(); };
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_TRUE(comes([&] { return value(i) == 1024.0f; })) << i << ": " << value(i);
}

// Each goes on behind the one before it; only the last one is waited for.
TEST_F(Streams, FollowEachOtherInLongChains) {
  kern::Buffer<float> x = kern::zeros<float>(device, 1);
  x.fill(1).wait();
  std::deque<kern::Stream> streams;
  kern::Event last;
  for (int i = 0; i < 300; ++i) {
    streams.emplace_back(device);
    if (i > 0) streams.back().after(last);
    last = library.scale(kern::over(1).on(streams.back()), x, i % 2 ? 0.5f : 2.0f);
  }
  streams.back().wait();
  EXPECT_EQ(x.read(0), 1.0f);
}

// Threads put work on streams and wait, or leave it to others, all at once.
TEST_F(Streams, AreUsedByManyThreads) {
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 6; ++thread)
    threads.emplace_back([&, thread] {
      auto own = kernels::load(device);
      kern::Buffer<float> x = kern::zeros<float>(device, 64);
      x.fill(1).wait();
      kern::Stream stream(device);
      for (int i = 0; i < 400; ++i) {
        auto event = own.scale(kern::over(64).on(stream), x, i % 2 ? 0.5f : 2.0f);
        if (i % 5 == thread % 5) event.wait();
        if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      stream.wait();
      wrong += x.read(63) != 1.0f;
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

} // namespace
