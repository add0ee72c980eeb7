// The NVIDIA driver, found at run time: a program that uses it starts on machines that have none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kern::cuda {

// The driver's own; kern:: has classes with some of these names.
struct Context;
struct Module;
struct Function;
struct Event;
struct Stream;
struct Graph;
struct GraphExec;

using Result = int; // CUresult; 0 is success
using DeviceHandle = int;
using ContextHandle = Context*;
using ModuleHandle = Module*;
using FunctionHandle = Function*;
using EventHandle = Event*;
using StreamHandle = Stream*;
using GraphHandle = Graph*;
using GraphExecHandle = GraphExec*;
using Address = std::uint64_t; // CUdeviceptr

// CUlaunchAttribute, of which only one is in use.
struct LaunchAttribute {
  static constexpr int cooperative = 2;
  int id = 0;
  alignas(8) int value = 0;
  char rest[60] = {};
};

// CUlaunchConfig.
struct LaunchConfig {
  std::array<unsigned, 3> grid, block;
  unsigned shared_bytes = 0;
  StreamHandle stream = nullptr;
  const LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

struct Driver {
#define DRIVER(Name, Symbol, Params) Result(*Name) Params = nullptr;
#define DRIVER_SINCE(Name, Symbol, Params) DRIVER(Name, Symbol, Params)
#include "runtime/cuda/driver.def"
};

// Loads libcuda.so.1 (KERN_LIBCUDA names another file) and initialises it, once in a process. Returns null
// where that fails; `reason` then says what was missing.
const Driver* load_driver(std::string& reason);

// Returns "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(const Driver& driver, const char* call, Result result);

} // namespace kern::cuda
