// kern::compile on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "jit_fixture.h"

// GDB's interface to code that is made in a process: the head of the list.
extern "C" {
struct jit_descriptor {
  std::uint32_t version, action;
  void *relevant, *first;
};
extern jit_descriptor __jit_debug_descriptor; // NOLINT(bugprone-reserved-identifier)
}

namespace {

using kern::Buffer;
using kern::Device;
using kern::Module;
using kern::View;

// A folder of files that goes with it.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("kern_jit_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path / "inner"); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
};

TEST(Jit, CompilesAndRuns) {
  Device device = test_device();
  auto source = std::make_unique<std::string>(saxpy);
  Module module = kern::compile(device, *source);
  source.reset();
  EXPECT_EQ(module.kernels(), std::vector<std::string>{"saxpy"});
  auto kernel = module.kernel<void(float, View<const float>, View<float>)>("saxpy");
  std::vector<float> x = counted(1000), y(1000, 1.0f);
  kernel(kern::over(1000), 2.0f, kern::in(x), kern::inout(y));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 1);
}

TEST(Jit, CodeLivesAsLongAsWhatUsesIt) {
  Device device = test_device();
  kern::Stream stream(device);
  Buffer<float> x = kern::zeros<float>(device, 100000), y = kern::zeros<float>(device, 100000);
  x.fill(1).wait();
  y.fill(1).wait();
  {
    kern::Kernel<void(float, View<const float>, View<float>)> kernel;
    {
      Module module = kern::compile(device, saxpy);
      kernel = module.kernel<void(float, View<const float>, View<float>)>("saxpy");
    }
    for (int i = 0; i < 100; ++i) kernel(kern::over(100000).on(stream), 1.0f, x, y);
  }
  stream.wait();
  EXPECT_EQ(y.read(99999), 101);
}

TEST(Jit, ALaunchTakesTheVariantThatFits) {
  Device device = test_device();
  Module module = kern::compile(device, saxpy);
  auto kernel = module.kernel<void(float, View<const float>, View<float>)>("saxpy");
  std::vector<float> host = counted(1000);
  Buffer<float> x = kern::copy_of<float>(device, host), y = kern::zeros<float>(device, 1000);
  for (std::uint64_t block : {64, 33, 1})
    for (std::int64_t step : {1, 3})
      kernel(kern::over(1000).block(block), 1.0f, x.view().slice(0, 0, 1000, step),
             y.view().slice(0, 0, 1000, step))
          .wait();
  EXPECT_EQ(y.read(999), 3 * 999 + 3 * 999);
  EXPECT_EQ(y.read(998), 3 * 998);
}

TEST(Jit, AFaultHasItsPlaceInTheSource) {
  Device device = test_device();
  kern::CompileOptions options;
  options.name = "formula.kern";
  Module module = kern::compile(device, "@kernel\ndef f(y: f32[:]):\n    y[grid(1)] = 1.0\n", options);
  Buffer<float> y = kern::zeros<float>(device, 3);
  try {
    module.kernel<void(View<float>)>("f")(kern::grid(1).block(4), y).wait();
    FAIL();
  } catch (const kern::KernelFault& fault) {
    EXPECT_EQ(fault.place.file, "formula.kern");
    EXPECT_EQ(fault.place.line, 3u);
    EXPECT_EQ(fault.index, 3);
  }
  EXPECT_EQ(y.read(2), 1);
}

TEST(Jit, ErrorsAreWhatKerncWrites) {
  kern::CompileOptions options;
  options.name = "formula.kern";
  std::vector<kern::Diagnostic> told;
  options.diagnostics = &told;
  try {
    kern::compile(test_device(), "@kernel\ndef f(y: f32[:]):\n    y[0] = x\n    y[1] = z\n", options);
    FAIL();
  } catch (const kern::CompileError& error) {
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with("formula.kern:3:12: error["));
    EXPECT_TRUE(contains(text, "\n    3 |     y[0] = x\n      |            ^"));
    EXPECT_FALSE(text.ends_with('\n'));
    ASSERT_EQ(error.diagnostics.size(), 2u);
    const kern::Diagnostic& first = error.diagnostics[0];
    EXPECT_TRUE(first.is_error);
    EXPECT_TRUE(first.code.starts_with("E0"));
    EXPECT_EQ(first.place.file, "formula.kern");
    EXPECT_EQ(first.place.line, 3u);
    EXPECT_EQ(first.place.column, 12u);
    EXPECT_TRUE(contains(first.message, "`x`"));
    EXPECT_EQ(text, first.text + error.diagnostics[1].text.substr(0, error.diagnostics[1].text.size() - 1));
  }
  EXPECT_EQ(told.size(), 2u);
}

