// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, kernels and launches.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "kern/array.hpp"

namespace kern::inline v1 {

// Over what a kernel runs: over(n) says how many threads at least, grid(n) how many blocks; sizes are in the
// order in which `grid(n)` returns indices in a kernel, x first: an image of h rows is over(w, h).
class Launch {
public:
  Launch(bool over, std::uint64_t x, std::uint64_t y, std::uint64_t z, const char* file = nullptr,
         std::uint32_t line = 0) {
    options_.place.file = file, options_.place.line = line;
    options_.struct_size = sizeof options_;
    options_.over = over;
    options_.size[0] = x, options_.size[1] = y, options_.size[2] = z;
  }
  // Sets the threads of a block; without, the kernel's own or what suits it.
  Launch block(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) const {
    Launch launch = *this;
    launch.options_.block[0] = x, launch.options_.block[1] = y, launch.options_.block[2] = z;
    return launch;
  }
  // Sets the stream; without, the calling thread's own.
  Launch on(const Stream& stream) const {
    Launch launch = *this;
    launch.stream_ = stream_of(stream);
    launch.options_.stream = launch.stream_.get();
    launch.options_.needs_stream = 1;
    return launch;
  }
  // Sets the bytes of dynamic shared memory for shared.array(0, T).
  Launch shared(std::uint64_t bytes) const {
    Launch launch = *this;
    launch.options_.shared_bytes = bytes;
    return launch;
  }
  // Has all blocks run at once; an ArgumentError where the device has no room for so many.
  Launch cooperative() const {
    Launch launch = *this;
    launch.options_.cooperative = 1;
    return launch;
  }
  // Sets how long it may take, from the call on; then it is told to end, and whoever waits gets DeadlinePassed. The kernel
  // must have been compiled for it (`kernc --cancellable`).
  template <class Rep, class Period> Launch within(std::chrono::duration<Rep, Period> time) const {
    constexpr double least = 1e-9; // a time that is over is one
    const double seconds = std::chrono::duration<double>(time).count();
    Launch launch = *this;
    launch.options_.time_limit = seconds > least ? seconds : least;
    return launch;
  }
  // Sets what becomes of its faults; without, what the stream says.
  Launch on_fault(OnFault policy) const {
    Launch launch = *this;
    launch.options_.on_fault = static_cast<std::uint32_t>(policy);
    return launch;
  }
  // Sets what the launch tells about itself, which must stay until the launch is done.
  Launch report(kern_launch_report& report) const {
    Launch launch = *this;
    report.struct_size = sizeof report;
    launch.options_.report = &report;
    return launch;
  }
  const kern_launch_options& get() const { return options_; }

private:
  static StreamHandle stream_of(const Stream& stream) {
    return StreamHandle(kern_stream_retain(stream.get()));
  }
  kern_launch_options options_{};
  StreamHandle stream_;
};

// The place is the caller's, for messages.
inline Launch over(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1,
                   const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
  return {true, x, y, z, file, line};
}
inline Launch grid(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1,
                   const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
  return {false, x, y, z, file, line};
}

// How a type of a kernel's signature is passed.
template <class T> struct Param {
  using Type = T;
  static constexpr kern_parameter info{type_of<T>, 0, 0};
  static void put(const T& value, kern_argument& argument) { // of a scalar, extents and strides mean nothing
    argument.kind = KERN_SCALAR;
    argument.type = type_of<T>;
    argument.rank = argument.writable = 0;
    argument.scalar[0] = argument.scalar[1] = 0;
    argument.data = nullptr;
    argument.buffer = nullptr;
    std::memcpy(argument.scalar, &value, sizeof value);
  }
};
template <class T, std::size_t Rank> struct Param<View<T, Rank>> {
  using Type = Argument<T, Rank>;
  static constexpr kern_parameter info{element_of<std::remove_const_t<T>>,
                                       Rank + is_record<std::remove_const_t<T>>, !std::is_const_v<T>};
  static void put(const Type& value, kern_argument& argument) { value.put(argument); }
};

// The arguments of a call as the C interface takes them. Only what means something is written: a call has
// little else to do.
template <class... Params> class ArgumentList {
public:
  explicit ArgumentList(const typename Param<Params>::Type&... arguments) {
    std::size_t index = 0;
    (Param<Params>::put(arguments, list_[index++]), ...);
  }
  const kern_argument* data() const { return list_.data(); }
  std::size_t size() const { return list_.size(); }

private:
  std::array<kern_argument, sizeof...(Params)> list_;
};

template <class Signature> class Kernel;
template <class Signature> class Prepared;

// A launch with its arguments, checked once: `prepared()` puts it on the stream, as often as wanted. It holds
// the buffers of its arrays. One thread at a time uses it and its copies.
template <class... Params> class Prepared<void(Params...)> {
public:
  Prepared() = default;
  explicit Prepared(PreparedHandle handle) : handle_(std::move(handle)) {}
  Event operator()() const {
    EventHandle event;
    raise(kern_prepared_launch(handle_.get(), event.receive()));
    return Event(std::move(event));
  }
  Event operator()(Status& status) const noexcept {
    EventHandle event;
    status.take(kern_prepared_launch(handle_.get(), event.receive()));
    return Event(std::move(event));
  }
  // Replaces an argument, the first one by set<0>(value); everything is checked again.
  template <std::size_t Index>
  void set(const typename Param<std::tuple_element_t<Index, std::tuple<Params...>>>::Type& value) const {
    Status status;
    set<Index>(status, value);
    status.raise();
  }
  template <std::size_t Index> void
  set(Status& status,
      const typename Param<std::tuple_element_t<Index, std::tuple<Params...>>>::Type& value) const noexcept {
    kern_argument argument;
    Param<std::tuple_element_t<Index, std::tuple<Params...>>>::put(value, argument);
    status.take(kern_prepared_set(handle_.get(), Index, &argument));
  }

private:
  PreparedHandle handle_;
};

// A kernel with typed arguments. A call puts a launch on a stream and returns; with arguments in host memory
// (in, out, inout) it returns when they are there.
template <class... Params> class Kernel<void(Params...)> {
public:
  Kernel() = default;
  explicit Kernel(KernelHandle handle) : handle_(std::move(handle)) {}
  Event operator()(const Launch& launch, const typename Param<Params>::Type&... arguments) const {
    const ArgumentList<Params...> list(arguments...);
    EventHandle event;
    raise(kern_launch(handle_.get(), &launch.get(), list.data(), list.size(), event.receive()));
    return Event(std::move(event));
  }
  Event operator()(Status& status, const Launch& launch,
                   const typename Param<Params>::Type&... arguments) const noexcept {
    const ArgumentList<Params...> list(arguments...);
    EventHandle event;
    status.take(kern_launch(handle_.get(), &launch.get(), list.data(), list.size(), event.receive()));
    return Event(std::move(event));
  }
  // Checks a launch once, to be launched often; its arrays lie on the device.
  Prepared<void(Params...)> prepare(const Launch& launch,
                                    const typename Param<Params>::Type&... arguments) const {
    Status status;
    auto prepared = prepare(status, launch, arguments...);
    status.raise();
    return prepared;
  }
  Prepared<void(Params...)> prepare(Status& status, const Launch& launch,
                                    const typename Param<Params>::Type&... arguments) const noexcept {
    const ArgumentList<Params...> list(arguments...);
    PreparedHandle prepared;
    status.take(kern_prepare(handle_.get(), &launch.get(), list.data(), list.size(), prepared.receive()));
    return Prepared<void(Params...)>(std::move(prepared));
  }

  // Returns the block of a launch that names none, x first.
  std::array<std::uint64_t, 3> block() const {
    std::array<std::uint64_t, 3> result{};
    raise(kern_kernel_block(handle_.get(), result.data()));
    return result;
  }

  // Returns how many blocks of so many threads run at once on the device.
  std::uint64_t occupancy(std::uint64_t threads, std::uint64_t shared_bytes = 0) const {
    std::uint64_t blocks = 0;
    raise(kern_kernel_occupancy(handle_.get(), threads, shared_bytes, &blocks));
    return blocks;
  }

private:
  KernelHandle handle_;
};

// The kernels of an object on a device; copies share them.
class Module {
public:
  Module() = default; // is empty
  Module(const Device& device, const kern_object& object) {
    Status status;
    *this = Module(status, device, object);
    status.raise();
  }
  Module(Status& status, const Device& device, const kern_object& object) noexcept : device_(device) {
    status.take(kern_module_load(device.get(), &object, handle_.receive()));
  }
  // Takes over a module that was loaded.
  Module(const Device& device, ModuleHandle handle) : device_(device), handle_(std::move(handle)) {}
  const Device& device() const { return device_; }
  kern_module* get() const { return handle_.get(); }
  // Returns it as an object, as kernc writes it, and as PTX with its manifest, for kern::load: a module of kern::compile,
  // which is compiled for that when it is first asked for. They live as long as it.
  std::string_view object() const {
    Status status;
    std::string_view bytes = object(status);
    status.raise();
    return bytes;
  }
  std::string_view object(Status& status) const noexcept { return written(status, kern_module_object); }
  std::string_view ptx() const {
    Status status;
    std::string_view text = ptx(status);
    status.raise();
    return text;
  }
  std::string_view ptx(Status& status) const noexcept { return written(status, kern_module_ptx); }
  // Returns the symbols of its kernels.
  std::vector<std::string> kernels() const {
    return ask(handle_, "module", [&] {
      std::vector<std::string> symbols;
      for (std::uint64_t i = 0; i < kern_module_kernel_count(handle_.get()); ++i)
        symbols.emplace_back(kern_module_kernel_symbol(handle_.get(), i));
      return symbols;
    });
  }
  // Returns what a kernel is, in the order of kernels(), and what its parameters are; texts live as long as the module.
  kern_kernel_info kernel_info(std::size_t index) const {
    Status status;
    kern_kernel_info info = kernel_info(status, index);
    status.raise();
    return info;
  }
  kern_kernel_info kernel_info(Status& status, std::size_t index) const noexcept {
    kern_kernel_info info{};
    info.struct_size = sizeof info;
    status.take(kern_module_kernel_info(handle_.get(), index, &info));
    return info;
  }
  std::vector<kern_parameter_info> parameters(std::size_t index) const {
    Status status;
    std::vector<kern_parameter_info> list(kernel_info(index).parameters);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].struct_size = sizeof list[i];
      status.take(kern_module_parameter_info(handle_.get(), index, i, &list[i]));
    }
    status.raise();
    return list;
  }
  // Returns the text of its manifest, JSON, which lives as long as the module.
  std::string_view manifest() const {
    return ask(handle_, "module", [&] {
      std::uint64_t bytes = 0;
      const char* text = kern_module_manifest(handle_.get(), &bytes);
      return text ? std::string_view(text, bytes) : std::string_view();
    });
  }
  // Returns the kernel of that name with those parameters: kernel<void(float, View<const float>)>("f").
  template <class Signature> Kernel<Signature> kernel(const char* name) const {
    Status status;
    Kernel<Signature> found = kernel<Signature>(status, name);
    status.raise();
    return found;
  }
  template <class Signature> Kernel<Signature> kernel(Status& status, const char* name) const noexcept {
    return find(status, name, static_cast<Kernel<Signature>*>(nullptr));
  }

