// kern::reduction on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#include <cmath>

#include "formula_fixture.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::reduction;

template <class T> std::vector<T> numbers(std::size_t size) {
  std::vector<T> host(size);
  for (std::size_t i = 0; i < size; ++i) host[i] = static_cast<T>((i * 7919 + 13) % 1000);
  return host;
}

TEST(Reduction, SumsProducts) {
  const Device device = test_device();
  const kern::Formula dot = reduction("x * y", "a + b", "0");
  EXPECT_EQ(dot.arguments(), (std::vector<std::string>{"x", "y", "result"}));
  for (std::size_t size : {0, 1, 255, 4096, 4097, 1000003}) {
    const std::vector<std::int32_t> x = numbers<std::int32_t>(size), y = x;
    std::vector<std::int64_t> sum(1);
    dot(kern::in(x), kern::in(y), kern::out(sum));
    EXPECT_EQ(sum[0], std::inner_product(x.begin(), x.end(), y.begin(), std::int64_t{0}));
  }
  Buffer<double> x = kern::copy_of<double>(device, numbers<double>(5000)), result(device, 1);
  dot(x, x, result);
  EXPECT_EQ(result.read(0), 1664167500.0 * 1); // whole numbers: exact in any order
}

TEST(Reduction, HasTheSameBitsInEveryRun) {
  const Device device = test_device();
  std::vector<float> host = numbers<float>(300000);
  for (float& value : host) value = 1.0f / (value + 1);
  const Buffer<float> x = kern::copy_of<float>(device, host);
  const kern::Formula sum = reduction("x", "a + b", "0");
  Buffer<float> first(device, 1), second(device, 1);
  sum(x, first);
  const kern::Stream stream(device);
  sum(x, second, stream);
  stream.wait();
  EXPECT_EQ(first.read(0), second.read(0));
  EXPECT_NEAR(first.read(0), std::accumulate(host.begin(), host.end(), 0.0), 1.0);
}

TEST(Reduction, TakesAnyOperation) {
  const Device device = test_device();
  Buffer<float> x = kern::copy_of<float>(device, std::vector<float>{3, -7, 2}), result(device, 1);
  reduction("abs(x)", "max(a, b)")(x, result);
  EXPECT_EQ(result.read(0), 7);
  reduction("x - mean", "a if abs(a) < abs(b) else b")(x, 2.5f, result);
  EXPECT_EQ(std::abs(result.read(0)), 0.5f);
  reduction("sources - state * value", "min(a, b)")(x, 1.0f, 2.0f, result);
  EXPECT_EQ(result.read(0), -9);
  Buffer<std::int64_t> last(device, 1);
  reduction("i if x > 0 else -1", "max(a, b)")(x, last);
  EXPECT_EQ(last.read(0), 2);
}

TEST(Reduction, TakesAnyName) {
  const Device device = test_device();
  Buffer<float> x = kern::copy_of<float>(device, std::vector<float>{3, -7, 2}), result(device, 1);
  call_with_names([&](auto... ones) { reduction(names_of_sources, "max(a, b)")(x, ones..., result); });
  EXPECT_EQ(result.read(0), 3 + 37);
}

TEST(Reduction, Broadcasts) {
  const Device device = test_device();
  Buffer<std::int32_t, 2> m(device, kern::extents(40, 30));
  m.copy_from(numbers<std::int32_t>(1200));
  std::vector<std::int32_t> weights(30);
  std::iota(weights.begin(), weights.end(), 0);
  const Buffer<std::int32_t> w = kern::copy_of<std::int32_t>(device, weights);
  Buffer<std::int64_t> result(device, 1);
  reduction("m * w", "a + b", "0")(m.view().slice(0, 1, 40, 2), w, result);
  std::int64_t sum = 0;
  const std::vector<std::int32_t> host = numbers<std::int32_t>(1200);
  for (std::size_t row = 1; row < 40; row += 2)
    for (std::size_t column = 0; column < 30; ++column) sum += host[30 * row + column] * weights[column];
  EXPECT_EQ(result.read(0), sum);
}

TEST(Reduction, RefusesWhatDoesNotFit) {
  const Device device = test_device();
  Buffer<float> x(device, 4), none(device, 0), result(device, 1);
  const kern::Formula most = reduction("x", "max(a, b)");
  EXPECT_EQ(refusal(most, none, result), "a reduction of no elements has no result: give it a start, "
                                         "`kern::reduction(value, operation, start)`");
  EXPECT_EQ(refusal(most, x, x),
            "the result of a reduction is an array of one element, and is given one of 4");
  EXPECT_EQ(refusal(most, 1.0f, result), "there is no array to go over: this call is given numbers alone");
  EXPECT_NE(refusal(most, x).find("(x, result), in this order, and is given 1"), std::string::npos);
  kern::Status status;
  reduction(status, "y = x", "a + b");
  EXPECT_EQ(std::string(status.message()), "one expression is needed, and `y = x` is none");
  for (const char* operation : {"a + c", "a", "1"}) {
    kern::Status wrong;
    reduction(wrong, "x", operation);
    EXPECT_NE(std::string(wrong.message()).find("an operation joins `a` and `b`"), std::string::npos);
  }
  kern::Status wrong;
  Buffer<std::int32_t> whole(device, 1);
  reduction("x", "a + b", "0")(wrong, x, whole);
  ASSERT_EQ(wrong.kind(), KERN_COMPILE_ERROR);
  EXPECT_NE(std::string(wrong.message()).find("<reduction x, a + b>"), std::string::npos) << wrong.message();
}

TEST(Reduction, ReportsFaultsAndIsCaptured) {
  const Device device = test_device();
  Buffer<std::int32_t> x = kern::copy_of<std::int32_t>(device, std::vector<std::int32_t>(300, 1)),
                       total(device, 1);
  Buffer<std::uint8_t> small(device, 1);
  const kern::Stream stream(device);
  const kern::Formula sum = reduction("x", "a + b", "0");
  sum(x, small, stream);
  kern::Status status;
  stream.wait(status);
  ASSERT_EQ(status.kind(), KERN_KERNEL_FAULT);
  EXPECT_EQ(status.fault().code, "fit");
  sum(x, total, stream);
  stream.wait();
  const kern::Graph graph = kern::capture(stream, [&] { sum(x, total, stream); });
  for (int i = 0; i < 3; ++i) graph.launch(stream);
  stream.wait();
  EXPECT_EQ(total.read(0), 300);
}

} // namespace
