// The compiler in a plugin.
#include <kern/jit.hpp>

extern "C" __attribute__((visibility("default"))) bool plugin_compiles() {
  kern::Status status;
  kern::Device device = kern::Device::cpu(status);
  kern::compile(status, device, "@kernel\ndef f(x: f32[:]):\n    x[0] = 1.0\n");
  return status.ok();
}
