// What the runtime reports, and the one function that throws it. Inside of runtime/ errors are exceptions;
// the C interface hands them out as values.
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
};

struct Error {
  kern_error_kind kind = KERN_NO_ERROR;
  std::string message;
  std::optional<Fault> fault;
  std::uint64_t bytes_asked = 0, bytes_available = 0;
};

// Throws an error of that kind.
[[noreturn]] void fail(kern_error_kind kind, std::string message);
// Throws an error.
[[noreturn]] void fail(Error error);

} // namespace kern::runtime
