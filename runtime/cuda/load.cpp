// The driver finds what it compiled before whether or not a log is asked for, so that one call does for both.
#include "runtime/cuda/load.h"

#include <cstdint>
#include <vector>

namespace kern::cuda {

namespace {

// The driver's CUjit_option.
enum class Option : int { ErrorLog = 5, ErrorLogBytes = 6, DebugInfo = 11, LineInfo = 13 };

class Options {
public:
  void add(Option option, std::uintptr_t value) {
    options_.push_back(static_cast<int>(option));
    values_.push_back(reinterpret_cast<void*>(value)); // NOLINT(performance-no-int-to-ptr)
  }
  Outcome load(const Driver& driver, const void* image, ModuleHandle& module) {
    std::string log(8192, '\0');
    add(Option::ErrorLog, reinterpret_cast<std::uintptr_t>(log.data()));
    add(Option::ErrorLogBytes, log.size());
    auto count = static_cast<unsigned>(options_.size());
    Result result = driver.module_load(&module, image, count, options_.data(), values_.data());
    return {result, log.c_str()};
  }

private:
  std::vector<int> options_;
  std::vector<void*> values_;
};

} // namespace

// Whether the text is for a debugger: its variables and lines reach one only where the driver is told to keep
// them, and then it does not optimise.
static bool is_for_debugger(std::string_view ptx) {
  std::size_t target = ptx.find("\n.target ");
  if (target == ptx.npos) return false;
  std::string_view line = ptx.substr(target + 1);
  return line.substr(0, line.find('\n')).find(", debug") != line.npos;
}

Outcome load_cubin(const Driver& driver, const void* cubin, ModuleHandle& module) {
  return Options().load(driver, cubin, module);
}

Outcome load_ptx(const Driver& driver, std::string_view ptx, ModuleHandle& module) {
  Options options;
  if (is_for_debugger(ptx)) {
    options.add(Option::DebugInfo, 1);
    options.add(Option::LineInfo, 1);
  }
  // With a zero behind it, by which the driver knows its end.
  return options.load(driver, std::string(ptx).c_str(), module);
}

} // namespace kern::cuda
