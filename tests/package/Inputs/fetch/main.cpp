// The standard is the project's 17 until kern::runtime raises it.
#include <cstdio>
#include <vector>

#include "kernels.kern.hpp"

int main() {
  std::vector<float> x(100, 1.0f);
  kernels::load(kern::Device::cpu()).twice(kern::over(x.size()), kern::inout(x));
  std::printf("x[99] = %g, Kern %s\n", x[99], kern_version());
}
