// Tests what a launch refuses before anything runs: both sides stand in the message.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "expect.h"
#include "fixture.h"
#include "runtime/api/overlap.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::View;

struct Arguments : OnDevice {
  Buffer<float> x = kern::zeros<float>(device, 100);

  template <class... Args> std::string refusal(Args&&... arguments) {
    return thrown_by<kern::ArgumentError>([&] { library.split(kern::over(10), arguments...); });
  }
};

TEST_F(Arguments, LieOnThemselvesOnlyWhereTheyAreRead) {
  Buffer<float> low = kern::zeros<float>(device, 100), high = kern::zeros<float>(device, 100);
  View<float> broadcast(low.data(), {10}, {0});
  EXPECT_TRUE(contains(refusal(x, broadcast, high),
                       "`low: f32[:]` is written by the kernel, and its elements lie on each "
                       "other: 10 of them along axis 0 with stride 0"));
  library.split(kern::over(10), broadcast, x, high).wait();
}

// A thread does what it does in the order that is written, through whatever view.
TEST_F(Arguments, MayLieOnEachOther) {
  Buffer<float> all = kern::zeros<float>(device, 100);
  library.split(kern::over(100), x, all, all).wait();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(all.read(i), 1) << i;
  library.split(kern::over(50), x, all, all.view().slice(0, 50, 100)).wait();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(all.read(i), i < 50 ? -1 : 1) << i;
  library.split(kern::over(50), x, all.view().slice(0, 0, 100, 2), all.view().slice(0, 1, 100, 2)).wait();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(all.read(i), i % 2 == 0 ? -1 : 1) << i;
  library.split(kern::over(100), x, x, all).wait();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(x.read(i), -1) << i;
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(all.read(i), 0) << i;
}

// Only C can say a kind and a rank that do not go together.
TEST_F(Arguments, AreOfOneKind) {
  kern_module* module = nullptr;
  kern_kernel* clear = nullptr;
  const kern_parameter parameter{KERN_F32, 1, 1};
  kern::raise(kern_module_load(device.get(), &kern_object_kernels, &module));
  kern::raise(kern_module_kernel(module, "clear", &parameter, 1, &clear));
  auto refused = [&](std::uint32_t kind, std::uint32_t type, std::uint32_t rank) {
    kern_argument argument{};
    argument.kind = kind, argument.type = type, argument.rank = rank;
    const kern::Launch launch = kern::over(1);
    return thrown_by<kern::ArgumentError>(
        [&] { kern::raise(kern_launch(clear, &launch.get(), &argument, 1, nullptr)); });
  };
  EXPECT_TRUE(contains(refused(KERN_SCALAR, KERN_F32, 1), "`x: f32[:]` is given a scalar of rank 1"));
  EXPECT_TRUE(contains(refused(KERN_ARRAY, KERN_F32, 0), "is given an array of rank 0"));
  EXPECT_TRUE(contains(refused(KERN_ARRAY, KERN_F32, 99), "is given f32 of rank 99"));
  EXPECT_TRUE(contains(refused(KERN_ARRAY, KERN_F64, 1), "is given f64[:]"));
  EXPECT_TRUE(contains(refused(KERN_ARRAY, 77, 1), "is given no type"));
  kern_kernel_release(clear);
  kern_module_release(module);
}

