// Extents and strides that no array has, and such that leave its memory, through every call that takes them: an ArgumentError, and
// nothing else is touched.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

#include "expect.h"
#include "fixture.h"
#include "kern/arguments.h"
#include "kern/dlpack.hpp"

namespace {

using kern::Buffer;
using kern::Extents;
using kern::View;

constexpr std::int64_t size = 40; // elements of the buffer
constexpr std::int64_t huge = std::int64_t(1) << 62;

// The ways in which a shape is wrong.
enum Wrong {
  Right,
  Memory,   // it leaves the buffer, but may lie in memory
  Reach,    // its strides leave all memory
  Elements, // no array has these extents
};
struct Shape {
  std::int64_t offset;
  Extents<2> extents, strides;
  Wrong wrong;
};

const Shape shapes[] = {
    {0, {4, 10}, {10, 1}, Right},
    {0, {10, 4}, {1, 10}, Right},
    {39, {4, 10}, {-10, -1}, Right},
    {10, {2, 3}, {-10, 2}, Right},
    {0, {0, 5}, {5, 1}, Right},
    {0, {5, 0}, {INT64_MAX, INT64_MIN}, Right}, // no elements, no strides
    {0, {1, 1}, {INT64_MIN, INT64_MAX}, Right},
    {0, {0, std::int64_t(1) << 59}, {1, 1}, Right},
    {0, {5, 10}, {10, 1}, Memory},
    {0, {4, 10}, {11, 1}, Memory},
    {1, {4, 10}, {10, 1}, Memory},
    {0, {2, 2}, {-3, 1}, Memory},
    {-1, {1, 1}, {1, 1}, Memory},
    {40, {1, 1}, {1, 1}, Memory},
    {0, {2, 1}, {std::int64_t(1) << 30, 1}, Memory},
    // Bytes that come back to where they began: 2^62 elements of 4 bytes are 2^64.
    {0, {2, 1}, {huge, 1}, Reach},
    {0, {2, 1}, {-huge, 1}, Reach},
    {0, {3, 1}, {std::int64_t(1) << 61, 1}, Reach},
    {0, {2, 2}, {INT64_MAX, 1}, Reach},
    {0, {2, 2}, {INT64_MIN, 1}, Reach},
    {0, {2, 2}, {INT64_MAX, INT64_MAX}, Reach},
    {0, {3, 3}, {INT64_MIN, INT64_MIN}, Reach},
    {0, {3, 3}, {INT64_MAX, INT64_MIN}, Reach},
    {0, {-2, -3}, {1, 1}, Elements}, // a product of 6
    {0, {-4, -10}, {10, 1}, Elements},
    {0, {-1, 10}, {10, 1}, Elements},
    {0, {10, -1}, {1, 1}, Elements},
    {0, {-1, 0}, {1, 1}, Elements},
    {0, {0, -1}, {1, 1}, Elements},
    {0, {INT64_MIN, INT64_MIN}, {1, 1}, Elements},
    {0, {INT64_MIN, 1}, {1, 1}, Elements},
    {0, {std::int64_t(1) << 32, std::int64_t(1) << 32}, {0, 0}, Elements}, // a product of 2^64
    {0, {huge, 4}, {0, 0}, Elements},
    {0, {INT64_MAX, INT64_MAX}, {0, 0}, Elements},
    {0, {0, huge}, {1, 1}, Elements},
};

std::string text_of(const Shape& shape) {
  return kern::text_of(shape.extents, " x ") + " with strides " + kern::text_of(shape.strides, ", ") +
         " from " + std::to_string(shape.offset);
}

struct Shapes : OnDevice {
  Buffer<float> x = kern::zeros<float>(device, size);
  Buffer<float, 2> sums = kern::zeros<float>(device, 2, 2);
  std::vector<float> numbers = std::vector<float>(size);

  void SetUp() override {
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    x.copy_from(numbers);
  }
  // Says whether a call is refused; every other error is one of the test.
  static bool refuses(const std::function<void(kern::Status&)>& call) {
    kern::Status status;
    call(status);
    if (!status.ok()) {
      EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR) << status.message();
    }
    return !status.ok();
  }
  static float* address(const Buffer<float>& buffer, std::int64_t offset) {
    return reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(buffer.data()) +
                                    static_cast<std::uintptr_t>(offset) * sizeof(float));
  }
  View<float, 2> view(const Shape& shape) const {
    return {x.handle(), address(x, shape.offset), shape.extents, shape.strides};
  }
  void expect_untouched() {
    std::vector<float> now(size);
    x.copy_to(now);
    EXPECT_EQ(now, numbers);
  }
};

