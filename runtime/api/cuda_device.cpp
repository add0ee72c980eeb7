// A CUDA device behind device.h. One primary context a device, retained and never reset, because other
// libraries of the process live in it too. Memory is pooled: it comes back when no work holds it, so it can
// be given out again at once. Launch records lie in batches on the device, are cleared once a batch and read
// when somebody waits, so that a launch is one call of the driver and an event.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <deque>
#include <thread>

#include "runtime/api/device.h"
#include "runtime/api/prints.h"
#include "runtime/cuda/driver.h"

namespace kern::runtime {

namespace {

using cuda::Address;
using cuda::Driver;
using cuda::Result;

constexpr int attribute_shared_opt_in = 97; // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
constexpr int function_dynamic_shared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr int option_error_log = 5, option_error_log_bytes = 6; // CU_JIT_ERROR_LOG_BUFFER*
constexpr unsigned stream_non_blocking = 1, event_no_timing = 2;
constexpr Result out_of_memory = 2, not_ready = 600;
constexpr std::uint64_t shared_without_opt_in = 48 << 10;
constexpr std::uint64_t ring_words = 1 << 16;

// After these every call of the process fails (CUDA_ERROR_ILLEGAL_ADDRESS and its like).
bool is_sticky(Result result) {
  constexpr Result sticky[] = {4, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
  return std::find(std::begin(sticky), std::end(sticky), result) != std::end(sticky);
}

class CudaStream;

class CudaDevice final : public Device {
public:
  CudaDevice(const Driver& table, unsigned ordinal);
  ~CudaDevice() override;
  kern_device_kind kind() const override { return KERN_DEVICE_CUDA; }
  std::shared_ptr<Memory> allocate(std::uint64_t bytes) override;
  std::unique_ptr<Code> load(const Manifest& manifest, const kern_object& object) override;
  std::shared_ptr<Stream> make_stream() override;
  std::uint64_t most_shared_bytes() const override { return most_shared_; }
  std::string_view target() const override { return "cuda"; }
  bool shares_host_memory() const override { return false; }

  // Makes the device current for this thread; every use of it begins so.
  void enter();
  // Likewise, in destructors: nothing is said where that fails.
  void use() { driver.set_context(context_); }
  // Throws what a call of the driver reports.
  void check(const char* call, Result result);
  // Takes memory back into the pool.
  void give_back(Address address, std::uint64_t bytes);
  // Keeps a stream that nobody holds until its work is done.
  void retire(std::shared_ptr<CudaStream> stream);

  const Driver& driver;

private:
  void release_pool();
  void sweep();

  cuda::DeviceHandle device_ = 0;
  cuda::ContextHandle context_ = nullptr;
  pid_t process_ = getpid();
  std::atomic<bool> lost_{false};
  std::uint64_t most_shared_ = shared_without_opt_in;
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<Address>> pool_; // by size
  std::vector<std::shared_ptr<CudaStream>> retired_;
};

struct CudaMemory final : Memory {
  CudaMemory(std::shared_ptr<CudaDevice> owner, Address address, std::uint64_t size,
             std::uint64_t taken_bytes)
      : device(std::move(owner)), taken(taken_bytes) {
    data = reinterpret_cast<void*>(address);
    bytes = size;
  }
  ~CudaMemory() override { device->give_back(address(), taken); }
  Address address() const { return reinterpret_cast<Address>(data); }
  std::shared_ptr<CudaDevice> device;
  std::uint64_t taken; // what the pool gave
};

Address address_of(const Memory& memory) { return reinterpret_cast<Address>(memory.data); }

struct CudaCode final : Code {
  struct Kernel {
    cuda::FunctionHandle function;
    std::atomic<std::uint64_t> opted_in{shared_without_opt_in}; // bytes of dynamic shared memory
  };
  explicit CudaCode(std::shared_ptr<CudaDevice> owner) : device(std::move(owner)) {}
  ~CudaCode() override {
    device->use();
    if (module) device->driver.module_unload(module);
  }
  std::shared_ptr<CudaDevice> device;
  cuda::ModuleHandle module = nullptr;
  std::map<std::string, Kernel, std::less<>> kernels;
};

// An event of the driver, held by whoever waits for it.
struct Mark {
  explicit Mark(CudaDevice& owner) : driver(owner.driver) {
    owner.check("cuEventCreate", driver.event_create(&event, event_no_timing));
  }
  ~Mark() { driver.event_destroy(event); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  const Driver& driver;
  cuda::EventHandle event = nullptr;
};

// Launch records that lie side by side: cleared together, and read together.
struct Batch {
  static constexpr std::uint64_t size = 64;
  std::shared_ptr<Memory> memory;
  std::uint64_t used = 0;
  std::array<kern_launch_record, size> records{}; // as they were last read
};

// What is under way.
struct Work {
  std::uint64_t number = 0;
  std::shared_ptr<Mark> mark;
  std::vector<std::shared_ptr<Memory>> holds;
  std::optional<Launch> launch; // the rest is about one
  std::uint64_t launch_number = 0;
  std::shared_ptr<Batch> batch; // that has its record
  std::uint64_t record = 0;     // its index there
  std::shared_ptr<Memory> ring;
};

class CudaStream final : public Stream {
public:
  explicit CudaStream(std::shared_ptr<CudaDevice> device)
      : device_(std::move(device)), driver_(device_->driver) {
    device_->check("cuStreamCreate", driver_.stream_create(&stream_, stream_non_blocking));
  }
  ~CudaStream() override {
    report_faults();
    driver_.stream_destroy(stream_);
  }
  Device& device() override { return *device_; }
  std::uint64_t write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                      std::uint64_t bytes) override;
  std::uint64_t read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                     std::uint64_t bytes) override;
  std::uint64_t fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                     std::span<const char> pattern) override;
  std::uint64_t launch(Launch launch) override;
  std::uint64_t after(std::shared_ptr<Stream> other, std::uint64_t number) override;
  std::uint64_t last() override {
    std::lock_guard lock(mutex_);
    return put_;
  }
  bool wait(std::uint64_t number, Deadline deadline) override;
  // Finishes what is done, without waiting; says whether nothing is left.
  bool finish_done();

private:
  std::uint64_t put(Work work);
  std::uint64_t put_copy(std::shared_ptr<Memory> memory);
  void take_record(Work& work, std::uint64_t shared_bytes);
  void set_word(Address address, std::uint64_t value);
  void finish(Work& work);
  std::shared_ptr<Mark> mark_of(std::uint64_t number);

