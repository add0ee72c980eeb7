// The calls stand in one list; the first that fails ends it.
#include "runtime/cuda/facts.h"

namespace kern::cuda {

static constexpr int attribute_major = 75, attribute_minor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
static constexpr int attribute_multiprocessors = 16;
static constexpr int attribute_shared = 97; // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN

Result read_facts(const Driver& driver, int ordinal, DeviceFacts& facts, const char*& failed) {
  char name[256] = {};
  int shared = 0, multiprocessors = 0;
  std::size_t memory = 0;
  Result result = 0;
  auto call = [&](const char* symbol, Result returned) {
    failed = symbol;
    return (result = returned) == 0;
  };
  bool good =
      call("cuDriverGetVersion", driver.driver_version(&facts.driver_version)) &&
      call("cuDeviceGet", driver.device_get(&facts.device, ordinal)) &&
      call("cuDeviceGetName", driver.device_name(name, sizeof name, facts.device)) &&
      call("cuDeviceTotalMem", driver.device_memory(&memory, facts.device)) &&
      call("cuDeviceGetAttribute", driver.device_attribute(&facts.major, attribute_major, facts.device)) &&
      call("cuDeviceGetAttribute", driver.device_attribute(&facts.minor, attribute_minor, facts.device)) &&
      call("cuDeviceGetAttribute", driver.device_attribute(&shared, attribute_shared, facts.device)) &&
      call("cuDeviceGetAttribute",
           driver.device_attribute(&multiprocessors, attribute_multiprocessors, facts.device));
  if (!good) return result;
  facts.name = name;
  facts.memory_bytes = memory;
  facts.shared_bytes = shared > 0 ? static_cast<std::uint64_t>(shared) : 0;
  facts.multiprocessors = multiprocessors > 0 ? static_cast<std::uint64_t>(multiprocessors) : 0;
  return 0;
}

} // namespace kern::cuda
