// A block whose threads disagree on a barrier.
#include <cstdio>
#include <vector>

#include "apart.hpp"

int main() {
  kern::Status status;
  kern::Device device = kern::Device::cpu(status);
  kern::Module module(status, device, kern_object_apart);
  apart::Kernels library(module);
  std::vector<std::int32_t> a(32);
  library.apart(status, kern::grid(1).block(32), kern::inout(a), 10);
  std::printf("%d: %s\n", static_cast<int>(status.kind()), status.message().c_str());
  std::printf("line %u, column %u\n", status.fault().place.line, status.fault().place.column);
  return status.ok() ? 0 : 4;
}
