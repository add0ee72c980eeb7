// The only place that throws, so that a breakpoint here sees every error.
#include "runtime/api/error.h"

#include <exception>
#include <new>
#include <utility>

namespace kern::runtime {

kern_diagnostic Diagnostic::view() const {
  return {sizeof(kern_diagnostic),      is_error,        code.c_str(),
          {file.c_str(), line, column}, message.c_str(), text.c_str()};
}

Error error_of_exception(const char* what) {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {KERN_OUT_OF_MEMORY, "there is no host memory left", {}, 0, 0};
  } catch (const std::exception& exception) {
    return {KERN_DEVICE_ERROR, std::string(what) + " threw an exception: " + exception.what(), {}, 0, 0};
  } catch (...) {
    return {KERN_DEVICE_ERROR, std::string(what) + " threw something that is no std::exception", {}, 0, 0};
  }
}

void fail(Error error) { throw error; }

void fail(kern_error_kind kind, std::string message) { fail(Error{kind, std::move(message), {}, 0, 0}); }

} // namespace kern::runtime
