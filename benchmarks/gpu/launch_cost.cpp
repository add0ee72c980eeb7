// Measures what a launch costs the host: one over 3 arrays and 2 scalars, asynchronous, against
// cuLaunchKernel of an empty kernel with as many parameters. The ways take turns, and waiting is no part of a
// turn. It is linked into the library under test, so that the launches are those of a C++ program.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "launch.kern.hpp"

namespace {

constexpr const char* empty_kernel = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry empty(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5,
 .param .u64 p6, .param .u64 p7, .param .u64 p8, .param .u64 p9, .param .u64 p10, .param .u64 p11) { ret; }
)";

// The few calls of the driver that the raw launch needs.
struct Driver {
  int (*load)(void** module, const void* image);
  int (*function)(void** function, void* module, const char* name);
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                void* stream, void** parameters, void** extra);
};

template <typename Function> bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Nanoseconds a launch.
template <typename Launch> double turn(int launches, const Launch& launch) {
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) launch();
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / launches;
}

void measure(int turns, int launches, double* nanoseconds) {
  constexpr std::int64_t size = 1 << 10;
  kern::Device device = kern::Device::cuda();
  launch::Kernels library = launch::load(device);
  kern::Stream stream = kern::Stream::of_thread(device);
  auto x = kern::zeros<float>(device, size), y = kern::zeros<float>(device, size),
       z = kern::zeros<float>(device, size);
  kern::Launch shape = kern::over(size).block(256);
  auto prepared = library.prepare_axpby(shape, 2.0f, 3.0f, x, y, z);
  prepared();
  stream.wait();

  Driver driver{};
  void *libcuda = dlopen("libcuda.so.1", RTLD_NOW), *module = nullptr, *function = nullptr;
  if (!libcuda || !find(libcuda, "cuModuleLoadData", driver.load) ||
      !find(libcuda, "cuModuleGetFunction", driver.function) ||
      !find(libcuda, "cuLaunchKernel", driver.launch) || driver.load(&module, empty_kernel) != 0 ||
      driver.function(&function, module, "empty") != 0)
    return;
  void* native = stream.native();
  std::uint64_t words[12] = {};
  void* parameters[12];
  for (int i = 0; i < 12; ++i) parameters[i] = &words[i];

  std::vector<double> times[3];
  for (int i = -turns / 10 - 1; i < turns; ++i) {
    double now[3];
    now[0] = turn(launches, [&] {
      driver.launch(function, size / 256, 1, 1, 256, 1, 1, 0, native, parameters, nullptr);
    });
    stream.wait();
    now[1] = turn(launches, [&] { library.axpby(shape, 2.0f, 3.0f, x, y, z); });
    stream.wait();
    now[2] = turn(launches, [&] { prepared(); });
    stream.wait();
    // The first turns warm up.
    for (int way = 0; i >= 0 && way < 3; ++way) times[way].push_back(now[way]);
  }
  for (int way = 0; way < 3; ++way) nanoseconds[way] = median(times[way]);
}

} // namespace

// Gives the nanoseconds of a raw launch, of a kernel's call and of a prepared launch: medians over the turns.
// They stay 0, and `error` gets a sentence, where something fails.
extern "C" void kern_benchmark_launch(int turns, int launches, double* nanoseconds, char* error,
                                      std::size_t error_bytes) {
  try {
    measure(turns, launches, nanoseconds);
  } catch (const std::exception& exception) {
    std::strncpy(error, exception.what(), error_bytes - 1);
  }
}
