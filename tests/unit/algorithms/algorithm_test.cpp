// kern::sort, kern::reduce and the others beside those of std, on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>

#include "formula_fixture.h"

namespace {

using kern::Buffer;
using kern::Device;

template <class T> Buffer<T> on_device(const std::vector<T>& host) {
  Buffer<T> buffer(test_device(), static_cast<std::int64_t>(host.size()));
  buffer.copy_from(host);
  return buffer;
}

// Sizes around the tiles of all algorithms.
constexpr std::size_t sizes[] = {0, 1, 31, 1023, 1025, 2047, 2049, 4095, 4097, 6145, 8191, 8193, 30000};

// Numbers of which many are equal, and of floats some are special.
template <class T> std::vector<T> numbers(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size) + sizeof(T));
  std::vector<T> host(size);
  for (T& each : host) each = static_cast<T>(static_cast<std::int32_t>(random() % 2001) - 1000);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 7; i < size; i += 97)
      host[i] = std::array{std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), T(-0.0),
                           std::numeric_limits<T>::quiet_NaN()}[i % 4];
  return host;
}

template <class T> bool comes_first(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  return a < b;
}

// NaNs are equal here, and nothing else is that differs.
template <class T> bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(
      a, b, [](T left, T right) { return left == right || (left != left && right != right); });
}

template <class T> class Sorting : public testing::Test {};
using Keys = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                            std::uint64_t, float, double>;
TYPED_TEST_SUITE(Sorting, Keys);

TYPED_TEST(Sorting, IsThatOfStd) {
  using T = TypeParam;
  for (const std::size_t size : {0, 1, 31, 6145, 8191, 8193, 20000}) {
    const std::vector<T> host = numbers<T>(size);
    std::vector<std::int32_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) {
      return comes_first(host[static_cast<std::size_t>(a)], host[static_cast<std::size_t>(b)]);
    });
    std::vector<T> sorted;
    for (const int i : order) sorted.push_back(host[static_cast<std::size_t>(i)]);

    const Buffer<T> keys = on_device(host);
    Buffer<T> in_place = on_device(host), result(test_device(), keys.size());
    kern::sort(in_place);
    kern::sort(keys, result);
    EXPECT_TRUE(are_same(host_of(in_place), sorted)) << size;
    EXPECT_TRUE(are_same(host_of(result), sorted)) << size;
    EXPECT_TRUE(are_same(host_of(keys), host)) << size;

    std::vector<std::int32_t> places(size);
    std::iota(places.begin(), places.end(), 0);
    Buffer<std::int32_t> indices(test_device(), keys.size()), values = on_device(places);
    kern::argsort(keys, indices);
    EXPECT_EQ(host_of(indices), order) << size;
    Buffer<T> pairs = on_device(host);
    kern::sort_by_key(pairs, values);
    EXPECT_TRUE(are_same(host_of(pairs), sorted)) << size;
    EXPECT_EQ(host_of(values), order) << size;
  }
}

TEST(Algorithms, SortDownAndByBits) {
  const std::vector<std::uint32_t> host = numbers<std::uint32_t>(5000);
  Buffer<std::uint32_t> keys = on_device(host), low = on_device(host);
  kern::sort(keys, kern::descending());
  std::vector<std::uint32_t> expected = host;
  std::ranges::stable_sort(expected, std::greater());
  EXPECT_EQ(host_of(keys), expected);
  kern::sort(low, kern::bits(0, 5));
  expected = host;
  std::ranges::stable_sort(expected, {}, [](std::uint32_t key) { return key & 31; });
  EXPECT_EQ(host_of(low), expected);
}

TEST(Algorithms, SortByAComparison) {
  for (const std::size_t size : {0, 1, 2815, 2817, 5633, 30000}) {
    const std::vector<std::int32_t> host = numbers<std::int32_t>(size);
    Buffer<std::int32_t> keys = on_device(host), values = on_device(host),
                         indices(test_device(), keys.size());
    const auto last_digit = [](std::int32_t key) { return std::abs(key) % 10; };
    std::vector<std::int32_t> expected = host;
    std::ranges::stable_sort(expected, {}, last_digit);
    kern::argsort(keys, indices, kern::less("abs(a) % 10 < abs(b) % 10"));
    kern::sort_by_key(keys, values, kern::less("abs(a) % 10 < abs(b) % 10"));
    EXPECT_EQ(host_of(keys), expected) << size;
    EXPECT_EQ(host_of(values), expected) << size;
    const std::vector<std::int32_t> order = host_of(indices);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(host[static_cast<std::size_t>(order[i])], expected[i]);
  }
}

