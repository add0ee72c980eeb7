// Many threads use one device, one object and one buffer at once; the thread sanitizer watches this suite.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "kernels.kern.hpp"
#include "test_device.h"

static constexpr int thread_count = 8, rounds = 50;
static constexpr std::int64_t size = 1000;

// Runs a function on each thread, all from the same moment on.
template <class Function> static void at_once(Function function) {
  std::barrier start(thread_count);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < thread_count; ++thread)
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      function(thread);
    });
}

TEST(Threads, LaunchAtOnce) {
  kern::Device device = test_device();
  std::vector<float> ones(size, 1.0f);
  const kern::Buffer<float> x = kern::copy_of<float>(device, ones);
  std::atomic<int> wrong{0}, faults{0};
  at_once([&](int thread) {
    auto library = kernels::load(device);
    kern::Stream stream(device);
    for (int round = 0; round < rounds; ++round) {
      kern::Buffer<float> y = kern::zeros<float>(device, size);
      auto a = static_cast<float>(thread + 1);
      kern::Event first = library.saxpy(kern::over(size), a, x, y);
      stream.after(first);
      library.saxpy(kern::over(size).on(stream), a, x, y).wait();
      if (y.read(size - 1) != 2 * a) ++wrong;
      kern::Status status;
      library.careless(kern::grid(1).block(8).on(stream), y.view().slice(0, 0, thread), 1).wait(status);
      if (status.kind() == KERN_KERNEL_FAULT && status.fault().extent == thread) ++faults;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(faults, thread_count * rounds);
}

TEST(Threads, StageHostMemoryAtOnce) {
  kern::Device device = test_device();
  auto library = kernels::load(device);
  std::atomic<int> wrong{0};
  at_once([&](int thread) {
    std::vector<float> x(size, 2.0f), y(size);
    for (int round = 0; round < rounds; ++round) {
      std::fill(y.begin(), y.end(), static_cast<float>(thread));
      library.saxpy(kern::over(size), 3, kern::in(x), kern::inout(y));
      if (y.back() != static_cast<float>(6 + thread)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// One thread waits for what another puts on its stream; streams and buffers end on threads that did not make
// them.
TEST(Threads, HandOverWork) {
  kern::Device device = test_device();
  auto library = kernels::load(device);
  std::vector<kern::Buffer<float>> buffers;
  std::vector<kern::Event> events(thread_count);
  for (int thread = 0; thread < thread_count; ++thread) buffers.push_back(kern::zeros<float>(device, size));
  kern::Stream::of_thread(device).wait();
  std::barrier handed(thread_count);
  std::atomic<int> wrong{0};
  at_once([&](int thread) {
    kern::Buffer<float> own = kern::zeros<float>(device, size);
    own.fill(static_cast<float>(thread));
    events[thread] = library.saxpy(kern::over(size), 1, own, buffers[thread]);
    handed.arrive_and_wait();
    int other = (thread + 1) % thread_count;
    events[other].wait();
    if (buffers[other].read(0) != static_cast<float>(other)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

// On the CPU those who wait run what is on the stream: each launch once, one after the other.
TEST(Threads, WaitForOneStream) {
  kern::Device device = test_device();
  auto library = kernels::load(device);
  kern::Buffer<float> ones = kern::zeros<float>(device, size), sum = kern::zeros<float>(device, size);
  ones.fill(1);
  kern::Stream::of_thread(device).wait();
  kern::Stream stream(device);
  std::vector<kern::Event> events;
  for (int round = 0; round < thread_count * rounds; ++round)
    events.push_back(library.saxpy(kern::over(size).on(stream), 1, ones, sum));
  at_once([&](int thread) {
    for (int round = 0; round < rounds; ++round) events[round * thread_count + thread].wait();
  });
  std::vector<float> sums(size);
  sum.copy_to(sums);
  EXPECT_EQ(sums, std::vector<float>(size, thread_count * rounds));
}

// On the CPU a launch that waits wakes nobody: a thread that is woken takes a core from those that share the
// launch.
TEST(Threads, LaunchesThatWaitRunWhereTheyAreMade) {
  kern::Device device = test_device();
  if (!device.is_cpu()) GTEST_SKIP() << "on a GPU prints come from whoever waits";
  auto library = kernels::load(device);
  kern::Stream stream(device);
  struct Seen {
    std::thread::id here = std::this_thread::get_id();
    int lines = 0, elsewhere = 0;
  } seen;
  stream.on_print(
      [](void* context, const char*, std::uint64_t) {
        auto& counts = *static_cast<Seen*>(context);
        ++counts.lines;
        counts.elsewhere += std::this_thread::get_id() != counts.here;
      },
      &seen);
  std::vector<float> x(1);
  for (int round = 0; round < 500; ++round) library.say_first(kern::grid(1).block(1).on(stream), kern::in(x));
  EXPECT_EQ(seen.lines, 500);
  EXPECT_EQ(seen.elsewhere, 0);
}