private:
  std::string_view written(Status& status,
                           kern_error* (*ask)(kern_module*, const char**, std::uint64_t*)) const noexcept {
    const char* bytes = nullptr;
    std::uint64_t count = 0;
    if (!status.take(ask(handle_.get(), &bytes, &count))) return {};
    return {bytes, count};
  }

  template <class... Params>
  Kernel<void(Params...)> find(Status& status, const char* name, Kernel<void(Params...)>*) const {
    const std::array<kern_parameter, sizeof...(Params)> list = {Param<Params>::info...};
    KernelHandle kernel;
    status.take(kern_module_kernel(handle_.get(), name, list.data(), list.size(), kernel.receive()));
    return Kernel<void(Params...)>(std::move(kernel));
  }
  Device device_;
  ModuleHandle handle_;
};

// Loads PTX of Module::ptx() on a GPU, without a compiler in the program.
inline Module load_ptx(Status& status, const Device& device, std::string_view text) noexcept {
  ModuleHandle module;
  status.take(kern_module_load_ptx(device.get(), text.data(), text.size(), module.receive()));
  return Module(device, std::move(module));
}
inline Module load_ptx(const Device& device, std::string_view text) {
  Status status;
  Module module = load_ptx(status, device, text);
  status.raise();
  return module;
}

// Returns the device of a launch: that of its stream, else that of the first array which lies on one, else
// Device::best().
template <class... Arguments> inline Device device_of(const Launch& launch, const Arguments&... arguments) {
  if (launch.get().stream) return Device(DeviceHandle(kern_stream_device(launch.get().stream)));
  kern_buffer* first = nullptr;
  [[maybe_unused]] auto look = [&](const auto& argument) {
    if constexpr (requires { argument.get().buffer; })
      if (!first) first = argument.get().buffer;
  };
  (look(arguments), ...);
  return first ? Device(DeviceHandle(kern_buffer_device(first))) : Device::best();
}

} // namespace kern::inline v1
