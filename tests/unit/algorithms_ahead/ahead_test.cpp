// Algorithms of common types in a program without the compiler, on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "kern/algorithms.hpp"

namespace {

using kern::Buffer;

kern::Device test_device() {
  const char* name = std::getenv("KERN_TEST_DEVICE");
  return name && std::string_view(name) == "cuda" ? kern::Device::cuda() : kern::Device::cpu();
}

template <class T> Buffer<T> on_device(const std::vector<T>& host) {
  Buffer<T> buffer(test_device(), static_cast<std::int64_t>(host.size()));
  buffer.copy_from(host);
  return buffer;
}

template <class T> std::vector<T> host_of(const Buffer<T>& buffer) {
  std::vector<T> host(static_cast<std::size_t>(buffer.size()));
  buffer.copy_to(host);
  return host;
}

template <class T> class Ahead : public testing::Test {};
using Keys = testing::Types<float, double, std::int32_t, std::int64_t, std::uint32_t>;
TYPED_TEST_SUITE(Ahead, Keys);

TYPED_TEST(Ahead, SortsAnySizeAndStride) {
  for (const std::size_t size : {0, 1, 5000, 20000}) {
    std::vector<TypeParam> host(size);
    for (std::size_t i = 0; i < size; ++i) host[i] = static_cast<TypeParam>(i * 7919 % 10007);
    Buffer<TypeParam> keys = on_device(host), result(test_device(), keys.size());
    kern::sort(keys, result);
    std::vector<TypeParam> expected = host;
    std::ranges::sort(expected);
    EXPECT_EQ(host_of(result), expected);
    kern::sort(keys.view().slice(0, 0, keys.size(), 2));
    std::vector<TypeParam> every;
    for (std::size_t i = 0; i < size; i += 2) every.push_back(host[i]);
    std::ranges::sort(every);
    const std::vector<TypeParam> found = host_of(keys);
    for (std::size_t i = 0; i < every.size(); ++i) ASSERT_EQ(found[2 * i], every[i]);
  }
}

TEST(Ahead, ReducesScansAndSelects) {
  std::vector<std::int32_t> host(10000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::int32_t>(i * 7919 % 2003) - 1000;
  const Buffer<std::int32_t> x = on_device(host);
  Buffer<std::int64_t> sum(test_device(), 1), sums(test_device(), x.size()), count(test_device(), 1);
  Buffer<std::int32_t> y(test_device(), x.size()), indices(test_device(), x.size());
  kern::reduce(x, sum);
  EXPECT_EQ(sum.read(0), std::accumulate(host.begin(), host.end(), std::int64_t{0}));
  kern::inclusive_scan(x, sums);
  EXPECT_EQ(sums.read(x.size() - 1), sum.read(0));
  kern::copy_if(x, y, count);
  EXPECT_EQ(count.read(0), std::ranges::count_if(host, [](int each) { return each != 0; }));
  kern::argsort(x, indices);
  kern::gather(x, indices, y);
  EXPECT_TRUE(std::ranges::is_sorted(host_of(y)));
  Buffer<float> values(test_device(), x.size());
  kern::sequence(values, 0, 1);
  Buffer<std::int32_t> keys = on_device(host);
  kern::sort_by_key(keys, values);
  EXPECT_EQ(host[static_cast<std::size_t>(values.read(0))], keys.read(0));
}

TEST(Ahead, SaysWhatIsNotThere) {
  const Buffer<float> x = on_device(std::vector<float>{1, 2, 3});
  Buffer<float> y(test_device(), 3);
  kern::Status status;
  kern::inclusive_scan(status, x, y, kern::operation("max(a, b)"));
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  EXPECT_EQ(std::string(status.message()).substr(0, 108),
            "this call of module `scan` is none that is compiled ahead of time: link kern::jit in place of "
            "kern::algorith");
}

} // namespace
