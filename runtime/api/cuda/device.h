// A CUDA device behind runtime/api/device.h: its context, the pool of its memory, and its streams. One
// primary context a device, retained and never reset, because other libraries of the process live in it too.
// The device owns its streams, so nothing of theirs keeps it.
#pragma once

#include <algorithm>
#include <atomic>
#include <list>

#include "runtime/api/device.h"
#include "runtime/cuda/facts.h"
#include "runtime/cuda/load.h"

namespace kern::runtime {

using cuda::Address;
using cuda::Driver;
using cuda::Result;

inline constexpr Result cuda_out_of_memory = 2, cuda_not_ready = 600;
// A kernel takes so much dynamic shared memory without being asked.
inline constexpr std::uint64_t shared_without_opt_in = 48 << 10;

class CudaStream;
struct CudaCode;
struct CudaKernel;

// Says whether after this error every call of the process fails (CUDA_ERROR_ILLEGAL_ADDRESS and its like).
bool is_sticky(Result result);

class CudaDevice final : public Device {
public:
  CudaDevice(const Driver& table, unsigned ordinal, std::uint64_t memory_limit);
  ~CudaDevice() override;
  kern_device_kind kind() const override { return KERN_DEVICE_CUDA; }
  std::shared_ptr<Memory> allocate(std::uint64_t bytes) override;
  std::shared_ptr<Memory> allocate_host(std::uint64_t bytes, std::uint32_t flags) override;
  std::shared_ptr<Memory> wrap(void* data, std::uint64_t bytes, std::function<void()> release) override;
  std::unique_ptr<Code> load(const Manifest& manifest, const kern_object& object) override;
  std::shared_ptr<Stream> make_stream() override;
  std::shared_ptr<Stream> wrap_stream(void* native) override;
  unsigned ordinal() const override { return ordinal_; }
  void sweep() override;
  kern_device_info info() const override;
  CodeFacts code_facts(const Plan& plan) override;
  std::uint64_t occupancy(const Plan& plan, std::uint64_t threads, std::uint64_t shared_bytes) override;
  std::uint64_t best_threads(const Plan& plan) override;
  std::optional<std::uint64_t> most_cooperative_blocks(const Launch& launch) override;
  std::string_view target() const override { return "cuda"; }
  bool is_pinned(const void* data) override;
  bool shares_host_memory() const override { return false; }

  // Makes the device current for this thread; every use of it begins so.
  void enter();
  // Likewise, in destructors: nothing is said where that fails.
  void use() { driver.set_context(context_); }
  // Throws what a call of the driver reports.
  void check(const char* call, Result result) {
    if (result != 0) refuse(call, result);
  }
  // Likewise, with the driver's log.
  void check(const cuda::Outcome& outcome);
  // Loads PTX, or says why it cannot be loaded here.
  void load_text(std::string_view ptx, cuda::ModuleHandle& module);
  // Calls `release` when the uses of some memory are done.
  void give_back(std::unique_ptr<Uses> uses, std::function<void()> release) noexcept;

  const Driver& driver;

private:
  struct Pending {
    std::unique_ptr<Uses> uses;
    std::function<void()> release;
  };
  [[noreturn]] void refuse(const char* call, Result result);
  void load_image(const kern_object& object, CudaCode& code);
  std::uint64_t active_blocks(CudaKernel& kernel, std::uint64_t threads, std::uint64_t shared_bytes);
  Address take(std::uint64_t size);
  Result allocate_more(Address& address, std::uint64_t size);
  [[noreturn]] void refuse_memory(std::uint64_t bytes);
  std::shared_ptr<Memory> hand_out(Address address, std::uint64_t bytes, std::uint64_t taken);
  std::shared_ptr<Stream> add(std::shared_ptr<CudaStream> stream);
  void drop_idle(bool may_print);
  bool is_pending();
  void reclaim();
  void wait_for_pending();
  void release_pool();
  std::vector<std::shared_ptr<CudaStream>> streams();

  cuda::DeviceFacts facts_;
  unsigned ordinal_;
  cuda::DeviceHandle device_ = 0;
  cuda::ContextHandle context_ = nullptr;
  unsigned forks_;
  std::atomic<bool> lost_{false};
  std::uint64_t memory_limit_;          // bytes; 0: none
  std::atomic<std::uint64_t> taken_{0}; // bytes that the driver gave, the pool's included
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<Address>> pool_; // by size
  std::vector<Pending> pending_;                       // what nobody holds, and streams still use
  std::list<std::shared_ptr<CudaStream>> streams_;
};

// Memory of a device that whoever holds it holds too.
struct CudaMemory final : Memory {
  CudaMemory(CudaDevice& owner, void* address, std::uint64_t size, std::function<void()> release_function)
      : device(owner), release(std::move(release_function)) {
    data = address;
    bytes = size;
  }
  ~CudaMemory() override { device.give_back(std::move(uses), std::move(release)); }
  CudaDevice& device;
  std::function<void()> release; // called when nobody uses it any more
};

// Returns where memory of a CUDA device begins.
inline Address address_of(const Memory& memory) { return reinterpret_cast<Address>(memory.data); }

} // namespace kern::runtime
