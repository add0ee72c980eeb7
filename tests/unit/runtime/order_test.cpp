// Tests the order that holds without events: fills before all that uses the buffer, copies that name no
// stream behind all work on it. Each kind of use meets each kind of fill, on the thread's stream and others.
#include <functional>
#include <thread>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;

constexpr std::int64_t size = 30'000;

struct Order : OnDevice {
  kern::Stream first{device}, second{device};
  Buffer<float> slow = kern::zeros<float>(device, 1 << 20);

  // Gives a stream work that takes a while.
  void keep_busy(const kern::Stream& stream) {
    for (int i = 0; i < 4; ++i) library.scale(kern::over(1 << 20).on(stream), slow, 1);
  }
  void keep_thread_busy() {
    for (int i = 0; i < 4; ++i) library.scale(kern::over(1 << 20), slow, 1);
  }
  // Returns the last element.
  static float last(const Buffer<float>& buffer) { return buffer.read(size - 1); }
};

// A use of a buffer of threes on a stream, and what the buffer holds then.
struct UseOfThrees {
  const char* name;
  std::function<void(Order&, Buffer<float>&, const kern::Stream&)> use;
  float expected;
};

const UseOfThrees uses_of_threes[] = {
    {"launch",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       order.library.scale(kern::over(size).on(stream), x, 2);
     },
     6},
    {"prepared",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       auto prepared = order.library.prepare_scale(kern::over(size).on(stream), x, 2);
       prepared();
       prepared();
     },
     12},
    {"staged",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       std::vector<float> ones(size, 1);
       order.library.saxpy(kern::over(size).on(stream), 1, kern::in(ones), x);
     },
     4},
    {"write",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       kern::HostBuffer<float> host(order.device, size);
       std::fill(host.begin(), host.end(), 8.0f);
       x.copy_from_async(host, stream);
     },
     8},
    {"copy from",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       Buffer<float> fives(order.device, size);
       fives.fill(5);
       x.copy_from_async(fives, stream);
     },
     5},
    {"fill", [](Order&, Buffer<float>& x, const kern::Stream& stream) { x.fill(9, stream); }, 9},
    {"copy to",
     [](Order&, Buffer<float>& x, const kern::Stream& stream) {
       std::vector<float> host(size);
       x.copy_to(host, stream);
       EXPECT_EQ(host, std::vector<float>(size, 3));
     },
     3},
    {"graph",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       x.fill(1).wait();
       kern::Graph graph =
           kern::capture(stream, [&] { order.library.scale(kern::over(size).on(stream), x, 2); });
       order.keep_thread_busy();
       x.fill(3);
       graph.launch(stream);
     },
     6},
    {"captured",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       kern::Graph graph =
           kern::capture(stream, [&] { order.library.scale(kern::over(size).on(stream), x, 2); });
       graph.launch(stream);
     },
     6},
    {"two streams",
     [](Order& order, Buffer<float>& x, const kern::Stream& stream) {
       Buffer<float> y(order.device, size);
       order.library.copy(kern::over(size).on(order.second), x, y);
       order.library.scale(kern::over(size).on(stream), x, 2); // both only follow the fill
       order.second.wait();
       EXPECT_GE(Order::last(y), 3);
     },
     6},
};

TEST_F(Order, UsesComeBehindFills) {
  for (const UseOfThrees& use : uses_of_threes)
    for (int round = 0; round < 5; ++round) {
      SCOPED_TRACE(use.name);
      Buffer<float> x(device, size);
      keep_thread_busy();
      x.fill(3);
      use.use(*this, x, first);
      first.wait();
      ASSERT_EQ(last(x), use.expected);
      // The same behind a fill of a stream of its own.
      Buffer<float> y(device, size);
      keep_busy(second);
      y.fill(3, second);
      use.use(*this, y, first);
      first.wait();
      ASSERT_EQ(last(y), use.expected);
    }
}

