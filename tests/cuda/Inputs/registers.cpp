// Prints the registers that each kernel of suite.kern has as the runtime loads it.
//
// usage: registers cubin|ptx
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/api/cuda/code.h"
#include "runtime/api/handles.h"
#include "suite.kern.hpp"

using GetAttribute = int (*)(int* value, int attribute, kern::cuda::FunctionHandle function);
constexpr int registers = 4; // CU_FUNC_ATTRIBUTE_NUM_REGS

int main(int argc, char** argv) {
  std::string_view of = argc == 2 ? argv[1] : "";
  if (of != "cubin" && of != "ptx") return 2;
  // The form that is not asked for is taken away, so that the other must do.
  kern_object object = kern_object_suite;
  (of == "ptx" ? object.cubin_count : object.ptx_bytes) = 0;
  kern::Device device = kern::Device::cuda();
  kern_module* module = nullptr;
  if (kern_error* error = kern_module_load(device.get(), &object, &module)) {
    std::fprintf(stderr, "%s\n", kern_error_message(error));
    return 3;
  }
  const char* file = std::getenv("KERN_LIBCUDA");
  void* driver = dlopen(file ? file : "libcuda.so.1", RTLD_NOW);
  auto get_attribute = reinterpret_cast<GetAttribute>(dlsym(driver, "cuFuncGetAttribute"));
  for (const kern::ManifestKernel& kernel : module->module->manifest.kernels)
    for (const kern::ManifestVariant& variant : kernel.variants) {
      if (variant.target != "cuda") continue;
      auto* entry = static_cast<kern::runtime::CudaKernel*>(module->module->code->entry(variant));
      int count = 0;
      if (int result = get_attribute(&count, registers, entry->function)) {
        std::fprintf(stderr, "cuFuncGetAttribute: %d\n", result);
        return 3;
      }
      std::printf("%s %d\n", variant.symbol.c_str(), count);
      break; // the others of a kernel are not loaded before a launch needs one
    }
  kern_module_release(module);
  return 0;
}
