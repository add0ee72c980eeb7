// Calls what a program without exceptions does.
#include <kern/jit.hpp>

kern::Module compile(kern::Status& status, const kern::Device& device) {
  kern::Module module = kern::compile(status, device, "source");
  for (const kern::Diagnostic& diagnostic : status.diagnostics())
    if (diagnostic.is_error) std::printf("%s", diagnostic.text.c_str());
  return module;
}
