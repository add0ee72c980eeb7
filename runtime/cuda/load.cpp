// The linker keeps the place of the log that it was made with; what it links is its own, and is copied.
#include "runtime/cuda/link.h"

namespace kern::cuda {

static constexpr int option_error_log = 5, option_error_log_bytes = 6; // CU_JIT_ERROR_LOG_BUFFER*
static constexpr int option_debug_info = 11;                           // CU_JIT_GENERATE_DEBUG_INFO
static constexpr int input_ptx = 1;                                    // CU_JIT_INPUT_PTX

namespace {

// The options of a call that say where its log goes.
struct Log {
  std::string text = std::string(8192, '\0');
  int options[3] = {option_error_log, option_error_log_bytes, option_debug_info};
  void* values[3] = {text.data(), reinterpret_cast<void*>(text.size()), reinterpret_cast<void*>(1)};
  Outcome outcome(const char* call, Result result) const { return {call, result, text.c_str()}; }
};

struct LinkState {
  explicit LinkState(const Driver& table) : driver(table) {}
  ~LinkState() {
    if (handle) driver.link_destroy(handle);
  }
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;
  const Driver& driver;
  LinkHandle handle = nullptr;
};

} // namespace

// Whether the text is for a debugger: its variables reach one only where the driver is told to keep them.
static bool is_for_debugger(std::string_view ptx) {
  std::size_t target = ptx.find("\n.target ");
  if (target == ptx.npos) return false;
  std::string_view line = ptx.substr(target + 1);
  return line.substr(0, line.find('\n')).find(", debug") != line.npos;
}

Outcome link(const Driver& driver, std::string_view ptx, std::string& cubin) {
  std::string text(ptx); // with a zero behind it
  Log log;
  LinkState state(driver);
  if (Result result =
          driver.link_create(is_for_debugger(ptx) ? 3 : 2, log.options, log.values, &state.handle))
    return log.outcome("cuLinkCreate", result);
  if (Result result =
          driver.link_add(state.handle, input_ptx, text.data(), text.size() + 1, "kern", 0, nullptr, nullptr))
    return log.outcome("cuLinkAddData", result);
  void* image = nullptr;
  std::size_t bytes = 0;
  if (Result result = driver.link_complete(state.handle, &image, &bytes))
    return log.outcome("cuLinkComplete", result);
  cubin.assign(static_cast<const char*>(image), bytes);
  return {};
}

Outcome load(const Driver& driver, const void* cubin, ModuleHandle& module) {
  Log log;
  Result result = driver.module_load(&module, cubin, 2, log.options, log.values);
  return log.outcome("cuModuleLoadDataEx", result);
}

} // namespace kern::cuda
