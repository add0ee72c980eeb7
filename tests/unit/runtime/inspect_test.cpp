// Tests what hosts ask of devices, modules and streams.
#include <numeric>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;

struct Inspect : OnDevice {
  const kern::Module& module = library.module();
  // Returns where a kernel is in the module's list.
  std::size_t index_of(const std::string& symbol) {
    auto symbols = module.kernels();
    return static_cast<std::size_t>(std::find(symbols.begin(), symbols.end(), symbol) - symbols.begin());
  }
};

TEST_F(Inspect, KernelsTellTheirParameters) {
  const std::size_t saxpy = index_of("saxpy");
  kern_kernel_info info = module.kernel_info(saxpy);
  EXPECT_STREQ(info.name, "saxpy");
  EXPECT_TRUE(contains(info.doc, "y = a x + y."));
  EXPECT_TRUE(contains(info.place.file, "kernels.kern"));
  EXPECT_EQ(info.block[0], 0u);
  EXPECT_EQ(info.registers > 0, is_cuda());
  auto parameters = module.parameters(saxpy);
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_STREQ(parameters[0].name, "a");
  EXPECT_EQ(parameters[0].type, KERN_F32);
  EXPECT_EQ(parameters[0].rank, 0u);
  EXPECT_EQ(parameters[1].rank, 1u);
  EXPECT_EQ(parameters[1].written, 0u);
  EXPECT_EQ(parameters[2].written, 1u);
  // A script binds a kernel by what it is told.
  std::vector<kern_parameter> list;
  for (const kern_parameter_info& each : parameters) list.push_back({each.type, each.rank, each.written});
  const std::size_t rotate = index_of("rotate");
  EXPECT_EQ(module.kernel_info(rotate).block[1], 16u);
  EXPECT_EQ(module.kernel_info(rotate).shared_bytes, 16u * 16 * 8);
  EXPECT_EQ(module.parameters(rotate)[0].contiguous, 1u);
  EXPECT_EQ(module.parameters(index_of("turn"))[1].type, KERN_C64);
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { module.kernel_info(999); }), "kernel 999 is none"));
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { kern::Module().kernel_info(0); }),
                       "the module is empty"));
  EXPECT_TRUE(contains(std::string(module.manifest()), "\"kern_manifest\""));
}

TEST_F(Inspect, KernelsTellTheirOccupancy) {
  auto scale = module.kernel<void(kern::View<float>, float)>("scale");
  EXPECT_GT(scale.occupancy(256), 0u);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { scale.occupancy(2000); }), "1 to 1024 threads"));
}

TEST_F(Inspect, KernelsTellTheirBlock) {
  using Block = std::array<std::uint64_t, 3>;
  const Block free = module.kernel<void(kern::View<float>, float)>("scale").block();
  EXPECT_GE(free[0], 32u);
  if (!is_cuda()) {
    EXPECT_EQ(free, (Block{256, 1, 1}));
  }
  EXPECT_EQ(module.kernel<void(kern::View<double, 2>)>("rotate").block(), (Block{16, 16, 1}));
  auto barrier = module.kernel<void(std::int32_t, kern::View<std::int64_t>)>("reverse");
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { barrier.block(); }), "say its block"));
}

TEST_F(Inspect, DevicesAreListed) {
  auto devices = kern::Device::all();
  ASSERT_GE(devices.size(), is_cuda() ? 2u : 1u);
  EXPECT_TRUE(devices[0].is_cpu());
  EXPECT_EQ(kern_device_count(KERN_DEVICE_CPU), 1u);
  EXPECT_EQ(kern_device_count(KERN_DEVICE_BEST), 1 + kern_device_count(KERN_DEVICE_CUDA));
}

TEST_F(Inspect, StreamsCallThePrograms) {
  Buffer<float> x = kern::zeros<float>(device, 1 << 20);
  kern::Stream stream(device);
  kern::HostBuffer<float> host(device, 1 << 20);
  std::vector<float> seen;
  x.fill(1);
  for (int i = 0; i < 3; ++i) {
    library.scale(kern::over(1 << 20).on(stream), x, 2);
    x.copy_to_async(host, stream);
    stream.call([&] { seen.push_back(host[(1 << 20) - 1]); });
  }
  stream.wait();
  EXPECT_EQ(seen, (std::vector<float>{2, 4, 8}));
  kern::Status status;
  stream.call([] { throw std::runtime_error("of the program"); }).wait(status);
  EXPECT_EQ(status.kind(), KERN_DEVICE_ERROR);
  EXPECT_TRUE(contains(status.message(), "of the program"));
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { kern::capture(stream, [&] { stream.call([] {}); }); }),
               "no graph holds a call"));
}

TEST_F(Inspect, PartsAreCopied) {
  Buffer<float, 2> x(device, kern::extents(6, 8));
  std::vector<float> all(48);
  std::iota(all.begin(), all.end(), 0.0f);
  x.copy_from(all);
  std::vector<float> part(6);
  auto inner = x.view().slice(0, 1, 4).slice(1, 2, 4);
  inner.copy_to(part);
  EXPECT_EQ(part, (std::vector<float>{10, 11, 18, 19, 26, 27}));
  inner.transposed().copy_to(part);
  EXPECT_EQ(part, (std::vector<float>{10, 18, 26, 11, 19, 27}));
  inner.copy_from(std::vector<float>(6, -1));
  EXPECT_EQ(x.read(2, 3), -1);
  EXPECT_EQ(x.read(2, 4), 20);
  std::vector<float> rows(16);
  x.view().slice(0, 4, 6).copy_to(rows);
  EXPECT_EQ(rows, std::vector<float>(all.begin() + 32, all.end()));
  x.view().slice(0, 5, -1, 1).slice(0, 0, 0).copy_to(std::span<float>());
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { inner.copy_to(rows); }),
                       "the host has 16 elements, and the view 6"));
  EXPECT_TRUE(contains(
      thrown_by<kern::ArgumentError>([&] { kern::View<float>(x.data(), kern::extents(16)).copy_to(rows); }),
      "the view is of a raw pointer"));
}

TEST_F(Inspect, EmptyHandlesAreMembers) {
  struct Members {
    Buffer<float, 2> picture;
    kern::Stream stream;
    kern::Module module;
  } members;
  EXPECT_EQ(members.picture.size(), 0);
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { members.stream.wait(); }), "the stream is empty"));
  members.stream = kern::Stream(device);
  members.picture = kern::zeros<float>(device, 2, 2);
  EXPECT_EQ(members.picture.read(1, 1), 0);
}

} // namespace
