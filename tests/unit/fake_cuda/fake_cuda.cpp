// A libcuda on host memory: what runtime/cuda/driver.def names, so that the CUDA path is tested without a
// GPU. Work is done when it is asked for; kernels run through a function that the test sets. Handles are
// counted, and any call can be made to fail. The whole is a shared library that KERN_LIBCUDA names.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int invalid_value = 1, out_of_memory = 2, invalid_image = 200, invalid_ptx = 218,
              invalid_handle = 400, not_ready = 600, too_large = 720, isolation = 905, unjoined = 904;
constexpr unsigned multiprocessors = 4;

// Machine code begins with this text.
constexpr char cubin_head[] = "\x7f"
                              "ELF of the fake driver\n";

// The driver's CUjit_option.
constexpr int error_log = 5, error_log_bytes = 6;

// A kernel: the bytes of each parameter, in order, and of dynamic shared memory that a launch may ask for.
using Layout = std::vector<std::size_t>;
struct Kernel {
  Layout layout;
  unsigned most_shared = 48 << 10;
};
using Function = std::pair<const std::string, Kernel>;

// A call of a capture, to be made again, with the calls that it comes behind.
struct Node {
  std::function<void()> call;
  std::set<std::size_t> behind;
};
struct Work {
  std::vector<Node> nodes;
  void* origin = nullptr; // the stream that began the capture, and ends it
};

// A stream or event of a capture, and what it comes behind.
struct Captured {
  std::shared_ptr<Work> work;
  std::set<std::size_t> behind;
};

struct State {
  std::mutex mutex;
  std::map<void*, Captured> captures; // by stream
  std::map<void*, Captured> marks;    // by event that was recorded in a capture
  std::map<void*, Work*> graphs, execs;
  unsigned most_threads = 1024; // of a block that can run
  std::set<void*> memory;
  std::map<const char*, std::size_t> pinned; // the driver's own memory of the host, with its bytes
  long borrowed = 0; // copies with other memory of the host, since somebody waited last
  std::set<void*> streams, events, modules;
  std::map<void*, std::string> images;     // by module
  std::map<std::string, Kernel> functions; // a function's handle is its row
  int retained = 0;
  long calls = 0;
  long fail_at = -1; // the number of the call that fails
  bool forever = false;
  int code = 0;
  int version = 12080;    // of the driver's interface
  bool busy = false;      // queries say that the device is at work
  int compiled = 0;       // how many texts of PTX
  std::string loaded;     // the last image that was: machine code or PTX
  std::string options;    // of the last load
  int refused_cubins = 0; // how many the next loads refuse
  void (*run)(const char* name, const std::uint64_t* slots, const unsigned* grid,
              const unsigned* block) = nullptr;
};

State& state() {
  static State state;
  return state;
}

// Counts a call; returns the code that it must fail with, or 0.
int step() {
  State& now = state();
  std::lock_guard lock(now.mutex);
  long call = now.calls++;
  bool fails = now.fail_at >= 0 && (now.forever ? call >= now.fail_at : call == now.fail_at);
  return fails ? now.code : 0;
}

template <class T> int make(std::set<void*>& live, T** handle) {
  std::lock_guard lock(state().mutex);
  *handle = static_cast<T*>(std::malloc(1));
  live.insert(*handle);
  return 0;
}

int drop(std::set<void*>& live, void* handle) {
  std::lock_guard lock(state().mutex);
  if (live.erase(handle) == 0) return invalid_handle;
  std::free(handle);
  return 0;
}

bool lives(const std::set<void*>& live, void* handle) {
  std::lock_guard lock(state().mutex);
  return live.contains(handle);
}

bool busy() {
  std::lock_guard lock(state().mutex);
  return state().busy;
}

// Notes a copy with memory of the host, which is the caller's where the driver did not make it.
void note_host_copy(const void* host) {
  std::lock_guard lock(state().mutex);
  auto next = state().pinned.upper_bound(static_cast<const char*>(host));
  const bool is_pinned = next != state().pinned.begin() &&
                         static_cast<std::size_t>(static_cast<const char*>(host) - std::prev(next)->first) <
                             std::prev(next)->second;
  if (!is_pinned) ++state().borrowed;
}

// Does the work of a stream at once, or keeps it for the graph that is being captured.
template <class Function> int put(void* stream, Function work) {
  {
    std::lock_guard lock(state().mutex);
    if (!state().streams.contains(stream)) return invalid_handle;
    auto capture = state().captures.find(stream);
    if (capture != state().captures.end()) {
      auto& [graph, behind] = capture->second;
      graph->nodes.push_back({work, behind});
      behind.insert(graph->nodes.size() - 1);
      return 0;
    }
  }
  work();
  return 0;
}

