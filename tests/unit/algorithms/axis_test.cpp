// Algorithms along an axis, of a size that the device knows, and those of random numbers, on the CPU, or on a GPU where
// KERN_TEST_DEVICE is cuda.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "formula_fixture.h"

namespace {

using kern::along;
using kern::Buffer;

// The lines of an array (outer, n, inner) along its middle axis.
struct Lines {
  std::int64_t outer, n, inner;
  std::vector<std::int32_t> host;

  std::vector<std::int32_t> line(std::int64_t o, std::int64_t i) const {
    std::vector<std::int32_t> line;
    for (std::int64_t k = 0; k < n; ++k)
      line.push_back(host[static_cast<std::size_t>((o * n + k) * inner + i)]);
    return line;
  }
  // Returns what a function makes of each line, in the order of a result.
  template <class T> std::vector<T> each(T (*function)(const std::vector<std::int32_t>&)) const {
    std::vector<T> all;
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) all.push_back(function(line(o, i)));
    return all;
  }
};

double mean_of(const std::vector<std::int32_t>& line) {
  return std::accumulate(line.begin(), line.end(), 0.0) / static_cast<double>(line.size());
}
double variance_of(const std::vector<std::int32_t>& line) {
  double sum = 0;
  for (std::int32_t each : line) sum += (each - mean_of(line)) * (each - mean_of(line));
  return sum / static_cast<double>(line.size() - 1);
}
std::int64_t sum_of(const std::vector<std::int32_t>& line) {
  return std::accumulate(line.begin(), line.end(), std::int64_t{1000});
}
std::int64_t place_of(const std::vector<std::int32_t>& line) {
  return std::ranges::min_element(line) - line.begin();
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], 1e-9 * std::abs(wanted[i])) << i;
}

class AlongAxis : public testing::TestWithParam<std::array<std::int64_t, 3>> {};

