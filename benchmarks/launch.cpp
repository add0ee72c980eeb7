// Measures what a launch costs the host: one with 3 arrays and 2 scalars, asynchronous, against
// cuLaunchKernel on the same function with the same parameters. The two take turns in one run, and waiting is
// not part of it: what was launched is waited for after each turn. A turn has as many launches as the runtime
// keeps records of together, so each has its part of what is done once for all of them. Prints the medians
// over the turns, in ns a launch, and their ratio.
//
//     kernc benchmarks/launch.kern -o launch.o -o launch.kern.hpp
//     g++ -std=c++20 -O2 -I. -Iruntime/include benchmarks/launch.cpp launch.o libkern_runtime.a -lpthread -ldl
//
//     launch [TURNS [LAUNCHES]]     launches of each kind a turn; 200 turns of 512 launches
//     launch --count KIND LAUNCHES  only launches of that kind: for callgrind
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "launch.kern.hpp"
#include "runtime/cuda/load.h"

namespace {

constexpr std::int64_t size = 1 << 10;

struct Arrays {
  explicit Arrays(const kern::Device& device)
      : x(kern::zeros<float>(device, size)), y(kern::zeros<float>(device, size)),
        z(kern::zeros<float>(device, size)) {
    kern::Stream::of_thread(device).wait();
  }
  kern::Buffer<float> x, y, z;
};

void check(kern::cuda::Result result, const char* call) {
  if (result == 0) return;
  std::fprintf(stderr, "%s failed: %d\n", call, result);
  std::exit(1);
}

// The same kernel through the driver alone.
class Raw {
public:
  Raw(const kern::cuda::Driver& driver, const Arrays& arrays) : driver_(driver) {
    std::string_view ptx(kern_object_launch.ptx, kern_object_launch.ptx_bytes);
    check(kern::cuda::load_ptx(driver, ptx, module_).result, "cuModuleLoadDataEx");
    check(driver.module_function(&function_, module_, "axpby"), "cuModuleGetFunction");
    check(driver.stream_create(&stream_, 1), "cuStreamCreate");
    check(driver.allocate(&record_, sizeof(kern_launch_record)), "cuMemAlloc");
    check(driver.fill32(record_, 0, sizeof(kern_launch_record) / 4, stream_), "cuMemsetD32Async");
    const float* bases[] = {arrays.x.data(), arrays.y.data(), arrays.z.data()};
    for (int i = 0; i < 3; ++i) arrays_[i] = {reinterpret_cast<std::uint64_t>(bases[i]), size, 1};
  }
  void launch() {
    void* params[] = {&a_,
                      &b_,
                      &arrays_[0][0],
                      &arrays_[0][1],
                      &arrays_[0][2],
                      &arrays_[1][0],
                      &arrays_[1][1],
                      &arrays_[1][2],
                      &arrays_[2][0],
                      &arrays_[2][1],
                      &arrays_[2][2],
                      &record_};
    check(driver_.launch(function_, size / 256, 1, 1, 256, 1, 1, 0, stream_, params, nullptr),
          "cuLaunchKernel");
  }
  // The launch in a graph of the driver's.
  void capture() {
    kern::cuda::GraphHandle graph = nullptr;
    check(driver_.capture_begin(stream_, 2), "cuStreamBeginCapture");
    launch();
    check(driver_.capture_end(stream_, &graph), "cuStreamEndCapture");
    check(driver_.graph_instantiate(&exec_, graph, 0), "cuGraphInstantiateWithFlags");
  }
  void replay() { check(driver_.graph_launch(exec_, stream_), "cuGraphLaunch"); }
  void wait() { check(driver_.synchronize(), "cuCtxSynchronize"); }

private:
  const kern::cuda::Driver& driver_;
  kern::cuda::ModuleHandle module_ = nullptr;
  kern::cuda::FunctionHandle function_ = nullptr;
  kern::cuda::StreamHandle stream_ = nullptr;
  kern::cuda::GraphExecHandle exec_ = nullptr;
  kern::cuda::Address record_ = 0;
  float a_ = 2, b_ = 3;
  std::array<std::uint64_t, 3> arrays_[3];
};

struct Kind {
  const char* name;
  std::function<void()> launch, wait;
  const char* reference;          // the kind that it is measured against
  std::vector<double> times = {}; // ns a launch, of each turn
};

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void take_turn(Kind& kind, int launches) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) kind.launch();
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  kind.times.push_back(time.count() / launches);
  kind.wait();
}

} // namespace

int main(int count, char** words) {
  kern::Device device = kern::Device::cuda();
  launch::Kernels library = launch::load(device);
  kern::Stream stream = kern::Stream::of_thread(device);
  Arrays arrays(device);
  std::string reason;
  Raw raw(*kern::cuda::load_driver(reason), arrays);
  auto wait = [&] { stream.wait(); };
  kern::Launch shape = kern::over(size).block(256);
  auto prepared = library.prepare_axpby(shape, 2.0f, 3.0f, arrays.x, arrays.y, arrays.z);
  raw.capture();
  kern::Graph graph = kern::capture(stream, [&] { prepared(); });
  Kind kinds[] = {
      {"raw", [&] { raw.launch(); }, [&] { raw.wait(); }, "raw"},
      {"call", [&] { library.axpby(shape, 2.0f, 3.0f, arrays.x, arrays.y, arrays.z); }, wait, "raw"},
      {"prepared", [&] { prepared(); }, wait, "raw"},
      {"raw-graph", [&] { raw.replay(); }, [&] { raw.wait(); }, "raw-graph"},
      {"graph", [&] { graph.launch(stream); }, wait, "raw-graph"},
  };
  if (count == 4 && !std::strcmp(words[1], "--count")) {
    for (Kind& kind : kinds)
      if (!std::strcmp(words[2], kind.name))
        for (int i = std::atoi(words[3]); i > 0; --i) kind.launch();
    return 0;
  }
  int turns = count > 1 ? std::atoi(words[1]) : 200, launches = count > 2 ? std::atoi(words[2]) : 512;
  for (int turn = -10; turn < turns; ++turn) {
    for (Kind& kind : kinds) take_turn(kind, launches);
    if (turn < 0) // warm now
      for (Kind& kind : kinds) kind.times.clear();
  }
  for (const Kind& kind : kinds) {
    auto is_reference = [&](const Kind& other) { return !std::strcmp(other.name, kind.reference); };
    double reference = median(std::find_if(std::begin(kinds), std::end(kinds), is_reference)->times);
    std::printf("%-10s %8.0f ns a launch  %5.2f of %s\n", kind.name, median(kind.times),
                median(kind.times) / reference, kind.reference);
  }
}
