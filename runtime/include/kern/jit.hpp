// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels from source text at run time: link kern::jit, which carries the compiler and LLVM.
//
//     kern::Module module = kern::compile(device, "@kernel\ndef f(x: f32[:]):\n    x[grid(1)] = 1.0\n");
//     module.kernel<void(kern::View<float>)>("f")(kern::over(n), x);
#pragma once

#include <string_view>

#include "kern/jit.h"
#include "kern/kern.hpp"

namespace kern::inline v1 {

enum class Dialect : std::uint32_t {
  OfName = KERN_DIALECT_OF_NAME, // what the suffix of the source's name says: .py is Numba's, else Kern
  Kern = KERN_DIALECT_KERN,
  Numba = KERN_DIALECT_NUMBA,
};

struct CompileOptions {
  std::string name = "<source>";       // of the source, in messages
  std::vector<std::string> defines;    // "TILE=16": replace values of module constants
  std::vector<std::string> signatures; // "f(f32[:], i64)": instances of functions without annotations
  Dialect dialect = Dialect::OfName;
  std::vector<std::string> folders; // where imported files are looked for, beside the standard library
  std::vector<Diagnostic>* diagnostics = nullptr; // receives warnings and errors
  bool clamp = false; // as `kernc --on-fault=clamp`: a thread with a bad index goes on
  bool debug = false; // as `kernc -O0 -g`: slow code whose variables a debugger shows
};

// Compiles a source for a device and loads it; any thread may, several at once. A source that is wrong is a
// CompileError. The module keeps nothing of the arguments; its code goes with the last module, kernel or
// launch that needs it. Sources can import the standard library, and files only of `options.folders`.
inline Module compile(Status& status, const Device& device, std::string_view source,
                      const CompileOptions& options = {}) noexcept {
  ModuleHandle module;
  const bool is_enough = Status::with_memory([&] {
    auto pointers = [](const std::vector<std::string>& texts) {
      std::vector<const char*> list;
      for (const std::string& text : texts) list.push_back(text.c_str());
      return list;
    };
    const std::vector<const char*> defines = pointers(options.defines), folders = pointers(options.folders),
                                   signatures = pointers(options.signatures);
    kern_compile_options plain{};
    plain.struct_size = sizeof plain;
    plain.dialect = static_cast<std::uint32_t>(options.dialect);
    plain.name = options.name.c_str();
    plain.defines = {defines.data(), defines.size()};
    plain.signatures = {signatures.data(), signatures.size()};
    plain.folders = {folders.data(), folders.size()};
    plain.context = options.diagnostics;
    plain.debug = options.debug;
    plain.clamp = options.clamp;
    if (options.diagnostics)
      plain.on_diagnostic = [](void* context, const kern_diagnostic* diagnostic) {
        static_cast<std::vector<Diagnostic>*>(context)->push_back(diagnostic_of(*diagnostic));
      };
    status.take(kern_compile(device.get(), source.data(), source.size(), &plain, module.receive()));
  });
  if (!is_enough) status.refuse_memory();
  return Module(device, std::move(module));
}

// The same; throws CompileError, or DeviceError where the device does not take the code.
inline Module compile(const Device& device, std::string_view source, const CompileOptions& options = {}) {
  Status status;
  Module module = compile(status, device, source, options);
  status.raise();
  return module;
}

} // namespace kern::inline v1
