// Tensors of other libraries. The structs here are as dlpack.h 1.0 declares them, so that the layout is
// tested too.
#include <gtest/gtest.h>

#include <kern/dlpack.hpp>

#include <numeric>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::Device;
namespace dlpack = kern::dlpack;

struct DLPackVersion {
  std::uint32_t major, minor;
};
struct DLDevice {
  std::int32_t device_type, device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
static_assert(offsetof(DLTensor, byte_offset) == offsetof(dlpack::Tensor, byte_offset));
static_assert(offsetof(DLManagedTensor, deleter) == offsetof(dlpack::Managed, deleter));
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == offsetof(dlpack::Versioned, tensor));

struct DLPack : OnDevice {
  Buffer<float> memory = kern::zeros<float>(device, 12);
  std::int64_t shape[2] = {3, 4}, strides[2] = {4, 1};
  int deleted = 0;

  void SetUp() override {
    std::vector<float> host(12);
    std::iota(host.begin(), host.end(), 0.0f);
    memory.copy_from(host);
  }
  // A tensor of 3 rows of 4 floats.
  DLManagedTensor make() {
    DLDevice where = {is_cuda() ? 2 : 1, 0};
    return {{memory.data(), where, 2, {2, 32, 1}, shape, nullptr, 0}, &deleted, [](DLManagedTensor* tensor) {
              ++*static_cast<int*>(tensor->manager_ctx);
            }};
  }
};

TEST_F(DLPack, NullPointersAreErrors) {
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] {
                         kern::dlpack::import <float>(device, static_cast<kern::dlpack::Managed*>(nullptr));
                       }),
                       "it is a null pointer"));
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] {
                         kern::dlpack::import <float>(device, static_cast<kern::dlpack::Versioned*>(nullptr));
                       }),
                       "it is a null pointer"));
}

TEST_F(DLPack, ImportsWhatItIsGiven) {
  DLManagedTensor tensor = make();
  {
    auto view = dlpack::import <float, 2>(device, &tensor);
    EXPECT_EQ(view.strides(), kern::extents(4, 1));
    auto row = kern::View<float>(view.buffer(), view.data() + 4, {4}, {1});
    view = kern::View<float, 2>(nullptr, kern::extents(0, 0));
    library.scale(kern::over(4), row, 10).wait();
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(memory.read(3), 3);
  EXPECT_EQ(memory.read(4), 40);
  EXPECT_EQ(memory.read(8), 8);
}

TEST_F(DLPack, FollowsStridesAndOffsets) {
  DLManagedTensor tensor = make();
  std::int64_t turned[2] = {1, 4};
  tensor.dl_tensor.strides = turned;
  tensor.dl_tensor.byte_offset = 4;
  auto view = dlpack::import <const float, 2>(device, &tensor);
  EXPECT_EQ(view.data(), memory.data() + 1);
  EXPECT_EQ(view.strides(), kern::extents(1, 4));
}

TEST_F(DLPack, RefusesWhatDoesNotFit) {
  auto refusal = [&](auto&& change, auto&& import) {
    DLManagedTensor tensor = make();
    change(tensor.dl_tensor);
    return thrown_by<kern::ArgumentError>([&] { import(tensor); });
  };
  auto floats = [&](DLManagedTensor& tensor) { (void)dlpack::import <float, 2>(device, &tensor); };
  auto keep = [](DLTensor&) {};
  EXPECT_TRUE(
      contains(refusal(keep, [&](auto& tensor) { (void)dlpack::import <double, 2>(device, &tensor); }),
               "its elements are float32, and float64 is wanted"));
  EXPECT_TRUE(contains(refusal(keep, [&](auto& tensor) { (void)dlpack::import <float, 1>(device, &tensor); }),
                       "it has 2 axes, and 1 are wanted"));
  EXPECT_TRUE(contains(refusal([](DLTensor& tensor) { tensor.dtype.lanes = 4; }, floats),
                       "its elements are float32 in 4 lanes, and float32 is wanted"));
  EXPECT_TRUE(contains(refusal([](DLTensor& tensor) { tensor.dtype = {4, 16, 1}; }, floats), "bfloat16"));
  EXPECT_TRUE(contains(refusal([](DLTensor& tensor) { tensor.device = {2, 7}; }, floats),
                       "it lies on a device of DLPack's type 2 with the number 7"));
  EXPECT_TRUE(contains(refusal([](DLTensor& tensor) { tensor.byte_offset = 3; }, floats),
                       "it begins 3 bytes after its base, which is no multiple of its element's 4 bytes"));
  EXPECT_TRUE(contains(refusal([&](DLTensor&) { shape[1] = -1; }, floats), "it has extent -1 along axis 1"));
  EXPECT_TRUE(contains(refusal([](DLTensor& tensor) { tensor.shape = nullptr; }, floats), "it has no shape"));
  EXPECT_EQ(deleted, 0); // it stays with the caller
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] {
                         (void)dlpack::import <float>(device, static_cast<DLManagedTensor*>(nullptr));
                       }),
                       "it is a null pointer"));
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] {
                         (void)dlpack::import <float>(device,
                                                      static_cast<DLManagedTensorVersioned*>(nullptr));
                       }),
                       "it is a null pointer"));
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { dlpack::to_versioned(kern::Device(), memory.view()); }),
               "the device is empty"));
}

