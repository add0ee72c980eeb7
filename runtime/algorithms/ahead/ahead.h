// What of the library is compiled ahead of time, into libkern_algorithms.a.
#pragma once

#include <span>

#include "kern/runtime.h"

namespace kern::algorithms {

// A module of the library with certain constants, and the kernels of it that an object has.
struct Ahead {
  const char *module, *defines; // "THREADS=512,ITEMS=16"
  const char* signatures;       // a line each: "sort_pass(u32[:], u32[:], u32[:, :], u32[:, :], i32)"
  const kern_object* object;
};

// Returns all; the build writes the function, as list.cpp says.
std::span<const Ahead> compiled_ahead();

} // namespace kern::algorithms
