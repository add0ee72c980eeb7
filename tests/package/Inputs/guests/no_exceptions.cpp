// All of it with a Status: a launch, a fault, and an argument that is wrong.
#include <cstdio>
#include <vector>

#include "k.kern.hpp"

int main() {
  kern::Status status;
  kern::Device device = kern::Device::cpu(status);
  kern::Module module(status, device, kern_object_k);
  kern::Buffer<float> x(status, device, kern::extents(10));
  x.copy_from(status, std::vector<float>(10, 1.0f));
  auto f = module.kernel<void(kern::View<float>)>(status, "f");
  f(status, kern::over(10), x);
  std::vector<float> host(10);
  x.copy_to(status, host);
  std::printf("%s, x[9] = %g\n", status.ok() ? "fine" : status.message().c_str(), host[9]);
  if (!status.ok()) return 1;

  auto bad = module.kernel<void(kern::View<float>)>(status, "bad");
  bad(status, kern::grid(1).block(32), x).wait(status);
  std::printf("%s: %lld\n", status.fault().code.c_str(), static_cast<long long>(status.fault().index));
  status.clear();
  f(status, kern::grid(1).block(1 << 20), x);
  std::printf("%d\n", status.kind() == KERN_ARGUMENT_ERROR);
}
