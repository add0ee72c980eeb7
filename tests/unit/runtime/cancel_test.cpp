// Launches that are told to end: by a time limit, or because their stream is cancelled. Everything else lives on.
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include "endless.kern.hpp"
#include "expect.h"
#include "fixture.h"

using namespace std::chrono_literals;
using kern::over;

namespace {

// Cancels a stream again and again, as long as it is there.
class Canceller {
public:
  Canceller(const kern::Stream& stream, std::chrono::milliseconds pause)
      : thread_([=](const std::stop_token& ended) {
          for (;;) {
            std::this_thread::sleep_for(pause);
            if (ended.stop_requested()) return;
            kern::Status status;
            stream.cancel(status);
            EXPECT_TRUE(status.ok()) << status.message();
          }
        }) {}

private:
  std::jthread thread_;
};

bool begun(const std::string& text) { return text.find("was stopped") != text.npos; }

struct Cancel : OnDevice {
  endless::Kernels kernels_ = endless::load(device);
  kern::Stream stream{device};
  kern::Buffer<std::int32_t> x = kern::zeros<std::int32_t>(device, 1024);

  // Every kind of kernel that does not end.
  std::vector<std::pair<const char*, std::function<void(const kern::Launch&)>>> all() {
    return {{"spin", [this](const kern::Launch& launch) { kernels_.spin(launch, x); }},
            {"wait_for", [this](const kern::Launch& launch) { kernels_.wait_for(launch, x); }},
            {"nest", [this](const kern::Launch& launch) { kernels_.nest(launch, std::int64_t(1) << 60, x); }},
            {"meet", [this](const kern::Launch& launch) { kernels_.meet(launch, x); }},
            {"meet_all", [this](const kern::Launch& launch) { kernels_.meet_all(launch, x); }},
            {"spin_some", [this](const kern::Launch& launch) { kernels_.spin_some(launch, x); }}};
  }
  // The stream and the device go on working.
  void expect_sound() {
    x.fill(0, stream);
    kernels_.bump(over(1024).on(stream), x);
    stream.wait();
    EXPECT_EQ(x.read(0), 1);
    EXPECT_EQ(x.read(1023), 1);
  }
};

} // namespace

TEST_F(Cancel, EndsAtItsTimeLimit) {
  for (const auto& [name, launch] : all()) {
    SCOPED_TRACE(name);
    std::string text;
    // A busy machine may not begin it in time.
    for (auto time = 20ms; time < 10s && !begun(text); time *= 4) {
      x.fill(0, stream);
      launch(over(64).on(stream).within(time));
      text = thrown_by<kern::DeadlinePassed>([&] { stream.wait(); });
      EXPECT_TRUE(contains(text, "took longer than its "));
    }
    EXPECT_TRUE(contains(text, ", and was stopped "));
    EXPECT_TRUE(contains(text, "endless.kern:"));
    EXPECT_TRUE(contains(text, std::string("kernel `") + name + "`"));
    expect_sound();
  }
}

TEST_F(Cancel, EndsWhereItsStreamIsCancelled) {
  for (const auto& [name, launch] : all()) {
    SCOPED_TRACE(name);
    std::string text;
    for (auto time = 20ms; time < 10s && !begun(text); time *= 4) {
      x.fill(0, stream);
      const Canceller canceller(stream, time);
      launch(over(64).on(stream));
      text = thrown_by<kern::Cancelled>([&] { stream.wait(); });
    }
    EXPECT_TRUE(contains(text, "the launch was cancelled, and was stopped in this loop, block ("));
    expect_sound();
  }
}

TEST_F(Cancel, SaysWhere) {
  for (auto time = 20ms; time < 10s; time *= 4) {
    kernels_.spin(over(32).block(32).on(stream).within(time), x);
    try {
      stream.wait();
      ADD_FAILURE();
    } catch (const kern::Cancelled& late) { // a deadline is one
      if (!begun(late.what())) continue;
      EXPECT_EQ(late.kernel, "spin");
      EXPECT_EQ(late.place.file, "endless.kern");
      EXPECT_EQ(late.place.line, 7u);
      EXPECT_GE(late.launch, 1u);
      return;
    }
  }
  FAIL() << "it never began";
}

