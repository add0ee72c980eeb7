// A device of the runtime as `kernc run` uses it: kernels, loaded, that run one after the other over arrays in
// host memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/jit/object.h"
#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/launch.h"
#include "compiler/driver/session/streams.h"
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
  kern_fault_record note{};       // of the first thread that went on at a bad index; state 0: none
  std::uint64_t bad_threads = 0;  // that went on
  std::string printed;
  double milliseconds = 0; // of the kernel alone
  bool timed_out = false;  // --timeout ended it
  bool is_refused = false; // its arguments were, which has been reported
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

// A kernel that a device has.
struct LoadedKernel {
  Held<kern_module> module;
  Held<kern_kernel> kernel;
  std::vector<Type> types; // of its parameters
};

// The copies that a device has of arrays in host memory, from the first launch that takes them. A CPU uses
// the arrays where they are, and nothing is kept here.
struct DeviceArrays {
  struct Copy {
    Held<kern_buffer> buffer;
    bool is_newer = false; // a kernel may have written it
  };
  std::map<HostArray*, Copy> copies;
};

class Runner {
public:
  // Opens "cpu", or "cuda": the first GPU; null where there is none, and then `failure` says why. `number` is
  // this one's among those of a run.
  static std::unique_ptr<Runner> open(std::string_view device, std::size_t number, std::string& failure);
  const kern_device* device() const { return device_.get(); }
  kern_device_info info() const;
  // Says what it is: "cpu", "cuda".
  const std::string& name() const { return name_; }
  std::size_t number() const { return number_; }
  // Says where it runs, for --time: "2 threads", "NVIDIA H200".
  std::string place() const;
  // Loads an object and finds its one kernel; null where the device says no, and then `failure` says why.
  std::unique_ptr<LoadedKernel> load(std::unique_ptr<JitObject> object, const ir::Function& kernel,
                                     std::string& failure);
  // Returns the block of a launch that names none; nothing where the device says no, and then `failure` says why.
  std::optional<Extents> block_of(const LoadedKernel& kernel, std::string& failure) const;
  // Runs every block over the arguments; fetch() then brings what was written to their arrays. The report
  // counts blocks for whoever watches. `time_limit` is in seconds; 0: none.
  RunResult run(const LoadedKernel& kernel, const RunLaunch& launch, std::span<Argument> arguments,
                DeviceArrays& arrays, kern_launch_report& report, double time_limit);
  // Brings what kernels wrote back to host memory; returns why it cannot, or "".
  std::string fetch(DeviceArrays& arrays);

private:
  Runner(std::string_view name, std::size_t number) : name_(name), number_(number) {}
  kern_error* pass(Type type, Argument& argument, kern_argument& given, DeviceArrays& arrays);
  kern_error* launch(const LoadedKernel& kernel, const RunLaunch& launch,
                     std::span<const kern_argument> arguments, kern_launch_report& report, double time_limit);
  kern_error* read_back(DeviceArrays& arrays);

  std::string name_;
  std::size_t number_;
  Held<kern_device> device_;
  Held<kern_stream> stream_;
};

} // namespace kern
