// The C++ interface on the device that test_device() names, with kernels that were compiled ahead of time.
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <filesystem>
#include <numeric>
#include <thread>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::Device;

std::vector<float> counted(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

using Api = OnDevice;

TEST_F(Api, LaunchesOverBuffers) {
  std::vector<float> host = counted(1000);
  Buffer<float> x = kern::copy_of<float>(device, host), y = kern::zeros<float>(device, 1000);
  y.fill(1);
  library.saxpy(kern::over(1000), 2, x, y);
  EXPECT_EQ(y.read(0), 1);
  EXPECT_EQ(y.read(999), 1999);
  std::vector<float> back(1000);
  y.copy_to(back);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(back[i], 2 * host[i] + 1);
}

TEST_F(Api, StagesHostMemory) {
  std::vector<float> x = counted(100), y(100, 1.0f);
  library.saxpy(kern::over(100), 3, kern::in(x), kern::inout(y));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(y[i], 3 * x[i] + 1);
  std::vector<float> out(4, 7.0f);
  library.clear(kern::over(4), kern::out(out));
  EXPECT_EQ(out, (std::vector<float>{1, 1, 0, 0})); // what is not written is 0
}

TEST_F(Api, FreeFunctionsFindTheDevice) {
  Buffer<float> x = kern::zeros<float>(device, 10), y = kern::zeros<float>(device, 10);
  x.fill(4);
  kernels::saxpy(kern::over(10), 0.5f, x, y);
  EXPECT_EQ(y.read(9), 2);
}

TEST_F(Api, BindsByName) {
  using Saxpy = void(float, kern::View<const float>, kern::View<float>);
  kern::Kernel<Saxpy> saxpy = library.module().kernel<Saxpy>("saxpy");
  std::vector<float> x = {1, 2}, y = {0, 0};
  saxpy(kern::grid(1).block(32), 10, kern::in(x), kern::inout(y));
  EXPECT_EQ(y, (std::vector<float>{10, 20}));
  EXPECT_EQ(library.module().kernels().size(), 20u);
}

TEST_F(Api, RefusesToBindOtherTypes) {
  const kern::Module& module = library.module();
  auto says = [&](auto&& call, const std::string& part) {
    return contains(thrown_by<kern::ArgumentError>(call), part);
  };
  EXPECT_TRUE(says([&] { (void)module.kernel<void(float)>("saxp"); },
                   "there is no kernel `saxp`; there are: saxpy(a: f32, x: f32[:], y: f32[:])"));
  EXPECT_TRUE(
      says([&] { (void)module.kernel<void(float)>("saxpy"); }, "it takes 3 arguments, and 1 are given"));
  EXPECT_TRUE(says([&] { (void)module.kernel<void(double, kern::View<float>, kern::View<float>)>("saxpy"); },
                   "parameter `a` is f32, and f64 is given"));
  EXPECT_TRUE(
      says([&] { (void)module.kernel<void(float, kern::View<float, 2>, kern::View<float>)>("saxpy"); },
           "parameter `x` is f32[:], and f32[:, :] is given"));
  EXPECT_TRUE(
      says([&] { (void)module.kernel<void(float, kern::View<float>, kern::View<const float>)>("saxpy"); },
           "it writes `y`, and what is given may only be read"));
}

TEST_F(Api, PassesEveryKindOfScalar) {
  std::vector<std::uint16_t> values(20, 5);
  library.types(kern::over(20), 3, 4.0, true, kern::inout(values));
  EXPECT_EQ(values[19], 7);
  library.types(kern::over(20), 1, 1.0, false, kern::inout(values));
  EXPECT_EQ(values[19], 7);
}

// On a GPU a c128 is a parameter of 16 bytes, behind a gap here, and the one behind it follows at once.
TEST_F(Api, PassesComplexNumbers) {
  using Narrow = std::complex<float>;
  using Wide = std::complex<double>;
  std::vector<Narrow> z{{1, 2}, {3, -1}};
  std::vector<Wide> w{{0, 1}, {2, 0}};
  library.turn(kern::over(2), true, kern::inout(z), Narrow(0, 1), 7, kern::inout(w), Wide(2, -1), 0.5F);
  EXPECT_EQ(z, (std::vector<Narrow>{{-1.5F, 1}, {1.5F, 3}}));
  EXPECT_EQ(w, (std::vector<Wide>{{1, 9}, {4, 5}}));
}

TEST_F(Api, TakesStridedViews) {
  std::vector<std::int32_t> host(6);
  std::iota(host.begin(), host.end(), 0);
  Buffer<std::int32_t, 2> from(device, kern::extents(2, 3)), to(device, kern::extents(3, 2));
  from.copy_from(host);
  library.transpose(kern::over(2, 3), from, to);
  EXPECT_EQ(to.read(2, 0), 2);
  EXPECT_EQ(to.read(0, 1), 3);
  // A transposed view on both sides copies: the variant without facts runs.
  Buffer<std::int32_t, 2> same = kern::zeros<std::int32_t>(device, 2, 3);
  library.transpose(kern::over(3, 2), from.view().transposed(), same);
  EXPECT_EQ(same.read(1, 2), 5);
  // Every second column of a row.
  kern::View<std::int32_t, 2> columns = from.view().slice(1, 0, 3, 2);
  EXPECT_EQ(columns.extents(), kern::extents(2, 2));
  Buffer<std::int32_t, 2> picked = kern::zeros<std::int32_t>(device, 2, 2);
  library.transpose(kern::over(2, 2), columns, picked);
  EXPECT_EQ(picked.read(1, 0), 2);
  EXPECT_EQ(picked.read(1, 1), 5);
}

TEST_F(Api, RunsBarriersAndSharedArrays) {
  std::vector<double> values(256);
  std::iota(values.begin(), values.end(), 0.0);
  library.rotate(kern::over(16, 16), kern::inout(values.data(), kern::extents(16, 16)));
  EXPECT_EQ(values[1], 16);
  EXPECT_EQ(values[16], 1);
  std::vector<std::int64_t> numbers = {1, 2, 3, 4, 5};
  library.reverse(kern::grid(1).block(5), 5, kern::inout(numbers));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{5, 4, 3, 2, 1}));
}