TEST(Jit, WarningsDoNotStop) {
  kern::CompileOptions options;
  std::vector<kern::Diagnostic> told;
  options.diagnostics = &told;
  kern::compile(test_device(), "@kernel\ndef f(x: f32[:], y: f32[:]):\n    y[0] += x[grid(1)]\n", options);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_FALSE(told[0].is_error);
  EXPECT_TRUE(contains(told[0].text, "[-Wrace]"));
}

// Without a list they are said in the log; an error is only thrown.
TEST(Jit, WarningsThatNobodyTakesAreInTheLog) {
  const Device device = test_device();
  const std::string source = "@kernel\ndef f(x: f32[:], y: f32[:]):\n    y[0] += x[grid(1)]\n";
  std::string lines;
  kern::on_log(
      [](void* context, kern_log_level level, const char* text, std::uint64_t bytes) {
        EXPECT_EQ(level, KERN_LOG_WARNING);
        static_cast<std::string*>(context)->append(text, bytes).append("|");
      },
      &lines);
  kern::compile(device, source);
  EXPECT_TRUE(lines.starts_with("<source>:3:5: warning[") && contains(lines, "[-Wrace]\n    3 |")) << lines;
  EXPECT_TRUE(lines.ends_with("|") && !lines.ends_with("\n|")) << lines;
  const std::string once = lines;
  kern::Compilation later = kern::compile_async(device, source);
  later.module();
  later.module();
  EXPECT_EQ(lines, once + once);
  std::vector<kern::Diagnostic> told;
  kern::CompileOptions options;
  options.diagnostics = &told;
  later = kern::compile_async(device, source, options);
  later.module();
  later.module();
  kern::Status status;
  kern::compile(status, device, source + "    y[1] = z\n");
  EXPECT_EQ(status.kind(), KERN_COMPILE_ERROR);
  EXPECT_EQ(lines, once + once);
  kern::on_log(nullptr);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) kern::compile(device, source);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kern: " + once.substr(0, once.size() - 1) + "\n");
}

TEST(Jit, WhatIsNoKernelIsSaid) {
  EXPECT_TRUE(contains(refusal(""), "`<source>` defines no kernel"));
  EXPECT_TRUE(contains(refusal("@kernel\ndef f(x):\n    x[0] = 1\n"),
                       "has no kernel whose parameters all have types"));
}

TEST(Jit, OptionsReachTheCompiler) {
  Device device = test_device();
  kern::CompileOptions options;
  options.name = "old.py";
  options.defines = {"N=7"};
  options.signatures = {"fill(int32[:])"};
  Module module =
      kern::compile(device,
                    "from numba import cuda\nN = 1\n\n@cuda.jit\ndef fill(x):\n    i = cuda.grid(1)\n"
                    "    if i < x.size:\n        x[-1 - i] = N\n",
                    options);
  std::vector<std::int32_t> x(3);
  module.kernel<void(View<std::int32_t>)>("fill")(kern::over(3), kern::inout(x));
  EXPECT_EQ(x, (std::vector<std::int32_t>{7, 7, 7}));
  options.dialect = kern::Dialect::Kern;
  EXPECT_NE(refusal("def f(x):\n    x[0] = 1\nclass C: pass\n", options), "");
}

TEST(Jit, DebuggersAreToldOfCodeForThem) {
  if (std::getenv("KERN_TEST_DEVICE")) GTEST_SKIP() << "what is made for a GPU the driver tells cuda-gdb";
  kern::compile(test_device(), saxpy);
  EXPECT_EQ(__jit_debug_descriptor.first, nullptr);
  kern::CompileOptions options;
  options.debug = true;
  Module module = kern::compile(test_device(), saxpy, options);
  EXPECT_NE(__jit_debug_descriptor.first, nullptr);
  std::vector<float> x = counted(100), y(100, 1.0f);
  module.kernel<void(float, View<const float>, View<float>)>("saxpy")(kern::over(100), 2.0f, kern::in(x),
                                                                      kern::inout(y));
  EXPECT_EQ(y[99], 199.0f);
}

