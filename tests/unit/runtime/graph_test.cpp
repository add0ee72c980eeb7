// Work that is captured once and launched as one piece.
#include <gtest/gtest.h>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::Device;

struct Graphs : OnDevice {
  kern::Stream stream{device};
};

TEST_F(Graphs, ReplayWhatWasCaptured) {
  Buffer<float> x = kern::zeros<float>(device, 100);
  kern::HostBuffer<float> host(device, 100);
  x.fill(1).wait();
  kern::Graph graph = kern::capture(stream, [&] {
    library.scale(kern::over(100).on(stream), x, 2);
    library.scale(kern::over(50).on(stream), x.view().slice(0, 0, 50), 5);
    x.copy_to_async(host, stream);
  });
  stream.wait();
  EXPECT_EQ(x.read(0), 1); // nothing ran yet
  graph.launch(stream);
  graph.launch(stream).wait();
  EXPECT_EQ(host[0], 100);
  EXPECT_EQ(host[99], 4);
  kern::Stream other(device);
  graph.launch(other).wait();
  EXPECT_EQ(host[0], 1000);
}

TEST_F(Graphs, HoldTheirBuffers) {
  kern::HostBuffer<float> host(device, 10);
  kern::Graph graph;
  {
    Buffer<float> x = kern::zeros<float>(device, 10);
    x.fill(3).wait();
    graph = kern::capture(stream, [&] {
      library.scale(kern::over(10).on(stream), x, 2);
      x.copy_to_async(host, stream);
    });
  }
  Buffer<float> other = kern::zeros<float>(device, 10);
  graph.launch(stream);
  graph = {};
  stream.wait();
  EXPECT_EQ(host[9], 6);
}

TEST_F(Graphs, TellTheirFaults) {
  Buffer<float> y = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  library.careless(kern::grid(1).block(3).on(stream), y, 1);
  kern::Graph graph = kern::capture(stream, [&] {
    library.careless(kern::grid(1).block(3).on(stream), y, 1);
    library.careless(kern::grid(1).block(4).on(stream), y, 2);
  });
  kern::Status status;
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    graph.launch(stream).wait(status);
    ASSERT_EQ(status.kind(), KERN_KERNEL_FAULT);
    EXPECT_EQ(status.fault().index, 3);
    EXPECT_EQ(status.fault().launch, 3 + 2 * replay);
    EXPECT_EQ(y.read(2), 2);
    status.clear();
  }
  graph.launch(stream);
  // Without waiting, once it is there.
  for (int i = 0; i < 1000 && (stream.check(status), status.ok()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
  status.clear();
  stream.wait(status);
  EXPECT_TRUE(status.ok());
}

TEST_F(Graphs, RefuseWhatCannotBeCaptured) {
  Buffer<float> x = kern::zeros<float>(device, 10);
  std::vector<float> host(10);
  auto refusal = [&](auto&& work) {
    return thrown_by<kern::ArgumentError>([&] { kern::capture(stream, work); });
  };
  EXPECT_TRUE(contains(refusal([&] { stream.wait(); }), "the stream is being captured"));
  EXPECT_TRUE(
      contains(refusal([&] { kern::capture(stream, [] {}); }), "the stream is being captured already"));
  EXPECT_TRUE(contains(refusal([&] { library.say(kern::grid(1).block(8).on(stream), 2); }),
                       "kernel `say` prints, so it cannot be captured"));
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::over(10).on(stream), kern::inout(host), 2); }),
                       "the stream is being captured"));
  // The stream is as good as before.
  library.scale(kern::over(10).on(stream), x, 2).wait();
  kern::Status status;
  kern::Graph graph = kern::capture(status, stream, [&] { library.scale(kern::over(10).on(stream), x, 2); });
  EXPECT_TRUE(status.ok());
  graph.launch(status, stream).wait();
}

} // namespace
