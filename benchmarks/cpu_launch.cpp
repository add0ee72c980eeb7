// Measures how long a launch on the CPU takes whose caller waits for it: with arrays of the device and of
// host memory, for few elements and more. Prints medians and the least, in ns.
//
//     kernc benchmarks/launch.kern -o launch.o -o launch.kern.hpp
//     g++ -std=c++20 -O2 -I. -Iruntime/include benchmarks/cpu_launch.cpp launch.o libkern_runtime.a -lpthread -ldl
//
//     cpu_launch [LAUNCHES]  of each kind; 3000
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "launch.kern.hpp"

static void time_launches(const char* name, std::int64_t size, int launches,
                          const std::function<void()>& launch) {
  std::vector<double> times;
  for (int i = 0; i < launches; ++i) {
    auto start = std::chrono::steady_clock::now();
    launch();
    times.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%-8s %8lld elements  %8.0f ns, least %8.0f\n", name, static_cast<long long>(size),
              times[times.size() / 2], times.front());
}

int main(int count, char** words) {
  int launches = count > 1 ? std::atoi(words[1]) : 3000;
  kern::Device device = kern::Device::cpu();
  launch::Kernels library = launch::load(device);
  for (std::int64_t size : {16, 4096, 100'000}) {
    kern::Launch shape = kern::over(size).block(256);
    auto x = kern::zeros<float>(device, size), y = kern::zeros<float>(device, size),
         z = kern::zeros<float>(device, size);
    time_launches("device", size, launches, [&] { library.axpby(shape, 2.0f, 3.0f, x, y, z).wait(); });
    std::vector<float> a(static_cast<std::size_t>(size), 1.0f), b(a), c(a);
    time_launches("host", size, launches,
                  [&] { library.axpby(shape, 2.0f, 3.0f, kern::in(a), kern::in(b), kern::out(c)); });
  }
}
