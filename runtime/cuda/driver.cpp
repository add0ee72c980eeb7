// dlopen and one dlsym a row of driver.def. The library is never closed: the driver does not survive that.
#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <mutex>

#include "runtime/common/settings.h"

namespace kern::cuda {

struct Loading {
  Driver driver;
  std::string reason;   // empty: loaded
  bool is_open = false; // the library is, for ever
};

static Loading load() {
  Loading loading;
  const std::string file = settings::cuda_driver().value.value_or("libcuda.so.1");
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    loading.reason = std::string("no NVIDIA driver: ") + (why ? why : "it cannot be opened");
    return loading;
  }
  loading.is_open = true;
#define DRIVER(Name, Symbol, Params)                                                                         \
  if (void* address = dlsym(library, Symbol))                                                                \
    loading.driver.Name = reinterpret_cast<Result(*) Params>(address);                                       \
  else if (loading.reason.empty())                                                                           \
    loading.reason = file + " is too old: it has no " + Symbol;
#define DRIVER_SINCE(Name, Symbol, Params)                                                                   \
  loading.driver.Name = reinterpret_cast<Result(*) Params>(dlsym(library, Symbol));
#include "runtime/cuda/driver.def"
  if (!loading.reason.empty()) return loading;
  if (Result result = loading.driver.init(0)) loading.reason = describe(loading.driver, "cuInit", result);
  return loading;
}

// A library that could not be opened, perhaps for want of memory or a descriptor, is tried again.
const Driver* load_driver(std::string& reason) {
  static std::mutex mutex;
  static Loading loading;
  std::lock_guard lock(mutex);
  if (!loading.is_open) loading = load();
  reason = loading.reason;
  return reason.empty() ? &loading.driver : nullptr;
}

std::string describe(const Driver& driver, const char* call, Result result) {
  const char *name = nullptr, *text = nullptr;
  if (driver.error_name) driver.error_name(result, &name);
  if (driver.error_string) driver.error_string(result, &text);
  return std::string(call) + ": " + (name ? name : "error " + std::to_string(result)) + " (" +
         (text ? text : "unknown") + ")";
}

} // namespace kern::cuda