TEST_F(Api, HasMoreSharedMemoryThanPtx) {
  Buffer<float> x = kern::copy_of<float>(device, counted(512));
  library.reverse_blocks(kern::over(512), x);
  EXPECT_EQ(x.read(0), 255);
  EXPECT_EQ(x.read(256), 511);
}

TEST_F(Api, CollectsFaults) {
  Buffer<float> y = kern::zeros<float>(device, 1000);
  kern::Event event = library.careless(kern::over(1024), y, 2);
  try {
    event.wait();
    FAIL() << "there is no fault";
  } catch (const kern::KernelFault& fault) {
    EXPECT_EQ(fault.kernel, "careless");
    EXPECT_EQ(fault.code, "index");
    EXPECT_EQ(fault.place.file, "kernels.kern");
    EXPECT_EQ(fault.place.line, 6u);
    EXPECT_EQ(fault.place.column, 7u);
    EXPECT_EQ(fault.array, "y");
    EXPECT_EQ(fault.axis, 0);
    // On a GPU it is any thread's fault, on the CPU the lowest block's first.
    EXPECT_EQ(fault.index, fault.block[0] * 256 + fault.thread[0]);
    EXPECT_GE(fault.index, 1000);
    EXPECT_EQ(fault.extent, 1000);
    EXPECT_EQ(fault.block[0], 3u);
    EXPECT_TRUE(is_cuda() || fault.thread[0] == 232);
    ASSERT_EQ(fault.calls.size(), 1u);
    EXPECT_EQ(fault.calls[0].line, 24u);
    EXPECT_TRUE(contains(fault.what(), "kernels.kern:6:7: kernel `careless`: fault[index]: index 10"));
    EXPECT_TRUE(contains(fault.what(), "the launch has 1024 threads for 1000 elements: test the index"));
  }
  // Thrown once; what the other threads did stands, and the next launch is right.
  event.wait();
  EXPECT_EQ(y.read(999), 2);
  library.careless(kern::over(1000).block(250), y, 3).wait();
  EXPECT_EQ(y.read(0), 3);
}

