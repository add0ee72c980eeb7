// Functions of the program's that a stream calls in its turn: what they may wait for, and that other waits are errors, by whatever
// way they would come back to the stream.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

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
  // An exception that the function does not catch is an error of whoever waits.
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
    // Whoever closes the circle is told: the work that waits for the other one, or the function.
    ASSERT_TRUE(refused == 1 || status.kind() == KERN_ARGUMENT_ERROR) << round;
  }
}

// Whoever is refused a wait may free what it was for: nothing of it is read or written any more. Some of the waits find that
// another thread is at the work before.
TEST_F(Callbacks, LeaveHostMemoryAloneWhereTheyMayNotWait) {
  if (is_cuda()) GTEST_SKIP() << "a function that a driver calls uses no device";
  using Host = std::vector<float>;
  Buffer<float> y = kern::zeros<float>(device, 1000);
  const std::vector<std::pair<const char*, std::function<void(Host&)>>> uses = {
      {"copy_to", [&](Host& host) { x.copy_to(host); }},
      {"copy_to on a stream", [&](Host& host) { x.copy_to(host, other); }},
      {"copy_to of a view",
       [&](Host& host) { x.view<1>(0, {500}, {2}).copy_to(std::span(host).first(500)); }},
      {"copy_from", [&](Host& host) { x.copy_from(host); }},
      {"copy_from on a stream", [&](Host& host) { x.copy_from(host, other); }},
      {"copy_from of a view",
       [&](Host& host) { x.view<1>(0, {500}, {2}).copy_from(std::span(host).first(500)); }},
      {"a launch with host memory",
       [&](Host& host) { library.saxpy(kern::over(1000).on(other), 1, x, kern::inout(host)); }},
  };
  for (int round = 0; round < 20; ++round) {
    for (const auto& [name, use] : uses) {
      std::string told;
      std::atomic<bool> is_used = false;
      Host host(1000, 1);
      x.fill(1).wait();
      kern::Event turn = stream.call([&] {
        is_used.wait(false);
        std::this_thread::sleep_for(std::chrono::milliseconds(round % 2));
        told = refusal([&] { use(host); });
        host.assign(1000, 8);
      });
      library.saxpy(kern::over(1000).on(stream), 1, y, x);
      other.after(turn);
      is_used = true;
      is_used.notify_all();
      kern::Status status;
      stream.wait(status);
      other.wait(status);
      EXPECT_TRUE(contains(told, text)) << name;
      ASSERT_EQ(host, Host(1000, 8)) << name;
      ASSERT_EQ(x.read(0), 1) << name;
    }
  }
}

// Work that was not to be waited for yet is lost with the refused wait, and says so; work of another thread
// is not.
TEST_F(Callbacks, ReportCopiesThatARefusedWaitTookBack) {
  if (is_cuda()) GTEST_SKIP() << "a function that a driver calls uses no device";
  std::string reported;
  // The function does the stream's work itself if no other thread has come to it yet, so there are many
  // rounds.
  for (int round = 0; round < 1000 && reported.empty(); ++round) {
    std::vector<float> own(1000, 7), of_other(1000, 7);
    kern::Event lost, kept;
    std::atomic<bool> is_used = false;
    x.fill(1).wait();
    kern::Event turn = stream.call([&] {
      is_used.wait(false);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      lost = x.copy_to_async(own, other);
      library.saxpy(kern::over(1000).on(other), 1, x, x);
      EXPECT_TRUE(contains(refusal([&] { other.wait(); }), text));
    });
    other.after(turn);
    std::thread([&] { kept = x.copy_to_async(of_other, other); }).join(); // this one may run the function
    is_used = true;
    is_used.notify_all();
    stream.wait();
    kept.wait();
    EXPECT_EQ(of_other[999], 1);
    kern::Status status;
    lost.wait(status);
    if (status.ok()) continue;
    reported = status.message();
    EXPECT_EQ(own[0], 7);
    EXPECT_EQ(x.read(0), 2) << "the launch was taken back, too";
  }
  EXPECT_TRUE(contains(reported, "was taken back"));
}

// A function of on_print is called where the driver waits for nothing: what was put there is done before the wait is refused.
TEST_F(Callbacks, OfPrintsLeaveHostMemoryAlone) {
  std::vector<float> host(1000, 7);
  x.fill(1).wait();
  bool is_called = false;
  print([&] {
    is_called = true;
    EXPECT_TRUE(contains(refusal([&] { x.copy_to(host, stream); }), text));
    const std::vector<float> seen = host;
    host.assign(1000, 8);
    EXPECT_EQ(seen, std::vector<float>(1000, is_cuda() ? 1 : 7));
  });
  EXPECT_TRUE(is_called);
  stream.wait();
  EXPECT_EQ(host, std::vector<float>(1000, 8));
}

// Two streams that two threads wait for: the function of each is called, and begins when that of the other one has begun.
struct TwoPrints : Callbacks {
  struct Side {
    kern::Stream& stream;
    std::function<void()> function;
    kern::Status status;
  };
  std::latch both{2};
  void run(Side& left, Side& right) {
    for (Side* side : {&left, &right})
      side->stream.on_print([](void* context, const char*,
                               std::uint64_t) { (*static_cast<const std::function<void()>*>(context))(); },
                            &side->function);
    for (Side* side : {&left, &right}) library.say(kern::over(1).on(side->stream), 1);
    std::thread waiting([&] { left.stream.wait(left.status); });
    right.stream.wait(right.status);
    waiting.join();
    for (Side* side : {&left, &right}) side->stream.on_print(nullptr, nullptr);
  }
};

