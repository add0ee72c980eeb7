// Modules as objects and PTX, and back.
#include <array>

#include "jit_fixture.h"

namespace {

using kern::Device;
using kern::Module;
using kern::View;

constexpr const char* source = R"(
from shared import SCALE

@kernel
def scale(x: f32[:], y: f32[:]):
    i = grid(1)
    if i < y.size:
        y[i] = x[i] * SCALE

@kernel(block=32)
def reverse(x: f32[:]):
    tile = shared.array(32, f32)
    t = threadIdx.x
    tile[t] = x[t]
    syncthreads()
    x[t] = tile[31 - t]
)";

kern::CompileOptions importing() {
  kern::CompileOptions options;
  options.name = "written.kern";
  options.imports = {{"shared.kern", "SCALE = 3.0\n"}};
  return options;
}

void expect_works(const Module& module) {
  ASSERT_EQ(module.kernels(), (std::vector<std::string>{"scale", "reverse"}));
  std::vector<float> x = counted(100), y(100);
  auto scale = module.kernel<void(View<const float>, View<float>)>("scale");
  scale(kern::over(100), kern::in(x), kern::out(y));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 3 * x[i]);
  std::vector<float> row = counted(32);
  module.kernel<void(View<float>)>("reverse")(kern::grid(1), kern::inout(row));
  EXPECT_EQ(row.front(), 31.0f);
  // A fault knows its place in the source.
  kern::Buffer<float> small = kern::zeros<float>(module.device(), 20),
                      large = kern::zeros<float>(module.device(), 32);
  try {
    scale(kern::over(32), small, large).wait();
    FAIL();
  } catch (const kern::KernelFault& fault) {
    EXPECT_EQ(fault.place.file, "written.kern");
    EXPECT_EQ(fault.place.line, 8u);
    EXPECT_EQ(fault.index, 20);
  }
}

TEST(Written, ObjectsComeBack) {
  Module module = kern::compile(test_device(), source, importing());
  std::string bytes(module.object());
  EXPECT_EQ(bytes.substr(1, 3), "ELF");
  EXPECT_EQ(module.object(), bytes);
  module = Module();
  Module again = kern::load(test_device(), bytes);
  expect_works(again);
  EXPECT_EQ(again.object(), bytes);
  // Any number of them, each with its own code.
  Module third = kern::load(test_device(), again.object());
  again = Module();
  expect_works(third);
}

TEST(Written, PtxComesBack) {
  Module module = kern::compile(test_device(), source, importing());
  std::string text(module.ptx());
  EXPECT_TRUE(contains(text, ".entry scale"));
  if (!test_device().is_cuda()) {
    kern::Status status;
    kern::load(status, test_device(), text);
    EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
    EXPECT_TRUE(contains(status.message(), "PTX is code for GPUs"));
    const char* fake = std::getenv("KERN_TEST_FAKE_CUDA");
    if (!fake) GTEST_SKIP() << "needs a driver";
    setenv("KERN_LIBCUDA", fake, 1);
    Module loaded = kern::load_ptx(Device::cuda(), text);
    EXPECT_EQ(loaded.kernels(), (std::vector<std::string>{"scale", "reverse"}));
    EXPECT_EQ(loaded.ptx(), text);
    return;
  }
  module = Module();
  Module again = kern::load_ptx(test_device(), text);
  expect_works(again);
  EXPECT_EQ(again.ptx(), text);
}

TEST(Written, NamesItsArchitectures) {
  kern::CompileOptions options = importing();
  options.options = {"--arch=sm_90"};
  EXPECT_TRUE(contains(std::string(kern::compile(test_device(), source, options).ptx()), ".target sm_90"));
  options.options = {"--arch=x86-64-v3"};
  Module module = kern::compile(test_device(), source, options);
  options.options = {};
  Module usual = kern::compile(test_device(), source, options);
  EXPECT_LT(module.object().size(), usual.object().size());
  expect_works(kern::load(test_device(), module.object()));
}

// Whatever else is no object of kernc is an error, and so is each part of one.
TEST(Written, RefusesWhatIsNone) {
  Device device = test_device();
  auto kind = [&](std::string_view bytes) {
    kern::Status status;
    kern::load(status, device, bytes);
    return status.kind();
  };
  for (std::string_view bytes : {"", "hello", ".version 7.0\n", "\177ELF", "\177ELF\2\1\1"})
    EXPECT_NE(kind(bytes), KERN_NO_ERROR) << bytes;
  std::string bytes(kern::compile(device, saxpy).object());
  for (std::size_t size = 1; size < bytes.size(); size += 1 + bytes.size() / 40)
    EXPECT_NE(kind(std::string_view(bytes).substr(0, size)), KERN_NO_ERROR) << size;
  EXPECT_EQ(kind(bytes), KERN_NO_ERROR);
  EXPECT_NE(kern_error_get_kind(kern_load(device.get(), nullptr, 3, nullptr)), KERN_NO_ERROR);
}

TEST(Written, ManifestsOfOtherVersionsAreRefused) {
  const char* fake = std::getenv("KERN_TEST_FAKE_CUDA");
  if (!fake && !test_device().is_cuda()) GTEST_SKIP() << "needs a driver";
  if (!test_device().is_cuda()) setenv("KERN_LIBCUDA", fake, 1);
  std::string text(kern::compile(Device::cuda(), saxpy).ptx());
  auto message = [&](std::string wrong) {
    kern::Status status;
    kern::load_ptx(status, Device::cuda(), wrong);
    return status.message();
  };
  EXPECT_EQ(message(text), "");
  EXPECT_TRUE(contains(message(text.substr(0, text.find("//! "))), "carries a manifest"));
  std::string other = text;
  std::size_t abi = other.find("\"abi\": \"") + 8;
  other.replace(abi, 4, "0000");
  EXPECT_TRUE(contains(message(other), "compile it again"));
  EXPECT_NE(message(text.substr(0, text.size() / 2 + text.find("//! ") / 2)), "");
}

// An empty module has nothing to be written.
TEST(Written, EmptyModulesAreErrors) {
  kern::Status status;
  Module().object(status);
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  status.clear();
  Module().ptx(status);
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
}

} // namespace