TEST_F(Api, KeepsFaultsInOrder) {
  kern::Stream stream(device);
  Buffer<float> small = kern::zeros<float>(device, 3), other = kern::zeros<float>(device, 5);
  kern::Stream::of_thread(device).wait(); // the zeros are there
  library.careless(kern::grid(1).block(4).on(stream), small, 1);
  kern::Event good = library.careless(kern::grid(1).block(3).on(stream), small, 1);
  library.careless(kern::grid(1).block(6).on(stream), other, 1);
  kern::Status status;
  good.wait(status); // waits for the first launch too
  EXPECT_EQ(status.kind(), KERN_KERNEL_FAULT);
  EXPECT_EQ(status.fault().extent, 3);
  EXPECT_EQ(status.fault().launch, 1u);
  status.clear();
  stream.wait(status);
  EXPECT_EQ(status.fault().extent, 5);
  EXPECT_EQ(status.fault().launch, 3u);
  status.clear();
  stream.wait(status);
  EXPECT_TRUE(status.ok());
}

TEST_F(Api, ChecksContracts) {
  std::vector<float> x(3), y(4);
  std::string text =
      thrown_by<kern::ContractError>([&] { library.saxpy(kern::over(4), 1, kern::in(x), kern::inout(y)); });
  EXPECT_TRUE(
      contains(text, "kernels.kern:15:5: the contract of kernel `saxpy` does not hold: "
                     "x.size == y.size (`x.shape[0] == y.shape[0]` with 3 on the left and 4 on the right)"));
}

TEST_F(Api, ChecksArgumentsBeforeALaunch) {
  std::vector<float> host(100);
  std::vector<std::int64_t> numbers(4);
  auto refusal = [&](auto&& call) { return thrown_by<kern::ArgumentError>(call); };
  EXPECT_TRUE(contains(refusal([&] { library.reverse(kern::over(4), 4, kern::inout(numbers)); }),
                       "kernel `reverse`: "));
  EXPECT_TRUE(contains(refusal([&] { library.reverse(kern::over(4), 4, kern::inout(numbers)); }),
                       "say its block, as in over(n).block(256)"));
  EXPECT_TRUE(contains(refusal([&] { library.reverse(kern::grid(1).block(4), -4, kern::inout(numbers)); }),
                       "kernels.kern:46:12: shared array `part` has the extents -4 for these arguments"));
  std::vector<double> square(256);
  auto tile = kern::inout(square.data(), kern::extents(16, 16));
  EXPECT_TRUE(contains(refusal([&] { library.rotate(kern::grid(1).block(8, 8), tile); }),
                       "is written for blocks of 16x16x1, and 8x8x1 is given"));
  Buffer<double, 2> turned = kern::zeros<double>(device, 16, 16);
  EXPECT_TRUE(contains(refusal([&] { library.rotate(kern::grid(1), turned.view().transposed()); }),
                       "`x: f64[:, ::1]` takes arrays whose last axis has stride 1, and this one's is 16"));
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::grid(1).block(2048), kern::inout(host), 1); }),
                       "a block has 1 to 1024 threads along x, and 2048 are given"));
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::grid(1).block(64, 32), kern::inout(host), 1); }),
                       "a block of 64x32x1 has 2048 threads; the most is 1024"));
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::grid(1, 70000), kern::inout(host), 1); }),
                       "a grid has at most 65535 blocks along y, and this one has 70000"));
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::grid(1).shared(1 << 20), kern::inout(host), 1); }),
                       "a block needs 1048576 bytes of shared memory; the device has 232448"));
  EXPECT_TRUE(contains(refusal([&] { library.saxpy(kern::over(9), 1, kern::in(host), kern::inout(host)); }),
                       "`y: f32[:]` overlaps the host memory of `x`"));
  kern::View<float> crooked(reinterpret_cast<float*>(reinterpret_cast<char*>(host.data()) + 1),
                            kern::extents(3));
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::over(3), crooked, 1); }),
                       "which is no multiple of its element's 4 bytes"));
  kern::View<float> negative(host.data(), kern::extents(-3));
  EXPECT_TRUE(
      contains(refusal([&] { library.scale(kern::over(3), negative, 1); }), "has extent -3 along axis 0"));
  Device other = Device::cpu({.threads = 2});
  Buffer<float> elsewhere = kern::zeros<float>(other, 3);
  EXPECT_TRUE(contains(refusal([&] { library.scale(kern::over(3), elsewhere, 1); }),
                       "lies on CPU (2 threads), and the kernel is loaded for"));
}

TEST_F(Api, LaunchesNothingOverNothing) {
  Buffer<float> empty = kern::zeros<float>(device, 0);
  library.scale(kern::over(0), empty, 1).wait();
  std::vector<float> none;
  library.scale(kern::over(0), kern::inout(none), 1);
}

