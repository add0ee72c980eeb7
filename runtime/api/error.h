// Declares what the runtime reports, and the one function that throws it. Inside of runtime/ errors are
// exceptions; the C interface hands them out as values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kern/runtime.h"

namespace kern::runtime {

// A fault in words: all that kern_fault_info points to.
struct Fault {
  std::string kernel, code, file, array;
  std::uint32_t line = 0, column = 0;
  kern_fault_record record{};
  struct Call {
    std::string file;
    std::uint32_t line, column;
  };
  std::vector<Call> calls;
  std::uint64_t bad_threads = 0; // that had a bad index or value and went on
  bool went_on = false;          // the thread of this one did
};

// An error or a warning of the compiler about a source.
struct Diagnostic {
  bool is_error = true;
  std::string code, file;
  std::uint32_t line = 0, column = 0; // 0: the whole
  std::string message, text;          // `text` as kernc writes it
  // Returns it for the C interface; it points here.
  kern_diagnostic view() const;
};

struct Error {
  kern_error_kind kind = KERN_NO_ERROR;
  std::string message;
  std::optional<Fault> fault;
  std::uint64_t bytes_asked = 0, bytes_available = 0;
  std::vector<Diagnostic> diagnostics = {};
  std::uint64_t bytes_held = 0;
};

// Says in words what is being handled: an exception that is not the runtime's, out of `what`. Callbacks of the
// program throw what they like, and the C++ library where the system has no more threads or memory.
Error error_of_exception(const char* what);
// Makes an error of the C interface of it; without memory, of that.
[[gnu::cold]] kern_error* caught_error() noexcept;
// Makes an error of the C interface.
kern_error* make_error(Error error);
// Takes what an error of the C interface says, which goes with it.
Error take_error(kern_error* error);
// Throws an error of that kind.
[[noreturn, gnu::cold]] void fail(kern_error_kind kind, std::string message);
// Throws an error.
[[noreturn, gnu::cold]] void fail(Error error);

} // namespace kern::runtime