TEST(Algorithms, Reduce) {
  for (const std::size_t size : sizes) {
    const std::vector<std::int32_t> host = numbers<std::int32_t>(size);
    const Buffer<std::int32_t> x = on_device(host);
    Buffer<std::int64_t> sum(test_device(), 1), place(test_device(), 1);
    Buffer<std::int32_t> most(test_device(), 1);
    kern::reduce(x, sum);
    EXPECT_EQ(sum.read(0), std::accumulate(host.begin(), host.end(), std::int64_t{0}));
    kern::reduce(x, sum, kern::input("x * x"), kern::start(7));
    EXPECT_EQ(sum.read(0), std::inner_product(host.begin(), host.end(), host.begin(), std::int64_t{7}));
    kern::reduce(x, most, kern::operation("max(a, b)"), kern::start(-5000));
    EXPECT_EQ(most.read(0), size ? *std::ranges::max_element(host) : -5000);
    if (size == 0) continue;
    kern::argmin(x, most, place);
    EXPECT_EQ(most.read(0), *std::ranges::min_element(host));
    EXPECT_EQ(place.read(0), std::ranges::min_element(host) - host.begin());
  }
}

TEST(Algorithms, Scan) {
  for (const std::size_t size : sizes) {
    const std::vector<std::int32_t> host = numbers<std::int32_t>(size);
    std::vector<std::int64_t> sums(size), expected(size);
    Buffer<std::int64_t> y(test_device(), static_cast<std::int64_t>(size));
    Buffer<std::int32_t> x = on_device(host);
    kern::inclusive_scan(x, y);
    std::inclusive_scan(host.begin(), host.end(), expected.begin(), std::plus<>(), std::int64_t{0});
    EXPECT_EQ(host_of(y), expected) << size;
    kern::exclusive_scan(x, y, kern::start(-3));
    std::exclusive_scan(host.begin(), host.end(), expected.begin(), std::int64_t{-3});
    EXPECT_EQ(host_of(y), expected) << size;
    kern::inclusive_scan(x, x, kern::operation("min(a, b)"));
    std::vector<std::int32_t> least(size);
    std::inclusive_scan(host.begin(), host.end(), least.begin(), [](int a, int b) { return std::min(a, b); });
    EXPECT_EQ(host_of(x), least) << size;
  }
}

TEST(Algorithms, ByKey) {
  for (const std::size_t size : sizes) {
    std::vector<std::uint32_t> keys(size);
    std::mt19937 random(5);
    for (std::size_t i = 1; i < size; ++i) keys[i] = keys[i - 1] + (random() % 7 == 0);
    const std::vector<std::int32_t> values = numbers<std::int32_t>(size);
    std::vector<std::uint32_t> firsts;
    std::vector<std::int64_t> sums, lengths, up_to(size), before(size);
    for (std::size_t i = 0; i < size; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        firsts.push_back(keys[i]);
        sums.push_back(0);
        lengths.push_back(0);
      }
      before[i] = sums.back() + 5;
      up_to[i] = sums.back() += values[i];
      ++lengths.back();
    }
    const auto n = static_cast<std::int64_t>(size);
    const Buffer<std::uint32_t> k = on_device(keys);
    const Buffer<std::int32_t> x = on_device(values);
    Buffer<std::uint32_t> keys_out(test_device(), n);
    Buffer<std::int64_t> out(test_device(), n), count(test_device(), 1);
    const auto found = [&](const auto& buffer) {
      auto host = host_of(buffer);
      host.resize(static_cast<std::size_t>(count.read(0)));
      return host;
    };
    kern::reduce_by_key(k, x, keys_out, out, count);
    EXPECT_EQ(found(keys_out), firsts) << size;
    EXPECT_EQ(found(out), sums) << size;
    kern::run_length_encode(k, keys_out, out, count);
    EXPECT_EQ(found(keys_out), firsts) << size;
    EXPECT_EQ(found(out), lengths) << size;
    kern::unique(k, keys_out, count);
    EXPECT_EQ(found(keys_out), firsts) << size;
    kern::inclusive_scan_by_key(k, x, out);
    EXPECT_EQ(host_of(out), up_to) << size;
    kern::exclusive_scan_by_key(k, x, out, kern::start(5));
    EXPECT_EQ(host_of(out), before) << size;
  }
}