TEST(Jit, WrongOptionsAreCompileErrors) {
  kern::CompileOptions options;
  options.defines = {"N"};
  EXPECT_TRUE(contains(refusal(saxpy, options), "give NAME=VALUE"));
  options.defines = {"N=@/etc/secret.npy"};
  EXPECT_TRUE(contains(refusal(saxpy, options), "the JIT reads no files for values"));
  options.defines = {"@/etc/secret.json=1"};
  EXPECT_TRUE(contains(refusal(saxpy, options), "the JIT reads no files for values"));
  options.defines = {"MISSING=1"};
  EXPECT_TRUE(contains(refusal(saxpy, options), "MISSING"));
  options.defines = {};
  options.signatures = {"saxpy"};
  EXPECT_TRUE(contains(refusal(saxpy, options), "`saxpy` is no signature"));
}

TEST(Jit, NamesFilesOfTheStandardLibrary) {
  Device device = test_device();
  kern::CompileOptions options;
  options.signatures = {"scan(i32[:], i64[:], u64[:])"};
  std::vector<kern::Diagnostic> said;
  options.diagnostics = &said;
  Module module = kern::compile(device, "std:scan", options);
  EXPECT_TRUE(said.empty()) << said.front().text; // of its other kernels
  auto scan = module.kernel<void(View<const std::int32_t>, View<std::int64_t>, View<std::uint64_t>)>("scan");
  const std::vector<std::int32_t> x = {1, 2, 3};
  std::vector<std::int64_t> y(3);
  std::vector<std::uint64_t> state(4);
  scan(kern::grid(1), kern::in(x), kern::out(y), kern::inout(state));
  EXPECT_EQ(y, (std::vector<std::int64_t>{1, 3, 6}));
  EXPECT_TRUE(contains(refusal("std:scam"), "cannot read `std:scam`: the standard library has "));
}

TEST(Jit, SourcesImportTheStandardLibraryOnly) {
  Folder folder;
  folder.write("secret.kern", "VALUE = 3\n");
  folder.write("inner/shared.kern", "VALUE = 5\n");
  folder.write("inner/chain.kern", "from .shared import VALUE\n");
  folder.write("inner/escape.kern", "from ..secret import VALUE\n");
  auto source = [](const std::string& import) {
    return import + "\n@kernel\ndef f(y: i32[:]):\n    y[0] = VALUE\n";
  };
  EXPECT_EQ(refusal("from random import uniform\n" + std::string(saxpy)), "");
  kern::CompileOptions options;
  options.name = (folder.path / "root.kern").string();
  EXPECT_NE(refusal(source("from secret import VALUE"), options), "");
  EXPECT_NE(refusal(source("from .secret import VALUE"), options), "");
  options.folders = {(folder.path / "inner").string()};
  EXPECT_EQ(refusal(source("from shared import VALUE"), options), "");
  EXPECT_EQ(refusal(source("from chain import VALUE"), options), "");
  EXPECT_NE(refusal(source("from secret import VALUE"), options), "");
  EXPECT_NE(refusal(source("from .secret import VALUE"), options), "");
  EXPECT_NE(refusal(source("from escape import VALUE"), options), "");
  options.name = (folder.path / "inner/../root.kern").string();
  EXPECT_NE(refusal(source("from .secret import VALUE"), options), "");
}

