// The fake driver knows kernels by name only: this gives it their CPU code, the variant without facts.
#include "test_device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "endless.kern.hpp"
#include "kernels.kern.hpp"
#include "runtime/cpu/cooperative.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/cpu/record.h"
#include "runtime/cpu/scratch.h"
#include "runtime/manifest/manifest.h"

static const kern_object* const objects[] = {&kern_object_kernels, &kern_object_endless};

static const kern_object_entry* find_entry(const std::string& symbol) {
  for (const kern_object* object : objects)
    for (std::uint64_t i = 0; i < object->entry_count; ++i) {
      const kern_object_entry& entry = object->entries[i];
      if (entry.symbol == symbol + "$v1" && std::string_view(entry.cpu) == "x86-64-v3") return &entry;
    }
  return nullptr;
}

struct FoundKernel {
  const kern::Manifest& manifest;
  const kern::ManifestKernel& kernel;
};

static FoundKernel find_kernel(const std::string& symbol) {
  // Never taken down: destructors of statics launch, too.
  static const auto& manifests = *[] {
    auto* list = new std::vector<kern::Manifest>;
    std::string error;
    for (const kern_object* object : objects)
      list->push_back(*kern::parse_manifest({object->manifest, object->manifest_bytes}, error));
    return list;
  }();
  for (const kern::Manifest& manifest : manifests)
    for (const kern::ManifestKernel& kernel : manifest.kernels)
      if (kernel.symbol == symbol) return {manifest, kernel};
  std::abort();
}

// On a GPU threads look whether the launch is to end before they begin.
static void stop_before_start(const FoundKernel& found, kern_launch_record& record) {
  constexpr std::uint32_t stopped = 15; // of faults.def
  const auto& sites = found.manifest.sites;
  for (std::uint32_t site = 0; site < sites.size(); ++site) {
    if (sites[site].kind != stopped || !(sites[site].place == found.kernel.place)) continue;
    kern_fault_record fault{};
    fault.site = site;
    fault.kind = stopped;
    fault.launch = record.launch;
    kern_cpu_fault(&record, &fault);
  }
}

// Destructors of the thread launch, too.
static thread_local char last_name[256];

std::string last_variant() { return last_name; }

static void run(const char* entry_name, const std::uint64_t* params, const unsigned* grid,
                const unsigned* block) {
  const kern::cpu::FloatEnvironment environment; // a GPU knows nothing of the host's
  std::snprintf(last_name, sizeof last_name, "%s", entry_name);
  const std::string full(entry_name), name = full.substr(0, full.rfind("$v1"));
  const kern_object_entry* entry = find_entry(name);
  const FoundKernel found = find_kernel(name);
  const kern::ManifestKernel& kernel = found.kernel;
  std::vector<std::uint64_t> slots(params, params + kernel.slots);
  kern::cpu::Launch launch;
  launch.entry = entry->entry;
  launch.params = slots.data();
  launch.record = reinterpret_cast<kern_launch_record*>(slots.back());
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = grid[axis], launch.block[axis] = block[axis];
  constexpr std::size_t most_shared = 1 << 18;
  launch.scratch_bytes = kern::cpu::scratch_bytes(*entry, launch.block) + most_shared;
  kern::cpu::Pool alone(1);
  // A GPU finds the word by which the launch is told to end at another place than a CPU.
  std::uint64_t& stop = launch.record->reserved[kern::cpu::stop_word];
  if (kernel.cancellable.value_or(false)) stop = launch.record->launch;
  bool is_cut_short = false;
  launch.is_cut_short = &is_cut_short;
  kernel.cooperative ? kern::cpu::run_cooperative(alone, launch) : alone.run(launch);
  stop = 0;
  if (is_cut_short && launch.record->fault.state == 0) stop_before_start(found, *launch.record);
}

static const FakeCuda* load_fake() {
  setenv("KERN_WARNINGS", "off", 1); // small launches are what tests are made of
  const char* path = std::getenv("KERN_TEST_FAKE_CUDA");
  void* library = path ? dlopen(path, RTLD_NOW) : nullptr;
  if (!library) return nullptr;
  setenv("KERN_LIBCUDA", path, 1);
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  static FakeCuda fake;
  void (*set_run)(decltype(&run)) = nullptr;
  find(set_run, "fake_cuda_set_run");
  find(fake.fail, "fake_cuda_fail");
  find(fake.calls, "fake_cuda_calls");
  find(fake.live, "fake_cuda_live");
  find(fake.borrowed, "fake_cuda_borrowed");
  find(fake.is_old, "fake_cuda_is_old");
  find(fake.set_busy, "fake_cuda_set_busy");
  find(fake.set_most_threads, "fake_cuda_set_most_threads");
  find(fake.compiled, "fake_cuda_compiled");
  find(fake.refuse_cubins, "fake_cuda_refuse_cubins");
  find(fake.loaded, "fake_cuda_loaded");
  find(fake.options, "fake_cuda_options");
  find(fake.set_version, "fake_cuda_set_version");
  set_run(run);
  return &fake;
}

const FakeCuda* fake_cuda() {
  static const FakeCuda* const fake = load_fake();
  return fake;
}

bool is_cuda() {
  const char* name = std::getenv("KERN_TEST_DEVICE");
  return name && std::string_view(name) == "cuda";
}

kern::Device test_device() {
  fake_cuda();
  return is_cuda() ? kern::Device::cuda() : kern::Device::cpu();
}
