// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface of the JIT: source text becomes a module, as kernc makes objects of files. Link kern::jit,
// which carries the compiler and LLVM. C++ programs include <kern/jit.hpp>.
#ifndef KERN_JIT_H
#define KERN_JIT_H

#include "kern/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kern_dialect {
  KERN_DIALECT_OF_NAME, // what the suffix of the source's name says: .py is Numba's, everything else Kern
  KERN_DIALECT_KERN,
  KERN_DIALECT_NUMBA
} kern_dialect;

// A list of texts that end in 0.
typedef struct kern_texts {
  const char* const* data;
  uint64_t count;
} kern_texts;

// A file that sources may import, as text.
typedef struct kern_source {
  const char* name; // its path, "shared.kern" or "pkg/shared.py", or its module's name, "pkg.shared"
  const char* text;
  uint64_t bytes;
} kern_source;

typedef struct kern_compile_options {
  uint32_t struct_size;
  uint32_t dialect;      // a kern_dialect
  const char* name;      // of the source, in messages; null: "<source>"
  kern_texts defines;    // "TILE=16": replace values of module constants
  kern_texts signatures; // "f(f32[:], i64)": instances of functions without annotations
  kern_texts folders; // where imported files are looked for, behind `imports` and before the standard library
  // Called for each warning and error, before kern_compile returns. Null: warnings go to the function of kern_set_log.
  void (*on_diagnostic)(void* context, const kern_diagnostic* diagnostic);
  void* context;
  uint32_t debug;             // not 0: as `kernc -O0 -g`, slow code whose variables a debugger shows
  uint32_t clamp;             // not 0: as `kernc --on-fault=clamp`, a thread with a bad index goes on
  kern_texts options;         // of kernc, as on its command line: "--lanes=32", "-Wno-race"
  const kern_source* imports; // what the source and these files themselves may import
  uint64_t import_count;
  uint32_t cancellable; // not 0: as `kernc --cancellable`, launches can be cancelled and have a time limit
} kern_compile_options;

// Compiles a source for a device and loads it; any thread may, several at once. Nothing of the arguments is
// kept. What is wrong with the source is a KERN_COMPILE_ERROR, whose message is what kernc would write. The
// code goes when no module, kernel or launch needs it any more. `options` may be null. A source "std:reduce" is
// that file of the standard library.
kern_error* kern_compile(kern_device* device, const char* source, uint64_t bytes,
                         const kern_compile_options* options, kern_module** module);

// Begins the same, and returns at once; nothing of the arguments is kept but on_diagnostic and its context. Equal
// requests, of kern_compile too, are compiled once: those of the same moment, and while a compilation is held, those that
// come later (unless it failed, or looks into folders). Threads of the library do it; where there are none, this call.
typedef struct kern_compilation kern_compilation;
kern_error* kern_compile_async(kern_device* device, const char* source, uint64_t bytes,
                               const kern_compile_options* options, kern_compilation** compilation);
// Waits until it is done, whatever comes of it; `seconds` below 0: as long as that takes. `done` may be null.
kern_error* kern_compilation_wait(kern_compilation* compilation, double seconds, int* done);
// Waits for the module, or for what is wrong; calls on_diagnostic the first time.
kern_error* kern_compilation_module(kern_compilation* compilation, kern_module** module);
kern_compilation* kern_compilation_retain(kern_compilation* compilation);
// Lets go of a compilation. One that has not begun when its last holder lets go is not done.
void kern_compilation_release(kern_compilation* compilation);

// Loads an object of kernc, or of kern_module_object, or PTX of kern_module_ptx; nothing of the bytes is kept. It runs what
// is in them: they come from where the program itself does.
kern_error* kern_load(kern_device* device, const void* data, uint64_t bytes, kern_module** module);

#ifdef __cplusplus
}
#endif

#endif
