// Compilations in the background: equal requests are one.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "jit_fixture.h"

namespace {

using kern::Compilation;
using kern::CompileOptions;
using kern::Device;
using kern::Module;
using kern::View;

// Sources that differ are no equal requests.
std::string adding(int number) {
  return "@kernel\ndef f(y: i32[:]):\n    i = grid(1)\n    if i < y.size:\n        y[i] += " +
         std::to_string(number) + "\n";
}

void expect_adds(const Module& module, int number) {
  std::vector<std::int32_t> y(10);
  module.kernel<void(View<std::int32_t>)>("f")(kern::over(10), kern::inout(y));
  EXPECT_EQ(y, std::vector<std::int32_t>(10, number));
}

TEST(Async, CompilesInTheBackground) {
  Device device = test_device();
  std::vector<Compilation> all;
  for (int i = 0; i < 20; ++i) all.push_back(kern::compile_async(device, adding(i)));
  using namespace std::chrono_literals;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(all[static_cast<std::size_t>(i)].wait_for(60s));
    expect_adds(all[static_cast<std::size_t>(i)].module(), i);
  }
}

TEST(Async, EqualRequestsAreOne) {
  Device device = test_device();
  std::vector<Compilation> all;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      Compilation compilation = kern::compile_async(device, adding(100));
      compilation.module();
      std::lock_guard lock(mutex);
      all.push_back(compilation);
    });
  for (std::thread& thread : threads) thread.join();
  kern_module* first = all.front().module().get();
  for (const Compilation& compilation : all) EXPECT_EQ(compilation.module().get(), first);
  // Those of compile() too, as long as one is held.
  EXPECT_EQ(kern::compile(device, adding(100)).get(), first);
  CompileOptions other;
  other.name = "other.kern";
  EXPECT_NE(kern::compile(device, adding(100), other).get(), first);
  EXPECT_NE(kern::compile(Device::cpu({.threads = 2}), adding(100)).get(), first);
}

TEST(Async, ListsWarmUp) {
  Device device = test_device();
  CompileOptions options;
  options.defines = {"N=3"};
  std::vector<Compilation> warm = kern::warm_up(device, {{adding(200)}, {"N = 1\n" + adding(201), options}});
  ASSERT_EQ(warm.size(), 2u);
  Module module = kern::compile(device, "N = 1\n" + adding(201), options);
  expect_adds(module, 201);
  EXPECT_EQ(module.get(), warm[1].module().get());
  EXPECT_EQ(kern::compile(device, adding(200)).get(), warm[0].module().get());
}

TEST(Async, ErrorsAreEverybodys) {
  Device device = test_device();
  std::vector<kern::Diagnostic> told;
  CompileOptions options;
  options.diagnostics = &told;
  Compilation first = kern::compile_async(device, "def", options),
              second = kern::compile_async(device, "def");
  for (const Compilation& compilation : {first, second, first}) {
    kern::Status status;
    compilation.module(status);
    EXPECT_EQ(status.kind(), KERN_COMPILE_ERROR);
    EXPECT_FALSE(status.diagnostics().empty());
  }
  EXPECT_EQ(told.size(), 1u);
  // An error is not kept for those who come later.
  EXPECT_NE(refusal("def"), "");
}

TEST(Async, WhatNobodyHoldsIsNotWaitedFor) {
  Device device = test_device();
  for (int i = 0; i < 50; ++i) kern::compile_async(device, adding(300 + i));
  expect_adds(kern::compile(device, adding(400)), 400);
}

TEST(Async, EmptyOnesAreErrors) {
  kern::Status status;
  Compilation().module(status);
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  status.clear();
  kern::compile_async(status, Device(), saxpy);
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  status.clear();
  EXPECT_FALSE(Compilation().wait_for(status, std::chrono::seconds(1)));
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
}

// The process ends while sources are compiled, by return and from another thread's work.
TEST(Async, TheProcessMayEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto program = [] {
    Device device = Device::cpu();
    std::vector<Compilation> all;
    for (int i = 0; i < 30; ++i) all.push_back(kern::compile_async(device, adding(i)));
    all.resize(15);
    std::exit(3);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST(Async, AChildCompilesItsOwn) {
  Device device = test_device();
  if (device.is_cuda()) GTEST_SKIP() << "CUDA does not survive fork";
  Compilation parents = kern::compile_async(device, adding(500));
  parents.module();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    kern::Status status;
    parents.module(status);
    bool is_refused = status.kind() == KERN_DEVICE_ERROR;
    Compilation own = kern::compile_async(Device::cpu({.threads = 2}), adding(500));
    own.module();
    _exit(is_refused ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