TEST(Algorithms, Select) {
  for (const std::size_t size : sizes) {
    const std::vector<std::int32_t> host = numbers<std::int32_t>(size);
    const Buffer<std::int32_t> x = on_device(host);
    Buffer<std::int32_t> y(test_device(), x.size()), z(test_device(), x.size()),
        rest(test_device(), x.size());
    Buffer<std::int64_t> count(test_device(), 1), counts(test_device(), 2);
    const auto first = [](const Buffer<std::int32_t>& buffer, std::int64_t n) {
      std::vector<std::int32_t> all = host_of(buffer);
      all.resize(static_cast<std::size_t>(n));
      return all;
    };
    std::vector<std::int32_t> odd, even, negative;
    for (const std::int32_t each : host) (each % 2 ? odd : even).push_back(each);
    kern::copy_if(x, y, count, kern::keep("x % 2 == 1"));
    EXPECT_EQ(first(y, count.read(0)), odd);
    kern::copy_flagged(x, x, y, count);
    EXPECT_EQ(count.read(0), static_cast<std::int64_t>(size) - std::ranges::count(host, 0));
    kern::partition(x, y, rest, count, kern::keep("x % 2 == 1"));
    EXPECT_EQ(first(y, count.read(0)), odd);
    EXPECT_EQ(first(rest, x.size() - count.read(0)), even);
    kern::partition_three(x, y, z, rest, counts, kern::setting("FIRST", "x < 0"),
                          kern::setting("SECOND", "x > 0"));
    EXPECT_EQ(counts.read(0), std::ranges::count_if(host, [](int each) { return each < 0; }));
    EXPECT_EQ(counts.read(1), std::ranges::count_if(host, [](int each) { return each > 0; }));
  }
}

TEST(Algorithms, TopK) {
  const std::vector<float> host = numbers<float>(5000);
  const Buffer<float> x = on_device(host);
  Buffer<float> keys(test_device(), 100);
  Buffer<std::int64_t> places(test_device(), 100);
  kern::top_k(x, keys, places);
  std::vector<float> expected = host, found = host_of(keys);
  std::erase_if(expected, [](float each) { return std::isnan(each); });
  std::ranges::sort(expected, std::greater());
  expected.resize(100);
  std::ranges::sort(found, std::greater());
  EXPECT_EQ(found, expected);
}

TEST(Algorithms, Segments) {
  const std::vector<std::int32_t> host = numbers<std::int32_t>(30000);
  const std::vector<std::int64_t> bounds = {0, 0, 1, 40, 300, 5000, 30000};
  const Buffer<std::int32_t> x = on_device(host);
  const Buffer<std::int64_t> offsets = on_device(bounds);
  Buffer<std::int64_t> sums(test_device(), 6);
  Buffer<std::int32_t> sorted(test_device(), 30000);
  kern::segmented_reduce(x, offsets, sums, kern::start(2));
  kern::segmented_sort(x, offsets, sorted, kern::less("a > b"));
  std::vector<std::int32_t> expected = host;
  for (std::size_t s = 0; s < 6; ++s) {
    const auto begin = expected.begin() + bounds[s], end = expected.begin() + bounds[s + 1];
    EXPECT_EQ(sums.read(static_cast<std::int64_t>(s)), std::accumulate(begin, end, std::int64_t{2})) << s;
    std::stable_sort(begin, end, std::greater());
  }
  EXPECT_EQ(host_of(sorted), expected);
}

TEST(Algorithms, HistogramsAndSearches) {
  const std::vector<std::int32_t> host = numbers<std::int32_t>(20000);
  const Buffer<std::int32_t> x = on_device(host);
  for (const std::int64_t bins : {10, 20000}) {
    Buffer<std::int64_t> even(test_device(), bins);
    kern::histogram_even(x, -1000, 1000, even);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(bins));
    for (const std::int32_t each : host)
      ++expected[static_cast<std::size_t>(std::min((each + 1000) * bins / 2000, bins - 1))];
    EXPECT_EQ(host_of(even), expected);
  }
  std::vector<std::int32_t> sorted = host;
  std::ranges::sort(sorted);
  const Buffer<std::int32_t> s = on_device(sorted);
  Buffer<std::int64_t> lower(test_device(), 20000), upper(test_device(), 20000);
  kern::lower_bound(s, x, lower);
  kern::upper_bound(s, x, upper);
  const std::vector<std::int64_t> low = host_of(lower), high = host_of(upper);
  for (std::size_t i = 0; i < host.size(); ++i) {
    ASSERT_EQ(low[i], std::ranges::lower_bound(sorted, host[i]) - sorted.begin());
    ASSERT_EQ(high[i], std::ranges::upper_bound(sorted, host[i]) - sorted.begin());
  }
}

