// Calls what a program without exceptions does.
#include <kern/algorithms.hpp>
#include <kern/jit.hpp>

kern::Event sort(kern::Status& status, kern::Buffer<float>& keys) {
  return kern::sort(status, keys, kern::less(kern::function_of(status, "ops.kern", "less")));
}

kern::Module compile(kern::Status& status, const kern::Device& device) {
  kern::Module module = kern::compile(status, device, "source");
  for (const kern::Diagnostic& diagnostic : status.diagnostics())
    if (diagnostic.is_error) std::printf("%s", diagnostic.text.c_str());
  return module;
}
