// Which code a CUDA device loads, and how: a cubin or PTX, with what options, and what is said where the
// driver does not take it. The driver counts what it compiles; it has none of the linker's functions. A
// module is loaded anew once nobody holds its device, so each load here is that of another process.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "kernels.kern.hpp"
#include "tests/unit/runtime/test_device.h"

namespace {

using kern::Buffer;
using kern::Device;

const std::string& folder() {
  static const std::string path = [] {
    char pattern[] = "/tmp/kern-cuda-code-XXXXXX";
    return std::string(mkdtemp(pattern)) + "/kern";
  }();
  return path;
}

// Sets the folder of Kern's own cache before all tests, because the process reads its environment once.
struct CacheFolder : testing::Environment {
  void SetUp() override { setenv("KERN_CACHE_DIR", folder().c_str(), 1); }
  void TearDown() override { std::filesystem::remove_all(std::filesystem::path(folder()).parent_path()); }
};
[[maybe_unused]] testing::Environment* const cache_folder =
    testing::AddGlobalTestEnvironment(new CacheFolder); // NOLINT: GoogleTest owns it

// Loads the kernels and runs one, on a thread whose stream does not keep the device; returns what is thrown.
std::string load_and_run() {
  std::string message;
  std::thread([&] {
    try {
      Buffer<float> x = kern::zeros<float>(Device::cuda(), 100);
      x.fill(3);
      kernels::scale(kern::over(100), x, 2).wait();
      EXPECT_EQ(x.read(99), 6);
    } catch (const kern::Error& error) {
      message = error.what();
    }
  }).join();
  EXPECT_EQ(fake_cuda()->live(), 0);
  return message;
}

struct CudaCode : testing::Test {
  void SetUp() override {
    if (!is_cuda() || !fake_cuda()) GTEST_SKIP() << "needs the fake driver";
    before = fake_cuda()->compiled();
  }
  // How often the driver compiled since the test began.
  int compiled() const { return fake_cuda()->compiled() - before; }
  int before = 0;
};

TEST_F(CudaCode, GivesThePtxToTheDriverWhole) {
  EXPECT_EQ(load_and_run(), "");
  EXPECT_EQ(compiled(), 1);
  std::string_view ptx(kern_object_kernels.ptx, kern_object_kernels.ptx_bytes);
  EXPECT_EQ(fake_cuda()->loaded(), ptx);
  EXPECT_STREQ(fake_cuda()->options(), "5 6");
}

// Launches `scale` over elements with a gap between them; what the contiguous variant is not for.
void run_with_gaps(const kernels::Kernels& library, Buffer<float>& x) {
  library.scale(kern::over(50), x.view().slice(0, 0, 100, 2), 2).wait();
}

TEST_F(CudaCode, CompilesOtherVariantsWhenALaunchNeedsOne) {
  std::thread([&] {
    Buffer<float> x = kern::zeros<float>(Device::cuda(), 100);
    const kernels::Kernels library = kernels::load(Device::cuda());
    x.fill(3);
    library.scale(kern::over(100), x, 2).wait();
    EXPECT_EQ(last_variant(), "scale");
    EXPECT_EQ(compiled(), 1);
    run_with_gaps(library, x);
    EXPECT_EQ(last_variant(), "scale$v1");
    EXPECT_EQ(compiled(), 2);
    std::string_view others(kern_object_kernels.other_ptx, kern_object_kernels.other_ptx_bytes);
    EXPECT_EQ(fake_cuda()->loaded(), others);
    run_with_gaps(library, x);
    EXPECT_EQ(compiled(), 2);
    EXPECT_EQ(x.read(98), 24);
    EXPECT_EQ(x.read(99), 6);
  }).join();
  EXPECT_EQ(fake_cuda()->live(), 0);
}

TEST_F(CudaCode, LosesNoHandleWhereAnotherVariantCannotBeCompiled) {
  for (long call = 0; call < 12; ++call) {
    std::thread([&] {
      try {
        Buffer<float> x = kern::zeros<float>(Device::cuda(), 100);
        const kernels::Kernels library = kernels::load(Device::cuda());
        library.scale(kern::over(100), x, 2).wait();
        fake_cuda()->fail(call, 200, 0);
        run_with_gaps(library, x);
      } catch (const kern::Error& error) {
        EXPECT_NE(std::string_view(error.what()).find("cu"), std::string_view::npos);
      }
      fake_cuda()->fail(-1, 0, 0);
    }).join();
    EXPECT_EQ(fake_cuda()->live(), 0);
  }
}

TEST_F(CudaCode, KeepsNoneOfItItself) {
  EXPECT_EQ(load_and_run(), "");
  EXPECT_EQ(load_and_run(), "");
  EXPECT_EQ(compiled(), 2);
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(CudaCode, LosesNoHandleWhereACallFails) {
  long before_calls = fake_cuda()->calls();
  ASSERT_EQ(load_and_run(), "");
  long calls = fake_cuda()->calls() - before_calls;
  for (long call = 0; call < calls; ++call)
    for (int code : {1, 2, 200, 218, 700}) {
      fake_cuda()->fail(call, code, 0);
      std::string message = load_and_run();
      fake_cuda()->fail(-1, 0, 0);
      bool named = message.find("cu") != message.npos || message.find("no memory") != message.npos;
      EXPECT_TRUE(message.empty() || named) << message;
    }
  EXPECT_EQ(load_and_run(), "");
}

// Loads the kernels with other PTX; returns what the error says.
std::string load_ptx(std::string_view ptx) {
  kern_object object = kern_object_kernels;
  object.ptx = ptx.data();
  object.ptx_bytes = ptx.size();
  Device device = Device::cuda();
  kern_module* module = nullptr;
  kern_error* error = kern_module_load(device.get(), &object, &module);
  std::string message = kern_error_message(error);
  kern_error_free(error);
  kern_module_release(module);
  return message;
}

TEST_F(CudaCode, QuotesTheDriversCompiler) {
  for (std::string_view wrong : {"nothing", ""})
    EXPECT_EQ(load_ptx(wrong),
              "cuModuleLoadDataEx: CUDA_ERROR_FAKE (made to fail)\nptxas fatal : this is no PTX");
  EXPECT_EQ(fake_cuda()->live(), 0);
}

TEST_F(CudaCode, ReadsAsMuchOfThePtxAsThereIs) {
  EXPECT_EQ(load_ptx(std::string_view(".version 7.0\n.target sm_80\nmore").substr(0, 27)), "");
  EXPECT_STREQ(fake_cuda()->loaded(), ".version 7.0\n.target sm_80\n");
}

// Only what was compiled for a debugger asks for debug and line information, which costs optimisations.
TEST_F(CudaCode, AsksForDebugInformationWhereThePtxIsForADebugger) {
  struct Case {
    std::string_view ptx;
    const char* options;
  };
  const Case cases[] = {
      {".version 7.0\n.target sm_80, debug\n", "11=1 13=1 5 6"},
      {".version 7.0\n.target sm_90a, debug\n.entry f()", "11=1 13=1 5 6"},
      {".version 7.0\n.target sm_80\n", "5 6"},
      {".version 7.0\n.target sm_80\n.loc 1 2 3 // , debug\n", "5 6"},
  };
  for (const Case& now : cases) {
    EXPECT_EQ(load_ptx(now.ptx), "");
    EXPECT_STREQ(fake_cuda()->options(), now.options) << now.ptx;
  }
}

// Loads an object with cubins for these architectures; returns what was loaded: an architecture, or "PTX".
std::string load_cubins(const std::vector<const char*>& archs,
                        std::uint32_t struct_size = sizeof(kern_object)) {
  static const std::string head = "\x7f"
                                  "ELF of the fake driver\n";
  std::vector<std::string> codes;
  std::vector<kern_object_cubin> cubins;
  for (const char* arch : archs) codes.push_back(head + arch);
  for (std::size_t i = 0; i < archs.size(); ++i)
    cubins.push_back({archs[i], codes[i].c_str(), codes[i].size()});
  kern_object object = kern_object_kernels;
  object.struct_size = struct_size;
  object.cubins = cubins.data();
  object.cubin_count = cubins.size();
  kern::Module(Device::cuda(), object);
  std::string loaded = fake_cuda()->loaded();
  return loaded.starts_with(head) ? loaded.substr(head.size()) : "PTX";
}

TEST_F(CudaCode, LoadsTheCubinOfTheDevice) {
  EXPECT_EQ(load_cubins({"sm_80", "sm_90", "sm_100"}), "sm_90");
  EXPECT_EQ(load_cubins({"sm_90", "sm_90a", "sm_80"}), "sm_90a");
  EXPECT_EQ(load_cubins({"sm_91a", "sm_90"}), "sm_90");
  EXPECT_EQ(compiled(), 0);
  EXPECT_STREQ(fake_cuda()->options(), "5 6");
  for (const char* other : {"sm_80", "sm_91", "sm_91a", "sm_100", "gfx90a", "sm_9", ""})
    EXPECT_EQ(load_cubins({other}), "PTX") << other;
}

TEST_F(CudaCode, CompilesThePtxWhereTheDriverRefusesTheCubin) {
  fake_cuda()->refuse_cubins(1);
  EXPECT_EQ(load_cubins({"sm_90"}), "PTX");
  EXPECT_EQ(compiled(), 1);
}

TEST_F(CudaCode, LoadsObjectsFromBeforeThereWasOtherPtx) {
  EXPECT_EQ(load_cubins({"sm_90"}, offsetof(kern_object, other_ptx)), "sm_90");
  EXPECT_EQ(load_cubins({}, offsetof(kern_object, other_ptx)), "PTX");
}

TEST_F(CudaCode, LoadsObjectsFromBeforeThereWereCubins) {
  EXPECT_EQ(load_cubins({"sm_90"}, offsetof(kern_object, cubins)), "PTX");
  EXPECT_THROW(load_cubins({"sm_90"}, offsetof(kern_object, cubins) - 1), kern::ArgumentError);
}

TEST_F(CudaCode, SaysWhereTheDriverIsTooOldForThePtx) {
  constexpr std::string_view sm_80 = ".version 7.0\n.target sm_80\n", newer = ".version 7.8\n.target sm_90\n";
  struct Case {
    int driver;
    std::string_view ptx;
    const char* message;
  };
  const Case cases[] = {
      {11000, sm_80, ""},
      {10020, sm_80,
       "the PTX is of version 7.0, and the driver of Fake GPU, CUDA 10.2, takes versions up to 6.5: install "
       "a "
       "driver for CUDA 11.0 or newer"},
      {11080, newer, ""},
      {11070, newer,
       "the PTX is of version 7.8, and the driver of Fake GPU, CUDA 11.7, takes versions up to 7.7: install "
       "a "
       "driver for CUDA 11.8 or newer"},
      {8000, newer,
       "the PTX is of version 7.8, and the driver of Fake GPU, CUDA 8.0, is too old for it: install a driver "
       "for CUDA 11.8 or newer"},
      {13000, ".version 9.9\n.target sm_90\n",
       "the PTX is of version 9.9, and the driver of Fake GPU, CUDA 13.0, takes versions up to 9.0"},
      {14000, ".version 9.9\n.target sm_90\n", ""}, // newer than anybody knew: it is asked
  };
  for (const Case& now : cases) {
    fake_cuda()->set_version(now.driver);
    EXPECT_EQ(load_ptx(now.ptx), now.message);
  }
  fake_cuda()->set_version(12080);
}

TEST_F(CudaCode, SaysWhereThePtxIsForAnotherDevice) {
  EXPECT_EQ(load_ptx(".version 8.0\n.target sm_90a\n"), "");
  EXPECT_EQ(load_ptx(".version 8.6\n.target sm_100, debug\n"),
            "the PTX is for sm_100, and Fake GPU is sm_90: compile it with --arch=sm_90 or an older one");
  EXPECT_EQ(load_ptx(".version 8.6\n.target sm_80a\n"),
            "the PTX is for sm_80a, and Fake GPU is sm_90: compile it with --arch=sm_90");
}

} // namespace