// Makes the calls in an order as far from that of the capture as it allows: what nothing keeps behind comes first.
void replay(const Work& work) {
  std::vector<char> is_done(work.nodes.size());
  for (std::size_t left = work.nodes.size(); left > 0; --left)
    for (std::size_t i = work.nodes.size(); i-- > 0;) {
      const Node& node = work.nodes[i];
      bool is_ready = !is_done[i] && std::all_of(node.behind.begin(), node.behind.end(),
                                                 [&](std::size_t before) { return is_done[before]; });
      if (!is_ready) continue;
      node.call();
      is_done[i] = 1;
      break;
    }
}

bool is_captured(void* stream) {
  std::lock_guard lock(state().mutex);
  return state().captures.contains(stream);
}

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

// The driver's CUlaunchAttribute of a cooperative launch, and its CUlaunchConfig.
struct LaunchAttribute {
  int id;
  alignas(8) int value;
  char rest[60];
};
struct LaunchConfig {
  std::array<unsigned, 3> grid, block;
  unsigned shared;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

// Reads the parameters of a kernel from its PTX: `.param .u16 name_param_2`, `.param .align 16 .b8 name_param_3[16]`.
Layout layout_of(const std::string& ptx, const std::string& name) {
  Layout layout;
  std::size_t begin = ptx.find(".entry " + name + "("), end = ptx.find(')', begin);
  if (begin == ptx.npos || end == ptx.npos) return layout;
  std::istringstream words(ptx.substr(begin, end - begin));
  for (std::string word; words >> word;) {
    if (word != ".param" || !(words >> word)) continue;
    bool is_vector = word == ".align";
    layout.push_back(std::strtoul(word.c_str() + 2, nullptr, 10) / 8); // ".u16"
    if (is_vector && words >> layout.back()) words >> word;            // its size is its alignment
  }
  return layout;
}

// Takes parameters apart that lie behind each other, each aligned to its bytes, as PTX lays them out.
bool unpack(const Layout& layout, const char* packed, std::size_t bytes, std::vector<std::uint64_t>& slots) {
  std::size_t offset = 0;
  for (std::size_t size : layout) {
    offset = (offset + size - 1) / size * size;
    if (offset + size > bytes) return false;
    for (std::size_t part = 0; part < size; part += sizeof(std::uint64_t))
      std::memcpy(&slots.emplace_back(0), packed + offset + part, std::min(size, sizeof(std::uint64_t)));
    offset += size;
  }
  return offset == bytes;
}

// Says which options there are, those of the log without their values: "5 6 11=1".
std::string describe_options(unsigned count, const int* options, void* const* values) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += (i ? " " : "") + std::to_string(options[i]);
    if (options[i] != error_log && options[i] != error_log_bytes)
      text += "=" + std::to_string(reinterpret_cast<std::uintptr_t>(values[i]));
  }
  return text;
}

// Puts what a compiler says into the error log, where one was given.
void write_log(unsigned count, const int* options, void* const* values, const std::string& text) {
  char* log = nullptr;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == error_log) log = static_cast<char*>(values[i]);
    if (options[i] == error_log_bytes) bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  if (log && bytes > 0) log[text.copy(log, bytes - 1)] = '\0';
}

} // namespace

static thread_local void* current = nullptr; // context

#define STEP()                                                                                               \
  if (int code = step()) return code

static int launch(const LaunchConfig* config, void* function, void** params, void** extra) {
  STEP();
  const auto [gx, gy, gz] = config->grid;
  const auto [bx, by, bz] = config->block;
  if (!current || gx == 0 || gy == 0 || gz == 0 || bx * by * bz > 1024) return invalid_value;
  bool is_cooperative =
      config->attribute_count > 0 && config->attributes->id == 2 && config->attributes->value;
  if (is_cooperative && gx * gy * gz > multiprocessors * (state().most_threads / (bx * by * bz)))
    return too_large;
  const auto& [name, kernel] = *static_cast<const Function*>(function);
  // A kernel that does not end, for whoever waits for it.
  if (const char* endless = std::getenv("FAKE_CUDA_ENDLESS"); endless && name == endless)
    std::this_thread::sleep_for(std::chrono::hours(1));
  const Layout& layout = kernel.layout;
  {
    std::lock_guard lock(state().mutex);
    if (config->shared > kernel.most_shared) return invalid_value;
  }
  std::vector<std::uint64_t> slots;
  for (std::size_t i = 0; params && i < layout.size(); ++i)
    std::memcpy(&slots.emplace_back(0), params[i], layout[i]);
  if (extra) { // CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
    if (extra[0] != at(1) || extra[2] != at(2) || extra[4] != nullptr) return invalid_value;
    if (!unpack(layout, static_cast<const char*>(extra[1]), *static_cast<std::size_t*>(extra[3]), slots))
      return invalid_value;
  }
  return put(config->stream, [=, grid = config->grid, block = config->block, slots = std::move(slots)] {
    if (state().run) state().run(name.c_str(), slots.data(), grid.data(), block.data());
  });
}

