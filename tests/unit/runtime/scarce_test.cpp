// Threads and memory that cannot be had make fewer threads or an error, and exceptions of callbacks reach who waits.
#include <sys/resource.h>

#include <list>
#include <stdexcept>

#include "expect.h"
#include "fixture.h"

namespace {

// Lets the process have no more address space than now and so much, while it lives.
struct LittleMemory {
  explicit LittleMemory(std::uint64_t bytes) {
    getrlimit(RLIMIT_AS, &before);
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
    rlimit now{pages * 4096 + bytes, before.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before); }
  rlimit before{};
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true; // with memory of its own, that is not there
#else
constexpr bool is_sanitized = false;
#endif

struct Scarce : OnDevice {};

TEST_F(Scarce, ThreadsOfStreamsAreDoneWithout) {
  if (is_sanitized || is_cuda()) GTEST_SKIP();
  kern::Device own = kern::Device::cpu({.threads = 2});
  auto kernels_of_own = kernels::load(own);
  kern::Buffer<float> x(own, 10);
  {
    LittleMemory little(4 << 20); // a thread's stack takes 8 MiB
    x.fill(1).wait();
    std::list<kern::Stream> streams;
    for (int i = 0; i < 20; ++i) {
      streams.emplace_back(own);
      kernels_of_own.scale(kern::over(10).on(streams.back()), x, -1);
      if (i > 0) {
        kern::Event event = kernels_of_own.scale(kern::over(10).on(streams.back()), x, 1);
        streams.front().after(event);
      }
      streams.back().wait();
    }
    EXPECT_EQ(*static_cast<const volatile float*>(x.data() + 9), 1); // nobody has to wait for it
    EXPECT_EQ(x.read(9), 1);
    kern::Status status;
    kernels_of_own.careless(kern::grid(1).block(11).on(streams.back()), x, 2);
    streams.back().wait(status);
    EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
  }
}

TEST_F(Scarce, ThreadsOfAPoolAreFewer) {
  if (is_sanitized || is_cuda()) GTEST_SKIP();
  {
    LittleMemory little(64 << 20);
    kern::Device own = kern::Device::cpu({.threads = 100'000});
    EXPECT_LE(own.info().threads, 100u);
    std::vector<float> x(10'000, 1);
    kernels::load(own).scale(kern::over(10'000), kern::inout(x), 2);
    EXPECT_EQ(x[9'999], 2);
  }
  EXPECT_LE(kern::Device::cpu({.threads = 2000}).info().threads, 1024u);
}

TEST_F(Scarce, HostCopiesDoWithoutThreads) {
  std::vector<char> from(64 << 20), to(64 << 20);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7 >> 3);
  kern_host_copy(to.data(), from.data(), from.size() - 5);
  EXPECT_TRUE(std::equal(from.begin(), from.end() - 5, to.begin()));
  EXPECT_EQ(to.back(), 0);
  if (is_sanitized) return;
  std::fill(to.begin(), to.end(), 0);
  LittleMemory little(1 << 20);
  kern_host_copy(to.data(), from.data(), from.size());
  EXPECT_EQ(to, from);
}

TEST_F(Scarce, ExceptionsOfPrintsReachWhoWaits) {
  kern::Stream stream(device);
  stream.on_print([](void*, const char*, std::uint64_t) { throw std::runtime_error("no paper"); }, nullptr);
  library.say(kern::over(1).on(stream), 1);
  EXPECT_TRUE(contains(thrown_by<kern::DeviceError>([&] { stream.wait(); }),
                       "the function that gets prints threw an exception: no paper"));
  stream.on_print([](void*, const char*, std::uint64_t) { throw 7; }, nullptr);
  library.say(kern::over(1).on(stream), 1);
  EXPECT_TRUE(contains(thrown_by<kern::DeviceError>([&] { stream.wait(); }), "that is no std::exception"));
  stream.wait(); // told once, and the stream goes on
}

TEST_F(Scarce, ExceptionsOfCapturesPassAndEndThem) {
  kern::Stream stream(device);
  kern::Buffer<float> x = kern::zeros<float>(device, 10);
  kern::Status status;
  auto wrong = [&] {
    library.scale(kern::over(10).on(stream), x, 2);
    throw std::runtime_error("of the program");
  };
  EXPECT_EQ(thrown_by<std::runtime_error>([&] { kern::capture(status, stream, wrong); }), "of the program");
  EXPECT_EQ(thrown_by<std::runtime_error>([&] { kern::capture(stream, wrong); }), "of the program");
  EXPECT_TRUE(status.ok());
  stream.wait(); // it is captured no more
  std::vector<float> host(100);
  auto step = [](auto&&...) { throw std::runtime_error("of the step"); };
  EXPECT_EQ(thrown_by<std::runtime_error>(
                [&] { kern::for_each_chunk(status, device, {.rows = 10}, step, kern::inout(host)); }),
            "of the step");
  kern::ChunkOptions options{.rows = 10};
  options.progress = [](auto&&) -> bool { throw std::runtime_error("of the progress"); };
  auto nothing = [](auto&&...) {};
  EXPECT_EQ(thrown_by<std::runtime_error>(
                [&] { kern::for_each_chunk(status, device, options, nothing, kern::inout(host)); }),
            "of the progress");
}

} // namespace
