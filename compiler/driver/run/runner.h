// A device of the runtime as `kernc run` uses it: one kernel, loaded, that runs over arguments in host
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/jit/object.h"
#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/launch.h"
#include "compiler/driver/streams.h"
#include "kern/runtime.h"

namespace kern {

// Over what a kernel runs, and with how much dynamic shared memory.
struct RunLaunch {
  LaunchShape shape;
  std::uint64_t shared_bytes = 0;
};

// One run of a kernel.
struct RunResult {
  std::string failure;            // why it could not run; "" where it did
  ExitCode code = ExitCode::Done; // of the failure
  kern_fault_record fault{};      // state 0: none
  std::string printed;
  double milliseconds = 0; // of the kernel alone
};

// Gives a handle of the runtime back.
struct ReleaseHandle {
  void operator()(kern_error* error) const { kern_error_free(error); }
  void operator()(kern_device* device) const { kern_device_release(device); }
  void operator()(kern_stream* stream) const { kern_stream_release(stream); }
  void operator()(kern_event* event) const { kern_event_release(event); }
  void operator()(kern_buffer* buffer) const { kern_buffer_release(buffer); }
  void operator()(kern_module* module) const { kern_module_release(module); }
  void operator()(kern_kernel* kernel) const { kern_kernel_release(kernel); }
};
template <class T> using Held = std::unique_ptr<T, ReleaseHandle>;

class Runner {
public:
  // Opens "cpu", or "cuda": the first GPU; null where there is none, and then `failure` says why.
  static std::unique_ptr<Runner> open(std::string_view device, std::string& failure);
  const kern_device* device() const { return device_.get(); }
  kern_device_info info() const;
  // Says what it is: "cpu", "cuda".
  const std::string& name() const { return name_; }
  // Says where it runs, for --time: "2 threads", "NVIDIA H200".
  std::string place() const;
  // Loads an object and finds its one kernel; false where the device says no, and then `failure` says why.
  bool load(std::unique_ptr<JitObject> object, const ir::Function& kernel, std::string& failure);
  // Runs every block over the arguments, whose arrays then hold what the kernel wrote; the report counts
  // blocks for whoever watches.
  RunResult run(const RunLaunch& launch, std::span<Argument> arguments, kern_launch_report& report);

private:
  explicit Runner(std::string_view name) : name_(name) {}
  kern_error* pass(std::size_t index, Argument& argument, kern_argument& given, Held<kern_buffer>& buffer);
  kern_error* launch(const RunLaunch& launch, std::span<const kern_argument> arguments,
                     kern_launch_report& report);
  kern_error* read_back(std::span<Argument> arguments, std::span<const Held<kern_buffer>> buffers);

  std::string name_;
  Held<kern_device> device_;
  Held<kern_stream> stream_;
  Held<kern_module> module_;
  Held<kern_kernel> kernel_;
  std::vector<Type> types_; // of the kernel's parameters
};

} // namespace kern