TEST(Algorithms, MapsAndMoves) {
  const Buffer<float> x = on_device(std::vector<float>{1, 2, 3, 4, 5});
  const Buffer<std::int32_t> index = on_device(std::vector<std::int32_t>{4, 2, 0, 1, 3});
  Buffer<float> y(test_device(), 5);
  using Floats = std::vector<float>;
  kern::transform(x, y, kern::unary("x * x + 1"));
  EXPECT_EQ(host_of(y), (Floats{2, 5, 10, 17, 26}));
  kern::transform_2(x, y, y, kern::binary("y - x"));
  EXPECT_EQ(host_of(y), (Floats{1, 3, 7, 13, 21}));
  kern::adjacent_difference(x, y);
  EXPECT_EQ(host_of(y), Floats(5, 1));
  kern::gather(x, index, y);
  EXPECT_EQ(host_of(y), (Floats{5, 3, 1, 2, 4}));
  kern::scatter(x, index, y);
  EXPECT_EQ(host_of(y), (Floats{3, 4, 2, 5, 1}));
  kern::reverse(x, y);
  EXPECT_EQ(host_of(y), (Floats{5, 4, 3, 2, 1}));
  kern::rotate(x, 2, y);
  EXPECT_EQ(host_of(y), (Floats{3, 4, 5, 1, 2}));
  kern::fill(y, 3);
  EXPECT_EQ(host_of(y), Floats(5, 3));
  kern::sequence(y, 1, 0.5);
  EXPECT_EQ(host_of(y), (Floats{1, 1.5, 2, 2.5, 3}));
  Buffer<float, 2> m(test_device(), kern::extents(2, 3)), t(test_device(), kern::extents(3, 2));
  m.copy_from(Floats{1, 2, 3, 4, 5, 6});
  kern::transpose(m, t);
  EXPECT_EQ(host_of(t), (Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Algorithms, TakeHostMemoryViewsAndMatrices) {
  std::vector<std::int32_t> host = numbers<std::int32_t>(3000), sorted = host;
  std::ranges::sort(sorted);
  std::vector<std::int32_t> result(3000);
  kern::sort(kern::in(host), kern::out(result));
  EXPECT_EQ(result, sorted);
  kern::sort(kern::inout(host));
  EXPECT_EQ(host, sorted);
  Buffer<std::int32_t> x = on_device(numbers<std::int32_t>(4000));
  const std::vector<std::int32_t> whole = host_of(x);
  kern::sort(x.view().slice(0, 0, 4000, 4));
  std::vector<std::int32_t> expected = whole, every;
  for (std::size_t i = 0; i < 4000; i += 4) every.push_back(whole[i]);
  std::ranges::sort(every);
  for (std::size_t i = 0; i < 1000; ++i) expected[4 * i] = every[i];
  EXPECT_EQ(host_of(x), expected);
  Buffer<float, 2> m(test_device(), kern::extents(2, 3));
  m.copy_from(std::vector<float>{6, 5, 4, 3, 2, 1});
  kern::sort(m);
  EXPECT_EQ(host_of(m), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Algorithms, CanBeCaptured) {
  Buffer<std::uint32_t> keys = on_device(numbers<std::uint32_t>(5000));
  const std::vector<std::uint32_t> other = numbers<std::uint32_t>(5000);
  const kern::Stream stream(test_device());
  const kern::Graph graph = kern::capture(stream, [&] { kern::sort(keys, stream); });
  for (int round = 0; round < 2; ++round) {
    keys.copy_from(other);
    graph.launch(stream).wait();
    EXPECT_TRUE(std::ranges::is_sorted(host_of(keys)));
  }
}

TEST(Algorithms, ReportFaultsOfTheOperation) {
  std::vector<std::int32_t> before = numbers<std::int32_t>(5000);
  before[1234] = 0;
  const Buffer<std::int32_t> x = on_device(before);
  Buffer<std::int32_t> y(test_device(), 5000);
  try {
    kern::transform(x, y, kern::unary("1000 // x")).wait();
    FAIL() << "no fault";
  } catch (const kern::KernelFault& fault) {
    EXPECT_EQ(fault.code, "division");
    EXPECT_EQ(std::string(fault.place.file), "<unary>.kern");
    EXPECT_EQ(fault.place.line, 3u);
  }
  kern::transform(x, y, kern::unary("1000 // (x * x + 1)"));
  for (std::int64_t i = 0; i < 5000; i += 911) EXPECT_EQ(y.read(i), 1000 / (x.read(i) * x.read(i) + 1));
  EXPECT_EQ(host_of(x), before);
}

TEST(Algorithms, TakeFunctionsOfFiles) {
  const std::string path = testing::TempDir() + "ops_of_test.kern";
  std::ofstream(path) << "@device\ndef last(a, b):\n    return b if b != 0 else a\n";
  const Buffer<std::int32_t> x = on_device(std::vector<std::int32_t>{3, 0, 5, 0, 0});
  Buffer<std::int32_t> y(test_device(), 5);
  kern::inclusive_scan(x, y, kern::operation(kern::function_of(path, "last")));
  EXPECT_EQ(host_of(y), (std::vector<std::int32_t>{3, 3, 5, 5, 5}));
  std::remove(path.c_str());
  EXPECT_THROW(kern::function_of(path, "last"), kern::ArgumentError);
  kern::inclusive_scan(x, y,
                       kern::operation(kern::function_in(
                           "mine.kern", "@device\ndef most(a, b):\n    return max(a, b)\n", "most")));
  EXPECT_EQ(host_of(y), (std::vector<std::int32_t>{3, 3, 5, 5, 5}));
}

TEST(Algorithms, RefuseWhatDoesNotFit) {
  Buffer<float> x(test_device(), 5), y(test_device(), 4), one(test_device(), 1);
  Buffer<std::int64_t> count(test_device(), 1);
  const Buffer<float> constant(test_device(), 5);
  EXPECT_EQ(refusal(kern::sort, constant), "`keys` is written, and is given an array that is only read");
  EXPECT_EQ(refusal(kern::sort, x, y), "`keys_out` has 4 elements, and `keys` has 5 elements");
  EXPECT_EQ(refusal(kern::sort, x, count), "`keys_out` is an array of f32, and is given one of i64");
  EXPECT_EQ(refusal(kern::sort), "this is sort(keys[, keys_out[, size]]), and is given 0 arguments");
  EXPECT_EQ(refusal(kern::sort, 1.0f), "`keys` is an array, and is given a number");
  EXPECT_EQ(refusal(kern::sort, x, x), "`keys_out` is a result and shares elements with `keys`");
  EXPECT_EQ(refusal(kern::sort, x, kern::bits(5, 5)),
            "there are no bits to sort by from BEGIN_BIT 5 to END_BIT 5");
  EXPECT_EQ(refusal(kern::sort, x, kern::less("a < b"), kern::less("a > b")), "`LESS` is set twice");
  EXPECT_EQ(refusal(kern::argsort, x, y), "`indices` is an array of integers, and is given one of f32");
  EXPECT_EQ(refusal(kern::copy_if, x, y, one), "`count` is an array of i64, and is given one of f32");
  EXPECT_EQ(refusal(kern::reduce, x, y), "`out` has one element, and is given 4 elements");
  EXPECT_EQ(refusal(kern::histogram_edges, x, x, count),
            "`counts` has 1 element, and `edges` has 5 elements: the bounds are one more than what lies "
            "between them");
  Buffer<std::int64_t> five(test_device(), 5);
  EXPECT_EQ(refusal(kern::top_k, y, x, five), "there are no 5 of 4 elements");
  EXPECT_EQ(refusal(kern::rotate, x, 0.5, x),
            "`middle` is a number of i64, and is given one of f64 that is none");
  EXPECT_EQ(refusal(kern::Algorithm("sorts"), x).substr(0, 46),
            "there is no algorithm `sorts`: there are reduc");
  EXPECT_NE(refusal(kern::copy_if, x, y, count, kern::keep("x > limit")).find("<keep>.kern:3:16"),
            std::string::npos);
}

} // namespace
