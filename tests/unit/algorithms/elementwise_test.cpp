// kern::elementwise on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#include <thread>

#include "formula_fixture.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::elementwise;
using kern::View;

template <class T> std::vector<T> host_of(const View<T>& view) {
  std::vector<T> host(static_cast<std::size_t>(view.extent(0)));
  view.copy_to(host);
  return host;
}

template <class T> Buffer<T> counted(const Device& device, std::int64_t size) {
  std::vector<T> host(static_cast<std::size_t>(size));
  std::iota(host.begin(), host.end(), T{});
  Buffer<T> buffer(device, size);
  buffer.copy_from(host);
  return buffer;
}

// Returns what is said against a text, or a call of it; "" where both are taken.
template <class... Given> std::string refusal(std::string_view text, Given&&... given) {
  kern::Status status;
  elementwise(status, text)(status, std::forward<Given>(given)...);
  return status.message();
}

TEST(Elementwise, TakesTypesFromItsArguments) {
  const Device device = test_device();
  const kern::Formula axpy = elementwise("y = a * x + y");
  EXPECT_EQ(axpy.arguments(), (std::vector<std::string>{"a", "x", "y"}));
  Buffer<float> x = counted<float>(device, 1000), y = kern::zeros<float>(device, 1000);
  axpy(2.0f, x, y);
  axpy(2.0f, x, y);
  EXPECT_EQ(host_of(y.view())[999], 4 * 999.0f);
  Buffer<double> dx = counted<double>(device, 3), dy = kern::zeros<double>(device, 3);
  axpy(0.5, dx, dy);
  EXPECT_EQ(host_of(dy.view()), (std::vector<double>{0, 0.5, 1}));
  std::vector<std::int32_t> hx = {1, 2, 3}, hy = {10, 20, 30};
  axpy(std::int32_t{3}, kern::in(hx), kern::inout(hy));
  EXPECT_EQ(hy, (std::vector<std::int32_t>{13, 26, 39}));
}

TEST(Elementwise, KnowsWhichNamesAreArguments) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(elementwise("y += x").arguments(), (Names{"x", "y"}));
  EXPECT_EQ(elementwise("t: f32 = x * x; y = t + math.sin(t) * 2e-3").arguments(), (Names{"x", "y"}));
  EXPECT_EQ(elementwise("lo, hi = min(a, b), max(a, b)").arguments(), (Names{"a", "b", "lo", "hi"}));
  EXPECT_EQ(elementwise("y = x if x >= 0 and x <= top else z.real").arguments(),
            (Names{"x", "top", "z", "y"}));
  EXPECT_EQ(elementwise("a = b = x").arguments(), (Names{"x", "a", "b"}));
  EXPECT_EQ(elementwise("y = round(x, ndigits=n) + i\nz = f32(1.5)").arguments(),
            (Names{"x", "n", "y", "z"}));
}

TEST(Elementwise, GivesSeveralResults) {
  const Device device = test_device();
  Buffer<float> x = counted<float>(device, 8), s = kern::zeros<float>(device, 8),
                q = kern::zeros<float>(device, 8);
  elementwise("t: f32 = x + 1; square = t * t; half = 0.5 * t")(x, s, q);
  EXPECT_EQ(host_of(s.view())[3], 16);
  EXPECT_EQ(host_of(q.view())[3], 2);
}

TEST(Elementwise, TakesAnyName) {
  const Device device = test_device();
  Buffer<float> x = counted<float>(device, 4), y = kern::zeros<float>(device, 4);
  elementwise("grid_ = grid + operation * range")(x, 2.0f, 3.0f, y);
  EXPECT_EQ(host_of(y.view()), (std::vector<float>{6, 7, 8, 9}));
  elementwise("state = at + column")(x, x, y);
  EXPECT_EQ(host_of(y.view()), (std::vector<float>{0, 2, 4, 6}));
  call_with_names([&](auto... ones) { elementwise(std::string("y = ") + names_of_sources)(x, ones..., y); });
  EXPECT_EQ(host_of(y.view()), (std::vector<float>{37, 38, 39, 40}));
  Buffer<float, 2> row(device, kern::extents(1, 4)), wide(device, kern::extents(3, 4));
  row.copy_from(std::vector<float>{0, 1, 2, 3});
  call_with_names(
      [&](auto... ones) { elementwise(std::string("y = ") + names_of_sources)(row, ones..., wide); });
  EXPECT_EQ(wide.read(2, 3), 40);
}

