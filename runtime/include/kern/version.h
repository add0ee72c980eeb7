// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version of Kern, by Semantic Versioning: of these headers as macros, of the runtime that is linked as functions. The
// build takes it from here.
#ifndef KERN_VERSION_H
#define KERN_VERSION_H

#include <stdint.h>

#define KERN_VERSION_MAJOR 0
#define KERN_VERSION_MINOR 1
#define KERN_VERSION_PATCH 0
#define KERN_VERSION_STRING "0.1.0"

// A number that grows with the version, for the preprocessor: #if KERN_VERSION_NUMBER >= KERN_MAKE_VERSION(0, 2, 0)
#define KERN_MAKE_VERSION(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define KERN_VERSION_NUMBER KERN_MAKE_VERSION(KERN_VERSION_MAJOR, KERN_VERSION_MINOR, KERN_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif
#ifdef KERN_EXPORTS // where the shared library is built: these are its names
#pragma GCC visibility push(default)
#endif

// The version of the runtime that is linked: "0.1.0".
const char* kern_version(void);
// The same as KERN_VERSION_NUMBER of it.
uint32_t kern_version_number(void);

#ifdef KERN_EXPORTS
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