TEST(Jit, ThreadsCompileAtOnce) {
  Device device = test_device();
  std::vector<std::thread> threads;
  std::vector<std::int64_t> sums(8);
  for (std::size_t number = 0; number < sums.size(); ++number)
    threads.emplace_back([&, number] {
      kern::CompileOptions options;
      options.defines = {"N=" + std::to_string(number)};
      for (int round = 0; round < 3; ++round) {
        Module module = kern::compile(
            device,
            "N = 0\n@kernel\ndef f(y: i64[:]):\n    i = grid(1)\n    if i < y.size:\n        y[i] += i * N\n",
            options);
        std::vector<std::int64_t> y(10);
        module.kernel<void(View<std::int64_t>)>("f")(kern::over(10), kern::inout(y));
        sums[number] += std::accumulate(y.begin(), y.end(), std::int64_t(0));
        EXPECT_NE(refusal("@kernel\ndef f(y: i64[:]):\n    y[0] = N\n"), "");
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t number = 0; number < sums.size(); ++number)
    EXPECT_EQ(sums[number], static_cast<std::int64_t>(3 * 45 * number));
}

// With the fake driver of tests/unit/fake_cuda kernels do nothing; what is made for a GPU is loaded all the
// same. With KERN_TEST_DEVICE=cuda it is a real one.
TEST(Jit, LoadsOnAGpu) {
  const char *fake = std::getenv("KERN_TEST_FAKE_CUDA"), *real = std::getenv("KERN_TEST_DEVICE");
  bool runs = real && std::string_view(real) == "cuda";
  if (!fake && !runs) GTEST_SKIP() << "neither KERN_TEST_FAKE_CUDA nor KERN_TEST_DEVICE names a driver";
  if (!runs) setenv("KERN_LIBCUDA", fake, 1);
  Module module = kern::compile(Device::cuda(), saxpy);
  std::vector<float> x(3, 1.0f), y(3, 1.0f);
  module.kernel<void(float, View<const float>, View<float>)>("saxpy")(kern::over(3), 2.0f, kern::in(x),
                                                                      kern::inout(y));
  EXPECT_EQ(y[0], runs ? 3 : 1);
}

// Debug information (11) and line information (13) cost the driver's optimisations, so that nothing but
// `debug` asks for them; the rest is the place of the error log.
TEST(Jit, AsksTheDriverForDebugInformationForDebuggersOnly) {
  const char* fake = std::getenv("KERN_TEST_FAKE_CUDA");
  if (!fake || std::getenv("KERN_TEST_DEVICE")) GTEST_SKIP() << "needs the fake driver";
  setenv("KERN_LIBCUDA", fake, 1);
  auto* options = reinterpret_cast<const char* (*)()>(dlsym(dlopen(fake, RTLD_NOW), "fake_cuda_options"));
  kern::CompileOptions debug;
  debug.debug = true;
  kern::compile(Device::cuda(), saxpy, debug);
  EXPECT_STREQ(options(), "11=1 13=1 5 6");
  kern::compile(Device::cuda(), saxpy);
  EXPECT_STREQ(options(), "5 6");
}

TEST(Jit, ReportsBadIndicesOfThreadsThatGoOn) {
  Device device = test_device();
  kern::CompileOptions options;
  options.clamp = true;
  Module module = kern::compile(
      device, "@kernel\ndef f(x: i32[:], y: i32[:]):\n    i = grid(1)\n    y[i] = x[i] + 1\n", options);
  auto f = module.kernel<void(View<const std::int32_t>, View<std::int32_t>)>("f");
  std::vector<std::int32_t> x = {5, 6, 7}, y(4, 9);
  f(kern::grid(1).block(6), kern::in(x), kern::inout(y));
  EXPECT_EQ(y, (std::vector<std::int32_t>{6, 7, 8, 1}));
  std::vector<kern::FaultReport> reports = kern::Stream::of_thread(device).take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(reports[0].went_on);
  EXPECT_EQ(reports[0].bad_threads, 3u);
  EXPECT_EQ(reports[0].array, "x");
  EXPECT_EQ(reports[0].extent, 3);
  EXPECT_TRUE(
      contains(reports[0].message, "threads with a bad index or value that went on: 3, the first: index"));
}

TEST(Jit, EndsWhatDoesNotEnd) {
  Device device = test_device();
  kern::CompileOptions options;
  const char* source =
      "@kernel\ndef f(x: i32[:]):\n    i = grid(1)\n    while i < x.size:\n        x[i] += 1\n";
  auto compiled = [&] {
    return kern::compile(device, source, options).kernel<void(View<std::int32_t>)>("f");
  };
  auto x = kern::zeros<std::int32_t>(device, 64);
  kern::Stream stream(device);
  const kern::Launch launch = kern::over(64).on(stream).within(std::chrono::milliseconds(20));
  EXPECT_THROW(compiled()(launch, x), kern::ArgumentError);
  options.cancellable = true;
  compiled()(launch, x);
  EXPECT_THROW(stream.wait(), kern::DeadlinePassed);
}

} // namespace
