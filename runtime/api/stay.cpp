// The dynamic linker counts nothing for RTLD_NODELETE: the mark stays when the handle is closed.
#include "runtime/api/stay.h"

#include <dlfcn.h>

#include <atomic>

namespace kern::runtime {

static bool mark_library() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &library) == 0 || !library.dli_fname) return false;
  void* handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (!handle) return false; // a program, which stays anyhow
  dlclose(handle);
  return true;
}

// The next device tries again where this fails for want of memory.
void stay_loaded() {
  static std::atomic<bool> is_marked{false};
  if (!is_marked) is_marked = mark_library();
}

} // namespace kern::runtime