TEST_F(Cancel, DoesNotBeginWhenTheTimeIsOver) {
  kernels_.bump(over(1024).on(stream).within(0ms), x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
  if (!is_cuda()) {
    EXPECT_EQ(x.read(0), 0);
  }
  kernels_.bump(over(1024).on(stream).within(-1s), x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
  expect_sound();
}

TEST_F(Cancel, TimeRunsWhileOtherWorkDoes) {
  stream.call([] { std::this_thread::sleep_for(60ms); });
  kernels_.spin(over(32).block(32).on(stream).within(20ms), x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
  expect_sound();
}

TEST_F(Cancel, LeavesLaunchesAloneThatEnd) {
  for (int i = 0; i < 100; ++i) kernels_.bump(over(1024).on(stream).within(1h), x);
  stream.wait();
  stream.cancel();
  kernels_.bump(over(1024).on(stream), x);
  stream.wait();
  EXPECT_EQ(x.read(0), 101);
  kernels_.bump(over(1024).on(stream).within(500ms), x).wait();
  std::this_thread::sleep_for(550ms); // its time passes behind it
  kernels_.bump(over(1024).on(stream), x).wait();
  EXPECT_EQ(x.read(0), 103);
}

TEST_F(Cancel, EndsOneOfMany) {
  for (int i = 0; i < 20; ++i) kernels_.bump(over(1024).on(stream), x);
  kern::Buffer<std::int32_t> y = kern::zeros<std::int32_t>(device, 32);
  kernels_.spin(over(32).block(32).on(stream).within(20ms), y);
  for (int i = 0; i < 600; ++i) kernels_.bump(over(1024).on(stream), x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
  stream.wait();
  EXPECT_EQ(x.read(0), 620);
}

TEST_F(Cancel, EndsEachOfMany) {
  for (int i = 0; i < 10; ++i) kernels_.spin(over(32).block(32).on(stream).within(5ms), x);
  for (int i = 0; i < 10; ++i) EXPECT_THROW(stream.wait(), kern::DeadlinePassed) << i;
  expect_sound();
}

TEST_F(Cancel, EndsOneOfTwoStreams) {
  kern::Stream other(device);
  kern::Buffer<std::int32_t> y = kern::zeros<std::int32_t>(device, 32);
  std::atomic<int> ended{0};
  auto run = [&](const kern::Stream& on, kern::Buffer<std::int32_t>& memory) {
    kern::Status status;
    kernels_.spin(status, over(32).block(32).on(on), memory);
    on.wait(status);
    EXPECT_EQ(status.kind(), KERN_CANCELLED) << status.message();
    ++ended;
  };
  std::thread first([&] { run(stream, x); }), second([&] { run(other, y); });
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(ended, 0);
  {
    const Canceller canceller(stream, 5ms);
    first.join();
  }
  EXPECT_EQ(ended, 1);
  const Canceller canceller(other, 5ms);
  second.join();
}

// Work that is put on the stream behind the cancellation runs.
TEST_F(Cancel, IsOverForWhatComesLater) {
  stream.cancel();
  kernels_.bump(over(1024).on(stream), x);
  stream.cancel();
  kern::Status status;
  stream.wait(status);
  kernels_.bump(over(1024).on(stream), x);
  stream.wait();
  EXPECT_GE(x.read(5), 1);
}

TEST_F(Cancel, CancelsWhatIsQueued) {
  if (is_cuda()) GTEST_SKIP() << "the fake driver does work at once";
  std::atomic<bool> go{false};
  stream.call([&] { go.wait(false); });
  for (int i = 0; i < 5; ++i) kernels_.bump(over(1024).on(stream), x);
  stream.cancel();
  kernels_.bump(over(1024).on(stream), x);
  go = true;
  go.notify_all();
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(contains(thrown_by<kern::Cancelled>([&] { stream.wait(); }),
                         "kernel `bump`: the launch was cancelled; nothing of it ran"));
  stream.wait();
  EXPECT_EQ(x.read(0), 1);
}

TEST_F(Cancel, EndsAGridOfShortBlocks) {
  if (fake_cuda()) GTEST_SKIP() << "one thread runs its blocks";
  kernels_.many(kern::grid(2'000'000'000).block(1024).on(stream).within(50ms), x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
  expect_sound();
}

TEST_F(Cancel, WorksForArraysInHostMemory) {
  std::vector<std::int32_t> host(64);
  EXPECT_THROW(kernels_.spin(over(64).block(64).on(stream).within(10ms), kern::inout(host)),
               kern::DeadlinePassed);
  kernels_.bump(over(64).on(stream).within(1h), kern::inout(host));
}

TEST_F(Cancel, IsNoFault) {
  stream.on_fault(kern::OnFault::Report);
  kernels_.spin(over(64).on(stream).within(5ms), x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
  EXPECT_TRUE(stream.take_reports().empty());
}

TEST_F(Cancel, WorksForPreparedLaunches) {
  auto step = kernels_.prepare_spin(over(64).on(stream).within(10ms), x);
  for (int i = 0; i < 3; ++i) {
    step();
    EXPECT_THROW(stream.wait(), kern::DeadlinePassed) << i;
  }
  kern::Buffer<float> y(device, 8);
  EXPECT_THROW((void)library.prepare_scale(over(8).within(1s), y, 2), kern::ArgumentError);
}

TEST_F(Cancel, EndsGraphs) {
  kern::Graph graph = kern::capture(stream, [&] {
    kernels_.bump(over(1024).on(stream), x);
    kernels_.spin(over(32).block(32).on(stream), x);
    kernels_.bump(over(1024).on(stream), x);
  });
  for (int i = 0; i < 3; ++i) {
    const Canceller canceller(stream, 10ms);
    graph.launch(stream);
    int cancelled = 0; // the one that does not end, that behind it, and that before it where it had not begun
    for (kern::Status status; stream.wait(status), !status.ok(); status.clear(), ++cancelled) {
      EXPECT_EQ(status.kind(), KERN_CANCELLED) << status.message();
      EXPECT_TRUE(contains(status.message(), "the launch was cancelled"));
    }
    EXPECT_GE(cancelled, 2);
  }
  expect_sound();
}

// Which of those before the call had come to their end is not known; the last one runs.
TEST_F(Cancel, IsOverForReplaysThatComeLater) {
  kern::Graph graph = kern::capture(stream, [&] { kernels_.bump(over(1024).on(stream), x); });
  if (fake_cuda() && is_cuda()) fake_cuda()->set_busy(1);
  for (int i = 0; i < 200; ++i) { // more than there are words at first
    graph.launch(stream);
    stream.cancel();
    graph.launch(stream);
  }
  if (fake_cuda()) fake_cuda()->set_busy(0);
  for (kern::Status status; stream.wait(status), !status.ok(); status.clear())
    EXPECT_EQ(status.kind(), KERN_CANCELLED) << status.message();
  graph.launch(stream);
  stream.wait();
  EXPECT_GE(x.read(1023), 2);
  EXPECT_LE(x.read(1023), 401);
}

TEST_F(Cancel, LeavesReplaysOfOtherStreamsAlone) {
  kern::Stream other(device);
  kern::Graph graph = kern::capture(stream, [&] { kernels_.wait_for(over(1).block(32).on(stream), x); });
  x.fill(1, stream);
  stream.wait();
  if (fake_cuda() && is_cuda()) fake_cuda()->set_busy(1);
  graph.launch(other);
  if (!fake_cuda() || !is_cuda()) other.wait();
  x.fill(0, stream);
  std::atomic<bool> ended{false};
  kern::Status status;
  std::thread waiting([&] {
    graph.launch(status, stream); // where the fake driver runs it
    stream.wait(status);
    ended = true;
  });
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(10ms);
    other.cancel();
  }
  EXPECT_FALSE(ended);
  {
    const Canceller canceller(stream, 5ms);
    waiting.join();
  }
  if (fake_cuda()) fake_cuda()->set_busy(0);
  other.wait(); // what was left on the first one is not told here
  if (status.ok()) stream.wait(status);
  EXPECT_EQ(status.kind(), KERN_CANCELLED) << status.message();
  expect_sound();
}

TEST_F(Cancel, SaysWhatRunsOnOfAGraph) {
  kern::Buffer<float> y = kern::zeros<float>(device, 8);
  kern::Graph graph = kern::capture(stream, [&] {
    kernels_.bump(over(1024).on(stream), x);
    library.scale(over(8).on(stream), y, 2);
  });
  std::atomic<bool> go{false};
  if (fake_cuda() && is_cuda())
    fake_cuda()->set_busy(1);
  else
    stream.call([&] { go.wait(false); });
  graph.launch(stream);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { stream.cancel(); }),
                       "has launches that cannot be cancelled and run to their end"));
  if (fake_cuda()) fake_cuda()->set_busy(0);
  go = true;
  go.notify_all();
  kern::Status status;
  stream.wait(status);
}

TEST_F(Cancel, RefusesWhatItCannotDo) {
  kern::Buffer<float> y = kern::zeros<float>(device, 8);
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { library.scale(over(8).within(1s), y, 2); }),
               "kernel `scale`: is launched with a time limit, and was not compiled for it: compile it "
               "with --cancellable"));
  kern::Status status;
  (void)kern::capture(status, stream, [&] {
    kern::Status own;
    kernels_.bump(own, over(8).on(stream).within(1s), x);
    EXPECT_EQ(own.kind(), KERN_ARGUMENT_ERROR);
    EXPECT_TRUE(contains(own.message(), "has a time limit, so it cannot be captured"));
    own.clear();
    stream.cancel(own);
    EXPECT_TRUE(contains(own.message(), "is being captured"));
  });
  kern::Stream empty;
  EXPECT_THROW(empty.cancel(), kern::ArgumentError);
}

