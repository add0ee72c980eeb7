// The only place that throws, so that a breakpoint here sees every error.
#include "runtime/api/error.h"

#include <utility>

namespace kern::runtime {

void fail(Error error) { throw error; }

void fail(kern_error_kind kind, std::string message) { fail(Error{kind, std::move(message), {}, 0, 0}); }

} // namespace kern::runtime
