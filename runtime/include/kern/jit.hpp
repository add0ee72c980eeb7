// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels from source text at run time: link kern::jit, which carries the compiler and LLVM.
//
//     kern::Module module = kern::compile(device, "@kernel\ndef f(x: f32[:]):\n    x[grid(1)] = 1.0\n");
//     module.kernel<void(kern::View<float>)>("f")(kern::over(n), x);
#pragma once

#include <chrono>
#include <initializer_list>
#include <map>
#include <string_view>

#include "kern/jit.h"
#include "kern/kern.hpp"

namespace kern::inline v1 {

enum class Dialect : std::uint32_t {
  OfName = KERN_DIALECT_OF_NAME, // what the suffix of the source's name says: .py is Numba's, else Kern
  Kern = KERN_DIALECT_KERN,
  Numba = KERN_DIALECT_NUMBA,
};

// Texts of files by their names. It has the few functions of a map that it takes: a shared library exports those of
// std::map that are not inline, with or without -fvisibility.
class Imports {
public:
  using Text = std::pair<std::string, std::string>;
  Imports() = default;
  Imports(std::initializer_list<Text> texts) { take(texts); }
  Imports(const std::map<std::string, std::string>& texts) { take(texts); }
  // Returns the text of that name, a new one where there is none.
  std::string& operator[](const std::string& name) {
    auto place = texts_.begin();
    while (place != texts_.end() && place->first < name) ++place;
    if (place == texts_.end() || place->first != name) place = texts_.insert(place, Text(name, ""));
    return place->second;
  }
  std::size_t size() const { return texts_.size(); }
  std::vector<Text>::const_iterator begin() const { return texts_.begin(); }
  std::vector<Text>::const_iterator end() const { return texts_.end(); }

private:
  void take(const auto& texts) {
    for (const auto& [name, text] : texts) (*this)[name] = text;
  }
  std::vector<Text> texts_; // by ascending names
};

struct CompileOptions {
  std::string name = "<source>";       // of the source, in messages
  std::vector<std::string> defines;    // "TILE=16": replace values of module constants
  std::vector<std::string> signatures; // "f(f32[:], i64)": instances of functions without annotations
  Dialect dialect = Dialect::OfName;
  std::vector<std::string> options; // of kernc, as on its command line: "--lanes=32", "-Wno-race"
  // Texts of files that the source, and these files, may import: by path, "pkg/shared.kern", or module, "pkg.shared".
  Imports imports;
  std::vector<std::string> folders; // where imported files are looked for, behind these
  // Receives warnings and errors; without it warnings go to on_log().
  std::vector<Diagnostic>* diagnostics = nullptr;
  bool clamp = false;       // as `kernc --on-fault=clamp`: a thread with a bad index goes on
  bool cancellable = false; // as `kernc --cancellable`: launches can be cancelled and have a time limit
  bool debug = false;       // as `kernc -O0 -g`: slow code whose variables a debugger shows
};

// Options as the C interface has them; they point into those that they are made of.
class PlainOptions {
public:
  explicit PlainOptions(const CompileOptions& options)
      : defines_(pointers(options.defines)), signatures_(pointers(options.signatures)),
        folders_(pointers(options.folders)), words_(pointers(options.options)) {
    for (const auto& [name, text] : options.imports)
      imports_.push_back({name.c_str(), text.data(), text.size()});
    plain_.struct_size = sizeof plain_;
    plain_.dialect = static_cast<std::uint32_t>(options.dialect);
    plain_.name = options.name.c_str();
    plain_.defines = list(defines_);
    plain_.signatures = list(signatures_);
    plain_.folders = list(folders_);
    plain_.options = list(words_);
    plain_.imports = imports_.data();
    plain_.import_count = imports_.size();
    plain_.context = options.diagnostics;
    plain_.debug = options.debug;
    plain_.clamp = options.clamp;
    plain_.cancellable = options.cancellable;
    if (options.diagnostics)
      plain_.on_diagnostic = [](void* context, const kern_diagnostic* diagnostic) {
        static_cast<std::vector<Diagnostic>*>(context)->push_back(diagnostic_of(*diagnostic));
      };
  }
  const kern_compile_options* get() const { return &plain_; }

private:
  using Pointers = std::vector<const char*>;
  static Pointers pointers(const std::vector<std::string>& texts) {
    Pointers list;
    for (const std::string& text : texts) list.push_back(text.c_str());
    return list;
  }
  static kern_texts list(const Pointers& texts) { return {texts.data(), texts.size()}; }

