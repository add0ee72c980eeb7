// y = a x + y over three times the memory that the device may use. Chunks are copied in, worked on and copied
// out beside each other, so that on a GPU it takes about as long as copying the arrays takes.
//
//     chunks [MIB]     the memory that the device may use; 64
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "saxpy.kern.hpp"

static constexpr std::uint64_t mebibyte = 1 << 20;

// The device that best() chooses, with that much memory.
static kern::Device limited(std::uint64_t bytes) {
  kern::Device best = kern::Device::best();
  return best.is_cuda() ? kern::Device::cuda(best.ordinal(), {.memory_limit = bytes})
                        : kern::Device::cpu({.memory_limit = bytes});
}

static double seconds(auto&& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Bytes a second that copies to the device reach alone.
static double copy_rate(const kern::Device& device, const kern::HostBuffer<float>& host,
                        std::uint64_t bytes) {
  kern::Stream stream(device);
  auto elements = static_cast<std::int64_t>(bytes / sizeof(float));
  kern::Buffer<float> buffer(device, elements);
  auto copy = [&] {
    buffer.copy_from_async(std::span<const float>(host.data(), buffer.size()), stream).wait();
  };
  copy();
  constexpr int times = 20;
  return times * static_cast<double>(bytes) / seconds([&] {
           for (int i = 0; i < times; ++i) copy();
         });
}

int main(int count, char** words) {
  std::uint64_t limit = (count > 1 ? std::strtoull(words[1], nullptr, 10) : 64) * mebibyte;
  kern::Device device = limited(limit), unlimited = kern::Device::best();
  auto library = saxpy::load(device);
  // Two arrays of one and a half times the limit, in pinned memory: other memory is copied once more.
  auto size = static_cast<std::int64_t>(3 * limit / 2 / sizeof(float));
  kern::HostBuffer<float> x(unlimited, size, {.portable = true}), y(unlimited, size, {.portable = true});
  for (std::int64_t i = 0; i < size; ++i) x[i] = static_cast<float>(i % 1000), y[i] = 1;

  kern::ChunkOptions options;
  options.progress = [](const kern::ChunkProgress& progress) {
    std::fprintf(stderr, "\r%3lld %%", static_cast<long long>(100 * progress.done / progress.total));
    return true; // false would end it
  };
  auto step = [&](const kern::Chunk& chunk, kern::View<const float> part, kern::View<float> result) {
    library.saxpy(kern::over(chunk.size()).on(chunk.stream), 10.0f, part, result);
  };
  double time = seconds([&] { kern::for_each_chunk(device, options, step, kern::in(x), kern::inout(y)); });
  std::fprintf(stderr, "\n");

  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < size; ++i) wrong += y[i] != 10 * static_cast<float>(i % 1000) + 1;
  double bytes =
      2.0 * static_cast<double>(size) * sizeof(float); // that go to the device; half come back beside them
  double rate = bytes / time, alone = copy_rate(device, x, limit / 4);
  std::printf("on %s: %lld MiB with %lld MiB of memory, %lld wrong\n", device.name().c_str(),
              static_cast<long long>(bytes / mebibyte), static_cast<long long>(limit / mebibyte),
              static_cast<long long>(wrong));
  std::printf("%.1f GB/s to the device, %.0f %% of the %.1f GB/s that copies alone reach\n", rate / 1e9,
              100 * rate / alone, alone / 1e9);
  return wrong == 0 ? 0 : 1;
}
