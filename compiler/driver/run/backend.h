// Where `kernc run` runs a kernel: one interface, a CPU and a CUDA device behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/compilation.h"
#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/launch.h"
#include "runtime/cpu/record.h"

namespace kern {

// What is launched: a kernel of a compilation, over how many blocks, with how much dynamic shared memory.
struct RunLaunch {
  ir::FunctionId kernel;
  LaunchShape shape;
  std::uint64_t shared_bytes = 0;
  bool prints = false; // collect them
};

// One run of a kernel.
struct RunResult {
  std::string failure; // why the device could not run it; empty where it did
  kern_fault_record fault{};
  cpu::Ring prints;
  double milliseconds = 0; // of the kernel alone
};

class Backend {
public:
  virtual ~Backend() = default;
  // Runs every block over the arguments, whose arrays then hold what the kernel wrote; `blocks_done` counts
  // the blocks for whoever watches, where the device can tell.
  virtual RunResult run(const RunLaunch& launch, std::span<Argument> arguments,
                        std::uint64_t* blocks_done) = 0;
  // Says where it runs, for --time: "2 threads", "NVIDIA H200".
  virtual std::string place() const = 0;
};

// Compile the kernel and make ready to run it. Null where that failed: then the compilation has an error, or
// `failure` says what the machine lacks.
std::unique_ptr<Backend> make_cpu_backend(Compilation& compilation, const RunLaunch& launch,
                                          const TargetOptions& target, std::string& failure);
std::unique_ptr<Backend> make_cuda_backend(Compilation& compilation, const RunLaunch& launch,
                                           TargetOptions target, std::string& failure);

} // namespace kern
