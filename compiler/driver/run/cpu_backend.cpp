// The CPU: code compiled into this process, blocks on a pool of threads, arrays where they are.
#include <chrono>

#include "compiler/driver/run/backend.h"
#include "compiler/driver/run/execute.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/scratch.h"

namespace kern {

namespace {

class CpuBackend : public Backend {
public:
  CpuBackend(std::unique_ptr<CpuModule> code, const ir::Function& kernel)
      : code_(std::move(code)), kernel_(kernel) {}
  bool has_entry() const { return code_->entry(kernel_.symbol) != nullptr; }
  RunResult run(const RunLaunch& launch, std::span<Argument> arguments, std::uint64_t* blocks_done) override;
  std::string place() const override { return fmt::format("{} threads", pool_.threads()); }

private:
  std::unique_ptr<CpuModule> code_;
  const ir::Function& kernel_;
  cpu::Pool pool_;
};

} // namespace

RunResult CpuBackend::run(const RunLaunch& launch, std::span<Argument> arguments,
                          std::uint64_t* blocks_done) {
  constexpr std::uint64_t ring_words = std::uint64_t(1) << 20;
  RunResult result;
  kern_launch_record record{};
  record.shared_bytes = launch.shared_bytes;
  record.launch = 1;
  if (launch.prints) result.prints = cpu::make_ring(ring_words);
  record.print_ring = reinterpret_cast<std::uint64_t>(result.prints.get());
  std::vector<std::uint64_t> params = make_params(kernel_, arguments);
  params.back() = reinterpret_cast<std::uint64_t>(&record);
  cpu::Launch job;
  const kern_object_entry& entry = *code_->entry(kernel_.symbol);
  job.entry = entry.entry;
  job.params = params.data();
  job.record = &record;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    job.grid[axis] = static_cast<std::uint32_t>(launch.shape.grid[axis]);
    job.block[axis] = static_cast<std::uint32_t>(launch.shape.block[axis]);
  }
  job.scratch_bytes = cpu::scratch_bytes(entry, job.block) + launch.shared_bytes;
  job.blocks_done = blocks_done;
  auto begin = std::chrono::steady_clock::now();
  bool empty = job.grid[0] == 0 || job.grid[1] == 0 || job.grid[2] == 0;
  if (!empty && !pool_.run(job))
    result.failure =
        fmt::format("there is no memory for the scratch area of {} bytes a thread", job.scratch_bytes);
  result.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  result.fault = record.fault;
  return result;
}

std::unique_ptr<Backend> make_cpu_backend(Compilation& compilation, const RunLaunch& launch,
                                          const TargetOptions& target, std::string& failure) {
  std::unique_ptr<CpuModule> code = compilation.compile_for_cpu(target);
  if (!code) return nullptr;
  const ir::Function& kernel = compilation.segmented()->function(launch.kernel);
  auto backend = std::make_unique<CpuBackend>(std::move(code), kernel);
  if (backend->has_entry()) return backend;
  failure = fmt::format("there is no code for `{}`", kernel.symbol);
  return nullptr;
}

} // namespace kern