TEST_F(Shapes, OfViewsOfBuffers) {
  auto prepared = library.prepare_column_sum(kern::over(0, 0), 0, sums.view(), sums);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(text_of(shape));
    const bool is_wrong = shape.wrong != Right;
    const View<float, 2> wrong = view(shape);
    EXPECT_GE(wrong.size(), 0);
    auto expect = [&](const char* what, const std::function<void(kern::Status&)>& call) {
      EXPECT_EQ(refuses(call), is_wrong) << what;
    };
    expect("launch", [&](auto& s) { library.column_sum(s, kern::over(0, 0), 0, wrong, sums); });
    expect("written", [&](auto& s) { library.column_sum(s, kern::over(0, 0), 0, sums.view(), wrong); });
    expect("prepare", [&](auto& s) { library.prepare_column_sum(s, kern::over(0, 0), 0, wrong, sums); });
    expect("set", [&](auto& s) { prepared.set<1>(s, wrong); });
    expect("part", [&](auto& s) { x.view(s, shape.offset, shape.extents, shape.strides); });
    // The array of the host is as large as the view, and then of other sizes.
    std::vector<float> host(static_cast<std::size_t>(is_wrong ? size : kern::count(shape.extents)));
    expect("copy to", [&](auto& s) { wrong.copy_to(s, host); });
    expect("copy from", [&](auto& s) { wrong.copy_from(s, std::as_const(host)); });
    for (const std::size_t elements : {0, 1, 2, 4, 6, 9, 50})
      if (is_wrong) {
        host.resize(elements);
        EXPECT_TRUE(refuses([&](auto& s) { wrong.copy_to(s, host); })) << elements;
        EXPECT_TRUE(refuses([&](auto& s) { wrong.copy_from(s, std::as_const(host)); })) << elements;
      }
    if (!is_wrong) x.copy_from(numbers);
    expect_untouched();
  }
}

// A part of a shape that is wrong is refused where it is made or used, or lies in memory.
TEST_F(Shapes, OfPartsOfViews) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(text_of(shape));
    const View<float, 2> whole = view(shape);
    auto use = [&](kern::Status& status, const auto& part) {
      std::vector<float> host(static_cast<std::size_t>(std::min<std::int64_t>(part.size(), 100)));
      part.copy_to(status, host);
      for (const float number : host)
        if (status.ok()) {
          EXPECT_TRUE(number >= 1 && number <= size);
        }
    };
    for (const std::size_t axis : {0, 1, 2})
      for (const std::int64_t index : {std::int64_t(0), std::int64_t(1), std::int64_t(3), huge, INT64_MAX}) {
        refuses([&](kern::Status& s) { use(s, whole.select(s, axis, index)); });
        for (const std::int64_t step : {std::int64_t(1), std::int64_t(2), huge, INT64_MAX})
          for (const std::int64_t end : {index, std::int64_t(2), INT64_MAX})
            refuses([&](kern::Status& s) { use(s, whole.slice(s, axis, index, end, step)); });
      }
    EXPECT_EQ(refuses([&](kern::Status& s) { use(s, whole.transposed()); }), shape.wrong != Right);
  }
  expect_untouched();
}

// Nobody knows where memory of others ends, but all addresses do.
TEST_F(Shapes, OfRawPointers) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(text_of(shape));
    const View<float, 2> raw(address(x, shape.offset), shape.extents, shape.strides);
    const bool is_wrong = shape.wrong > Memory;
    EXPECT_EQ(refuses([&](auto& s) { library.column_sum(s, kern::over(0, 0), 0, raw, sums); }), is_wrong);
    EXPECT_EQ(refuses([&](auto& s) { library.column_sum(s, kern::over(0, 0), 0, sums.view(), raw); }),
              is_wrong);
    EXPECT_TRUE(refuses([&](auto& s) { raw.copy_to(s, numbers); }));
    EXPECT_TRUE(refuses([&](auto& s) { raw.copy_from(s, std::as_const(numbers)); }));
  }
  expect_untouched();
}

