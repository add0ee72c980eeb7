// Uses what <kern/jit.hpp> has, in a shared library that exports one function.
#include <kern/jit.hpp>

extern "C" __attribute__((visibility("default"))) std::size_t plugin_run(const char* source) {
  kern::Device device = kern::Device::best();
  kern::CompileOptions options;
  options.defines = {"N=1"};
  options.options = options.signatures = options.defines;
  options.imports = {{"a.kern", "N = 1\n"}};
  options.imports["b.kern"] = "M = 1\n";
  std::vector<kern::Diagnostic> told;
  options.diagnostics = &told;
  kern::Module module = kern::compile(device, source, options);
  kern::Compilation later = kern::compile_async(device, source, options);
  module = later.module();
  std::vector<kern::Compilation> warm = kern::warm_up(device, {{source, options}, {source, {}}});
  kern::Buffer<float> x = kern::zeros<float>(device, 10);
  module.kernel<void(kern::View<float>)>("f")(kern::over(10), x).wait();
  return kern::load(device, module.object()).kernels().size() + told.size() + device.name().size();
}
