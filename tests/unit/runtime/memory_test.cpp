// Host memory of every kind, memory and streams of others, copies between buffers.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <numeric>

#include "expect.h"
#include "fixture.h"
#include "runtime/cuda/driver.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::HostBuffer;

struct Interop : OnDevice {
  kern::Stream stream{device};
};

TEST_F(Interop, CopiesFromPinnedHostMemory) {
  for (kern::HostOptions options : {kern::HostOptions{}, {.portable = true}, {.write_combined = true}}) {
    HostBuffer<float> from(device, 1000, options), to(device, 1000);
    std::iota(from.begin(), from.end(), 0.0f);
    Buffer<float> x(device, 1000);
    x.copy_from_async(from, stream);
    library.scale(kern::over(1000).on(stream), x, 2);
    kern::Event there = x.copy_to_async(to, stream);
    from = HostBuffer<float>(device, 0); // the copy keeps it
    there.wait();
    EXPECT_EQ(to[999], 1998);
  }
}

TEST_F(Interop, RunsKernelsOnMappedHostMemory) {
  HostBuffer<float, 2> host(device, kern::extents(4, 25), {.mapped = true});
  std::fill(host.begin(), host.end(), 3.0f);
  kern::View<float, 2> view = host.view();
  EXPECT_EQ(view.extent(1), 25);
  library.scale(kern::over(25).on(stream), kern::View<float>(view.data() + 25, kern::extents(25)), 2);
  stream.wait();
  EXPECT_EQ(host[24], 3);
  EXPECT_EQ(host[25], 6);
  EXPECT_EQ(host[50], 3);
}

TEST_F(Interop, SaysThatHostMemoryIsNotMapped) {
  if (!is_cuda()) GTEST_SKIP() << "the CPU sees all of it";
  HostBuffer<float> host(device, 10);
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { (void)host.view(); }), "make it with {.mapped = true}"));
}

TEST_F(Interop, StagesPinnedMemoryAndSpans) {
  HostBuffer<float> x(device, 10);
  std::fill(x.begin(), x.end(), 1.0f);
  std::vector<float> y(10, 2.0f);
  library.saxpy(kern::over(10), 3, kern::in(x), kern::inout(std::span<float>(y)));
  EXPECT_EQ(y[9], 5);
  Buffer<float> z(device, 10);
  z.copy_from(x.span());
  EXPECT_EQ(z.read(0), 1);
}

TEST_F(Interop, CopiesBetweenBuffers) {
  Buffer<float> x = kern::zeros<float>(device, 10), y = kern::zeros<float>(device, 10);
  x.fill(4).wait();
  y.copy_from_async(x, stream).wait();
  EXPECT_EQ(y.read(9), 4);
  Buffer<float> small(device, 9);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { small.copy_from_async(x, stream); }),
                       "the host has 10 elements, and the buffer 9"));
}

TEST_F(Interop, RefusesCopiesOfAPlaceOntoItself) {
  Buffer<float> x = kern::zeros<float>(device, 10);
  kern_buffer* memory = x.handle().get();
  auto copy = [&](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    kern::raise(kern_buffer_copy(memory, to, memory, from, bytes, stream.get(), nullptr));
  };
  auto refusal = [&](auto&& call) { return thrown_by<kern::ArgumentError>(call); };
  EXPECT_TRUE(contains(refusal([&] { copy(4, 0, 8); }), "a copy of 8 bytes from 0 to 4 is onto itself"));
  EXPECT_TRUE(contains(refusal([&] { copy(0, 4, 36); }), "onto itself"));
  EXPECT_TRUE(contains(refusal([&] { x.copy_from_async(x, stream); }), "onto itself"));
  copy(20, 0, 20);
  copy(0, 20, 20);
  copy(0, 0, 0);
  stream.wait();
}

TEST_F(Interop, AdoptsMemoryOfOthers) {
  Buffer<float> owner = kern::zeros<float>(device, 10);
  owner.fill(1).wait();
  int released = 0;
  {
    auto x = Buffer<float>::adopt(device, owner.data(), kern::extents(10), [&] { ++released; });
    library.scale(kern::over(10).on(stream), x, 5);
    stream.wait();
    Buffer<float> same = x;
    x = owner;
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(owner.read(9), 5);
  kern::Status status;
  Buffer<float>::adopt(status, device, nullptr, kern::extents(10), [&] { ++released; });
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  EXPECT_EQ(released, 1); // after an error it stays with the caller
}

TEST_F(Interop, UsesStreamsOfOthers) {
  if (!is_cuda()) {
    EXPECT_EQ(stream.native(), nullptr);
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { kern::Stream::from_native(device, &device); }),
                         "streams of a driver are of CUDA devices, and this is CPU"));
    return;
  }
  std::string reason;
  const kern::cuda::Driver& driver = *kern::cuda::load_driver(reason);
  kern::cuda::StreamHandle native = nullptr;
  ASSERT_EQ(driver.stream_create(&native, 1), 0);
  {
    Buffer<float> x = kern::zeros<float>(device, 3);
    kern::Stream::of_thread(device).wait();
    kern::Stream foreign = kern::Stream::from_native(device, native);
    EXPECT_EQ(foreign.native(), native);
    library.careless(kern::grid(1).block(4).on(foreign), x, 7);
    ASSERT_EQ(driver.synchronize(), 0); // as its owner would
    kern::Status status;
    foreign.check(status);
    EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
    EXPECT_EQ(status.fault().index, 3);
    EXPECT_EQ(x.read(2), 7);
  }
  EXPECT_EQ(driver.stream_destroy(native), 0); // it is still its owner's
}

} // namespace
