// How long a module takes to load on the CUDA device: when the driver compiles it (cold), when its cache has
// it (warm), and when it is the first module of a process and the cache has it (first). FOLDER
// holds NAME.json (the manifest) and NAME.ptx of each module, as load_time.py makes them; only the runtime is
// needed here.
//
// usage: load_time FOLDER
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kern/abi_hash.h"
#include "kern/kern.hpp"

static std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Loads one module; returns milliseconds.
static double load(const kern::Device& device, const std::string& stem) {
  std::string manifest = read_file(stem + ".json"), ptx = read_file(stem + ".ptx");
  kern_object object{};
  object.struct_size = sizeof object;
  object.abi_version = KERN_ABI_VERSION;
  object.abi_hash = kern::abi_hash;
  object.manifest = manifest.data();
  object.manifest_bytes = manifest.size();
  object.ptx = ptx.data();
  object.ptx_bytes = ptx.size();
  kern_module* module = nullptr;
  auto begin = std::chrono::steady_clock::now();
  kern_error* error = kern_module_load(device.get(), &object, &module);
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  if (error) {
    std::fprintf(stderr, "%s: %s\n", stem.c_str(), kern_error_message(error));
    std::exit(3);
  }
  kern_module_release(module);
  return time.count();
}

// Loads modules in a process of its own; the driver's cache is `cache`.
static std::vector<double> load_apart(const std::vector<std::string>& stems, const std::string& cache) {
  int ends[2];
  std::vector<double> times(stems.size());
  if (pipe(ends) != 0) std::exit(3);
  pid_t child = fork();
  if (child == 0) {
    setenv("CUDA_CACHE_PATH", cache.c_str(), 1);
    unsetenv("CUDA_CACHE_DISABLE");
    kern::Device device = kern::Device::cuda();
    for (std::size_t i = 0; i < stems.size(); ++i) times[i] = load(device, stems[i]);
    bool told = write(ends[1], times.data(), times.size() * sizeof(double)) > 0;
    _exit(told ? 0 : 3);
  }
  close(ends[1]);
  bool heard = read(ends[0], times.data(), times.size() * sizeof(double)) > 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!heard || status != 0) std::exit(3);
  return times;
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

int main(int argc, char** argv) {
  std::vector<std::string> stems;
  if (argc == 2)
    for (const auto& file : std::filesystem::directory_iterator(argv[1]))
      if (file.path().extension() == ".ptx") stems.push_back(file.path().parent_path() / file.path().stem());
  if (stems.empty()) {
    std::fprintf(stderr, "usage: load_time FOLDER (of load_time.py)\n");
    return 2;
  }
  std::sort(stems.begin(), stems.end());
  char pattern[] = "/tmp/kern-load-time-XXXXXX";
  std::string cache = mkdtemp(pattern);
  std::vector<double> cold = load_apart(stems, cache), warm = load_apart(stems, cache), first;
  for (const std::string& stem : stems) first.push_back(load_apart({stem}, cache)[0]);
  std::printf("%-18s %9s %9s %9s %9s\n", "milliseconds", "PTX bytes", "cold", "warm", "first");
  for (std::size_t i = 0; i < stems.size(); ++i)
    std::printf("%-18s %9ju %9.3f %9.3f %9.3f\n", std::filesystem::path(stems[i]).filename().c_str(),
                std::filesystem::file_size(stems[i] + ".ptx"), cold[i], warm[i], first[i]);
  std::printf("%-18s %9s %9.3f %9.3f %9.3f\n", "median", "", median(cold), median(warm), median(first));
  std::printf("%-18s %9s %9.3f %9.3f %9.3f\n", "most", "", *std::ranges::max_element(cold),
              *std::ranges::max_element(warm), *std::ranges::max_element(first));
  std::filesystem::remove_all(cache);
  return 0;
}
