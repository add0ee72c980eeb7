// The C interface: what there is, devices, kernels and their parameters.
#include "runtime/api/handles.h"
#include "runtime/api/launch.h"
#include "runtime/common/launch_limits.h"

using namespace kern::runtime;

std::uint32_t kern_device_count(kern_device_kind kind) {
  std::uint32_t count = 0;
  kern_error* error = guarded([&] {
    if (kind != KERN_DEVICE_CPU) count += count_cuda();
    if (kind != KERN_DEVICE_CUDA) ++count;
  });
  kern_error_free(error);
  return count;
}

const char* kern_module_manifest(const kern_module* module, std::uint64_t* bytes) {
  if (bytes) *bytes = is_there(module) ? module->module->text.size() : 0;
  return is_there(module) ? module->module->text.data() : nullptr;
}

static const Plan& plan_at(const kern_module* module, std::uint64_t index) {
  const auto& plans = full(module, "module").module->plans;
  if (index >= plans.size())
    fail(KERN_ARGUMENT_ERROR,
         "kernel " + std::to_string(index) + " is none of a module that has " + std::to_string(plans.size()));
  return plans[index];
}

kern_error* kern_module_kernel_info(const kern_module* module, std::uint64_t index, kern_kernel_info* info) {
  return guarded([&] {
    const Plan& plan = plan_at(module, index);
    check_struct(info, "kern_kernel_info");
    const kern::ManifestKernel& kernel = *plan.kernel;
    kern_kernel_info known{};
    known.parameters = static_cast<std::uint32_t>(kernel.params.size());
    known.name = kernel.name.c_str();
    known.symbol = kernel.symbol.c_str();
    known.doc = kernel.doc.c_str();
    known.place = {kernel.place.file.c_str(), kernel.place.line, kernel.place.column};
    if (kernel.block) std::copy(kernel.block->begin(), kernel.block->end(), known.block);
    known.max_threads = kernel.max_threads;
    known.prints = kernel.prints;
    known.cooperative = kernel.cooperative;
    known.cancellable = kernel.cancellable.value_or(false);
    known.shared_bytes = kernel.shared_bytes;
    const CodeFacts facts = module->device->code_facts(plan);
    known.registers = facts.registers;
    known.local_bytes = facts.local_bytes;
    hand_out(info, known);
  });
}

kern_error* kern_module_parameter_info(const kern_module* module, std::uint64_t index,
                                       std::uint64_t parameter, kern_parameter_info* info) {
  return guarded([&] {
    const Plan& plan = plan_at(module, index);
    check_struct(info, "kern_parameter_info");
    const kern::ManifestKernel& kernel = *plan.kernel;
    if (parameter >= kernel.params.size())
      fail(KERN_ARGUMENT_ERROR, "kernel `" + kernel.name + "` has " + std::to_string(kernel.params.size()) +
                                    " parameters, and parameter " + std::to_string(parameter) +
                                    " is asked for");
    const kern::ManifestParam& param = kernel.params[parameter];
    const kern::ManifestRecord* record =
        kern::record_of(module->module->manifest, kernel, static_cast<std::size_t>(parameter));
    hand_out(info,
             kern_parameter_info{0, plan.params[parameter].type, param.rank, param.read, param.written,
                                 param.contiguous, param.name.c_str(), plan.params[parameter].record_words,
                                 record ? record->name.c_str() : nullptr});
  });
}

kern_error* kern_kernel_block(const kern_kernel* kernel, std::uint64_t* block) {
  return guarded([&] {
    const Plan& plan = *full(kernel, "kernel").plan;
    std::uint64_t* result = &place_of(block);
    std::ranges::copy(kern::runtime::free_block(plan, *kernel->device), result);
  });
}

kern_error* kern_kernel_occupancy(const kern_kernel* kernel, std::uint64_t threads,
                                  std::uint64_t shared_bytes, std::uint64_t* blocks) {
  return guarded([&] {
    const Plan& plan = *full(kernel, "kernel").plan;
    std::uint64_t& result = place_of(blocks);
    if (threads == 0 || threads > kern::limits::launch_threads)
      fail(KERN_ARGUMENT_ERROR, "a block has 1 to " + std::to_string(kern::limits::launch_threads) +
                                    " threads, and " + std::to_string(threads) + " are given");
    result = kernel->device->occupancy(plan, threads, shared_bytes);
  });
}