TEST_F(Shapes, OfBuffersAndHostMemory) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(text_of(shape));
    const Extents<2>& extents = shape.extents;
    const bool is_wrong = shape.wrong == Elements;
    const bool is_whole = !is_wrong && kern::count(extents) == size;
    EXPECT_EQ(refuses([&](auto& s) { x.reshape(s, extents); }), !is_whole);
    EXPECT_EQ(refuses([&](auto& s) { (Buffer<float, 2>(s, device, extents)); }), is_wrong);
    EXPECT_EQ(refuses([&](auto& s) { (kern::HostBuffer<float, 2>(s, device, extents)); }), is_wrong);
    EXPECT_EQ(refuses([&](auto& s) { kern::zeros<float>(s, device, extents[0], extents[1]); }), is_wrong);
    EXPECT_EQ(refuses([&](auto& s) { Buffer<float, 2>::adopt(s, device, x.data(), extents); }), is_wrong);
    std::vector<float> host(64);
    float* place = host.data();
    EXPECT_EQ(
        refuses([&](auto& s) { library.column_sum(s, kern::over(0, 0), 0, kern::in(place, extents), sums); }),
        is_wrong);
    EXPECT_EQ(refuses([&](auto& s) {
                library.column_sum(s, kern::over(0, 0), 0, sums.view(), kern::inout(place, extents));
              }),
              is_wrong);
    EXPECT_EQ(refuses([&](auto& s) {
                library.column_sum(s, kern::over(0, 0), 0, sums.view(), kern::out(place, extents));
              }),
              is_wrong);
    EXPECT_EQ(refuses([&](auto& s) {
                kern::for_each_chunk(s, device, {.rows = 1}, [](auto&&...) {}, kern::in(place, extents));
              }),
              is_wrong);
  }
}

TEST_F(Shapes, OfDlpackTensors) {
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(text_of(shape));
    std::int64_t extents[] = {shape.extents[0], shape.extents[1]},
                 strides[] = {shape.strides[0], shape.strides[1]};
    kern::dlpack::Managed tensor{};
    tensor.tensor = {address(x, shape.offset),
                     {is_cuda() ? kern::dlpack::cuda : kern::dlpack::cpu, 0},
                     2,
                     kern::dlpack::element_type<float>(),
                     extents,
                     strides,
                     0};
    EXPECT_EQ(refuses([&](auto& s) { kern::dlpack::import <float, 2>(s, device, &tensor); }),
              shape.wrong > Memory);
  }
}

// ---- The C interface ----

struct ShapesC : Shapes {
  kern_kernel* kernel = nullptr;
  kern_launch_options options = kern_over(0, 1, 1);
  kern_argument arguments[3] = {};

  void SetUp() override {
    Shapes::SetUp();
    const kern_parameter parameters[] = {{KERN_I64, 0, 0}, {KERN_F32, 2, 0}, {KERN_F32, 2, 1}};
    kern_module* module = nullptr;
    ASSERT_EQ(kern_module_load(device.get(), &kern_object_kernels, &module), nullptr);
    ASSERT_EQ(kern_module_kernel(module, "column_sum", parameters, 3, &kernel), nullptr);
    kern_module_release(module);
    const std::int64_t skip = 0;
    arguments[0] = kern_scalar_argument(KERN_I64, &skip, sizeof skip);
    arguments[1] = arguments[2] = whole();
  }
  void TearDown() override { kern_kernel_release(kernel); }
  kern_argument whole() const { return kern_f32_buffer(sums.handle().get(), kern_extents_2(2, 2)).argument; }
  static bool is_refused(kern_error* error) {
    const kern_error_kind kind = kern_error_get_kind(error);
    EXPECT_TRUE(kind == KERN_NO_ERROR || kind == KERN_ARGUMENT_ERROR) << kern_error_message(error);
    kern_error_free(error);
    return kind != KERN_NO_ERROR;
  }
  void expect_launches(bool is_wrong) {
    EXPECT_EQ(is_refused(kern_launch(kernel, &options, arguments, 3, nullptr)), is_wrong);
    const bool is_host = arguments[1].kind != KERN_ARRAY || arguments[2].kind != KERN_ARRAY;
    kern_prepared* prepared = nullptr;
    EXPECT_EQ(is_refused(kern_prepare(kernel, &options, arguments, 3, &prepared)), is_wrong || is_host);
    kern_prepared_release(prepared);
    prepared = nullptr;
    kern_argument right[] = {arguments[0], whole(), whole()};
    ASSERT_FALSE(is_refused(kern_prepare(kernel, &options, right, 3, &prepared)));
    const bool is_refused_set = is_refused(kern_prepared_set(prepared, 1, &arguments[1])) ||
                                is_refused(kern_prepared_set(prepared, 2, &arguments[2]));
    EXPECT_EQ(is_refused_set, is_wrong || is_host);
    kern_prepared_release(prepared);
  }
};

