// kern::scanning on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.

#include "formula_fixture.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::scanning;

TEST(Scanning, SumsUpToEachElement) {
  const kern::Formula sums = scanning("x", "a + b"), before = scanning("x", "a + b", "100");
  EXPECT_EQ(sums.arguments(), (std::vector<std::string>{"x", "result"}));
  for (std::size_t size : {0, 1, 2047, 2048, 2049, 300000}) {
    std::vector<std::int32_t> x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<std::int32_t>(i * 37 % 101) - 50;
    std::vector<std::int64_t> result(size), expected(size);
    std::inclusive_scan(x.begin(), x.end(), expected.begin(), std::plus<>(), std::int64_t{0});
    sums(kern::in(x), kern::out(result));
    EXPECT_EQ(result, expected);
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), std::int64_t{100});
    before(kern::in(x), kern::out(result));
    EXPECT_EQ(result, expected);
  }
}

TEST(Scanning, TakesViewsAndAnyOperation) {
  const Device device = test_device();
  Buffer<float, 2> m(device, kern::extents(3, 4)), most(device, kern::extents(2, 3));
  m.copy_from(std::vector<float>{5, 1, 2, 9, 3, 8, 1, 9, 4, 12, 7, 9});
  scanning("m - shift", "max(a, b)")(m.view().slice(0, 0, 3, 2).slice(1, 0, 3), 1.0f, most);
  std::vector<float> host(6);
  most.copy_to(host);
  EXPECT_EQ(host, (std::vector<float>{4, 4, 4, 4, 11, 11}));
  Buffer<float> x = kern::copy_of<float>(device, std::vector<float>{1, 2, 3});
  scanning("x", "a * b")(x, x);
  std::vector<float> products(3);
  x.copy_to(products);
  EXPECT_EQ(products, (std::vector<float>{1, 2, 6}));
}

TEST(Scanning, TakesAnyName) {
  const Device device = test_device();
  Buffer<float> x = kern::copy_of<float>(device, std::vector<float>{1, 3, 2}), most(device, 3);
  call_with_names([&](auto... ones) { scanning(names_of_sources, "max(a, b)", "0")(x, ones..., most); });
  EXPECT_EQ(most.read(2), 3 + 37);
}

TEST(Scanning, RefusesWhatDoesNotFit) {
  const Device device = test_device();
  Buffer<float> x = kern::zeros<float>(device, 4), y = kern::zeros<float>(device, 8);
  const kern::Formula sums = scanning("x", "a + b");
  EXPECT_EQ(refusal(sums, x, y), "the result of a scan is an array of 4 elements, and is given one of 8");
  EXPECT_EQ(refusal(sums, x, y.view().slice(0, 0, 8, 2)), "the result of a scan is an array without gaps");
  EXPECT_EQ(refusal(sums, 1.0f, y), "there is no array to go over: this call is given numbers alone");
}

} // namespace