TEST_F(Api, OrdersStreams) {
  kern::Stream first(device), second(device);
  constexpr std::int64_t size = 1 << 16;
  Buffer<float> x = kern::zeros<float>(device, size);
  x.fill(1).wait();
  for (int i = 0; i < 20; ++i) library.scale(kern::over(size).on(first), x, 2);
  kern::Event doubled = library.scale(kern::over(size).on(first), x, 0.5f);
  second.after(doubled);
  kern::Event all = library.scale(kern::over(size).on(second), x, 0.5f);
  all.wait();
  EXPECT_EQ(x.read(size - 1), float(1 << 18));
  EXPECT_TRUE(all.wait_for(std::chrono::seconds(0)));
}

// The fake driver does work at once, one call after another.
TEST_F(Api, RunsLaunchesOfTwoStreamsSideBySide) {
  if (fake_cuda()) GTEST_SKIP();
  kern::Stream first(device), second(device);
  Buffer<std::int32_t> x = kern::zeros<std::int32_t>(device, 1);
  x.fill(0).wait();
  kern::Event waits = library.await_one(kern::grid(1).on(first), x);
  EXPECT_FALSE(waits.wait_for(std::chrono::milliseconds(20)));
  library.set_one(kern::grid(1).on(second), x).wait();
  EXPECT_TRUE(waits.wait_for(std::chrono::seconds(20)));
}

