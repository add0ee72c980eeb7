// The CPU uses the arguments' arrays where they are; for a GPU every array is copied in before the first launch
// that takes it, stays there, and is copied out when the host asks for it, faults or not.
#include "compiler/driver/run/runner.h"

#include <algorithm>
#include <utility>

namespace kern {

static_assert(static_cast<int>(ScalarKind::Bool) == KERN_BOOL &&
              static_cast<int>(ScalarKind::U64) == KERN_U64 &&
              static_cast<int>(ScalarKind::BF16) == KERN_BF16 &&
              static_cast<int>(ScalarKind::C128) == KERN_C128);

// Takes an error's words; says whether there was none.
static bool is_good(Held<kern_error> error, std::string& failure) {
  if (error) failure = kern_error_message(error.get());
  return !error;
}

std::unique_ptr<Runner> Runner::open(std::string_view device, std::size_t number, std::string& failure) {
  std::unique_ptr<Runner> runner(new Runner(device, number));
  kern_device_options options{};
  options.struct_size = sizeof options;
  options.kind = device == "cuda" ? KERN_DEVICE_CUDA : KERN_DEVICE_CPU;
  kern_device* opened = nullptr;
  if (!is_good(Held<kern_error>(kern_device_open(&options, &opened)), failure)) return nullptr;
  runner->device_.reset(opened);
  kern_stream* stream = nullptr;
  if (!is_good(Held<kern_error>(kern_stream_create(opened, &stream)), failure)) return nullptr;
  runner->stream_.reset(stream);
  return runner;
}

kern_device_info Runner::info() const {
  kern_device_info info{};
  info.struct_size = sizeof info;
  kern_device_get_info(device_.get(), &info);
  return info;
}

std::string Runner::place() const {
  if (kern_device_get_kind(device_.get()) == KERN_DEVICE_CUDA) return kern_device_name(device_.get());
  return fmt::format("{} threads", info().threads);
}

std::unique_ptr<LoadedKernel> Runner::load(std::unique_ptr<JitObject> object, const ir::Function& kernel,
                                           std::string& failure) {
  auto loaded = std::make_unique<LoadedKernel>();
  std::vector<kern_parameter> parameters;
  for (std::uint32_t i = 0; i < kernel.param_count; ++i) {
    Type type = loaded->types.emplace_back(kernel.slots[i].type);
    parameters.push_back({static_cast<std::uint32_t>(type->scalar), type->rank, 1});
  }
  kern_module* module = nullptr;
  if (!is_good(Held<kern_error>(load_jit_object(device_.get(), std::move(object), &module)), failure))
    return nullptr;
  loaded->module.reset(module);
  kern_kernel* found = nullptr;
  Held<kern_error> error(
      kern_module_kernel(module, kernel.symbol.c_str(), parameters.data(), parameters.size(), &found));
  loaded->kernel.reset(found);
  return is_good(std::move(error), failure) ? std::move(loaded) : nullptr;
}

std::optional<Extents> Runner::block_of(const LoadedKernel& kernel, std::string& failure) const {
  Extents block{};
  Held<kern_error> error(kern_kernel_block(kernel.kernel.get(), block.data()));
  return is_good(std::move(error), failure) ? std::optional(block) : std::nullopt;
}

// Makes the runtime's argument of one of ours.
kern_error* Runner::pass(Type type, Argument& argument, kern_argument& given, DeviceArrays& arrays) {
  given.type = static_cast<std::uint32_t>(type->scalar);
  HostArray* array = argument.array();
  if (!array) {
    given.kind = KERN_SCALAR;
    store_number(type->scalar, given.scalar, std::get<Scalar>(argument.value).number);
    return nullptr;
  }
  given.kind = KERN_ARRAY;
  given.writable = 1;
  given.rank = static_cast<std::uint32_t>(array->extents.size());
  std::copy(array->extents.begin(), array->extents.end(), given.extents);
  std::copy(array->strides.begin(), array->strides.end(), given.strides);
  given.data = array->data();
  if (kern_device_get_kind(device_.get()) == KERN_DEVICE_CPU) {
    given.kind = KERN_HOST_INOUT; // where it is; launches of such arrays wait, and wake no thread for it
    return nullptr;
  }
  auto [copy, is_new] = arrays.copies.try_emplace(array);
  if (is_new) {
    kern_buffer* made = nullptr;
    if (kern_error* error = kern_buffer_create(device_.get(), array->bytes(), &made)) return error;
    copy->second.buffer.reset(made);
    if (kern_error* error = kern_buffer_write(made, 0, array->data(), array->bytes(), stream_.get(), nullptr))
      return error;
  }
  copy->second.is_newer = true;
  given.buffer = copy->second.buffer.get();
  given.data = kern_buffer_data(given.buffer);
  return nullptr;
}

kern_error* Runner::launch(const LoadedKernel& kernel, const RunLaunch& launch,
                           std::span<const kern_argument> arguments, kern_launch_report& report,
                           double time_limit) {
  kern_launch_options options{};
  options.struct_size = sizeof options;
  std::copy(launch.shape.grid.begin(), launch.shape.grid.end(), options.size);
  std::copy(launch.shape.block.begin(), launch.shape.block.end(), options.block);
  options.shared_bytes = launch.shared_bytes;
  options.stream = stream_.get();
  options.report = &report;
  options.time_limit = time_limit;
  report.struct_size = sizeof report;
  if (kern_error* error =
          kern_launch(kernel.kernel.get(), &options, arguments.data(), arguments.size(), nullptr))
    return error;
  return kern_stream_wait(stream_.get());
}

kern_error* Runner::read_back(DeviceArrays& arrays) {
  for (auto& [array, copy] : arrays.copies) {
    if (!std::exchange(copy.is_newer, false)) continue;
    if (kern_error* error =
            kern_buffer_read(copy.buffer.get(), 0, array->data(), array->bytes(), stream_.get(), nullptr))
      return error;
  }
  return kern_stream_wait(stream_.get());
}

std::string Runner::fetch(DeviceArrays& arrays) {
  std::string failure;
  if (!arrays.copies.empty()) is_good(Held<kern_error>(read_back(arrays)), failure);
  return failure;
}

// The record of a fault, with the index as the program has it.
static kern_fault_record record_of(const kern_error* error, std::uint64_t& bad_threads) {
  kern_fault_info info{};
  info.struct_size = sizeof info;
  kern_error_get_fault(error, &info);
  bad_threads = info.bad_threads;
  kern_fault_record record{};
  record.state = info.went_on ? KERN_NOTE_THERE : KERN_FAULT_THERE;
  record.site = info.site;
  record.axis = info.axis;
  record.kind = info.kind;
  record.index = info.index;
  record.extent = info.extent;
  std::copy_n(info.thread, 3, record.thread);
  std::copy_n(info.block, 3, record.block);
  record.launch = info.launch;
  return record;
}

static ExitCode code_of(const kern_error* error) {
  kern_error_kind kind = kern_error_get_kind(error);
  return kind == KERN_ARGUMENT_ERROR || kind == KERN_CONTRACT_ERROR ? ExitCode::WrongUse : ExitCode::NoDevice;
}

RunResult Runner::run(const LoadedKernel& kernel, const RunLaunch& launched, std::span<Argument> arguments,
                      DeviceArrays& arrays, kern_launch_report& report, double time_limit) {
  RunResult result;
  auto keep = [](void* text, const char* lines, std::uint64_t bytes) {
    static_cast<std::string*>(text)->append(lines, bytes);
  };
  kern_stream_on_print(stream_.get(), keep, &result.printed);
  std::vector<kern_argument> given(arguments.size());
  Held<kern_error> error;
  for (std::size_t i = 0; i < arguments.size() && !error; ++i)
    error.reset(pass(kernel.types[i], arguments[i], given[i], arrays));
  if (!error) error.reset(launch(kernel, launched, given, report, time_limit));
  const kern_error_kind kind = kern_error_get_kind(error.get());
  result.timed_out = kind == KERN_DEADLINE;
  if (kind == KERN_KERNEL_FAULT || kind == KERN_DEADLINE) {
    if (kern_error_get_fault(error.get(), nullptr)) result.fault = record_of(error.get(), result.bad_threads);
    error.reset();
  }
  kern_error* reported = nullptr;
  if (!error) error.reset(kern_stream_take_report(stream_.get(), &reported));
  if (const Held<kern_error> note(reported); note) result.note = record_of(note.get(), result.bad_threads);
  kern_stream_on_print(stream_.get(), nullptr, nullptr);
  result.milliseconds = report.milliseconds;
  if (error) {
    result.code = code_of(error.get());
    result.failure = kern_error_message(error.get());
  }
  return result;
}

} // namespace kern