TEST(Elementwise, Broadcasts) {
  const Device device = test_device();
  Buffer<float> row = counted<float>(device, 5);
  Buffer<float, 2> column(device, kern::extents(4, 1)), out(device, kern::extents(4, 5));
  column.copy_from(std::vector<float>{0, 10, 20, 30});
  elementwise("out = column + row + 100 * i")(column, row, out);
  std::vector<float> host(20);
  out.copy_to(host);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(host[static_cast<std::size_t>(i)], i / 5 * 10 + i % 5 + 100 * i);

  Buffer<float, 4> deep(device, kern::extents(2, 3, 4, 5));
  elementwise("deep = out + 1000 * i")(out, deep);
  host.resize(120);
  deep.copy_to(host);
  for (int i = 0; i < 120; ++i) {
    const int at = i % 20;
    EXPECT_EQ(host[static_cast<std::size_t>(i)], at / 5 * 10 + at % 5 + 100 * at + 1000 * i);
  }
}

TEST(Elementwise, TakesViews) {
  const Device device = test_device();
  Buffer<std::int32_t, 2> m(device, kern::extents(6, 7)), t = kern::zeros<std::int32_t>(device, 7, 6);
  std::vector<std::int32_t> host(42);
  std::iota(host.begin(), host.end(), 0);
  m.copy_from(host);
  elementwise("t = m")(m.view().transposed(), t);
  t.copy_to(host);
  for (int i = 0; i < 42; ++i) EXPECT_EQ(host[static_cast<std::size_t>(i)], i % 6 * 7 + i / 6);
  Buffer<std::int32_t> x = counted<std::int32_t>(device, 10);
  elementwise("x = -x")(x.view().slice(0, 0, 10, 2));
  EXPECT_EQ(host_of(x.view()), (std::vector<std::int32_t>{0, 1, -2, 3, -4, 5, -6, 7, -8, 9}));
}

TEST(Elementwise, TakesArraysOfAnySize) {
  const Device device = test_device();
  Buffer<float> none(device, 0);
  EXPECT_EQ(refusal("y = y + 1", none), "");
  Buffer<float, 2> flat(device, kern::extents(0, 3)), row(device, kern::extents(1, 3));
  EXPECT_EQ(refusal("y = x", row, flat), "");
  Buffer<std::uint8_t, 2> tall = kern::zeros<std::uint8_t>(device, 100000, 3);
  elementwise("y = i % 251")(tall.view().slice(1, 0, 2));
  std::vector<std::uint8_t> host(300000);
  tall.copy_to(host);
  for (std::size_t row_number = 0; row_number < 100000; row_number += 33331)
    EXPECT_EQ(host[3 * row_number + 1], (2 * row_number + 1) % 251);
}