TEST_F(Api, KeepsMemoryForWorkUnderWay) {
  kern::Event last;
  for (int i = 0; i < 50; ++i) {
    Buffer<float> x = kern::zeros<float>(device, 10'000);
    last = library.scale(kern::over(10'000), x, 2);
  }
  last.wait();
}

TEST_F(Api, GivesEachThreadItsFaults) {
  std::atomic<int> found{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      Buffer<float> y = kern::zeros<float>(device, 10 + thread);
      for (int i = 0; i < 100; ++i) {
        bool bad = i % 10 == 0;
        kern::Status status;
        library.careless(kern::grid(1).block(static_cast<unsigned>(10 + thread + bad)), y, 1).wait(status);
        if (bad && status.fault().extent == 10 + thread) ++found;
        if (bad == status.ok()) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 80);
  EXPECT_EQ(wrong, 0);
}

TEST_F(Api, LaunchesWhatIsPrepared) {
  Buffer<float> x = kern::zeros<float>(device, 100), y = kern::zeros<float>(device, 100);
  x.fill(1);
  auto prepared = library.prepare_saxpy(kern::over(100), 2, x, y);
  for (int i = 0; i < 300; ++i) prepared();
  EXPECT_EQ(y.read(99), 600);
  prepared.set<0>(0.5f);
  prepared().wait();
  EXPECT_EQ(y.read(0), 600.5f);
  // The prepared launch keeps the array that it holds; one that does not fit is refused, and the old one
  // stands.
  x = kern::zeros<float>(device, 3);
  EXPECT_TRUE(contains(thrown_by<kern::ContractError>([&] { prepared.set<1>(x); }), "with 3 on the left"));
  prepared();
  EXPECT_EQ(y.read(0), 601);
  kern::Status status;
  Buffer<float> other = kern::zeros<float>(device, 100);
  prepared.set<2>(status, other);
  prepared(status).wait();
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(y.read(0), 601);
  std::vector<float> host(100);
  EXPECT_TRUE(contains(
      thrown_by<kern::ArgumentError>([&] { library.prepare_scale(kern::over(100), kern::inout(host), 1); }),
      "a prepared launch takes arrays on the device"));
}

TEST_F(Api, CollectsFaultsOfPreparedLaunches) {
  kern::Stream stream(device);
  Buffer<float> y = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  auto prepared = library.prepare_careless(kern::grid(1).block(4).on(stream), y, 1);
  for (int i = 0; i < 3; ++i) prepared();
  kern::Status status;
  for (std::uint64_t launch = 1; launch <= 3; ++launch) {
    stream.wait(status);
    EXPECT_EQ(status.fault().launch, launch);
    status.clear();
  }
  stream.wait(status);
  EXPECT_TRUE(status.ok());
}

// Every eleventh of 11,000 launches on eight threads faults; counts the faults that reach the thread which
// launched them, in order, and others.
void launch_faulting(const Device& device, const kernels::Kernels& library, std::atomic<std::uint64_t>& found,
                     std::atomic<std::uint64_t>& wrong) {
  constexpr std::uint64_t launches = 1375, every = 11;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      kern::Stream stream(device);
      Buffer<float> y(device, 10 + thread);
      for (std::uint64_t launch = 1; launch <= launches; ++launch) {
        bool bad = launch % every == 0;
        kern::Event event = library.careless(kern::grid(1).block(10 + thread + bad).on(stream), y, 1);
        // Some are waited for at once, some when others have been launched behind them.
        if (launch % (20 * every) != 0 && launch != launches) continue;
        for (kern::Status status; event.wait(status), !status.ok(); ++found, status.clear())
          if (status.fault().extent != 10 + thread || status.fault().launch % every != 0) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Api, LosesNoFaultOfManyThreads) {
  std::atomic<std::uint64_t> found{0}, wrong{0};
  launch_faulting(device, library, found, wrong);
  std::uint64_t available = device.info().available_bytes;
  launch_faulting(device, library, found, wrong);
  EXPECT_EQ(found, 2000u);
  EXPECT_EQ(wrong, 0u);
  // Other processes take their part of a CPU's memory.
  if (is_cuda()) {
    EXPECT_EQ(device.info().available_bytes, available);
  }
}

// Returns how many threads this process has.
std::ptrdiff_t thread_count() {
  std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(Devices, GoWithTheirThreadsStreams) {
  std::ptrdiff_t before = thread_count();
  {
    Device own = Device::cpu({.threads = 3});
    Buffer<float> x = kern::zeros<float>(own, 10); // on the thread's own stream
    EXPECT_EQ(x.read(0), 0);
  }
  for (int i = 0; i < 200 && thread_count() > before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LE(thread_count(), before); // its pool had two
}

TEST_F(Api, Prints) {
  testing::internal::CaptureStdout();
  library.say(kern::grid(1).block(8), 2).wait();
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(text, "thread 0 0.0\nthread 1 0.5\n");
}

TEST_F(Api, SendsPrintsWhereAStreamWantsThem) {
  std::string text;
  kern::Stream stream(device);
  stream.on_print([](void* context, const char* line,
                     std::uint64_t bytes) { static_cast<std::string*>(context)->append(line, bytes); },
                  &text);
  testing::internal::CaptureStdout();
  library.say(kern::grid(1).block(4).on(stream), 1).wait();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(text, "thread 0 0.0\n");
}

TEST_F(Api, ReportsWhatALaunchTook) {
  kern_launch_report report{};
  Buffer<float> x = kern::zeros<float>(device, 1 << 20);
  library.scale(kern::over(1 << 20).block(64).report(report), x, 2).wait();
  EXPECT_GT(report.milliseconds, 0);
  EXPECT_EQ(report.blocks_done, device.is_cpu() ? 1u << 14 : 0u);
}

// Code that does not ask runs to the end of a block: what is left out is the blocks behind it.
TEST_F(Api, EndsALaunchThatIsToldToStop) {
  if (!device.is_cpu()) GTEST_SKIP() << "a GPU does not look";
  kern_launch_report report{};
  report.stop = 1;
  Buffer<float> x = kern::zeros<float>(device, 1 << 20);
  kern::Event end = library.scale(kern::over(1 << 20).block(64).report(report), x, 2);
  kern::Status status;
  end.wait(status);
  EXPECT_EQ(status.kind(), KERN_DEVICE_ERROR);
  EXPECT_TRUE(contains(status.message(), "was stopped before all of its blocks had run"));
  EXPECT_EQ(report.blocks_done, 0u);
  report = {};
  library.scale(kern::over(1 << 20).block(64).report(report), x, 2).wait();
  EXPECT_EQ(report.blocks_done, 1u << 14);
}

TEST_F(Api, KeepsAnObjectAsLongAsItsCode) {
  static int released;
  released = 0;
  kern_object object = kern_object_kernels;
  auto load = [&](const Device& on, const kern_object& from) {
    kern_module* handle = nullptr;
    kern::Status status;
    status.take(kern_module_load_owned(
        on.get(), &from, &released, [](void* count) { ++*static_cast<int*>(count); }, &handle));
    return std::pair(status, kern::ModuleHandle(handle));
  };
  {
    auto [status, handle] = load(device, object);
    status.raise();
    kern::Stream stream(device);
    kern::Kernel<void(kern::View<float>, float)> kernel;
    {
      kern::Module module(device, std::move(handle));
      kernel = module.kernel<void(kern::View<float>, float)>("scale");
    }
    EXPECT_EQ(released, 0);
    Buffer<float> x = kern::zeros<float>(device, 100);
    kernel(kern::over(100).on(stream), x, 2);
    kernel = {};
    stream.wait();
  }
  EXPECT_EQ(released, 1);
  kern_object broken = object;
  broken.abi_version = KERN_ABI_VERSION + 1;
  EXPECT_EQ(load(device, broken).first.kind(), KERN_DEVICE_ERROR);
  EXPECT_EQ(released, 2);
  kern::ModuleHandle handle;
  kern::raise(kern_module_load_owned(device.get(), &object, &released, nullptr, handle.receive()));
  handle = {}; // nobody wants to know
}

TEST_F(Api, ReportsUncollectedFaults) {
  testing::internal::CaptureStderr();
  {
    kern::Stream stream(device);
    Buffer<float> y = kern::zeros<float>(device, 3);
    library.careless(kern::grid(1).block(4).on(stream), y, 1);
  }
  // Nothing waits for a stream that is gone.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  Buffer<float>(device, 1); // where a GPU's streams are looked after
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(text, "nobody waited for a launch that faulted"));
}

TEST(Devices, SayWhoTheyAre) {
  setenv("KERN_DEVICE", "cpu", 1);
  Device best = Device::best();
  EXPECT_TRUE(best.is_cpu());
  EXPECT_EQ(best.reason(), "KERN_DEVICE is cpu");
  EXPECT_TRUE(best == Device::cpu());
  setenv("KERN_DEVICE", "gpu", 1);
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([] { (void)Device::best(); }), "it takes cpu, cuda or cuda:1"));
  unsetenv("KERN_DEVICE");
  EXPECT_TRUE(contains(Device::cpu({.threads = 3}).name(), "3 threads"));
}

TEST_F(Api, KnowsTheDevice) {
  kern_device_info info = device.info();
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_GT(info.memory_bytes, 1u << 28);
  EXPECT_EQ(info.compute_major > 0 && info.driver_version > 0, device.is_cuda());
  EXPECT_EQ(info.threads > 0, device.is_cpu());
  EXPECT_EQ(Device::cpu({.threads = 3}).info().threads, 3u);
}

TEST(Memory, SaysWhatWasAsked) {
  Device device = test_device();
  try {
    Buffer<double> huge(device, std::int64_t(1) << 59);
    FAIL();
  } catch (const kern::OutOfMemory& error) {
    EXPECT_EQ(error.asked, std::uint64_t(1) << 62);
  }
  EXPECT_TRUE(
      contains(thrown_by<kern::ArgumentError>([&] { Buffer<double>(device, -1); }), "the extents -1"));
  Buffer<float> x(device, 3);
  std::vector<float> host(4);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { x.copy_from(host); }),
                       "the host has 4 elements, and the buffer 3"));
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { (void)x.read(3); }),
                       "index 3 along axis 0 is none of a buffer with the extents 3"));
}

TEST(Objects, OfAnotherAbiAreRefused) {
  kern_object object = kern_object_kernels;
  object.abi_version = KERN_ABI_VERSION + 1;
  std::string text = thrown_by<kern::DeviceError>([&] { kern::Module(Device::cpu(), object); });
  EXPECT_TRUE(contains(text, "the object was made for ABI version " + std::to_string(KERN_ABI_VERSION + 1) +
                                 ", and this runtime loads version " + std::to_string(KERN_ABI_VERSION)));
  object = kern_object_kernels;
  object.abi_hash += 1;
  text = thrown_by<kern::DeviceError>([&] { kern::Module(Device::cpu(), object); });
  EXPECT_TRUE(
      contains(text, "(hash " + std::to_string(object.abi_hash) + "), and this runtime loads version "));
  object = kern_object_kernels;
  object.manifest_bytes /= 2;
  text = thrown_by<kern::DeviceError>([&] { kern::Module(Device::cpu(), object); });
  EXPECT_TRUE(contains(text, "the object cannot be loaded: the manifest"));
}

} // namespace
