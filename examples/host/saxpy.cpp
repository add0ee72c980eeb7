// A kernel called from C++: y = a x + y, on the first GPU or on the CPU.
//
//     kernc examples/saxpy.kern -o saxpy.o -o saxpy.kern.hpp
//     g++ -std=c++20 -I. -Iruntime/include examples/host/saxpy.cpp saxpy.o libkern_runtime.a -lpthread -ldl -o saxpy
#include <cstdio>
#include <vector>

#include "saxpy.kern.hpp"

int main() {
  kern::Device device = kern::Device::best();
  std::printf("on %s (%s)\n", device.name().c_str(), device.reason().c_str());
  auto library = saxpy::load(device);
  std::vector<float> x(1000, 2.0f), y(1000, 1.0f);
  library.saxpy(kern::over(x.size()), 10.0f, kern::in(x), kern::inout(y));
  std::printf("y[999] = %g\n", y[999]);
}
