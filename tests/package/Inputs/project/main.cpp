// Calls a kernel of each file, and one thread too many.
#include <cstdio>
#include <vector>

#include "add.kern.hpp"
#include "filters.kern.hpp"

int main() {
  kern::Device device = kern::Device::best();
  std::printf("on %s (%s)\n", device.is_cuda() ? "CUDA" : "CPU", device.reason().c_str());
  std::vector<float> x(1000, 3.0f), y(1000), sum(1000);
  filters::load(device).scale(kern::over(x.size()), kern::in(x), kern::out(y));
  auto library = add::load(device);
  library.add_numba(kern::over(x.size()), kern::in(x), kern::in(y), kern::out(sum));
  std::printf("y[999] = %g, sum[999] = %g\n", y[999], sum[999]);
  try {
    x.resize(10);
    library.add_numba(kern::grid(1).block(1000), kern::in(x), kern::in(y), kern::inout(sum));
  } catch (const kern::KernelFault& fault) {
    std::printf("%s:%u: %s[%d]\n", fault.place.file.c_str(), fault.place.line, fault.array.c_str(),
                static_cast<int>(fault.index));
  }
}
