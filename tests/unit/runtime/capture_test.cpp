// Captures of several streams: what joins by events is part of the graph, in the order that the events say; what a graph
// cannot hold is an error, and so is work that a capture leaves out.
#include <functional>
#include <random>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;

struct Captures : OnDevice {
  kern::Stream first{device}, second{device};
  Buffer<float> x = kern::zeros<float>(device, 10);

  kern::Event scale(const kern::Stream& stream, float by) {
    return library.scale(kern::over(10).on(stream), x, by);
  }
  // Adds 1 to all elements.
  kern::Event increase(const kern::Stream& stream) {
    return library.saxpy(kern::over(10).on(stream), 1, ones, x);
  }
  // Returns why a capture on the first stream is refused.
  std::string refusal(const std::function<void()>& work) {
    return thrown_by<kern::ArgumentError>([&] { kern::capture(first, work); });
  }
  Buffer<float> ones = kern::zeros<float>(device, 10);
  Captures() { ones.fill(1).wait(); }
};

TEST_F(Captures, TakeTheWorkOfStreamsThatJoin) {
  kern::Graph graph = kern::capture(first, [&] {
    second.after(increase(first));
    first.after(scale(second, 2));
    increase(first);
  });
  EXPECT_EQ(x.read(0), 0); // nothing ran
  for (int i = 0; i < 5; ++i) graph.launch(first);
  first.wait();
  EXPECT_EQ(x.read(9), 3 * 31); // ((x + 1) * 2 + 1)
  // The streams are as good as before.
  increase(second).wait();
  EXPECT_EQ(x.read(9), 3 * 31 + 1);
}

// Streams fork and join as they like, by events that may be old: the graph computes what the streams would.
TEST_F(Captures, KeepTheOrderOfRandomEvents) {
  std::mt19937 random(1);
  std::vector<kern::Stream> streams{first, second, kern::Stream(device), kern::Stream(device)};
  for (int round = 0; round < 40; ++round) {
    // The same steps on streams and in a capture; each step comes behind the one before, by its stream or an event.
    auto work = [&](unsigned seed) {
      std::mt19937 steps(seed);
      std::vector<kern::Event> ends(streams.size());
      ends[0] = increase(streams[0]);
      std::size_t last = 0;
      for (int step = 0; step < 12; ++step) {
        std::size_t next = steps() % streams.size();
        if (next != last) streams[next].after(ends[last]);
        ends[next] = steps() % 2 ? increase(streams[next]) : scale(streams[next], 2);
        last = next;
      }
      if (last != 0) streams[0].after(ends[last]);
    };
    const unsigned seed = random();
    x.fill(1).wait();
    work(seed);
    streams[0].wait();
    const float expected = x.read(3);
    kern::Graph graph = kern::capture(first, [&] { work(seed); });
    x.fill(1).wait();
    graph.launch(second).wait();
    ASSERT_EQ(x.read(3), expected);
  }
}

TEST_F(Captures, TakePreparedLaunchesCopiesAndFillsOfAllStreams) {
  kern::HostBuffer<float> from(device, 10), to(device, 10);
  std::fill(from.begin(), from.end(), 4.0f);
  Buffer<float> y = kern::zeros<float>(device, 10);
  auto doubled = library.prepare_scale(kern::over(10).on(second), x, 2);
  kern::Graph graph = kern::capture(first, [&] {
    second.after(x.copy_from_async(from, first));
    doubled();
    first.after(y.copy_from_async(x, second));
    x.fill(0, first);
    y.copy_to_async(to, first);
  });
  for (int i = 0; i < 3; ++i) {
    to[5] = 0;
    graph.launch(first).wait();
    EXPECT_EQ(to[5], 8);
    EXPECT_EQ(x.read(5), 0);
  }
}

TEST_F(Captures, PutTheirFillsBeforeUsesOnEveryStream) {
  kern::Graph graph = kern::capture(first, [&] {
    auto start = increase(first);
    second.after(start);
    x.fill(3, second);
    scale(first, 2); // no event: a fill comes before what uses the buffer
  });
  graph.launch(first).wait();
  EXPECT_EQ(x.read(1), 6);
  for (int i = 0; i < 50; ++i) {
    graph.launch(first);
    scale(second, 10); // behind the graph's fill
    second.after(kern::Event());
    first.wait();
    second.wait();
    ASSERT_GE(x.read(1), 30);
  }
}

TEST_F(Captures, TellFaultsOfAllTheirStreams) {
  Buffer<float> three = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  kern::Graph graph = kern::capture(first, [&] {
    second.after(increase(first));
    first.after(library.careless(kern::grid(1).block(4).on(second), three, 1));
  });
  kern::Status status;
  graph.launch(first).wait(status);
  EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
  EXPECT_EQ(status.fault().kernel, "careless");
}

