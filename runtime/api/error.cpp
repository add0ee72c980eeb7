// The only place that throws, so that a breakpoint here sees every error.
#include "runtime/api/error.h"

#include <utility>

namespace kern::runtime {

kern_diagnostic Diagnostic::view() const {
  return {sizeof(kern_diagnostic),      is_error,        code.c_str(),
          {file.c_str(), line, column}, message.c_str(), text.c_str()};
}

void fail(Error error) { throw error; }

void fail(kern_error_kind kind, std::string message) { fail(Error{kind, std::move(message), {}, 0, 0}); }

} // namespace kern::runtime
