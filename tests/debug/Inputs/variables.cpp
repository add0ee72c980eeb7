#include <vector>

#include "variables.kern.hpp"

int main() {
  kern::Device device = kern::Device::cpu();
  std::vector<float> host(16 * 4);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i);
  kern::Buffer<float, 2> a(device, kern::extents(16, 4));
  a.copy_from(host);
  auto out = kern::zeros<float>(device, 16);
  variables::load(device).k(kern::grid(1).block(16), a, out, 3, true, 7, 2.5f);
  std::vector<float> results(16);
  out.copy_to(results);
}
