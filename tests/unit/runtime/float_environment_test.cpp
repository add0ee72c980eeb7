// Kernels compute alike whatever the floating-point environment of the host, and leave that as it was.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fixture.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

namespace {

constexpr unsigned plain = 0x1f80, rounding_up = 0x4000, rounding_down = 0x2000, toward_zero = 0x6000,
                   flushing = 0x8040, trapping = 0x1d00; // these exceptions are not masked

// The host's environment while it lives; `is_kept` says whether it stands as it was set.
struct HostEnvironment {
  explicit HostEnvironment(unsigned word) : set(word) { _mm_setcsr(word); }
  ~HostEnvironment() { _mm_setcsr(plain); }
  bool is_kept() const { return _mm_getcsr() == set; }
  unsigned set;
};

struct FloatEnvironment : OnDevice, testing::WithParamInterface<unsigned> {
  static constexpr std::int64_t size = 1 << 16;
  std::vector<float> values = std::vector<float>(size);
  // A driver computes in the environment of the host.
  void SetUp() override {
    if (is_cuda() && !fake_cuda()) GTEST_SKIP();
  }
  // Returns how many elements are that.
  std::ptrdiff_t count(float value) const { return std::count(values.begin(), values.end(), value); }
};

TEST_P(FloatEnvironment, IsTheKernelsOwn) {
  kern::Buffer<float> x(device, size);
  const float tiny = 1e-39f, third = 1.0f / 3, tenth = third * 0.1f;
  for (int round = 0; round < 20; ++round) {
    std::fill(values.begin(), values.end(), tiny);
    x.copy_from(values);
    bool is_kept = false;
    {
      HostEnvironment host(GetParam());
      library.scale(kern::over(size), x, 0.5f).wait();
      is_kept = host.is_kept();
    }
    EXPECT_TRUE(is_kept);
    x.copy_to(values);
    ASSERT_EQ(count(tiny * 0.5f), size);
    std::fill(values.begin(), values.end(), third);
    {
      HostEnvironment host(GetParam());
      library.scale(kern::over(size), kern::inout(values), 0.1f);
      is_kept = host.is_kept();
    }
    EXPECT_TRUE(is_kept);
    ASSERT_EQ(count(tenth), size);
  }
}

TEST_P(FloatEnvironment, IsThatOfBlocksThatWaitForEachOther) {
  constexpr std::int64_t few = 512;
  kern::Buffer<float> x(device, few);
  values.assign(few, 1e-38f);
  x.copy_from(values);
  {
    HostEnvironment host(GetParam());
    library.halve_in_step(kern::over(few).block(32), x, 3).wait();
    EXPECT_TRUE(host.is_kept());
  }
  x.copy_to(values);
  EXPECT_EQ(count(1e-38f * 0.125f), few);
}

TEST_P(FloatEnvironment, IsThatOfGraphs) {
  kern::Stream stream(device);
  kern::Buffer<float> x(device, size);
  values.assign(size, 1e-38f);
  x.copy_from(values);
  kern::Graph graph = kern::capture(stream, [&] { library.scale(kern::over(size).on(stream), x, 0.5f); });
  {
    HostEnvironment host(GetParam());
    graph.launch(stream).wait();
    EXPECT_TRUE(host.is_kept());
  }
  x.copy_to(values);
  EXPECT_EQ(count(1e-38f * 0.5f), size);
}

TEST_P(FloatEnvironment, TrapsNothing) {
  kern::Buffer<float> x(device, size);
  values.assign(size, 0.0f);
  x.copy_from(values);
  {
    HostEnvironment host(GetParam());
    library.scale(kern::over(size), x, std::numeric_limits<float>::infinity()).wait();
    EXPECT_TRUE(host.is_kept());
  }
  EXPECT_TRUE(std::isnan(x.read(7)));
}

INSTANTIATE_TEST_SUITE_P(Host, FloatEnvironment,
                         testing::Values(plain, plain | flushing, plain | rounding_up, plain | rounding_down,
                                         plain | toward_zero | flushing, plain & ~trapping));

} // namespace

#endif
