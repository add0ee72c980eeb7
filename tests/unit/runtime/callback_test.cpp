// Functions of the program's that a stream calls in its turn: what they may wait for, and that other waits are errors, by whatever
// way they would come back to the stream.
#include <atomic>
#include <functional>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;

constexpr const char* text = "neither would ever end";

struct Callbacks : OnDevice {
  kern::Stream stream{device}, other{device};
  Buffer<float> x = kern::zeros<float>(device, 1000);

  // Runs a function where the stream prints.
  void print(const std::function<void()>& function) {
    stream.on_print([](void* context, const char*,
                       std::uint64_t) { (*static_cast<const std::function<void()>*>(context))(); },
                    const_cast<std::function<void()>*>(&function));
    library.say(kern::over(1).on(stream), 1);
    stream.wait();
    stream.on_print(nullptr, nullptr);
  }
  static std::string refusal(auto&& call) { return thrown_by<kern::ArgumentError>(call); }
};

TEST_F(Callbacks, OfPrintsWaitForNothingOfTheirStream) {
  int calls = 0;
  print([&] {
    EXPECT_TRUE(contains(refusal([&] { stream.wait(); }), text));
    ++calls;
  });
  print([&] {
    if (!is_cuda()) stream.check();
    stream.on_print(nullptr, nullptr);
    ++calls;
  });
  EXPECT_EQ(calls, 2);
  // What is not caught is an error of whoever waits.
  EXPECT_TRUE(contains(thrown_by<kern::DeviceError>([&] { print([&] { stream.wait(); }); }), text));
  stream.on_print(nullptr, nullptr);
  library.scale(kern::over(1000).on(stream), x, 2);
  stream.wait();
}

TEST_F(Callbacks, WaitForWhatOthersDo) {
  Buffer<float> y = kern::zeros<float>(device, 10);
  if (is_cuda()) GTEST_SKIP() << "a function that a driver calls uses no device";
  float seen = 0;
  print([&] {
    library.scale(kern::over(10).on(other), y, 2).wait();
    y.fill(3);
    seen = y.read(9);
  });
  EXPECT_EQ(seen, 3);
  stream.call([&] {
    library.scale(kern::over(10).on(other), y, 2).wait();
    seen = y.read(9);
  });
  stream.wait();
  EXPECT_EQ(seen, 6);
}

TEST_F(Callbacks, OfCallsWaitForNothingOfTheirStream) {
  if (is_cuda()) GTEST_SKIP() << "a function that a driver calls uses no device";
  for (int round = 0; round < 50; ++round) {
    std::string told;
    kern::Event before = library.scale(kern::over(1000).on(stream), x, 2);
    stream.call([&] {
      before.wait(); // it has come
      told = refusal([&] { stream.wait(); });
    });
    stream.wait();
    ASSERT_TRUE(contains(told, text));
    kern::Event own;
    std::atomic<bool> is_known = false;
    own = stream.call([&] {
      is_known.wait(false);
      told = refusal([&] { own.wait(); });
    });
    is_known = true;
    is_known.notify_all();
    stream.wait();
    ASSERT_TRUE(contains(told, text));
  }
}

// A buffer that the stream is to work on, read on the calling thread's stream, which comes behind: by whatever thread that is done.
TEST_F(Callbacks, ReadNoBufferThatWaitsForThem) {
  if (is_cuda()) GTEST_SKIP() << "a function that a driver calls uses no device";
  for (int round = 0; round < 200; ++round) {
    std::string told;
    std::atomic<bool> is_used = false;
    stream.call([&] {
      is_used.wait(false);
      told = refusal([&] { x.read(0); });
    });
    library.scale(kern::over(1000).on(stream), x, 2);
    is_used = true;
    is_used.notify_all();
    stream.wait();
    ASSERT_TRUE(contains(told, text)) << round;
  }
}

// Through three streams, and threads that wait for each of them.
TEST_F(Callbacks, WaitForNoStreamThatWaitsForThem) {
  if (is_cuda()) GTEST_SKIP() << "a function that a driver calls uses no device";
  for (int round = 0; round < 200; ++round) {
    kern::Stream third(device);
    std::atomic<bool> is_ready = false;
    int refused = 0;
    kern::Event turn = stream.call([&] {
      is_ready.wait(false);
      refused += refusal([&] { third.wait(); }) != "(nothing was thrown)";
    });
    other.after(turn);
    kern::Event middle = library.scale(kern::over(1000).on(other), x, 2);
    third.after(middle);
    library.scale(kern::over(1000).on(third), x, 2);
    is_ready = true;
    is_ready.notify_all();
    kern::Status status;
    stream.wait(status);
    other.wait(status);
    third.wait(status);
    // Who closes the circle is told, and that is the work that waits for the other one, or the function.
    ASSERT_TRUE(refused == 1 || status.kind() == KERN_ARGUMENT_ERROR) << round;
  }
}

} // namespace
