// The dynamic linker counts nothing for RTLD_NODELETE: the mark stays when the handle is closed.
#include "runtime/api/stay.h"

#include <dlfcn.h>

namespace kern::runtime {

static bool mark_library() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &library) == 0 || !library.dli_fname) return false;
  void* handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (!handle) return false; // a program, which stays anyhow
  dlclose(handle);
  return true;
}

void stay_loaded() {
  static const bool is_library = mark_library();
  static_cast<void>(is_library);
}

} // namespace kern::runtime