// The answer against sets of addresses.
TEST(Overlap, IsExact) {
  std::mt19937 random(1);
  int found = 0;
  char base[1000];
  auto make = [&](int rank) {
    kern_argument array{};
    array.type = random() % 2 ? KERN_F32 : KERN_F64;
    array.rank = static_cast<std::uint32_t>(rank);
    array.data = base + 400 + 4 * (random() % 10);
    for (int axis = 0; axis < rank; ++axis) {
      array.extents[axis] = random() % 5;
      array.strides[axis] = static_cast<std::int64_t>(random() % 9) - 4;
    }
    return array;
  };
  auto elements = [](const kern_argument& array, std::multiset<char*>& all) {
    std::int64_t rows = array.extents[0], columns = array.rank > 1 ? array.extents[1] : 1;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < columns; ++k)
        all.insert(static_cast<char*>(array.data) +
                   (array.type == KERN_F32 ? 4 : 8) *
                       (i * array.strides[0] + (array.rank > 1 ? k * array.strides[1] : 0)));
  };
  // All places are multiples of 4 bytes from each other.
  auto overlaps = [](const kern_argument& array, char* place, char* other) {
    return place == other || (array.type == KERN_F64 && place + 4 == other);
  };
  for (int round = 0; round < 20'000; ++round) {
    kern_argument a = make(1 + round % 2), b = make(1 + round / 2 % 2);
    std::multiset<char*> first, second;
    elements(a, first);
    elements(b, second);
    bool is_same = std::set<char*>(first.begin(), first.end()).size() < first.size();
    bool says_same = kern::runtime::overlapping_axis(a).has_value();
    ASSERT_EQ(says_same, is_same) << round;
    bool shares = false;
    for (char* place : first)
      for (char* other : second) shares |= overlaps(a, place, other) || overlaps(b, other, place);
    bool says = kern::runtime::share_elements(a, b);
    ASSERT_EQ(shares, says) << round;
    found += says;
  }
  EXPECT_GT(found, 1'000);
}

// The typed header cannot let these calls through, so they are made by the C interface.
TEST_F(Arguments, AreCountedAndTyped) {
  kern::ModuleHandle module;
  kern_module_load(device.get(), &kern_object_kernels, module.receive());
  const kern_parameter parameters[] = {{KERN_F32, 1, 1}, {KERN_F32, 0, 0}};
  kern::KernelHandle scale;
  kern_module_kernel(module.get(), "scale", parameters, 2, scale.receive());
  auto array = kern::Argument<float, 1>(x).get();
  kern_argument by{};
  kern::Param<float>::put(2, by);
  auto refused = [&](std::initializer_list<kern_argument> arguments) {
    kern_launch_options options = kern::over(100).get();
    kern::Status status;
    status.take(kern_launch(scale.get(), &options, arguments.begin(), arguments.size(), nullptr));
    return status.kind() == KERN_ARGUMENT_ERROR ? status.message() : "";
  };
  EXPECT_TRUE(contains(refused({array}), "kernel `scale`: takes 2 arguments, and 1 are given"));
  EXPECT_TRUE(contains(refused({array, by, by}), "takes 2 arguments, and 3 are given"));
  kern_argument other = array;
  other.type = KERN_F64;
  EXPECT_TRUE(contains(refused({other, by}), "`x: f32[:]` is given f64[:]"));
  other.type = 99;
  EXPECT_TRUE(contains(refused({other, by}), "`x: f32[:]` is given no type[:]"));
  other = array;
  other.rank = 2;
  EXPECT_TRUE(contains(refused({other, by}), "`x: f32[:]` is given f32[:, :]"));
  EXPECT_TRUE(contains(refused({by, by}), "`x: f32[:]` is given f32"));
  EXPECT_TRUE(contains(refused({array, array}), "`by: f32` is given f32[:]"));
  other = array;
  other.writable = 0;
  EXPECT_TRUE(contains(refused({other, by}), "is written by the kernel, and what is given may only be read"));
  other.kind = KERN_HOST_IN;
  EXPECT_TRUE(contains(refused({other, by}), "in() only copies to the device: say inout() or out()"));
  other = array;
  other.data = nullptr;
  EXPECT_TRUE(contains(refused({other, by}), "`x: f32[:]` is an array without memory"));
  other = array;
  other.extents[0] = INT64_MAX;
  EXPECT_TRUE(contains(refused({other, by}), "has extents whose product passes 2^62 bytes"));
}

} // namespace
