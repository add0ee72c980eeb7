// Does what programs do with the JIT, for the main() of runtime_inject.
#include "../runtime_inject/scenarios.h"

#include <vector>

#include "kern/jit.hpp"

namespace {

void expect(bool right, const char* what) {
  if (!right) throw WrongResult(what);
}

kern::Device* device = nullptr;
void open_device() {
  if (!device) device = new kern::Device(kern::Device::cpu({.threads = 2}));
}

// Shared memory, a barrier, an import, a loop, math: each phase has something to do.
constexpr const char* source = R"(
from shared import SCALE

@kernel(block=64)
def smooth(x: f32[:], y: f32[:]):
    tile = shared.array(64, f32)
    i = grid(1)
    t = threadIdx.x
    tile[t] = x[i] if i < x.size else 0.0
    syncthreads()
    total: f32 = 0.0
    for k in range(64):
        total += tile[k] * SCALE
    if i < y.size:
        y[i] = math.sqrt(total) + tile[t]
)";

kern::CompileOptions options() {
  kern::CompileOptions options;
  options.imports = {{"shared.kern", "SCALE = 4.0\n"}};
  return options;
}

void expect_smooth(const kern::Module& module) {
  auto smooth = module.kernel<void(kern::View<const float>, kern::View<float>)>("smooth");
  std::vector<float> x(128, 1), y(128);
  smooth(kern::over(128), kern::in(x), kern::out(y));
  expect(y == std::vector<float>(128, 17), "smooth");
}

void compile() { expect_smooth(kern::compile(*device, source, options())); }

// For GPUs, too, and back.
void write() {
  kern::CompileOptions written = options();
  written.options = {"--arch=sm_80"};
  const kern::Module module = kern::compile(*device, source, written);
  expect(module.ptx().find(".entry smooth") != std::string_view::npos, "ptx");
  expect_smooth(kern::load(*device, module.object()));
}

// LLVM sets itself up once in a process and survives no exception then: the process compiles nothing, and
// says so each time. So it is with what LLVM does under a lock where it makes code for a GPU.
template <void (*run)()> void first() {
  try {
    run();
  } catch (const kern::OutOfMemory& error) {
    const std::string what = error.what();
    if (!what.starts_with("the compiler ran out of memory when it was used first") &&
        !what.starts_with("the compiler ran out of memory while it made code for a GPU"))
      throw;
  }
}

void compile_before() {
  open_device();
  compile();
}

void compile_async() {
  kern::Compilation first = kern::compile_async(*device, source, options());
  kern::Compilation second = kern::compile_async(*device, source, options());
  expect_smooth(second.module());
  expect_smooth(first.module());
}

// An error keeps its kind; what it says in full takes memory of the program.
void refuse() {
  try {
    kern::compile(*device, "@kernel\ndef f(y: f32[:]):\n    y[0] = x\n    y[1] = z\n", options());
    expect(false, "no error");
  } catch (const kern::CompileError& error) {
    expect(error.diagnostics.size() <= 2, "diagnostics");
  }
}

void statuses() {
  kern::Status status;
  kern::Module module = kern::compile(status, *device, source, options());
  if (!status.ok()) {
    expect(status.kind() == KERN_OUT_OF_MEMORY || status.kind() == KERN_DEVICE_ERROR,
           "an error of another kind");
    throw std::bad_alloc();
  }
  expect_smooth(module);
}

} // namespace

const Scenario scenarios[] = {
    {"first compile", first<compile>, open_device, 8},
    {"compile", compile, compile_before, 8},
    {"first write", first<write>, open_device, 8},
    {"async", compile_async, compile_before, 4},
    {"refuse", refuse, compile_before, 8},
    {"statuses", statuses, compile_before, 2},
};
const int scenario_count = sizeof scenarios / sizeof *scenarios;