TEST_F(ShapesC, OfArguments) {
  std::vector<float> host(64);
  for (const Shape& shape : shapes)
    for (const std::uint32_t kind : {KERN_ARRAY, KERN_HOST_IN, KERN_HOST_OUT, KERN_HOST_INOUT})
      for (const std::size_t place : {1, 2})
        for (const bool has_buffer : {true, false}) {
          if (kind == KERN_HOST_IN && place == 2) continue; // is written
          if (kind != KERN_ARRAY && has_buffer) continue;
          SCOPED_TRACE(text_of(shape) + " as kind " + std::to_string(kind) + ", parameter " +
                       std::to_string(place) + (has_buffer ? " of a buffer" : ""));
          arguments[1] = arguments[2] = whole();
          kern_argument& argument = arguments[place];
          argument.kind = kind;
          argument.buffer = has_buffer ? x.handle().get() : nullptr;
          argument.data = kind == KERN_ARRAY ? address(x, shape.offset) : host.data();
          const auto& [offset, extents, strides, wrong] = shape;
          for (std::size_t axis = 0; axis < 2; ++axis)
            argument.extents[axis] = extents[axis], argument.strides[axis] = strides[axis];
          bool is_wrong = has_buffer ? wrong != Right : wrong > Memory;
          // Host memory lies side by side, the last axis fastest or the first.
          const auto is_packed = [&](std::size_t slow, std::size_t fast) {
            return (extents[slow] <= 1 || strides[slow] == extents[fast]) &&
                   (extents[fast] <= 1 || strides[fast] == 1);
          };
          if (kind != KERN_ARRAY && kern::count(extents) > 1)
            is_wrong |= !is_packed(0, 1) && !is_packed(1, 0);
          expect_launches(is_wrong);
        }
  expect_untouched();
}

// The functions of <kern/arguments.h> pass on all extents, and the launch refuses wrong ones.
TEST_F(ShapesC, OfExtents) {
  std::vector<float> host(64);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(text_of(shape));
    const kern_extents extents = kern_extents_2(shape.extents[0], shape.extents[1]);
    const std::int64_t elements = kern::count(shape.extents);
    const bool is_wrong = shape.wrong == Elements;
    arguments[1] = kern_f32_buffer(x.handle().get(), extents).argument;
    expect_launches(is_wrong || elements > size);
    arguments[1] = kern_f32_in(host.data(), extents).argument;
    expect_launches(is_wrong);
    arguments[1] = whole();
    arguments[2] = kern_f32_inout(host.data(), extents).argument;
    expect_launches(is_wrong);
    arguments[2] = whole();
    arguments[1] = kern_record_argument(KERN_ARRAY, KERN_F32, 3, x.handle().get(), x.data(), extents);
    expect_launches(true); // of another rank
    arguments[1] = whole();
  }
  for (const std::uint32_t rank : {0u, 1u, 3u, 8u, 9u, UINT32_MAX}) {
    kern_extents extents = kern_extents_2(1, 1);
    extents.rank = rank;
    arguments[1] = kern_f32_buffer(x.handle().get(), extents).argument;
    expect_launches(true);
  }
}

TEST_F(ShapesC, OfPlainCopies) {
  kern_buffer* buffer = x.handle().get();
  kern::Stream stream(device);
  std::vector<char> host(size * sizeof(float));
  const std::uint64_t bytes = host.size();
  const struct {
    std::uint64_t offset, bytes;
  } places[] = {{0, bytes + 1},
                {bytes, 1},
                {1, bytes},
                {UINT64_MAX, 1},
                {1, UINT64_MAX},
                {UINT64_MAX, UINT64_MAX},
                {UINT64_MAX - 3, 4},
                {bytes + 1, 0},
                {UINT64_MAX - bytes + 1, bytes},
                {std::uint64_t(huge), 4},
                {4, std::uint64_t(huge)}};
  for (const auto& place : places) {
    SCOPED_TRACE(std::to_string(place.bytes) + " at " + std::to_string(place.offset));
    kern_stream* on = stream.get();
    EXPECT_TRUE(is_refused(kern_buffer_write(buffer, place.offset, host.data(), place.bytes, on, nullptr)));
    EXPECT_TRUE(is_refused(kern_buffer_read(buffer, place.offset, host.data(), place.bytes, on, nullptr)));
    EXPECT_TRUE(is_refused(kern_buffer_copy(buffer, place.offset, buffer, 0, place.bytes, on, nullptr)));
    EXPECT_TRUE(is_refused(kern_buffer_copy(buffer, 0, buffer, place.offset, place.bytes, on, nullptr)));
    const char pattern[16] = {};
    for (const std::uint32_t pattern_bytes : {1u, 2u, 3u, 16u}) {
      // Rounded up, and one more.
      const std::uint64_t count = std::min(place.bytes / pattern_bytes, UINT64_MAX - 2) + 1;
      EXPECT_TRUE(
          is_refused(kern_buffer_fill(buffer, place.offset, count + 1, pattern, pattern_bytes, on, nullptr)));
    }
    EXPECT_TRUE(is_refused(kern_buffer_fill(buffer, 0, UINT64_MAX, pattern, 16, on, nullptr)));
  }
  stream.wait();
  expect_untouched();
}

} // namespace