TEST_F(Order, ZerosAreThereForEveryStream) {
  for (int round = 0; round < 300; ++round) {
    auto x = kern::zeros<float>(device, 1000);
    library.careless(kern::grid(1).block(1).on(first), x, 1);
    first.wait();
    ASSERT_EQ(x.read(0), 1);
    ASSERT_EQ(x.read(999), 0);
  }
}

TEST_F(Order, ZerosOfAThreadThatEndsAreThere) {
  for (int round = 0; round < 20; ++round) {
    Buffer<float> x(device, size);
    std::thread([&] {
      keep_thread_busy();
      x.fill(3);
    }).join();
    library.scale(kern::over(size).on(first), x, 2);
    first.wait();
    ASSERT_EQ(last(x), 6);
  }
}

TEST_F(Order, CopiesComeBehindAllWorkOnTheBuffer) {
  std::vector<float> host(size);
  for (int round = 0; round < 20; ++round) {
    auto x = kern::zeros<float>(device, size);
    keep_busy(first);
    library.saxpy(kern::over(size).on(first), 1, x, x);
    x.fill(2, first);
    library.scale(kern::over(size).on(first), x, 5);
    ASSERT_EQ(last(x), 10);
    keep_busy(second);
    library.scale(kern::over(size).on(second), x, 3);
    x.copy_to(host);
    ASSERT_EQ(host.back(), 30);
    keep_busy(first);
    library.scale(kern::over(size).on(first), x, 3);
    x.copy_from(std::vector<float>(size, 7));
    ASSERT_EQ(last(x), 7);
    keep_busy(first);
    library.scale(kern::over(size).on(first), x, 3);
    x.fill(1);
    library.scale(kern::over(size).on(second), x, 2);
    ASSERT_EQ(last(x), 2);
  }
}

// Streams that come and go leave nothing behind in a buffer that stays.
TEST_F(Order, ManyStreamsUseABufferOneAfterTheOther) {
  auto x = kern::zeros<float>(device, 100);
  x.fill(1);
  for (int i = 0; i < 200; ++i) {
    kern::Stream own(device);
    library.scale(kern::over(100).on(own), x, -1);
    own.wait();
  }
  EXPECT_EQ(x.read(99), 1);
}

TEST_F(Order, HasFormsThatDoNotThrow) {
  kern::Status status;
  kern::Stream own = kern::Stream::of_thread(status, device);
  auto x = kern::zeros<float>(status, device, 4, 2);
  x.fill(status, 2).wait(status);
  EXPECT_EQ(x.read(status, 3, 1), 2);
  x.fill(status, 5, first);
  std::vector<float> host(8, 1);
  x.copy_to(status, host, first);
  EXPECT_EQ(host, std::vector<float>(8, 5));
  auto y = kern::copy_of<float>(status, device, host);
  y.copy_from(status, std::vector<float>(8, 4), own);
  EXPECT_EQ(y.read(status, 7), 4);
  kernels::Kernels loaded = kernels::load(status, device);
  loaded.scale(status, kern::over(8), y, 3).wait(status);
  EXPECT_EQ(y.read(status, 7), 12);
  EXPECT_TRUE(status.ok()) << status.message();
  x.read(status, 4, 0);
  EXPECT_TRUE(contains(status.message(), "index 4 along axis 0"));
  status.clear();
  EXPECT_FALSE(kern::zeros<float>(status, device, -1).handle());
  EXPECT_TRUE(contains(status.message(), "the extents -1"));
  status.clear();
  EXPECT_FALSE(kern::copy_of<float>(status, kern::Device(), host).handle());
  EXPECT_TRUE(contains(status.message(), "the device is empty"));
  status.clear();
  loaded = kernels::load(status, kern::Device());
  EXPECT_TRUE(contains(status.message(), "the device is empty"));
  status.clear();
  loaded.scale(status, kern::over(8), y, 3);
  EXPECT_TRUE(contains(status.message(), "the kernel is empty"));
}

} // namespace
