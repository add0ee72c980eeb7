// Two threads, each with kernels over arrays of its own: no race, but for the one of the program that -DRACE makes.
#include <cstdio>
#include <thread>
#include <vector>

#include "saxpy.kern.hpp"

#ifdef RACE
// The threads of a busy machine may run one after the other for a while, each behind what the one before it unlocked.
static constexpr int most = 2000;
#else
static constexpr int most = 50;
#endif
static int rounds = 0;

int main() {
  auto work = [] {
    kern::Device device = kern::Device::cpu();
    auto library = saxpy::load(device);
    std::vector<float> x(1000, 1.0f), y(1000, 1.0f);
    for (int round = 0; round < most; ++round) {
      library.saxpy(kern::over(x.size()), 1.0f, kern::in(x), kern::inout(y));
      kern::Buffer<float> a = kern::copy_of(device, std::span<const float>(x)),
                          b = kern::zeros<float>(device, 1000);
      kern::Stream stream(device);
      library.saxpy(kern::over(x.size()).on(stream), 1.0f, a, b).wait();
      b.copy_to(y);
#ifdef RACE
      ++rounds;
#endif
    }
  };
  { std::jthread first(work), second(work); }
  std::printf("done %d\n", rounds);
}