  Pointers defines_, signatures_, folders_, words_;
  std::vector<kern_source> imports_;
  kern_compile_options plain_{};
};

// Compiles a source for a device and loads it; any thread may, several at once. A source that is wrong is a
// CompileError. "std:reduce" as a source is that file of the standard library, whose kernels `signatures` gives types and
// `defines` operations. The module keeps nothing of the arguments; its code goes with the last module, kernel or
// launch that needs it. Sources can import the standard library, and files only of `options.imports` and
// `options.folders`.
inline Module compile(Status& status, const Device& device, std::string_view source,
                      const CompileOptions& options = {}) noexcept {
  ModuleHandle module;
  const bool is_enough = Status::with_memory([&] {
    status.take(kern_compile(device.get(), source.data(), source.size(), PlainOptions(options).get(),
                             module.receive()));
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

using CompilationHandle = Handle<kern_compilation, kern_compilation_retain, kern_compilation_release>;

// A source that is being compiled. While it is held, equal requests have its module at once.
class Compilation {
public:
  Compilation() = default;
  Compilation(Device device, CompilationHandle handle)
      : device_(std::move(device)), handle_(std::move(handle)) {}
  // Waits for the module; throws what compile() does. Then `options.diagnostics` has its list.
  Module module() const {
    Status status;
    Module made = module(status);
    status.raise();
    return made;
  }
  Module module(Status& status) const noexcept {
    ModuleHandle made;
    status.take(kern_compilation_module(handle_.get(), made.receive()));
    return Module(device_, std::move(made));
  }
  // Waits until it is done, but no longer than that; says whether it is, with its module or an error.
  template <class Rep, class Period> bool wait_for(std::chrono::duration<Rep, Period> time) const {
    Status status;
    bool is_done = wait_for(status, time);
    status.raise();
    return is_done;
  }
  template <class Rep, class Period>
  bool wait_for(Status& status, std::chrono::duration<Rep, Period> time) const noexcept {
    int done = 0;
    const double seconds = std::chrono::duration<double>(time).count();
    status.take(kern_compilation_wait(handle_.get(), seconds > 0 ? seconds : 0, &done));
    return done != 0;
  }
  kern_compilation* get() const { return handle_.get(); }

private:
  Device device_;
  CompilationHandle handle_;
};

// Begins to compile a source, and returns at once. Equal requests, those of compile() too, are compiled once.
inline Compilation compile_async(Status& status, const Device& device, std::string_view source,
                                 const CompileOptions& options = {}) noexcept {
  CompilationHandle compilation;
  const bool is_enough = Status::with_memory([&] {
    status.take(kern_compile_async(device.get(), source.data(), source.size(), PlainOptions(options).get(),
                                   compilation.receive()));
  });
  if (!is_enough) status.refuse_memory();
  return Compilation(device, std::move(compilation));
}
inline Compilation compile_async(const Device& device, std::string_view source,
                                 const CompileOptions& options = {}) {
  Status status;
  Compilation compilation = compile_async(status, device, source, options);
  status.raise();
  return compilation;
}

struct CompileRequest {
  std::string source;
  CompileOptions options = {};
};

// Begins to compile a list of sources. While the compilations are held, compile() of an equal request has its module at
// once, or waits for the rest of the time that it takes.
inline std::vector<Compilation> warm_up(Status& status, const Device& device,
                                        const std::vector<CompileRequest>& requests) noexcept {
  std::vector<Compilation> begun;
  const bool is_enough = Status::with_memory([&] {
    for (const CompileRequest& request : requests)
      begun.push_back(compile_async(status, device, request.source, request.options));
  });
  if (!is_enough) status.refuse_memory();
  return begun;
}
inline std::vector<Compilation> warm_up(const Device& device, const std::vector<CompileRequest>& requests) {
  Status status;
  std::vector<Compilation> begun = warm_up(status, device, requests);
  status.raise();
  return begun;
}

// Loads an object of kernc or of Module::object(), or PTX of Module::ptx(); its bytes may go at once. What is in them is
// run: they come from where the program itself does.
inline Module load(Status& status, const Device& device, std::string_view bytes) noexcept {
  ModuleHandle module;
  status.take(kern_load(device.get(), bytes.data(), bytes.size(), module.receive()));
  return Module(device, std::move(module));
}
inline Module load(const Device& device, std::string_view bytes) {
  Status status;
  Module module = load(status, device, bytes);
  status.raise();
  return module;
}

} // namespace kern::inline v1