TEST_P(AlongAxis, GivesWhatLinesGive) {
  const auto [outer, n, inner] = GetParam();
  const Lines lines{outer, n, inner, mixed_numbers(outer * n * inner)};
  Buffer<std::int32_t, 3> x(test_device(), kern::extents(outer, n, inner));
  x.copy_from(lines.host);
  Buffer<std::int64_t, 2> sums(test_device(), kern::extents(outer, inner)),
      places(sums.device(), sums.extents());
  Buffer<std::int32_t, 2> least(test_device(), kern::extents(outer, inner));
  Buffer<double, 2> reals(test_device(), kern::extents(outer, inner));
  kern::reduce(x, sums, along(1), kern::start(1000));
  EXPECT_EQ(host_of(sums), lines.each(sum_of));
  kern::argmin(x, least, places, along(-2));
  EXPECT_EQ(host_of(places), lines.each(place_of));
  kern::mean(x, reals, along(1));
  expect_near(host_of(reals), lines.each(mean_of));
  kern::variance(x, reals, along(1), kern::setting("DDOF", "1"));
  expect_near(host_of(reals), lines.each(variance_of));

  Buffer<std::int64_t, 3> y(test_device(), x.extents());
  Buffer<std::int32_t, 3> sorted(test_device(), x.extents());
  kern::inclusive_scan(x, y, along(1));
  kern::sort(x, sorted, along(1));
  kern::sort(x, along(1));
  const std::vector<std::int64_t> scanned = host_of(y);
  const Lines of_sorted{outer, n, inner, host_of(sorted)};
  EXPECT_EQ(host_of(x), of_sorted.host);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      std::vector<std::int32_t> line = lines.line(o, i);
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        sum += line[static_cast<std::size_t>(k)];
        ASSERT_EQ(scanned[static_cast<std::size_t>((o * n + k) * inner + i)], sum);
      }
      std::ranges::sort(line);
      EXPECT_EQ(of_sorted.line(o, i), line);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AlongAxis,
                         testing::Values(std::array<std::int64_t, 3>{1, 5000, 1},   // one line, in parts
                                         std::array<std::int64_t, 3>{2, 40'000, 1}, // and long ones
                                         std::array<std::int64_t, 3>{900, 9, 1},    // short ones
                                         std::array<std::int64_t, 3>{7, 300, 1},  // neighbours along the axis
                                         std::array<std::int64_t, 3>{1, 70, 300}, // and beside it
                                         std::array<std::int64_t, 3>{3, 33, 5},
                                         std::array<std::int64_t, 3>{2, 100'000, 3},
                                         std::array<std::int64_t, 3>{40, 2, 33}));

TEST(AlongAxes, TakesViewsAndRefusesWhatDoesNotFit) {
  Buffer<std::int32_t, 2> m(test_device(), kern::extents(4, 6));
  m.copy_from(mixed_numbers(24));
  Buffer<std::int64_t> rows(test_device(), 4), columns(test_device(), 3);
  const auto every = m.view().slice(1, 0, 6, 2);
  kern::reduce(every, columns, along(0));
  kern::reduce(every, rows, along(1));
  const std::vector<std::int32_t> host = host_of(m);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(columns.read(static_cast<std::int64_t>(i)),
              host[2 * i] + host[6 + 2 * i] + host[12 + 2 * i] + host[18 + 2 * i]);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(rows.read(static_cast<std::int64_t>(i)), host[6 * i] + host[6 * i + 2] + host[6 * i + 4]);
  EXPECT_EQ(refusal(kern::reduce, m, rows, along(0)),
            "`out` has the shape (6,) along axis 0 of `x`, (4, 6), and is given one of (4,)");
  EXPECT_EQ(refusal(kern::reduce, m, rows, along(2)), "there is no axis 2 of arrays of 2 axes");
  EXPECT_EQ(refusal(kern::copy_if, m, rows, columns, along(0)), "`copy_if` has no AXIS");
  EXPECT_EQ(refusal(kern::mean, m, rows, along(1)),
            "`out` is an array of floats or complex numbers, and is given one of i64");
}

TEST(SizeOnTheDevice, GoesFromOneCallToTheNext) {
  Buffer<std::int32_t> x(test_device(), 5000), kept(test_device(), 5000), sorted(test_device(), 5000);
  Buffer<std::int64_t> count(test_device(), 1), total(test_device(), 1), sums(test_device(), 5000);
  const std::vector<std::int32_t> host = mixed_numbers(5000), zeros(5000);
  x.copy_from(host), sorted.copy_from(zeros);
  const kern::Stream stream(test_device());
  kern::copy_if(x, kept, count, kern::keep("x > 100"), stream);
  kern::sort(kept, sorted, count, stream);
  kern::reduce(kept, total, count, stream);
  kern::inclusive_scan(sorted, sums, count, stream).wait();
  std::vector<std::int32_t> wanted;
  std::ranges::copy_if(host, std::back_inserter(wanted), [](int each) { return each > 100; });
  std::ranges::sort(wanted);
  EXPECT_EQ(count.read(0), static_cast<std::int64_t>(wanted.size()));
  const std::int64_t sum = std::accumulate(wanted.begin(), wanted.end(), std::int64_t{0});
  EXPECT_EQ(total.read(0), sum);
  EXPECT_EQ(sums.read(count.read(0) - 1), sum);
  wanted.resize(5000); // what lies behind stays
  EXPECT_EQ(host_of(sorted), wanted);
  std::vector<std::int32_t> in_memory(5000, 7); // of which the call is given no contents
  kern::sort(kept, kern::out(in_memory), count);
  EXPECT_EQ(in_memory, wanted);
  EXPECT_EQ(refusal(kern::inclusive_scan, total, total, total),
            "`y` is a result and shares elements with `size`");
  count.copy_from(std::vector<std::int64_t>{5001});
  EXPECT_THROW(kern::reduce(kept, total, count, stream).wait(), kern::KernelFault);
}

TEST(Random, DependsOnTheSeedAlone) {
  Buffer<float> a(test_device(), 5000), b(test_device(), 3000);
  kern::random_normal(a, 7), kern::random_normal(b, 7u);
  std::vector<float> first = host_of(a);
  first.resize(3000);
  EXPECT_EQ(first, host_of(b));
  Buffer<std::int32_t> whole(test_device(), 1000), dice(test_device(), 1000);
  kern::random_integers(dice, 3, 1, 7);
  const std::vector<std::int32_t> thrown = host_of(dice);
  EXPECT_EQ(std::ranges::min(thrown), 1);
  EXPECT_EQ(std::ranges::max(thrown), 6);
  kern::random_permutation(whole, 5);
  std::vector<std::int32_t> places = host_of(whole), sorted = places;
  std::ranges::sort(sorted);
  for (std::int32_t i = 0; i < 1000; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  Buffer<std::int32_t> mixed(test_device(), 1000);
  kern::shuffle(dice, 5, mixed);
  const std::vector<std::int32_t> shuffled = host_of(mixed);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(shuffled[i], thrown[static_cast<std::size_t>(places[i])]);
  EXPECT_EQ(refusal(kern::random_uniform, whole, 1),
            "`out` is an array of f32 or f64, and is given one of i32");
}

TEST(Permute, TakesAnyOrderOfAxes) {
  Buffer<std::int32_t, 3> x(test_device(), kern::extents(5, 70, 9)),
      y(test_device(), kern::extents(9, 5, 70));
  const std::vector<std::int32_t> host = mixed_numbers(5 * 70 * 9);
  x.copy_from(host);
  kern::permute(x, y, kern::axes({2, 0, 1}));
  const std::vector<std::int32_t> moved = host_of(y);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      for (std::size_t k = 0; k < 70; ++k) ASSERT_EQ(moved[(i * 5 + j) * 70 + k], host[(j * 70 + k) * 9 + i]);
}

} // namespace
