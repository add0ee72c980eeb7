// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets what environment variables would, and where the runtime's own lines go.
#pragma once

#include "kern/error.hpp"

namespace kern::inline v1 {

// Sets what an environment variable of Kern sets, for what is read from now on: set("KERN_CPU_THREADS", "4"). Null: what the
// environment says. An unknown name, or a value that it does not take, is an ArgumentError.
inline void set(Status& status, const char* name, const char* value) noexcept {
  status.take(kern_set(name, value));
}
inline void set(const char* name, const char* value) {
  Status status;
  set(status, name, value);
  status.raise();
}

// Says where warnings and faults that nobody collected go, instead of stderr; null: there. It is called by any thread, one at
// a time, and may wait for threads whose lines come meanwhile. To set another one waits for a call that is under way, but inside of one.
inline void on_log(kern_log_function log, void* context = nullptr) { kern_set_log(log, context); }

} // namespace kern::inline v1