// Each waits for the other one's stream. On the CPU a function is part of the stream's work, and who closes the circle is told.
TEST_F(TwoPrints, WaitForEachOther) {
  kern::Status first, second;
  Side left{stream, [&] { both.arrive_and_wait(), other.wait(first); }, {}},
      right{other, [&] { both.arrive_and_wait(), stream.wait(second); }, {}};
  run(left, right);
  EXPECT_TRUE(left.status.ok() && right.status.ok());
  EXPECT_EQ(first.ok() && second.ok(), is_cuda()) << first.message() << second.message();
}

TEST_F(TwoPrints, SetEachOthersFunctions) {
  Side left{stream, [&] { both.arrive_and_wait(), other.on_print(nullptr, nullptr); }, {}},
      right{other, [&] { both.arrive_and_wait(), stream.on_print(nullptr, nullptr); }, {}};
  run(left, right);
  EXPECT_TRUE(left.status.ok() && right.status.ok());
}

TEST_F(TwoPrints, PutWorkOnTheirStreams) {
  Buffer<float> y = kern::zeros<float>(device, 10), z = kern::zeros<float>(device, 10);
  Side left{stream, [&] { both.arrive_and_wait(), library.scale(kern::over(10).on(stream), y, 1); }, {}},
      right{other, [&] { both.arrive_and_wait(), library.scale(kern::over(10).on(other), z, 1); }, {}};
  run(left, right);
  EXPECT_TRUE(left.status.ok() && right.status.ok());
  stream.wait();
  other.wait();
}

// More launches than a batch of records has, from a function that is called while one of them is looked at.
TEST_F(Callbacks, OfPrintsPutWorkOnTheirStream) {
  Buffer<float> ones = kern::zeros<float>(device, 10), y = kern::zeros<float>(device, 10);
  ones.fill(1).wait();
  int calls = 0;
  print([&] {
    if (calls++ > 0) return;
    for (int i = 0; i < 1100; ++i) library.saxpy(kern::over(10).on(stream), 1, ones, y);
    library.say(kern::over(1).on(stream), 1);
    stream.check();
    kern::Event event = stream.record();
    other.after(event);
  });
  EXPECT_LE(calls, 2);
  stream.on_print([](void* context, const char*, std::uint64_t) { ++*static_cast<int*>(context); }, &calls);
  stream.wait();
  stream.on_print(nullptr, nullptr);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(y.read(9), 1100);
}

// Whoever waits finds the lines of all launches before, in their order, one launch at a time.
TEST_F(Callbacks, OfPrintsGetLinesInOrder) {
  constexpr int thread_count = 4, rounds = 50;
  struct Lines {
    std::mutex mutex;
    std::vector<std::uint64_t> bytes;
    std::atomic<int> inside{0}, most{0};
  } lines;
  stream.on_print(
      [](void* context, const char*, std::uint64_t bytes) {
        auto& to = *static_cast<Lines*>(context);
        to.most = std::max(to.most.load(), ++to.inside);
        {
          std::lock_guard lock(to.mutex);
          to.bytes.push_back(bytes);
        }
        --to.inside;
      },
      &lines);
  for (int round = 0; round < rounds; ++round) {
    std::vector<kern::Event> events;
    for (int thread = 0; thread < thread_count; ++thread)
      events.push_back(library.say(kern::over(32).on(stream), round * thread_count + thread + 1));
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < thread_count; ++thread)
      threads.emplace_back([&, thread] {
        events[static_cast<std::size_t>(thread)].wait();
        std::lock_guard lock(lines.mutex);
        EXPECT_GE(lines.bytes.size(), static_cast<std::size_t>(round * thread_count + thread + 1));
      });
  }
  stream.wait();
  stream.on_print(nullptr, nullptr);
  EXPECT_EQ(lines.most, 1);
  EXPECT_EQ(lines.bytes.size(), std::size_t(rounds * thread_count));
  EXPECT_TRUE(std::ranges::is_sorted(lines.bytes));
}

// A program that lets go of what a function uses sets another one first, which waits for a call that is under
// way.
TEST_F(Callbacks, OfPrintsAreNotCalledAnyMore) {
  for (int round = 0; round < 20; ++round) {
    auto count = std::make_unique<std::atomic<int>>(0);
    std::latch begun(1);
    struct Context {
      std::atomic<int>* count;
      std::latch* begun;
    } context{count.get(), &begun};
    stream.on_print(
        [](void* given, const char*, std::uint64_t) {
          auto& [to, is_begun] = *static_cast<Context*>(given);
          is_begun->count_down();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++*to;
        },
        &context);
    library.say(kern::over(1).on(stream), 1);
    std::jthread waiting([&] { stream.wait(); });
    begun.wait();
    stream.on_print(nullptr, nullptr);
    ASSERT_EQ(*count, 1);
    count.reset();
  }
}

} // namespace