extern "C" {

// ---- What tests set and ask ----

// Kernels run by this function; each parameter stands at the beginning of a slot.
void fake_cuda_set_run(void (*run)(const char*, const std::uint64_t*, const unsigned*, const unsigned*)) {
  state().run = run;
}

// Says whether the driver is one before CUDA 11.8.
int fake_cuda_is_old() {
#ifdef FAKE_CUDA_OLD
  return 1;
#else
  return 0;
#endif
}

// The most threads that a multiprocessor runs at once; larger blocks do not run together.
void fake_cuda_set_most_threads(unsigned threads) { state().most_threads = threads; }

// The call after `calls` others fails with `code`, and all behind it if `forever`; -1: none.
void fake_cuda_fail(long calls, int code, int forever) {
  std::lock_guard lock(state().mutex);
  state().fail_at = calls < 0 ? -1 : state().calls + calls;
  state().code = code;
  state().forever = forever != 0;
}

long fake_cuda_calls() {
  std::lock_guard lock(state().mutex);
  return state().calls;
}

// How often PTX was compiled.
int fake_cuda_compiled() {
  std::lock_guard lock(state().mutex);
  return state().compiled;
}

// Returns what was loaded last: machine code or PTX.
const char* fake_cuda_loaded() { return state().loaded.c_str(); }

// The options of the last load, by their numbers: "5 6 11=1".
const char* fake_cuda_options() { return state().options.c_str(); }

// Says which version the driver is.
void fake_cuda_set_version(int version) { state().version = version; }

// The next `count` loads of machine code are refused.
void fake_cuda_refuse_cubins(int count) {
  std::lock_guard lock(state().mutex);
  state().refused_cubins = count;
}

// While it is set, whoever asks hears that work is under way; whoever waits does not.
void fake_cuda_set_busy(int busy) {
  std::lock_guard lock(state().mutex);
  state().busy = busy != 0;
}

// How many copies from or to memory of the host that callers own nobody has waited for.
long fake_cuda_borrowed() {
  std::lock_guard lock(state().mutex);
  return state().borrowed;
}

// How many handles live: memory, streams, events, modules and contexts.
long fake_cuda_live() {
  std::lock_guard lock(state().mutex);
  const State& now = state();
  return static_cast<long>(now.memory.size() + now.streams.size() + now.events.size() + now.modules.size() +
                           now.graphs.size() + now.execs.size() + now.captures.size()) +
         now.retained;
}

// ---- The driver ----

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { return *version = state().version, 0; }
int cuGetErrorName(int code, const char** name) {
  *name = code == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 700         ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int, const char** text) { return *text = "made to fail", 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int ordinal) {
  STEP();
  if (ordinal != 0) return 101;
  return *device = 0, 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  STEP();
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(bytes));
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  STEP();
  return *bytes = std::size_t(1) << 34, 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  STEP();
  *value = attribute == 97   ? 232448
           : attribute == 75 ? 9
           : attribute == 16 ? static_cast<int>(multiprocessors)
                             : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  STEP();
  std::lock_guard lock(state().mutex);
  ++state().retained;
  *context = &state();
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  std::lock_guard lock(state().mutex);
  --state().retained;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  STEP();
  current = context;
  return 0;
}
int cuCtxGetCurrent(void** context) { return *context = current, 0; }
int cuCtxSynchronize() {
  STEP();
  return 0;
}
// Takes machine code and PTX, and keeps which options it was given.
int cuModuleLoadDataEx(void** module, const void* data, unsigned count, int* options, void** values) {
  STEP();
  const char* image = static_cast<const char*>(data);
  bool is_cubin = std::strncmp(image, cubin_head, sizeof cubin_head - 1) == 0;
  {
    std::lock_guard lock(state().mutex);
    state().options = describe_options(count, options, values);
    if (is_cubin ? state().refused_cubins > 0 : !std::strstr(image, ".version")) {
      write_log(count, options, values,
                is_cubin ? "device kernel image is invalid" : "ptxas fatal : this is no PTX");
      if (is_cubin) --state().refused_cubins;
      return is_cubin ? invalid_image : invalid_ptx;
    }
    if (!is_cubin) ++state().compiled;
    state().loaded = image;
  }
  int code = make(state().modules, module);
  std::lock_guard lock(state().mutex);
  state().images[*module] = image;
  return code;
}
int cuModuleUnload(void* module) {
  std::unique_lock lock(state().mutex);
  state().images.erase(module);
  lock.unlock();
  return drop(state().modules, module);
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  STEP();
  if (!lives(state().modules, module)) return invalid_handle;
  std::lock_guard lock(state().mutex);
  auto [row, is_new] = state().functions.try_emplace(name, Kernel{layout_of(state().images[module], name)});
  *function = &*row;
  return 0;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  STEP();
  if (attribute != 8 || value > 227 << 10) return invalid_value;
  std::lock_guard lock(state().mutex);
  static_cast<Function*>(function)->second.most_shared = static_cast<unsigned>(value);
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void*) {
  STEP();
  *value = attribute == 4 ? 24 : attribute == 3 ? 16 : 0;
  return 0;
}
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  STEP();
  return put(stream, [=] { function(data); });
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  STEP();
  if (bytes > std::size_t(1) << 34) return out_of_memory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xcd, bytes);
  std::lock_guard lock(state().mutex);
  state().memory.insert(memory);
  *address = reinterpret_cast<std::uint64_t>(memory);
  return 0;
}
int cuMemFree_v2(std::uint64_t address) { return drop(state().memory, at(address)); }
int cuMemGetInfo_v2(std::size_t* available, std::size_t* total) {
  *available = std::size_t(1) << 33;
  *total = std::size_t(1) << 34;
  return 0;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  STEP();
  std::memcpy(at(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  STEP();
  std::memcpy(to, at(from), bytes);
  return 0;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  STEP();
  note_host_copy(from);
  return put(stream, [=] { std::memcpy(at(to), from, bytes); });
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  STEP();
  note_host_copy(to);
  return put(stream, [=] { std::memcpy(to, at(from), bytes); });
}
int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  STEP();
  return put(stream, [=] { std::memcpy(at(to), at(from), bytes); });
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t count, void* stream) {
  STEP();
  return put(stream, [=] { std::memset(at(to), value, count); });
}
int cuMemsetD16Async(std::uint64_t to, unsigned short value, std::size_t count, void* stream) {
  STEP();
  return put(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(at(to)) + 2 * i, &value, 2);
  });
}
int cuMemsetD32Async(std::uint64_t to, unsigned value, std::size_t count, void* stream) {
  STEP();
  return put(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(at(to)) + 4 * i, &value, 4);
  });
}
int cuMemsetD2D32Async(std::uint64_t to, std::size_t pitch, unsigned value, std::size_t width,
                       std::size_t height, void* stream) {
  STEP();
  if (to % 4 != 0 || pitch % 4 != 0 || pitch < 4 * width) return invalid_value;
  return put(stream, [=] {
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t i = 0; i < width; ++i)
        std::memcpy(static_cast<char*>(at(to)) + row * pitch + 4 * i, &value, 4);
  });
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** params, void** extra) {
  LaunchConfig config{{gx, gy, gz}, {bx, by, bz}, shared, stream, nullptr, 0};
  return launch(&config, function, params, extra);
}
#ifndef FAKE_CUDA_OLD
int cuLaunchKernelEx(const LaunchConfig* config, void* function, void** params, void** extra) {
  return launch(config, function, params, extra);
}
#endif
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, std::size_t) {
  STEP();
  const char* given = std::getenv("FAKE_CUDA_THREADS");
  *blocks = (given ? std::atoi(given) : static_cast<int>(state().most_threads)) / threads;
  return 0;
}
int cuStreamBeginCapture_v2(void* stream, int) {
  STEP();
  if (!lives(state().streams, stream) || is_captured(stream)) return invalid_value;
  std::lock_guard lock(state().mutex);
  state().captures[stream] = {std::make_shared<Work>(), {}};
  state().captures[stream].work->origin = stream;
  return 0;
}
int cuStreamEndCapture(void* stream, void** graph) {
  int code = step(); // the capture ends in any case
  std::lock_guard lock(state().mutex);
  auto capture = state().captures.find(stream);
  if (capture == state().captures.end() || capture->second.work->origin != stream) return invalid_value;
  const Captured ended = capture->second;
  std::erase_if(state().captures, [&](const auto& other) { return other.second.work == ended.work; });
  std::erase_if(state().marks, [&](const auto& mark) { return mark.second.work == ended.work; });
  if (code) return code;
  if (ended.behind.size() < ended.work->nodes.size()) return unjoined;
  auto* made = new Work(*ended.work);
  state().graphs[made] = made;
  *graph = made;
  return 0;
}
int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  STEP();
  std::lock_guard lock(state().mutex);
  if (!state().graphs.contains(graph)) return invalid_handle;
  auto* made = new Work(*state().graphs[graph]);
  state().execs[made] = made;
  *exec = made;
  return 0;
}
int cuGraphDestroy(void* graph) {
  std::lock_guard lock(state().mutex);
  auto dropped = state().graphs.extract(graph);
  if (dropped.empty()) return invalid_handle;
  delete dropped.mapped();
  return 0;
}
int cuGraphExecDestroy(void* exec) {
  std::lock_guard lock(state().mutex);
  auto dropped = state().execs.extract(exec);
  if (dropped.empty()) return invalid_handle;
  delete dropped.mapped();
  return 0;
}
int cuGraphLaunch(void* exec, void* stream) {
  STEP();
  Work* work = nullptr;
  {
    std::lock_guard lock(state().mutex);
    if (!state().execs.contains(exec) || !state().streams.contains(stream)) return invalid_handle;
    work = state().execs[exec];
  }
  replay(*work);
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  STEP();
  return make(state().streams, stream);
}
int cuStreamDestroy_v2(void* stream) {
  {
    std::lock_guard lock(state().mutex);
    state().captures.erase(stream);
  }
  return drop(state().streams, stream);
}
int cuStreamQuery(void* stream) {
  STEP();
  return !lives(state().streams, stream) ? invalid_handle : busy() ? not_ready : 0;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  STEP();
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::lock_guard lock(state().mutex);
  state().memory.insert(*memory);
  state().pinned[static_cast<const char*>(*memory)] = bytes;
  return 0;
}
int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* memory, unsigned) {
  STEP();
  *address = reinterpret_cast<std::uint64_t>(memory);
  return 0;
}
int cuPointerGetAttribute(void* value, int attribute, std::uint64_t address) {
  if (attribute != 2 || !lives(state().memory, at(address))) return invalid_value;
  *static_cast<int*>(value) = 1; // what tests ask about is host memory
  return 0;
}
int cuMemFreeHost(void* memory) {
  if (!memory) return 0;
  {
    std::lock_guard lock(state().mutex);
    state().pinned.erase(static_cast<const char*>(memory));
  }
  return drop(state().memory, memory);
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  STEP();
  if (!lives(state().streams, stream) || !lives(state().events, event)) return invalid_handle;
  std::lock_guard lock(state().mutex);
  auto mark = state().marks.find(event);
  auto capture = state().captures.find(stream);
  if (mark == state().marks.end()) return capture == state().captures.end() ? 0 : isolation;
  if (capture == state().captures.end())
    capture = state().captures.insert({stream, {mark->second.work, {}}}).first;
  if (capture->second.work != mark->second.work) return isolation;
  capture->second.behind.insert(mark->second.behind.begin(), mark->second.behind.end());
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  STEP();
  return make(state().events, event);
}
int cuEventDestroy_v2(void* event) {
  {
    std::lock_guard lock(state().mutex);
    state().marks.erase(event);
  }
  return drop(state().events, event);
}
int cuEventRecord(void* event, void* stream) {
  STEP();
  if (!lives(state().events, event)) return invalid_handle;
  std::lock_guard lock(state().mutex);
  state().marks.erase(event);
  if (auto capture = state().captures.find(stream); capture != state().captures.end())
    state().marks[event] = capture->second;
  return 0;
}
int cuEventSynchronize(void* event) {
  STEP();
  std::lock_guard lock(state().mutex);
  if (state().events.contains(event)) state().borrowed = 0;
  return state().marks.contains(event) ? isolation : state().events.contains(event) ? 0 : invalid_handle;
}
int cuEventQuery(void* event) {
  STEP();
  return !lives(state().events, event) ? invalid_handle : busy() ? not_ready : 0;
}
int cuEventElapsedTime(float* time, void*, void*) { return *time = 1, 0; }
}