TEST_F(Cancel, SaysWhatRunsOn) {
  kern::Buffer<float> y = kern::zeros<float>(device, 8);
  std::atomic<bool> go{false};
  if (fake_cuda() && is_cuda())
    fake_cuda()->set_busy(1);
  else
    stream.call([&] { go.wait(false); });
  library.scale(over(8).on(stream), y, 2);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { stream.cancel(); }),
                       "has launches that cannot be cancelled and run to their end"));
  if (fake_cuda()) fake_cuda()->set_busy(0);
  go = true;
  go.notify_all();
  stream.wait();
  stream.cancel();
}

TEST_F(Cancel, ChecksTheTimeLimitOfC) {
  for (double seconds : {-1.0, std::nan(""), 1e300}) {
    kern_launch_options options = over(8).on(stream).get();
    options.time_limit = seconds;
    kern::Status status;
    kern_kernel* found = nullptr;
    kern_module* module = nullptr;
    const kern_parameter parameter{KERN_I32, 1, 1};
    ASSERT_TRUE(status.take(kern_module_load(device.get(), &kern_object_endless, &module)));
    ASSERT_TRUE(status.take(kern_module_kernel(module, "bump", &parameter, 1, &found)));
    const kern::ArgumentList<kern::View<std::int32_t>> list(x);
    status.take(kern_launch(found, &options, list.data(), 1, nullptr));
    EXPECT_TRUE(contains(status.message(), "takes more than 0 and at most 1e9"));
    kern_kernel_release(found);
    kern_module_release(module);
  }
}

