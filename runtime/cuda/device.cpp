// The launch record and its print ring are allocated for each launch, so that nothing of one launch reaches
// the next.
#include "runtime/cuda/device.h"

#include <algorithm>
#include <cstring>

namespace kern::cuda {

static constexpr std::uint64_t print_ring_words = 1 << 16;
static constexpr int attribute_major = 75, attribute_minor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
static constexpr int function_dynamic_shared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
static constexpr int option_error_log = 5, option_error_log_bytes = 6; // CU_JIT_ERROR_LOG_BUFFER*
static constexpr std::uint32_t shared_without_opt_in = 48 << 10;

bool Device::check(const char* call, Result result) {
  if (result == 0) return true;
  error_ = describe(driver_, call, result);
  return false;
}

std::unique_ptr<Device> Device::open(int ordinal, std::string& error) {
  const Driver* driver = load_driver(error);
  if (!driver) return nullptr;
  std::unique_ptr<Device> device(new Device(*driver));
  int major = 0, minor = 0;
  char name[256] = {};
  ContextHandle context = nullptr;
  bool opened = device->check("cuDeviceGet", driver->device_get(&device->device_, ordinal)) &&
                device->check("cuDeviceGetName", driver->device_name(name, sizeof name, device->device_)) &&
                device->check("cuDeviceGetAttribute",
                              driver->device_attribute(&major, attribute_major, device->device_)) &&
                device->check("cuDeviceGetAttribute",
                              driver->device_attribute(&minor, attribute_minor, device->device_)) &&
                device->check("cuDevicePrimaryCtxRetain", driver->primary_retain(&context, device->device_));
  device->retained_ = context != nullptr;
  if (!opened || !device->check("cuCtxSetCurrent", driver->set_context(context))) {
    error = device->error_;
    return nullptr;
  }
  device->name_ = name;
  device->arch_ = "sm_" + std::to_string(major * 10 + minor);
  return device;
}

Device::~Device() {
  for (Address address : allocated_) driver_.release(address);
  if (module_) driver_.module_unload(module_);
  if (retained_) driver_.primary_release(device_);
}

bool Device::load(const std::string& ptx) {
  if (module_) driver_.module_unload(module_);
  module_ = nullptr;
  std::string log(8192, '\0');
  int options[] = {option_error_log, option_error_log_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  if (check("cuModuleLoadDataEx", driver_.module_load(&module_, ptx.c_str(), 2, options, values)))
    return true;
  error_ += std::string("\n") + log.c_str();
  return false;
}

std::optional<Address> Device::allocate(std::size_t bytes) {
  Address address = 0;
  if (!check("cuMemAlloc", driver_.allocate(&address, std::max<std::size_t>(bytes, 1)))) return std::nullopt;
  allocated_.push_back(address);
  return address;
}

void Device::free(Address address) {
  driver_.release(address);
  std::erase(allocated_, address);
}

bool Device::copy_in(Address to, const void* from, std::size_t bytes) {
  return bytes == 0 || check("cuMemcpyHtoD", driver_.copy_to_device(to, from, bytes));
}

bool Device::copy_out(void* to, Address from, std::size_t bytes) {
  return bytes == 0 || check("cuMemcpyDtoH", driver_.copy_to_host(to, from, bytes));
}

// The record, and the ring right behind it.
std::optional<Address> Device::prepare_record(const Launch& launch) {
  std::vector<std::uint64_t> words(sizeof(kern_launch_record) / 8 + 2 + print_ring_words);
  std::optional<Address> address = allocate(words.size() * 8);
  if (!address) return std::nullopt;
  kern_launch_record record{};
  record.launch = 1;
  record.print_ring = *address + sizeof record;
  record.shared_bytes = launch.shared_bytes;
  std::memcpy(words.data(), &record, sizeof record);
  words[sizeof record / 8] = print_ring_words;
  if (copy_in(*address, words.data(), words.size() * 8)) return address;
  free(*address);
  return std::nullopt;
}

bool Device::collect(Address record, LaunchResult& result) {
  kern_launch_record host{};
  std::uint64_t ring[2] = {};
  if (!copy_out(&host, record, sizeof host) || !copy_out(ring, record + sizeof host, sizeof ring))
    return false;
  result.fault = host.fault;
  std::uint64_t kept = std::min(ring[1], print_ring_words);
  result.printed_lost = ring[1] - kept;
  result.printed.resize(kept);
  return copy_out(result.printed.data(), record + sizeof host + sizeof ring, kept * 8);
}

std::optional<LaunchResult> Device::launch(const std::string& symbol, const Launch& launch) {
  FunctionHandle function = nullptr;
  if (!check("cuModuleGetFunction", driver_.module_function(&function, module_, symbol.c_str())))
    return std::nullopt;
  if (launch.shared_bytes > shared_without_opt_in &&
      !check("cuFuncSetAttribute",
             driver_.function_set(function, function_dynamic_shared, static_cast<int>(launch.shared_bytes))))
    return std::nullopt;
  std::optional<Address> record = prepare_record(launch);
  if (!record) return std::nullopt;
  std::vector<std::uint64_t> params(launch.params.begin(), launch.params.end());
  params.back() = *record;
  std::vector<void*> pointers;
  for (std::uint64_t& slot : params) pointers.push_back(&slot);
  EventHandle before = nullptr, after = nullptr;
  LaunchResult result;
  bool done =
      check("cuEventCreate", driver_.event_create(&before, 0)) &&
      check("cuEventCreate", driver_.event_create(&after, 0)) &&
      check("cuEventRecord", driver_.event_record(before, nullptr)) &&
      check("cuLaunchKernel", driver_.launch(function, launch.grid[0], launch.grid[1], launch.grid[2],
                                             launch.block[0], launch.block[1], launch.block[2],
                                             launch.shared_bytes, nullptr, pointers.data(), nullptr)) &&
      check("cuEventRecord", driver_.event_record(after, nullptr)) &&
      check("cuCtxSynchronize", driver_.synchronize()) &&
      check("cuEventElapsedTime", driver_.event_elapsed(&result.milliseconds, before, after)) &&
      collect(*record, result);
  if (before) driver_.event_destroy(before);
  if (after) driver_.event_destroy(after);
  free(*record);
  if (!done) return std::nullopt;
  return result;
}

} // namespace kern::cuda
