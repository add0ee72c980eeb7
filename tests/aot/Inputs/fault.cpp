// Without exceptions and RTTI: every call has a form that takes a kern::Status.
#include <cstdio>
#include <vector>

#include "careless.hpp"

int main() {
  kern::Status status;
  kern::Device device = kern::Device::cpu(status);
  kern::Module module(status, device, kern_object_careless);
  careless::Kernels library(module);
  std::vector<float> y(3);
  library.careless(status, kern::grid(1).block(4), kern::inout(y));
  std::printf("%d: %s\n", static_cast<int>(status.kind()), status.message().c_str());
  std::printf("line %u, index %d, y[2] = %g\n", status.fault().place.line,
              static_cast<int>(status.fault().index), y[2]);
  return status.ok() ? 0 : 4;
}
