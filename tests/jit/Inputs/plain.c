// The C interface of the JIT, as C.
#include <kern/algorithms.h>
#include <kern/jit.h>

kern_error* compile(kern_device* device, kern_module** module) {
  kern_compile_options options = {0};
  options.struct_size = sizeof options;
  options.dialect = KERN_DIALECT_NUMBA;
  return kern_compile(device, "", 0, &options, module);
}