TEST_F(Cancel, HappensAtAnyMoment) {
  for (int i = 0; i < 50; ++i) {
    std::thread canceller([this, i] {
      std::this_thread::sleep_for(std::chrono::microseconds(20 * i));
      kern::Status status;
      stream.cancel(status);
      EXPECT_TRUE(status.ok()) << status.message();
    });
    kernels_.bump(over(1024).on(stream), x);
    kernels_.spin(over(64).on(stream).within(3ms), x);
    kernels_.bump(over(1024).on(stream), x);
    kern::Status status;
    stream.wait(status);
    canceller.join();
    EXPECT_TRUE(status.kind() == KERN_CANCELLED || status.kind() == KERN_DEADLINE) << status.message();
    for (bool more = true; more;) {
      status.clear();
      stream.wait(status);
      more = !status.ok();
    }
  }
  expect_sound();
}

TEST_F(Cancel, TellsTheTimeBetweenEvents) {
  kern::Event begin = stream.record();
  stream.call([] { std::this_thread::sleep_for(20ms); });
  kern::Event end = stream.record();
  const double milliseconds = begin.elapsed(end);
  if (fake_cuda() && is_cuda()) return;
  EXPECT_GE(milliseconds, 19);
  EXPECT_LT(milliseconds, 10'000);
  EXPECT_NEAR(end.elapsed(begin), -milliseconds, 1e-3);
}

TEST_F(Cancel, RefusesEventsWithoutTime) {
  kern::Event plain = kernels_.bump(over(8).on(stream), x), timed = stream.record();
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { (void)plain.elapsed(timed); }), "stream.record()"));
  EXPECT_THROW((void)timed.elapsed(kern::Event()), kern::ArgumentError);
  kern::Device own = kern::Device::cpu({.threads = 1});
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { (void)timed.elapsed(kern::Stream(own).record()); }),
               "whose clocks are not the same"));
}