TEST_F(Captures, RefuseToEndWithWorkThatIsNotJoined) {
  EXPECT_TRUE(contains(refusal([&] {
                         second.after(increase(first));
                         scale(second, 2);
                       }),
                       "work that its stream does not wait for, of stream " + std::to_string(second.id()) +
                           ", whose last work is kernel `scale`"));
  EXPECT_TRUE(contains(refusal([&] {
                         second.after(increase(first));
                         auto joined = scale(second, 2);
                         x.fill(1, second); // behind the event
                         first.after(joined);
                       }),
                       "whose last work is a fill"));
  // A stream that only waits is no work.
  kern::capture(first, [&] { second.after(increase(first)); }).launch(first).wait();
  EXPECT_EQ(x.read(0), 1);
}

TEST_F(Captures, RefuseWorkBesideThem) {
  std::vector<float> host(10);
  auto prepared = library.prepare_scale(kern::over(10), x, 2);
  kern::Graph graph = kern::capture(first, [&] { scale(first, 2); });
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"launch", [&] { library.scale(kern::over(10), x, 2); }},
      {"other stream", [&] { scale(second, 2); }},
      {"staged", [&] { library.scale(kern::over(10), kern::inout(host), 2); }},
      {"prepared", [&] { prepared(); }},
      {"copy to", [&] { x.copy_to(host); }},
      {"copy from", [&] { x.copy_from(host); }},
      {"copy to a stream", [&] { x.copy_to(host, second); }},
      {"read", [&] { static_cast<void>(x.read(0)); }},
      {"fill", [&] { x.fill(1); }},
      {"zeros", [&] { kern::zeros<float>(device, 10); }},
      {"graph", [&] { graph.launch(second); }},
  };
  for (const auto& [name, work] : cases) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(contains(refusal(work), "this work is not part of it"));
  }
  EXPECT_EQ(x.read(0), 0); // nothing ran
  // Other threads go on.
  kern::capture(first, [&] {
    std::thread([&] { library.scale(kern::over(10), x, 2).wait(); }).join();
    scale(first, 2);
  });
}

// A graph would copy to where a caller's memory was.
TEST_F(Captures, HoldNoCopyThatWasWaitedFor) {
  std::vector<float> host(10, 7);
  EXPECT_TRUE(contains(refusal([&] {
                         kern::Status refused;
                         x.copy_to(refused, host, first);
                         EXPECT_TRUE(contains(refused.message(), "never comes"));
                       }),
                       "nothing comes of the capture"));
  kern::capture(first, [&] { scale(first, 2); }).launch(first).wait();
  EXPECT_EQ(host, std::vector<float>(10, 7));
}

TEST_F(Captures, RefuseWhatNoGraphHolds) {
  kern::Event before = increase(first), beside = increase(second);
  kern::Graph graph = kern::capture(first, [&] { scale(first, 2); });
  EXPECT_TRUE(contains(refusal([&] { graph.launch(first); }), "a graph cannot be launched in it"));
  EXPECT_TRUE(contains(refusal([&] { first.after(beside); }), "the event is of work outside of the capture"));
  EXPECT_TRUE(contains(refusal([&] { static_cast<void>(increase(first).wait_for(std::chrono::seconds(0))); }),
                       "never comes"));
  EXPECT_TRUE(contains(refusal([&] { increase(first).wait(); }), "never comes"));
  EXPECT_TRUE(contains(refusal([&] {
                         second.after(increase(first));
                         second.wait();
                       }),
                       "the stream is being captured"));
  EXPECT_TRUE(contains(refusal([&] {
                         second.after(increase(first));
                         kern::capture(second, [] {});
                       }),
                       "the stream is being captured already"));
  kern_graph* none = nullptr;
  EXPECT_TRUE(contains(refusal([&] {
                         second.after(increase(first));
                         kern::raise(kern_capture_end(second.get(), &none));
                       }),
                       "joined the capture of another one"));
  kern::Event captured;
  EXPECT_TRUE(contains(refusal([&] {
                         captured = increase(first);
                         kern::capture(second, [&] { second.after(captured); });
                       }),
                       "of another capture"));
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { second.after(captured); }), "has ended"));
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { captured.wait(); }), "never comes"));
  // Work that was put on the stream before can be waited for.
  kern::capture(first, [&] { before.wait(); });
}

TEST_F(Captures, EndWithTheirStream) {
  for (int i = 0; i < 3; ++i) {
    kern::Stream own(device), joined(device);
    ASSERT_EQ(kern_capture_begin(own.get()), nullptr);
    joined.after(increase(own));
    increase(joined);
  }
  // A stream that goes before the capture ends leaves its work there.
  kern::Graph graph = kern::capture(first, [&] {
    kern::Stream joined(device);
    joined.after(increase(first));
    first.after(scale(joined, 2));
  });
  kern::Stream(device).wait();
  graph.launch(second).wait();
  EXPECT_EQ(x.read(0), 2);
}

} // namespace
