// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares what goes wrong, as exceptions and as values.
#pragma once

#if __cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L)
#error "Kern's headers are C++20: compile with -std=c++20 or later (CMake: CMAKE_CXX_STANDARD 20)"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#if defined(__cpp_exceptions)
#include <exception>
#endif

#include "kern/runtime.h"

namespace kern::inline v1 {

// A place in a .kern or .py file; line and column count from 1.
struct Place {
  std::string file;
  std::uint32_t line = 0, column = 0;
};

// A thread that left its kernel; everything else lives on.
struct FaultDetails {
  std::string kernel;
  std::string code; // "index", "assert", "division", ...
  Place place;
  std::string array; // as written in the source; the message of an assert
  int axis = 0;
  std::int64_t index = 0, extent = 0;
  std::uint32_t block[3] = {}, thread[3] = {};
  std::uint64_t launch = 0;      // its number on its stream, from 1
  std::vector<Place> calls;      // that led there, innermost first
  std::uint32_t kind = 0;        // the row of faults.def
  std::uint32_t site = 0;        // its index in the manifest
  std::uint64_t bad_threads = 0; // of the launch, that had a bad index or value and went on
  bool went_on = false;          // the thread did not leave its kernel
};

// A fault that is told to whoever asks, instead of thrown.
struct FaultReport : FaultDetails {
  std::string message; // one sentence; notes follow on lines of their own
};

// The ways in which the faults of a launch are told.
enum class OnFault : std::uint32_t {
  OfStream = KERN_FAULTS_OF_STREAM, // what the stream does: throw, unless Stream::on_fault says otherwise
  Throw = KERN_FAULTS_THROW,
  Report = KERN_FAULTS_REPORT, // kept for Stream::take_reports
};

// An error or a warning of the compiler about a source (<kern/jit.hpp>).
struct Diagnostic {
  bool is_error = true; // else a warning
  std::string code;     // "E0302"
  Place place;          // line 0: the whole
  std::string message;  // one sentence
  std::string text;     // as kernc writes it: the place, the source's line, a caret, notes
};

inline Diagnostic diagnostic_of(const kern_diagnostic& from) {
  return {from.is_error != 0,
          from.code,
          {from.place.file, from.place.line, from.place.column},
          from.message,
          from.text};
}

#if defined(__cpp_exceptions)
// Whatever the runtime throws.
class Error : public std::exception {
public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  // Returns one sentence; notes follow on lines of their own.
  const char* what() const noexcept override { return message_.c_str(); }

private:
  std::string message_;
};
// An argument or a launch is wrong; nothing ran.
struct ArgumentError : Error {
  using Error::Error;
};
// An assert at the head of a kernel does not hold; nothing ran.
struct ContractError : Error {
  using Error::Error;
};
// A kernel faulted.
struct KernelFault : Error, FaultDetails {
  KernelFault(std::string message, FaultDetails details)
      : Error(std::move(message)), FaultDetails(std::move(details)) {}
};
struct OutOfMemory : Error {
  OutOfMemory(std::string message, std::uint64_t asked_bytes, std::uint64_t available_bytes,
              std::uint64_t held_bytes = 0)
      : Error(std::move(message)), asked(asked_bytes), available(available_bytes), held(held_bytes) {}
  std::uint64_t asked, available; // bytes; available 0: not known
  std::uint64_t held;             // by the buffers of the device
};
// A source is wrong; what() is what kernc writes about it.
struct CompileError : Error {
  CompileError(std::string message, std::vector<Diagnostic> found)
      : Error(std::move(message)), diagnostics(std::move(found)) {}
  std::vector<Diagnostic> diagnostics;
};
// A device, driver or object says no.
struct DeviceError : Error {
  using Error::Error;
};
// A launch was told to end by Stream::cancel. Where a thread was stopped, `place` and what follows say where; else nothing
// of the launch ran, or some of its blocks did not.
struct Cancelled : Error, FaultDetails {
  Cancelled(std::string message, FaultDetails details)
      : Error(std::move(message)), FaultDetails(std::move(details)) {}
};
// A launch took longer than its time limit (Launch::within), and was told to end.
struct DeadlinePassed : Cancelled {
  using Cancelled::Cancelled;
};
// The device is gone for this process: the only error to restart for.
struct DeviceLost : DeviceError {
  using DeviceError::DeviceError;
};
#endif

// How calls went; for those who do not want exceptions. Starts as good, and keeps the first error until it is
// cleared, whatever later calls say: a look behind several calls sees whether all of them were good.
class Status {
public:
  bool ok() const { return kind_ == KERN_NO_ERROR; }
  explicit operator bool() const { return ok(); }
  kern_error_kind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  // Returns the fault, or where a thread was stopped of a launch that was told to end; all of it empty where there is none.
  const FaultDetails& fault() const { return fault_; }
  // Returns what the compiler said; nothing where the error is of another kind.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  std::uint64_t bytes_asked() const { return memory_.asked; }
  std::uint64_t bytes_available() const { return memory_.available; }
  std::uint64_t bytes_held() const { return memory_.held; }

  // Makes it good again.
  void clear() { *this = Status(); }

  // Takes over what a C function returned; says whether that was good.
  bool take(kern_error* error) noexcept {
    if (!error) return true;
    if (!ok()) {
      kern_error_free(error);
      return false;
    }
    kind_ = kern_error_get_kind(error);
    with_memory([&] { take_details(error); });
    kern_error_free(error);
    return false;
  }