TEST_F(DLPack, KnowsVersionsAndWhatMayOnlyBeRead) {
  DLManagedTensorVersioned tensor{{1, 0}, &deleted, nullptr, 1, make().dl_tensor};
  tensor.deleter = [](DLManagedTensorVersioned* capsule) { ++*static_cast<int*>(capsule->manager_ctx); };
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { (void)dlpack::import <float, 2>(device, &tensor); }),
               "it may only be read: import<const T>"));
  (void)dlpack::import <const float, 2>(device, &tensor);
  EXPECT_EQ(deleted, 1);
  tensor.version.major = 2;
  EXPECT_TRUE(contains(
      thrown_by<kern::ArgumentError>([&] { (void)dlpack::import <const float, 2>(device, &tensor); }),
      "it is of version 2, and version 1 is known"));
}

TEST_F(DLPack, ExportsViews) {
  auto* tensor =
      reinterpret_cast<DLManagedTensor*>(dlpack::to_unversioned(device, memory.view().slice(0, 2, 12, 2)));
  float* data = memory.data();
  memory = Buffer<float>(device, 1); // the tensor keeps it
  EXPECT_EQ(tensor->dl_tensor.data, data + 2);
  EXPECT_EQ(tensor->dl_tensor.ndim, 1);
  EXPECT_EQ(tensor->dl_tensor.shape[0], 5);
  EXPECT_EQ(tensor->dl_tensor.strides[0], 2);
  EXPECT_EQ(tensor->dl_tensor.dtype.code, 2);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(tensor->dl_tensor.device.device_type, is_cuda() ? 2 : 1);
  auto view = dlpack::import <float>(device, tensor); // which calls the deleter
  library.scale(kern::over(5), view, 2).wait();
  kern::View<const float> constant = view;
  auto* versioned = reinterpret_cast<DLManagedTensorVersioned*>(dlpack::to_versioned(device, constant));
  EXPECT_EQ(versioned->version.major, 1u);
  EXPECT_EQ(versioned->flags, 1u);
  versioned->deleter(versioned);
}

TEST_F(DLPack, NamesEveryElementType) {
  auto is = [](dlpack::Type type, int code, int bits) { return type.code == code && type.bits == bits; };
  EXPECT_TRUE(is(dlpack::element_type<std::int8_t>(), 0, 8));
  EXPECT_TRUE(is(dlpack::element_type<std::uint64_t>(), 1, 64));
  EXPECT_TRUE(is(dlpack::element_type<kern::f16>(), 2, 16));
  EXPECT_TRUE(is(dlpack::element_type<kern::bf16>(), 4, 16));
  EXPECT_TRUE(is(dlpack::element_type<std::complex<double>>(), 5, 128));
  EXPECT_TRUE(is(dlpack::element_type<bool>(), 6, 8));
}

} // namespace
