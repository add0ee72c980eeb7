// kern::reduction_along on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#include <algorithm>

#include "formula_fixture.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::reduction_along;

TEST(Along, SumsEachAxis) {
  const Device device = test_device();
  constexpr std::int64_t sizes[] = {3, 70, 45};
  Buffer<std::int32_t, 3> x(device, kern::extents(3, 70, 45));
  const std::vector<std::int32_t> host = mixed_numbers(3 * 70 * 45);
  x.copy_from(host);
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t rows = axis == 0 ? sizes[1] : sizes[0], columns = axis == 2 ? sizes[1] : sizes[2];
    std::vector<std::int64_t> expected(static_cast<std::size_t>(rows * columns), 1000);
    for (std::int64_t i = 0; i < 3 * 70 * 45; ++i) {
      const std::int64_t at[] = {i / (70 * 45), i / 45 % 70, i % 45};
      const std::int64_t row = axis == 0 ? at[1] : at[0], column = axis == 2 ? at[1] : at[2];
      expected[static_cast<std::size_t>(row * columns + column)] += host[static_cast<std::size_t>(i)];
    }
    Buffer<std::int64_t, 2> sums(device, kern::extents(rows, columns));
    reduction_along(axis, "x", "a + b", "1000")(x, sums);
    EXPECT_EQ(host_of(sums), expected) << axis;
    reduction_along(axis - 3, "x", "a + b", "1000")(x, sums);
    EXPECT_EQ(host_of(sums), expected) << axis;
  }
}

TEST(Along, TakesViewsAndBroadcasts) {
  const Device device = test_device();
  Buffer<float, 2> m(device, kern::extents(2, 3));
  m.copy_from(std::vector<float>{1, 5, 2, 7, 3, 9});
  Buffer<float> most(device, 2), spread(device, 3);
  reduction_along(0, "m", "max(a, b)")(m.view().transposed(), most);
  EXPECT_EQ(host_of(most), (std::vector<float>{5, 9}));
  reduction_along(1, "m", "max(a, b)")(m, most);
  EXPECT_EQ(host_of(most), (std::vector<float>{5, 9}));
  Buffer<float, 2> column(device, kern::extents(2, 1));
  column.copy_from(std::vector<float>{1, -1});
  reduction_along(0, "m * column + 100 * i", "a + b", "0")(m, column, spread);
  EXPECT_EQ(host_of(spread), (std::vector<float>{-6 + 300, 2 + 500, -7 + 700}));
  Buffer<float> x = kern::copy_of<float>(device, std::vector<float>{1, 2, 3}), total(device, 1);
  reduction_along(-1, "x", "a + b")(x, total);
  EXPECT_EQ(total.read(0), 6);
}

TEST(Along, TakesAnyName) {
  const Device device = test_device();
  Buffer<float, 2> m(device, kern::extents(2, 3));
  m.copy_from(std::vector<float>{1, 5, 2, 7, 3, 9});
  Buffer<float> rows(device, 2), columns(device, 3);
  call_with_names([&](auto... ones) { reduction_along(1, names_of_sources, "max(a, b)")(m, ones..., rows); });
  EXPECT_EQ(host_of(rows), (std::vector<float>{42, 46}));
  call_with_names(
      [&](auto... ones) { reduction_along(0, names_of_sources, "max(a, b)", "0")(m, ones..., columns); });
  EXPECT_EQ(host_of(columns), (std::vector<float>{44, 42, 46}));
}

TEST(Along, TakesAxesWithoutElements) {
  const Device device = test_device();
  Buffer<float, 2> wide(device, kern::extents(0, 3)), tall(device, kern::extents(3, 0));
  Buffer<float> three(device, 3), none(device, 0);
  const kern::Formula columns = reduction_along(0, "x", "a + b", "2.5"),
                      rows = reduction_along(1, "x", "a + b", "2.5");
  columns(wide, three);
  EXPECT_EQ(host_of(three), std::vector<float>(3, 2.5f));
  rows(tall, three);
  EXPECT_EQ(host_of(three), std::vector<float>(3, 2.5f));
  EXPECT_EQ(refusal(rows, wide, none), "");
  EXPECT_EQ(refusal(columns, tall, none), "");
  EXPECT_EQ(refusal(reduction_along(0, "x", "a + b"), wide, three),
            "a reduction of no elements has no result: give it a start");
}

TEST(Along, RefusesWhatDoesNotFit) {
  const Device device = test_device();
  Buffer<float, 2> m = kern::zeros<float>(device, 2, 3);
  Buffer<float> two(device, 2);
  EXPECT_EQ(refusal(reduction_along(0, "m", "a + b"), m, two),
            "the result of a reduction along axis 0 has the shape (3,), and is given one of (2,)");
  EXPECT_EQ(refusal(reduction_along(2, "m", "a + b"), m, two), "there is no axis 2 of arrays of 2 axes");
  EXPECT_EQ(refusal(reduction_along(-3, "m", "a + b"), m, two), "there is no axis -3 of arrays of 2 axes");
}

} // namespace