TEST(Elementwise, RefusesWhatDoesNotFit) {
  const Device device = test_device();
  Buffer<float> x = counted<float>(device, 4), y = kern::zeros<float>(device, 5);
  const Buffer<float> fixed = x;
  EXPECT_EQ(refusal("y = x", x, y), "`y` of shape (5,) does not broadcast with `x` of shape (4,)");
  EXPECT_EQ(refusal("y = a * x", x, y),
            "the formula has the arguments (a, x, y), in this order, and is given 2");
  EXPECT_EQ(refusal("y = x", x, 2.0f),
            "`y` is assigned, and is given a scalar: results are arrays; the arguments are (x, y)");
  EXPECT_EQ(refusal("y = x", y, fixed),
            "`y` is assigned, and is given an array that is only read; the arguments are (x, y)");
  EXPECT_NE(refusal("y = x", y, Buffer<float>(device, 5)).find("only read"), std::string::npos);
  Buffer<float, 2> matrix(device, kern::extents(4, 4));
  EXPECT_EQ(refusal("y = m + x", matrix, x, x),
            "`y` is a result of shape (4,), and the arrays together have the shape (4, 4)");
  Buffer<float> z = counted<float>(device, 8);
  const std::string overlaps = refusal("y = x", z.view().slice(0, 0, 4), z.view().slice(0, 1, 5));
  EXPECT_NE(overlaps.find("`y` is a result and shares elements with `x`"), std::string::npos) << overlaps;
  EXPECT_EQ(refusal("y = x", z.view().slice(0, 0, 8, 2), z.view().slice(0, 1, 8, 2)), "");
  std::vector<float> host(4);
  EXPECT_NE(refusal("y = x + y", x, kern::out(host)).find("`y` is read as well"), std::string::npos);
  EXPECT_EQ(refusal("x + 1", x), "the formula `x + 1` assigns nothing: write `y = ` before it");
  EXPECT_NE(refusal("y[0] = x", x, y).find("assigns to names"), std::string::npos);
}

TEST(Elementwise, TellsWhatIsWrongWithTheText) {
  const Device device = test_device();
  Buffer<float> x = counted<float>(device, 4), y = kern::zeros<float>(device, 4);
  kern::Status status;
  elementwise("y = sine(x)")(status, x, y);
  EXPECT_EQ(status.kind(), KERN_COMPILE_ERROR);
  EXPECT_NE(std::string(status.message()).find("<elementwise y = sine(x)>:3:9: error"), std::string::npos)
      << status.message();
  kern::Status of_type;
  elementwise("y = a * x")(of_type, 2.0, x, y);
  const std::string message(of_type.message());
  EXPECT_TRUE(message.ends_with("note: the arguments are a: f64, x: f32[::1], y: f32[::1]")) << message;
  // The formula works for others, and after an error.
  elementwise("y = math.sqrt(x)")(x, y);
  EXPECT_EQ(host_of(y.view())[1], 1);
}

TEST(Elementwise, ReportsFaults) {
  const Device device = test_device();
  Buffer<std::int32_t> x = counted<std::int32_t>(device, 300);
  Buffer<std::uint8_t> y = kern::zeros<std::uint8_t>(device, 300);
  const kern::Stream stream(device);
  elementwise("y = x")(x, y, stream);
  kern::Status status;
  stream.wait(status);
  ASSERT_EQ(status.kind(), KERN_KERNEL_FAULT);
  EXPECT_EQ(status.fault().code, "fit");
  elementwise("y = x & 255")(x, y, stream);
  stream.wait();
  EXPECT_EQ(host_of(y.view())[299], 299 & 255);
}

TEST(Elementwise, IsCaptured) {
  const Device device = test_device();
  const kern::Formula count = elementwise("x += step");
  Buffer<std::int32_t> x = kern::zeros<std::int32_t>(device, 100);
  const kern::Stream stream(device);
  count(std::int32_t{1}, x, stream);
  const kern::Graph graph = kern::capture(stream, [&] { count(std::int32_t{2}, x, stream); });
  for (int i = 0; i < 3; ++i) graph.launch(stream);
  stream.wait();
  EXPECT_EQ(host_of(x.view())[99], 7);
}

TEST(Elementwise, IsCalledByManyThreads) {
  const Device device = test_device();
  const kern::Formula count = elementwise("x += 1");
  std::vector<std::int64_t> sums(8);
  std::vector<std::thread> threads;
  for (std::int64_t& sum : sums)
    threads.emplace_back([&] {
      Buffer<float> f = kern::zeros<float>(device, 10);
      Buffer<std::int64_t> n = kern::zeros<std::int64_t>(device, 10);
      for (int i = 0; i < 5; ++i) count(f), count(n);
      sum = host_of(n.view())[3] + static_cast<std::int64_t>(host_of(f.view())[9]);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, std::vector<std::int64_t>(8, 10));
}

} // namespace
