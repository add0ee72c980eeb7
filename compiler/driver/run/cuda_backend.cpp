// A CUDA device: PTX for its architecture, linked by the driver; every array is copied in before a run and
// out after it.
#include <algorithm>
#include <cstring>

#include "compiler/driver/run/backend.h"
#include "compiler/driver/run/execute.h"
#include "compiler/ir/param_block.h"
#include "runtime/cuda/device.h"

namespace kern {

namespace {

class CudaBackend : public Backend {
public:
  CudaBackend(std::unique_ptr<cuda::Device> device, const ir::Function& kernel)
      : device_(std::move(device)), kernel_(kernel) {}
  RunResult run(const RunLaunch& launch, std::span<Argument> arguments, std::uint64_t* blocks_done) override;
  std::string place() const override { return device_->name(); }

private:
  bool copy_in(std::span<Argument> arguments, std::vector<std::uint64_t>& params,
               std::vector<cuda::Address>& places);
  bool copy_out(std::span<Argument> arguments, const std::vector<cuda::Address>& places);
  std::unique_ptr<cuda::Device> device_;
  const ir::Function& kernel_;
};

} // namespace

// Puts the device's addresses where the parameter block has the host's.
bool CudaBackend::copy_in(std::span<Argument> arguments, std::vector<std::uint64_t>& params,
                          std::vector<cuda::Address>& places) {
  std::size_t word = 0;
  for (std::size_t i = 0; i < arguments.size(); word += ir::block_slots(kernel_.slots[i++].type)) {
    HostArray* array = arguments[i].array();
    if (!array) continue;
    std::optional<cuda::Address> place = device_->allocate(array->bytes());
    if (!place) return false;
    places.push_back(*place);
    if (!device_->copy_in(*place, array->data(), array->bytes())) return false;
    params[word] = *place;
  }
  return true;
}

bool CudaBackend::copy_out(std::span<Argument> arguments, const std::vector<cuda::Address>& places) {
  std::size_t next = 0;
  for (Argument& argument : arguments)
    if (HostArray* array = argument.array())
      if (!device_->copy_out(array->data(), places[next++], array->bytes())) return false;
  return true;
}

RunResult CudaBackend::run(const RunLaunch& launch, std::span<Argument> arguments, std::uint64_t*) {
  RunResult result;
  std::vector<std::uint64_t> params = make_params(kernel_, arguments);
  std::vector<cuda::Address> places;
  cuda::Launch job;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    job.grid[axis] = static_cast<std::uint32_t>(launch.shape.grid[axis]);
    job.block[axis] = static_cast<std::uint32_t>(launch.shape.block[axis]);
  }
  if (job.grid[0] == 0 || job.grid[1] == 0 || job.grid[2] == 0) return result;
  job.shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes);
  std::optional<cuda::LaunchResult> done;
  if (copy_in(arguments, params, places)) {
    job.params = params;
    done = device_->launch(kernel_.symbol, job);
  }
  bool whole = done && copy_out(arguments, places);
  for (cuda::Address place : places) device_->free(place);
  if (!whole) {
    result.failure = device_->error();
    return result;
  }
  result.fault = done->fault;
  result.milliseconds = static_cast<double>(done->milliseconds);
  if (launch.prints) {
    result.prints = cpu::make_ring(done->printed.size() + 1);
    result.prints->used = done->printed.size() + done->printed_lost;
    std::copy(done->printed.begin(), done->printed.end(), result.prints->words);
  }
  return result;
}

std::unique_ptr<Backend> make_cuda_backend(Compilation& compilation, const RunLaunch& launch,
                                           TargetOptions target, std::string& failure) {
  std::unique_ptr<cuda::Device> device = cuda::Device::open(0, failure);
  if (!device) return nullptr;
  if (target.arch.empty())
    target.arch = std::min<std::string>(device->arch(), "sm_90"); // the newest that LLVM 19 knows
  std::optional<std::string> ptx = compilation.emit(target, OutputKind::Ptx);
  if (!ptx) return nullptr;
  if (!device->load(*ptx)) {
    failure = device->error();
    return nullptr;
  }
  return std::make_unique<CudaBackend>(std::move(device), compilation.transformed()->function(launch.kernel));
}

} // namespace kern