  // Takes over how other calls went; says whether that was good.
  bool take(const Status& other) noexcept {
    if (ok() && !other.ok() && !with_memory([&] { *this = other; })) kind_ = other.kind_;
    return other.ok();
  }

  // Makes it an ArgumentError.
  void refuse(std::string message) {
    if (!ok()) return;
    kind_ = KERN_ARGUMENT_ERROR;
    message_ = std::move(message);
  }
  // Likewise, with the words that a function returns; without memory for them, of that kind all the same.
  template <class Function>
    requires requires(Function words) { std::string(words()); }
  void refuse(Function words) noexcept {
    if (!ok()) return;
    kind_ = KERN_ARGUMENT_ERROR;
    with_memory([&] { message_ = words(); });
  }
  // Makes it an OutOfMemory with numbers of bytes and the words that a function returns.
  template <class Function>
  void refuse_memory(std::uint64_t asked, std::uint64_t available, Function words) noexcept {
    if (!ok()) return;
    kind_ = KERN_OUT_OF_MEMORY;
    memory_.asked = asked, memory_.available = available;
    with_memory([&] { message_ = words(); });
  }
  // Makes it an OutOfMemory: of the program's own memory.
  void refuse_memory() noexcept {
    if (ok()) kind_ = KERN_OUT_OF_MEMORY;
  }
  // Does what takes memory of the program; says whether there was enough. Without exceptions the process ends where there
  // is none, as it does anywhere else in such a program.
  template <class Function> static bool with_memory(Function&& function) noexcept {
#if defined(__cpp_exceptions)
    try {
      function();
    } catch (...) {
      return false;
    }
#else
    function();
#endif
    return true;
  }

  // Throws the error, if there is one; without exceptions writes it and aborts.
  void raise() const {
    switch (kind_) {
    case KERN_NO_ERROR: return;
#if defined(__cpp_exceptions)
    case KERN_ARGUMENT_ERROR: throw ArgumentError(message_);
    case KERN_CONTRACT_ERROR: throw ContractError(message_);
    case KERN_KERNEL_FAULT: throw KernelFault(message_, fault_);
    case KERN_OUT_OF_MEMORY: throw OutOfMemory(message_, memory_.asked, memory_.available, memory_.held);
    case KERN_COMPILE_ERROR: throw CompileError(message_, diagnostics_);
    case KERN_DEVICE_ERROR: throw DeviceError(message_);
    case KERN_DEVICE_LOST: throw DeviceLost(message_);
    case KERN_CANCELLED: throw Cancelled(message_, fault_);
    case KERN_DEADLINE: throw DeadlinePassed(message_, fault_);
    }
    throw Error(message_);
#else
    case KERN_ARGUMENT_ERROR:
    case KERN_CONTRACT_ERROR:
    case KERN_KERNEL_FAULT:
    case KERN_OUT_OF_MEMORY:
    case KERN_COMPILE_ERROR:
    case KERN_DEVICE_ERROR:
    case KERN_DEVICE_LOST:
    case KERN_CANCELLED:
    case KERN_DEADLINE: break;
    }
    std::fprintf(stderr, "kern: %s\n", message_.c_str());
    std::abort();
#endif
  }

private:
  void take_details(const kern_error* error) {
    // Numbers first: they take no memory.
    memory_.struct_size = sizeof memory_;
    kern_error_get_memory(error, &memory_);
    kern_fault_info info{};
    info.struct_size = sizeof info;
    const bool is_fault = kern_error_get_fault(error, &info);
    if (is_fault) take_numbers(info);
    message_ = kern_error_message(error);
    if (is_fault) take_words(info);
    kern_diagnostic diagnostic{};
    for (std::uint64_t i = 0; i < kern_error_diagnostic_count(error); ++i) {
      diagnostic.struct_size = sizeof diagnostic;
      if (kern_error_get_diagnostic(error, i, &diagnostic)) diagnostics_.push_back(diagnostic_of(diagnostic));
    }
  }

  void take_numbers(const kern_fault_info& info) {
    fault_.axis = info.axis;
    fault_.index = info.index, fault_.extent = info.extent;
    for (int axis = 0; axis < 3; ++axis)
      fault_.block[axis] = info.block[axis], fault_.thread[axis] = info.thread[axis];
    fault_.launch = info.launch;
    fault_.kind = info.kind, fault_.site = info.site;
    fault_.bad_threads = info.bad_threads;
    fault_.went_on = info.went_on != 0;
    fault_.place.line = info.place.line, fault_.place.column = info.place.column;
  }

  void take_words(const kern_fault_info& info) {
    fault_.kernel = info.kernel;
    fault_.code = info.code;
    fault_.place.file = info.place.file;
    fault_.array = info.array;
    for (std::uint64_t i = 0; i < info.call_count; ++i)
      fault_.calls.push_back({info.calls[i].file, info.calls[i].line, info.calls[i].column});
  }

  kern_error_kind kind_ = KERN_NO_ERROR;
  std::string message_;
  FaultDetails fault_;
  kern_memory_info memory_{};
  std::vector<Diagnostic> diagnostics_;
};

// Throws what a C function returned, if it is an error; costs nothing where it is none.
inline void raise(kern_error* error) {
  if (!error) return;
  Status status;
  status.take(error);
  status.raise();
}

} // namespace kern::inline v1
