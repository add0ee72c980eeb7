// The CUDA path with a driver whose calls fail one after another: the error names the call, no handle is
// lost, and the next device is as good as new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "endless.kern.hpp"
#include "kernels.kern.hpp"
#include "tests/unit/runtime/test_device.h"

namespace {

using kern::Buffer;
using kern::Device;

// A scenario has its own thread, because the thread's stream keeps the device.
void run_alone(const std::function<void()>& scenario) { std::thread(scenario).join(); }

struct Scenario {
  const char* name;
  void (*run)();
};

constexpr Scenario scenarios[] = {
    {"open", [] { (void)Device::cuda().name(); }},
    {"load", [] { kernels::load(Device::cuda()); }},
    {"allocate", [] { Buffer<float> x(Device::cuda(), 100); }},
    {"zeros", [] { kern::zeros<double>(Device::cuda(), 10, 10); }},
    {"fill",
     [] {
       Buffer<double> x(Device::cuda(), 100);
       x.fill(1.5).wait();
     }},
    {"copy",
     [] {
       std::vector<float> host(50, 2.0f), back(50);
       Buffer<float> x = kern::copy_of<float>(Device::cuda(), host);
       x.copy_to(back);
       EXPECT_EQ(back, host);
     }},
    {"launch",
     [] {
       Buffer<float> x = kern::zeros<float>(Device::cuda(), 100);
       x.fill(3);
       kernels::scale(kern::over(100), x, 2).wait();
       EXPECT_EQ(x.read(99), 6);
     }},
    {"limited",
     [] {
       const Device device = Device::cuda();
       Buffer<std::int32_t> x = kern::zeros<std::int32_t>(device, 100);
       const kern::Stream stream(device);
       const kern::Event begin = stream.record();
       endless::bump(kern::over(100).on(stream).within(std::chrono::hours(1)), x);
       EXPECT_GE(begin.elapsed(stream.record()), 0);
       stream.wait();
       stream.cancel();
       EXPECT_EQ(x.read(99), 1);
     }},
    {"staged",
     [] {
       std::vector<float> x(10, 1.0f), y(10, 2.0f);
       kernels::load(Device::cuda()).saxpy(kern::over(10), 4, kern::in(x), kern::inout(y));
       EXPECT_EQ(y[9], 6);
     }},
    {"dynamic shared memory",
     [] {
       std::vector<std::int64_t> x = {1, 2, 3};
       kernels::load(Device::cuda()).reverse(kern::grid(1).block(3).shared(60 << 10), 3, kern::inout(x));
       EXPECT_EQ(x[0], 3);
     }},
    {"fault",
     [] {
       Buffer<float> y = kern::zeros<float>(Device::cuda(), 3);
       kern::Status status;
       kernels::careless(kern::grid(1).block(4), y, 1).wait(status);
       EXPECT_FALSE(status.ok());
       if (status.kind() != KERN_KERNEL_FAULT) status.raise();
       EXPECT_EQ(status.fault().index, 3);
     }},
    {"two streams",
     [] {
       Device device = Device::cuda();
       kern::Stream first(device), second(device);
       Buffer<float> x = kern::zeros<float>(device, 10);
       second.after(kernels::load(device).scale(kern::over(10).on(first), x, 2));
       kernels::load(device).scale(kern::over(10).on(second), x, 2).wait_for(std::chrono::seconds(1));
     }},
    {"prepared",
     [] {
       Buffer<float> x = kern::zeros<float>(Device::cuda(), 10);
       auto prepared = kernels::load(Device::cuda()).prepare_scale(kern::over(10), x, 2);
       for (int i = 0; i < 3; ++i) prepared();
     }},
    {"pinned memory",
     [] {
       Device device = Device::cuda();
       kern::Stream stream(device);
       kern::HostBuffer<float> host(device, 10, {.mapped = true});
       Buffer<float> x(device, 10);
       x.copy_from_async(host, stream);
       kernels::load(device).scale(kern::over(10).on(stream), host.view(), 2);
     }},
    {"memory of others",
     [] {
       Buffer<float> owner(Device::cuda(), 10);
       auto x = Buffer<float>::adopt(Device::cuda(), owner.data(), kern::extents(10));
       kern::Stream own(Device::cuda());
       kern::Stream foreign = kern::Stream::from_native(Device::cuda(), own.native());
       kernels::load(Device::cuda()).scale(kern::over(10).on(foreign), x, 2);
       foreign.wait();
     }},
    {"graph",
     [] {
       Device device = Device::cuda();
       kern::Stream stream(device);
       Buffer<float> x(device, 10);
       kernels::Kernels library = kernels::load(device);
       kern::Graph graph = kern::capture(stream, [&] { library.scale(kern::over(10).on(stream), x, 2); });
       graph.launch(stream);
       graph.launch(stream).wait();
     }},
    {"graph that may be cancelled",
     [] {
       const Device device = Device::cuda();
       const kern::Stream stream(device), other(device);
       Buffer<std::int32_t> x = kern::zeros<std::int32_t>(device, 100);
       endless::Kernels library = endless::load(device);
       kern::Graph graph = kern::capture(stream, [&] { library.bump(kern::over(100).on(stream), x); });
       graph.launch(stream);
       stream.cancel();
       for (const kern::Stream* on : {&stream, &other, &stream}) graph.launch(*on);
       other.wait();
       stream.wait();
       EXPECT_EQ(x.read(99), 4);
     }},
    {"print", [] { kernels::load(Device::cuda()).say(kern::grid(1).block(4), 0).wait(); }},
};

struct Outcome {
  std::string message; // of what was thrown; "" for nothing
  long borrowed;       // copies with host memory of the scenario's that were under way where it was thrown
};

Outcome outcome_of(const Scenario& scenario) {
  Outcome outcome;
  run_alone([&] {
    try {
      scenario.run();
    } catch (const kern::Error& error) {
      outcome.message = error.what();
    }
    outcome.borrowed = fake_cuda()->borrowed();
  });
  return outcome;
}

struct Cuda : testing::Test {
  void SetUp() override {
    if (!is_cuda() || !fake_cuda()) GTEST_SKIP() << "needs the fake driver";
  }
};

// Each code is a test of its own, so that they can be shared out over processes.
struct EachCode : Cuda, testing::WithParamInterface<int> {};

TEST_P(EachCode, LosesNoHandleWhereverTheDriverFails) {
  const int code = GetParam();
  for (const Scenario& scenario : scenarios) {
    long before = fake_cuda()->calls();
    ASSERT_EQ(outcome_of(scenario).message, "") << scenario.name;
    long calls = fake_cuda()->calls() - before;
    ASSERT_EQ(fake_cuda()->live(), 0) << scenario.name;
    for (long call = 0; call < calls; ++call)
      for (int forever : {0, 1}) {
        fake_cuda()->fail(call, code, forever);
        auto [message, borrowed] = outcome_of(scenario);
        fake_cuda()->fail(-1, 0, 0);
        bool named = message.find("cu") != message.npos || message.find("no memory") != message.npos ||
                     message.find("was lost") != message.npos;
        EXPECT_TRUE(message.empty() || named) << message;
        // A device that answers nothing any more copies nothing.
        const bool answers = !forever && message.find("is lost") == message.npos;
        ASSERT_EQ(answers ? borrowed : 0, 0) << scenario.name << ", call " << call << ": " << message;
        ASSERT_EQ(fake_cuda()->live(), 0) << scenario.name << ", call " << call << ": " << message;
      }
    EXPECT_EQ(outcome_of(scenario).message, "") << scenario.name << " after failures";
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, EachCode, testing::Values(1, 2, 3, 100, 201, 304, 700, 999));

TEST_F(Cuda, IsLostAfterAStickyError) {
  run_alone([] {
    Device device = Device::cuda();
    Buffer<float> x = kern::zeros<float>(device, 10);
    fake_cuda()->fail(0, 700, 0);
    kern::Status status;
    Buffer<float>(status, device, kern::extents(10));
    EXPECT_EQ(status.kind(), KERN_DEVICE_LOST);
    EXPECT_NE(status.message().find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << status.message();
    long calls = fake_cuda()->calls();
    x.copy_to(status, std::span<float>());
    std::vector<float> host(10);
    x.copy_to(status, host);
    EXPECT_EQ(status.kind(), KERN_DEVICE_LOST);
    EXPECT_EQ(kern_host_is_pinned(device.get(), host.data()), 0);
    EXPECT_EQ(fake_cuda()->calls(), calls); // it does not even ask
  });
  EXPECT_EQ(fake_cuda()->live(), 0);
}

// A driver that could not be opened, perhaps for want of a descriptor, is opened by a later call.
TEST(Driver, IsLookedForAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        kern::Status status;
        kern::set("KERN_LIBCUDA", "/nowhere/libcuda.so.1");
        Device none = Device::cuda(status);
        kern::set("KERN_LIBCUDA", std::getenv("KERN_TEST_FAKE_CUDA"));
        if (status.ok() || kern_device_count(KERN_DEVICE_CUDA) == 0) std::_Exit(1);
        std::_Exit(Device::cuda().is_cuda() ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(Cuda, KeepsMemoryFromOthersWhileWorkIsUnderWay) {
  run_alone([] {
    Device device = Device::cuda();
    kernels::Kernels library = kernels::load(device);
    fake_cuda()->set_busy(1);
    const float* first = nullptr;
    {
      Buffer<float> x(device, 1000);
      first = x.data();
      library.scale(kern::over(1000), x, 2);
    }
    Buffer<float> y(device, 1000);
    EXPECT_NE(y.data(), first);
    fake_cuda()->set_busy(0);
    Buffer<float> z(device, 1000); // nobody waited for anything
    EXPECT_EQ(z.data(), first);
  });
}

TEST_F(Cuda, LaunchesWithOneCallOfTheDriver) {
  run_alone([] {
    Device device = Device::cuda();
    Buffer<float> x = kern::zeros<float>(device, 1000);
    auto prepared = kernels::load(device).prepare_scale(kern::over(1000), x, 2);
    prepared();
    long before = fake_cuda()->calls();
    for (int i = 0; i < 10'000; ++i) prepared();
    long batches = 10'000 / 512 + 1;
    EXPECT_LT(fake_cuda()->calls() - before, 10'000 + 8 * batches);
    // An Event that somebody keeps costs a mark, and says when its own launch is done.
    kern::Event kept = prepared();
    prepared();
    fake_cuda()->set_busy(1);
    EXPECT_FALSE(kept.wait_for(std::chrono::seconds(0)));
    fake_cuda()->set_busy(0);
    EXPECT_TRUE(kept.wait_for(std::chrono::seconds(0)));
  });
}

TEST_F(Cuda, ChoosesBlocksByOccupancy) {
  // The first thread beyond the end is the first of its block.
  auto faulting_block = [] {
    std::uint32_t block = 0;
    run_alone([&] {
      Device device = Device::cuda();
      kernels::Kernels library = kernels::load(device);
      Buffer<float> y(device, 256);
      kern::Status status;
      library.careless(kern::over(257), y, 1).wait(status);
      block = status.fault().block[0];
    });
    return block;
  };
  EXPECT_EQ(faulting_block(), 1u); // blocks of 256
  fake_cuda()->set_most_threads(128);
  EXPECT_EQ(faulting_block(), 2u); // blocks of 128
  fake_cuda()->set_most_threads(1024);
}

TEST_F(Cuda, LaunchesCooperatively) {
  run_alone([] {
    Device device = Device::cuda();
    kernels::Kernels library = kernels::load(device);
    Buffer<float> x = kern::zeros<float>(device, 1000);
    x.fill(1);
    kern::Status status;
    library.scale(status, kern::grid(4).block(256).cooperative(), x, 2).wait();
    if (fake_cuda()->is_old()) {
      EXPECT_EQ(status.kind(), KERN_DEVICE_ERROR);
      EXPECT_NE(status.message().find("kernel `scale` is launched with all its blocks at once, which takes a "
                                      "driver of CUDA 11.8 (520) or later"),
                std::string::npos)
          << status.message();
      return;
    }
    EXPECT_EQ(x.read(999), 2);
    library.scale(status, kern::grid(17).block(256).cooperative(), x, 2);
    EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
    EXPECT_NE(status.message().find("cooperatively over 17 blocks of 256x1x1, and 16 can run at once"),
              std::string::npos)
        << status.message();
  });
}

TEST_F(Cuda, WarnsOnceOfWhatCostsTime) {
  run_alone([] {
    Device device = Device::cuda();
    kernels::Kernels library = kernels::load(device);
    std::vector<float> host(4);
    setenv("KERN_WARNINGS", "on", 1);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 40; ++i) library.scale(kern::grid(1).block(32), kern::inout(host), 2);
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("kernel `scale` is launched over a grid of 1x1x1, and it takes 4 blocks to fill"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("the host memory of `x` is copied for every launch: keep it in a kern::Buffer"),
              std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    setenv("KERN_WARNINGS", "off", 1);
    testing::internal::CaptureStderr();
    library.clear(kern::grid(1).block(32), kern::inout(host));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  });
}

TEST_F(Cuda, HoldsNothingForItsThread) {
  {
    Buffer<float> x = kern::zeros<float>(Device::cuda(), 10);
    kernels::scale(kern::over(10), x, 2);
  }
  EXPECT_EQ(fake_cuda()->live(), 0); // though this thread lives on
}

TEST_F(Cuda, ReusesMemory) {
  run_alone([] {
    Device device = Device::cuda();
    for (int i = 0; i < 100; ++i) {
      Buffer<float> x = kern::zeros<float>(device, 1000);
      x.read(0);
    }
    EXPECT_LT(fake_cuda()->live(), 10);
  });
}

} // namespace
