// A plugin with kernels, the static runtime and, with -DJIT, the compiler inside.
#include <string>
#include <vector>

#include "k.kern.hpp"
#ifdef JIT
#include <kern/jit.hpp>
#endif

// Runs the kernel; returns what its last element is then.
extern "C" __attribute__((visibility("default"))) float plugin_run() {
  kern::Device device = kern::Device::cpu();
  std::vector<float> x(1000, 1.0f);
#ifdef JIT
  kern::Module module =
      kern::compile(device, "@kernel\ndef f(x: f32[:]):\n    i = grid(1)\n    if i < x.size:\n"
                            "        x[i] += math.sqrt(16.0)\n");
  module.kernel<void(kern::View<float>)>("f")(kern::over(x.size()), kern::inout(x));
  try {
    kern::compile(device, "@kernel\ndef f(x: f32[:]):\n    x[0] = y\n");
  } catch (const kern::CompileError& error) {
    x[999] += static_cast<float>(error.diagnostics.size());
  }
#else
  k::load(device).f(kern::over(x.size()), kern::inout(x));
  try {
    k::load(device).f(kern::grid(1).block(1 << 20), kern::inout(x));
  } catch (const kern::Error&) {
    x[999] += 100.0f;
  }
#endif
  return x[999];
}

extern "C" __attribute__((visibility("default"))) const char* plugin_version() { return kern_version(); }