  std::shared_ptr<CudaDevice> device_;
  const Driver& driver_;
  cuda::StreamHandle stream_ = nullptr;
  std::mutex mutex_;
  std::deque<Work> works_;
  std::uint64_t put_ = 0, launches_ = 0;
  std::shared_ptr<Batch> batch_;
};

// ---- The device ----

CudaDevice::CudaDevice(const Driver& table, unsigned ordinal) : driver(table) {
  char name[256] = {};
  int shared = 0;
  check("cuDeviceGet", driver.device_get(&device_, static_cast<int>(ordinal)));
  check("cuDeviceGetName", driver.device_name(name, sizeof name, device_));
  check("cuDeviceGetAttribute", driver.device_attribute(&shared, attribute_shared_opt_in, device_));
  check("cuDevicePrimaryCtxRetain", driver.primary_retain(&context_, device_));
  name_ = name;
  most_shared_ = std::max(shared_without_opt_in, static_cast<std::uint64_t>(std::max(shared, 0)));
}

CudaDevice::~CudaDevice() {
  if (!context_) return;
  driver.set_context(context_);
  release_pool();
  driver.primary_release(device_);
}

void CudaDevice::check(const char* call, Result result) {
  if (result == 0) return;
  std::string text = cuda::describe(driver, call, result);
  if (is_sticky(result)) {
    lost_ = true;
    fail(KERN_DEVICE_LOST, name_ + " is lost for this process, which must be started again: " + text);
  }
  fail(KERN_DEVICE_ERROR, text);
}

void CudaDevice::enter() {
  if (getpid() != process_)
    fail(KERN_DEVICE_ERROR, "CUDA does not survive fork: open the device in the process that uses it");
  if (lost_) fail(KERN_DEVICE_LOST, name_ + " was lost: this process must be started again");
  check("cuCtxSetCurrent", driver.set_context(context_));
}

// Sizes in the pool: powers of two up to a mebibyte, then whole ones.
std::uint64_t pool_size(std::uint64_t bytes) {
  constexpr std::uint64_t least = 512, whole = 1 << 20;
  std::uint64_t size = least;
  while (size < bytes && size < whole) size *= 2;
  return bytes <= whole ? size : (bytes + whole - 1) / whole * whole;
}

std::shared_ptr<Memory> CudaDevice::allocate(std::uint64_t bytes) {
  enter();
  sweep();
  auto self = std::static_pointer_cast<CudaDevice>(shared_from_this());
  std::uint64_t size = bytes > std::uint64_t(1) << 60 ? bytes : pool_size(bytes);
  {
    std::lock_guard lock(mutex_);
    auto pooled = pool_.find(size);
    if (pooled != pool_.end() && !pooled->second.empty()) {
      Address address = pooled->second.back();
      pooled->second.pop_back();
      return std::make_shared<CudaMemory>(self, address, bytes, size);
    }
  }
  Address address = 0;
  Result result = driver.allocate(&address, size);
  if (result == out_of_memory) {
    release_pool();
    result = driver.allocate(&address, size);
  }
  if (result == out_of_memory) {
    std::size_t available = 0, total = 0;
    driver.memory_info(&available, &total);
    fail(Error{KERN_OUT_OF_MEMORY,
               name_ + " has no memory for " + std::to_string(bytes) +
                   " bytes: " + std::to_string(available) + " of " + std::to_string(total) + " are free",
               {},
               bytes,
               available});
  }
  check("cuMemAlloc", result);
  return std::make_shared<CudaMemory>(self, address, bytes, size);
}

void CudaDevice::give_back(Address address, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  pool_[bytes].push_back(address);
}

void CudaDevice::release_pool() {
  std::lock_guard lock(mutex_);
  for (auto& [size, addresses] : pool_)
    for (Address address : addresses) driver.release(address);
  pool_.clear();
}

void CudaDevice::retire(std::shared_ptr<CudaStream> stream) {
  try {
    enter();
    if (stream->finish_done()) return;
  } catch (const Error&) {
    // Whoever uses the device next hears of it.
    return;
  }
  std::lock_guard lock(mutex_);
  retired_.push_back(std::move(stream));
}

// Lets go of retired streams whose work is done; their destructors run outside of the lock.
void CudaDevice::sweep() {
  std::vector<std::shared_ptr<CudaStream>> streams, left;
  {
    std::lock_guard lock(mutex_);
    streams.swap(retired_);
  }
  for (std::shared_ptr<CudaStream>& stream : streams)
    if (!stream->finish_done()) left.push_back(std::move(stream));
  std::lock_guard lock(mutex_);
  retired_.insert(retired_.end(), left.begin(), left.end());
}

std::unique_ptr<Code> CudaDevice::load(const Manifest& manifest, const kern_object& object) {
  enter();
  auto code = std::make_unique<CudaCode>(std::static_pointer_cast<CudaDevice>(shared_from_this()));
  std::string ptx(object.ptx, object.ptx_bytes), log(8192, '\0');
  int options[] = {option_error_log, option_error_log_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  Result result = driver.module_load(&code->module, ptx.c_str(), 2, options, values);
  if (result != 0 && !is_sticky(result))
    fail(KERN_DEVICE_ERROR, cuda::describe(driver, "cuModuleLoadDataEx", result) + "\n" + log.c_str());
  check("cuModuleLoadDataEx", result);
  for (const ManifestKernel& kernel : manifest.kernels)
    for (const ManifestVariant& variant : kernel.variants) {
      if (variant.target != target()) continue;
      check("cuModuleGetFunction", driver.module_function(&code->kernels[variant.symbol].function,
                                                          code->module, variant.symbol.c_str()));
    }
  return code;
}

std::shared_ptr<Stream> CudaDevice::make_stream() {
  enter();
  sweep();
  auto self = std::static_pointer_cast<CudaDevice>(shared_from_this());
  auto stream = std::make_shared<CudaStream>(self);
  return {stream.get(), [stream, self](Stream*) mutable { self->retire(std::move(stream)); }};
}

// ---- Streams ----

// Marks the end of work that was given to the driver.
std::uint64_t CudaStream::put(Work work) {
  work.mark = std::make_shared<Mark>(*device_);
  device_->check("cuEventRecord", driver_.event_record(work.mark->event, stream_));
  std::uint64_t number = 0;
  bool many = false;
  {
    std::lock_guard lock(mutex_);
    number = work.number = ++put_;
    works_.push_back(std::move(work));
    many = works_.size() % Batch::size == 0;
  }
  if (many) finish_done();
  return number;
}

std::uint64_t CudaStream::put_copy(std::shared_ptr<Memory> memory) {
  Work work;
  if (memory) work.holds.push_back(std::move(memory));
  return put(std::move(work));
}

std::uint64_t CudaStream::write(std::shared_ptr<Memory> to, std::uint64_t offset, const void* from,
                                std::uint64_t bytes) {
  device_->enter();
  device_->check("cuMemcpyHtoDAsync",
                 driver_.copy_to_device_async(address_of(*to) + offset, from, bytes, stream_));
  return put_copy(std::move(to));
}

std::uint64_t CudaStream::read(std::shared_ptr<Memory> from, std::uint64_t offset, void* to,
                               std::uint64_t bytes) {
  device_->enter();
  device_->check("cuMemcpyDtoHAsync",
                 driver_.copy_to_host_async(to, address_of(*from) + offset, bytes, stream_));
  return put_copy(std::move(from));
}

std::uint64_t CudaStream::fill(std::shared_ptr<Memory> to, std::uint64_t offset, std::uint64_t count,
                               std::span<const char> pattern) {
  device_->enter();
  Address address = address_of(*to) + offset;
  std::uint32_t word = 0;
  std::memcpy(&word, pattern.data(), std::min(pattern.size(), sizeof word));
  bool same_words = true;
  for (std::size_t i = 0; i < pattern.size(); i += 4)
    same_words &= pattern.size() < 4 || std::memcmp(&word, pattern.data() + i, 4) == 0;
  if (pattern.size() == 1) {
    device_->check("cuMemsetD8Async",
                   driver_.fill8(address, static_cast<unsigned char>(word), count, stream_));
  } else if (pattern.size() == 2) {
    device_->check("cuMemsetD16Async",
                   driver_.fill16(address, static_cast<unsigned short>(word), count, stream_));
  } else if (same_words) {
    device_->check("cuMemsetD32Async", driver_.fill32(address, word, count * (pattern.size() / 4), stream_));
  } else {
    std::vector<char> bytes;
    for (std::uint64_t i = 0; i < count; ++i) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
    std::uint64_t number = write(std::move(to), offset, bytes.data(), bytes.size());
    wait(number, std::nullopt);
    return number;
  }
  return put_copy(std::move(to));
}

std::uint64_t CudaStream::after(std::shared_ptr<Stream> other, std::uint64_t number) {
  if (&other->device() != device_.get()) {
    // Of another device: its work is waited for here.
    other->wait(number, std::nullopt);
    return last();
  }
  device_->enter();
  auto mark = static_cast<CudaStream&>(*other).mark_of(number);
  if (mark) device_->check("cuStreamWaitEvent", driver_.stream_wait_event(stream_, mark->event, 0));
  return put_copy(nullptr);
}

// Sets 8 bytes without host memory: copies from it would wait for the stream.
void CudaStream::set_word(Address address, std::uint64_t value) {
  auto low = static_cast<std::uint32_t>(value), high = static_cast<std::uint32_t>(value >> 32);
  device_->check("cuMemsetD32Async", driver_.fill32(address, low, 1, stream_));
  device_->check("cuMemsetD32Async", driver_.fill32(address + 4, high, 1, stream_));
}

// Gives a launch its record, which is all zeros but for what it needs.
void CudaStream::take_record(Work& work, std::uint64_t shared_bytes) {
  if (!batch_ || batch_->used == Batch::size) {
    auto batch = std::make_shared<Batch>();
    batch->memory = device_->allocate(sizeof batch->records);
    device_->check("cuMemsetD32Async",
                   driver_.fill32(address_of(*batch->memory), 0, sizeof batch->records / 4, stream_));
    batch_ = std::move(batch);
  }
  work.batch = batch_;
  work.record = batch_->used++;
  Address record = address_of(*batch_->memory) + work.record * sizeof(kern_launch_record);
  if (work.ring) set_word(record + offsetof(kern_launch_record, print_ring), address_of(*work.ring));
  if (shared_bytes > 0) set_word(record + offsetof(kern_launch_record, shared_bytes), shared_bytes);
}

// One pointer a parameter of the entry: a c128 is one of 16 bytes, though it has two slots.
std::vector<void*> entry_params(const Launch& launch, std::vector<std::uint64_t>& slots) {
  std::vector<void*> pointers;
  for (const ManifestParam& param : launch.kernel->params)
    for (std::uint32_t part = 0; part < 1 + 2 * param.rank; ++part)
      pointers.push_back(&slots[param.slot + part]);
  pointers.push_back(&slots.back());
  return pointers;
}

std::uint64_t CudaStream::launch(Launch launch) {
  device_->enter();
  auto& code = static_cast<CudaCode&>(*launch.module->code);
  CudaCode::Kernel& kernel = code.kernels.find(launch.variant->symbol)->second;
  if (launch.shared_bytes > kernel.opted_in) {
    device_->check("cuFuncSetAttribute", driver_.function_set(kernel.function, function_dynamic_shared,
                                                              static_cast<int>(launch.shared_bytes)));
    kernel.opted_in = launch.shared_bytes;
  }
  Work work;
  work.holds = std::move(launch.uses);
  work.launch_number = ++launches_;
  if (launch.kernel->prints) {
    work.ring = device_->allocate(sizeof(kern_print_ring) + ring_words * 8);
    set_word(address_of(*work.ring) + offsetof(kern_print_ring, capacity), ring_words);
    set_word(address_of(*work.ring) + offsetof(kern_print_ring, used), 0);
  }
  take_record(work, launch.shared_bytes);
  launch.params.back() = address_of(*batch_->memory) + work.record * sizeof(kern_launch_record);
  std::vector<void*> params = entry_params(launch, launch.params);
  device_->check("cuLaunchKernel",
                 driver_.launch(kernel.function, launch.grid[0], launch.grid[1], launch.grid[2],
                                launch.block[0], launch.block[1], launch.block[2],
                                static_cast<unsigned>(launch.shared_bytes), stream_, params.data(), nullptr));
  work.launch = std::move(launch);
  return put(std::move(work));
}

// Looks at what a launch left behind; its batch was read.
void CudaStream::finish(Work& work) {
  if (!work.launch) return;
  kern_fault_record fault = work.batch->records[work.record].fault;
  fault.launch = work.launch_number;
  if (work.ring) {
    std::vector<std::uint64_t> words(ring_words + 2);
    Address ring = address_of(*work.ring);
    device_->check("cuMemcpyDtoH", driver_.copy_to_host(words.data(), ring, 16));
    words[0] = ring_words;
    std::uint64_t used = std::min(words[1], ring_words) * 8;
    if (used > 0) device_->check("cuMemcpyDtoH", driver_.copy_to_host(words.data() + 2, ring + 16, used));
    write_prints(work.launch->module->manifest, *reinterpret_cast<kern_print_ring*>(words.data()));
  }
  if (fault.state != 0) keep_fault(work.number, *work.launch, fault);
}

bool CudaStream::finish_done() {
  std::lock_guard lock(mutex_);
  // The last one first: mostly all or nothing is done.
  std::size_t done = works_.size();
  for (; done > 0; --done) {
    Result result = driver_.event_query(works_[done - 1].mark->event);
    if (result == 0) break;
    if (result != not_ready) device_->check("cuEventQuery", result);
  }
  // The copy is one of the legacy stream, which does not wait for others.
  const Batch* read = nullptr;
  for (std::size_t i = 0; i < done; ++i) {
    Batch* batch = works_[i].batch.get();
    if (!batch || batch == read) continue;
    device_->check("cuMemcpyDtoH", driver_.copy_to_host(batch->records.data(), address_of(*batch->memory),
                                                        sizeof batch->records));
    read = batch;
  }
  for (; done > 0; --done) {
    finish(works_.front());
    works_.pop_front();
  }
  return works_.empty();
}

std::shared_ptr<Mark> CudaStream::mark_of(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Mark> mark;
  for (const Work& work : works_)
    if (work.number <= number) mark = work.mark;
  return mark;
}

bool CudaStream::wait(std::uint64_t number, Deadline deadline) {
  device_->enter();
  std::shared_ptr<Mark> mark = mark_of(number);
  if (mark && !deadline) device_->check("cuEventSynchronize", driver_.event_synchronize(mark->event));
  while (mark && deadline) {
    Result result = driver_.event_query(mark->event);
    if (result == 0) break;
    if (result != not_ready) device_->check("cuEventQuery", result);
    if (std::chrono::steady_clock::now() >= *deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  finish_done();
  return true;
}

} // namespace

std::shared_ptr<Device> open_cuda(unsigned ordinal) {
  // One device object a device: its pool and its modules are shared.
  static std::mutex mutex;
  static auto* opened = new std::map<unsigned, std::weak_ptr<CudaDevice>>;
  std::string reason;
  const Driver* driver = cuda::load_driver(reason);
  if (!driver) fail(KERN_DEVICE_ERROR, reason);
  std::lock_guard lock(mutex);
  std::weak_ptr<CudaDevice>& known = (*opened)[ordinal];
  if (std::shared_ptr<CudaDevice> device = known.lock()) return device;
  auto device = std::make_shared<CudaDevice>(*driver, ordinal);
  known = device;
  return device;
}

} // namespace kern::runtime
