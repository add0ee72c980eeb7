// A launch is one call of the driver. It allocates nothing: its record lies in a batch that was cleared
// before, the driver copies the parameters, and memory remembers its last use by itself.
// (benchmarks/launch.cpp measures it.)
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/api/cuda/code.h"
#include "runtime/api/cuda/stream.h"
#include "runtime/api/inline_array.h"

namespace kern::runtime {

static constexpr int function_dynamic_shared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

// CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE.
static void *const parameter_buffer = reinterpret_cast<void*>(1), *const parameter_bytes =
                                                                      reinterpret_cast<void*>(2);

// Returns the shared memory that the driver is asked for: the static arrays that PTX has no room for come
// first.
static std::uint64_t driver_shared(const Launch& launch) {
  return launch.kernel->moved_shared_bytes + launch.shared_bytes;
}

static void opt_in(CudaDevice& device, CudaKernel& kernel, std::uint64_t shared_bytes) {
  if (shared_bytes <= kernel.opted_in.load(std::memory_order_relaxed)) return;
  device.check("cuFuncSetAttribute",
               device.driver.function_set(kernel.code->function(kernel), function_dynamic_shared,
                                          static_cast<int>(shared_bytes)));
  kernel.opted_in = shared_bytes;
}

// Notes what was launched with a record of the batch.
std::uint64_t CudaStream::put_launch(Batch& batch, std::uint32_t index, const Launch& launch) {
  batch.hold(*launch.owner);
  batch.used = index + 1;
  open_used_ = batch.used;
  batch.entries[index] = {launch, ++put_, ++launches_};
  starting_ = false;
  for (Memory* memory : launch.uses) static_cast<CudaMemory*>(memory)->uses->note(timeline_, put_);
  return put_;
}

// Gives a launch the word by which it is told to end, which may be before the driver has it.
void CudaStream::begin_stoppable(Batch& batch, std::uint32_t index, const Launch& launch) {
  if (!batch.has_words) batch.make_stoppable(device_, stream_, index);
  std::lock_guard lock(mutex_);
  batch.has_words = true;
  // A launch that failed before the driver had it may have left an entry.
  std::erase_if(batch.limited, [&](const Batch::Limited& limited) { return limited.record == index; });
  std::atomic_ref(batch.stops[index]).store(0, std::memory_order_relaxed);
  if (launch.time_limit > 0)
    batch.limited.push_back(
        {index, launch.time_limit, Alarm(TimeLimit::end(launch.time_limit), batch.stops[index])});
  starting_ = true;
}

std::uint64_t CudaStream::launch(const Launch& launch) {
  device_.enter();
  auto& kernel = *static_cast<CudaKernel*>(launch.variant->entry);
  cuda::FunctionHandle function = kernel.code->function(kernel);
  opt_in(device_, kernel, driver_shared(launch));
  if (std::shared_ptr<Capture> captured = capture()) return launch_captured(captured, function, launch);
  Batch& batch = open_batch();
  mark_held();
  std::uint32_t index = open_used_;
  Address record = batch.record(index);
  if (launch.is_cancellable()) begin_stoppable(batch, index, launch); // may write the whole record
  std::shared_ptr<Memory> ring;
  if (launch.kernel->prints) {
    ring = make_ring();
    set_word(record + offsetof(kern_launch_record, print_ring), address_of(*ring));
  }
  if (launch.shared_bytes > 0)
    set_word(record + offsetof(kern_launch_record, shared_bytes), launch.shared_bytes);
  launch.params.back() = record;
  std::unique_ptr<Mark> begin, end;
  if (launch.report) {
    begin = std::make_unique<Mark>(device_, true);
    end = std::make_unique<Mark>(device_, true);
    device_.check("cuEventRecord", driver_.event_record(begin->event, stream_));
  }
  start(function, launch);
  if (end) device_.check("cuEventRecord", driver_.event_record(end->event, stream_));
  std::lock_guard lock(mutex_);
  if (ring) batch.rings.push_back({index, std::move(ring)});
  if (end) batch.timed.push_back({index, launch.report, std::move(begin), std::move(end)});
  return put_launch(batch, index, launch);
}

// Other streams of the capture may put launches into the same graph.
std::uint64_t CudaStream::launch_captured(const std::shared_ptr<Capture>& capture,
                                          cuda::FunctionHandle function, const Launch& launch) {
  check_capture(launch);
  capture->keep(*this, Work{"kernel", launch.kernel->name}, launch.uses, [&](Graph& kept) {
    auto& graph = static_cast<CudaGraph&>(kept);
    Batch& batch = graph.open_batch();
    const std::uint32_t index = batch.used;
    const Address record = batch.record(index);
    if (launch.shared_bytes > 0)
      set_word(record + offsetof(kern_launch_record, shared_bytes), launch.shared_bytes);
    launch.params.back() = record;
    start(function, launch);
    batch.hold(*launch.owner);
    batch.used = index + 1;
    batch.entries[index] = {launch, 0, 0};
    ++graph.launches;
    (launch.is_cancellable() ? graph.is_cancellable : graph.runs_on) = true;
  });
  return last();
}

// Lays slots out as the entry's parameters. Whole slots are written: what follows a shorter parameter comes
// later, and the last one is the address of the record.
static void pack(const Plan& plan, const std::uint64_t* slots, char* packed) {
  for (const EntryRun& run : plan.entry_runs) {
    const std::uint64_t* from = slots + run.slot;
    char* to = packed + run.offset;
    for (std::uint32_t i = run.count; i > 0; --i, ++from, to += sizeof *from)
      std::memcpy(to, from, sizeof *from);
  }
}

[[noreturn, gnu::cold]] static void refuse_cooperative(const ManifestKernel& kernel) {
  fail(KERN_DEVICE_ERROR, "kernel `" + kernel.name +
                              "` is launched with all its blocks at once, which takes a driver of CUDA 11.8 "
                              "(520) or later");
}

// Gives the launch to the driver: all parameters in one piece, and through cuLaunchKernelEx where there is
// one, which takes it the least time (benchmarks/launch.cpp).
void CudaStream::start(cuda::FunctionHandle function, const Launch& launch) {
  InlineArray<std::uint64_t, 96> packed(launch.plan->entry_bytes / sizeof(std::uint64_t));
  pack(*launch.plan, launch.params.data(), reinterpret_cast<char*>(packed.data()));
  std::size_t bytes = launch.plan->entry_bytes;
  void* extra[] = {parameter_buffer, packed.data(), parameter_bytes, &bytes, nullptr};
  const auto &grid = launch.grid, &block = launch.block;
  auto shared = static_cast<unsigned>(driver_shared(launch));
  if (driver_.launch_ex) {
    static constexpr cuda::LaunchAttribute cooperative{cuda::LaunchAttribute::cooperative, 1};
    const cuda::LaunchConfig config{grid, block, shared, stream_, &cooperative, launch.cooperative};
    device_.check("cuLaunchKernelEx", driver_.launch_ex(&config, function, nullptr, extra));
  } else {
    if (launch.cooperative) refuse_cooperative(*launch.kernel);
    device_.check("cuLaunchKernel", driver_.launch(function, grid[0], grid[1], grid[2], block[0], block[1],
                                                   block[2], shared, stream_, nullptr, extra));
  }
}

// ---- Shapes that suit the device ----

std::uint64_t CudaDevice::active_blocks(CudaKernel& kernel, std::uint64_t threads,
                                        std::uint64_t shared_bytes) {
  int blocks = 0;
  check("cuOccupancyMaxActiveBlocksPerMultiprocessor",
        driver.occupancy(&blocks, kernel.code->function(kernel), static_cast<int>(threads), shared_bytes));
  return static_cast<std::uint64_t>(std::max(blocks, 0));
}

// Returns the first of the sizes that keep most threads at work: large blocks wait longer for their last
// thread.
std::uint64_t CudaDevice::best_threads(const Plan& plan) {
  constexpr std::uint64_t sizes[] = {256, 128, 512, 64, 1024, 32};
  if (plan.variants.empty()) return sizes[0];
  auto& kernel = *static_cast<CudaKernel*>(plan.variants.front().entry);
  if (std::uint32_t known = kernel.threads.load(std::memory_order_relaxed)) return known;
  enter();
  std::uint64_t best = sizes[0], most = 0, shared = plan.kernel->moved_shared_bytes;
  opt_in(*this, kernel, shared);
  for (std::uint64_t size : sizes) {
    std::uint64_t active = active_blocks(kernel, size, shared) * size;
    if (active > most) best = size, most = active;
  }
  kernel.threads = static_cast<std::uint32_t>(best);
  return best;
}

CodeFacts CudaDevice::code_facts(const Plan& plan) {
  constexpr int local_bytes = 3, registers = 4; // CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, _NUM_REGS
  if (plan.variants.empty()) return {};
  enter();
  auto& kernel = *static_cast<CudaKernel*>(plan.variants.front().entry);
  int local = 0, used = 0;
  check("cuFuncGetAttribute", driver.function_get(&local, local_bytes, kernel.code->function(kernel)));
  check("cuFuncGetAttribute", driver.function_get(&used, registers, kernel.code->function(kernel)));
  return {static_cast<std::uint64_t>(used), static_cast<std::uint64_t>(local)};
}

std::uint64_t CudaDevice::occupancy(const Plan& plan, std::uint64_t threads, std::uint64_t shared_bytes) {
  if (plan.variants.empty()) return 0;
  enter();
  auto& kernel = *static_cast<CudaKernel*>(plan.variants.front().entry);
  const std::uint64_t shared = plan.kernel->moved_shared_bytes + shared_bytes;
  opt_in(*this, kernel, shared);
  return active_blocks(kernel, threads, shared) * facts_.multiprocessors;
}

std::optional<std::uint64_t> CudaDevice::most_cooperative_blocks(const Launch& launch) {
  enter();
  auto& kernel = *static_cast<CudaKernel*>(launch.variant->entry);
  opt_in(*this, kernel, driver_shared(launch));
  std::uint64_t threads = std::uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  return active_blocks(kernel, threads, driver_shared(launch)) * facts_.multiprocessors;
}

} // namespace kern::runtime
