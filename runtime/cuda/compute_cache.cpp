// Looks at the folder as the driver would, because the driver says nothing of one that it cannot use, and
// compiles in each process.
#include "runtime/cuda/compute_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace kern::cuda {

namespace fs = std::filesystem;

static constexpr std::uint64_t most_limit = std::uint64_t(4) << 30; // that the driver takes
// The machine code of a module of a few dozen kernels; what is larger than the cache is not kept.
static constexpr std::uint64_t least_limit = std::uint64_t(1) << 20;

static std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A path that is set but empty is a path to the driver, and it keeps nothing.
static std::string cache_folder() {
  if (std::getenv("CUDA_CACHE_PATH")) return variable("CUDA_CACHE_PATH");
  std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.nv/ComputeCache";
}

static std::optional<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t bytes = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return bytes;
}

static void read_limit(ComputeCache& cache) {
  std::string text = variable("CUDA_CACHE_MAXSIZE");
  if (text.empty()) return;
  cache.limit = parse_bytes(text);
  if (!cache.limit)
    cache.problem = "CUDA_CACHE_MAXSIZE is `" + text + "`: give a number of bytes, or do not set it";
  else if (*cache.limit < least_limit)
    cache.problem = "CUDA_CACHE_MAXSIZE is " + text +
                    " bytes, and larger modules are not kept: give 1048576 or more, or do not set it";
  else
    cache.limit = std::min(*cache.limit, most_limit);
}

// Returns why nothing can be put into a folder, which need not be there yet; 0 where something can.
static int folder_error(const std::string& folder) {
  // A folder that is not there stands for the nearest one above it that is, in which it would be made.
  fs::path path = fs::path(folder).is_relative() ? fs::path(".") / folder : fs::path(folder);
  std::error_code unknown;
  while (path.has_relative_path() && fs::symlink_status(path, unknown).type() == fs::file_type::not_found)
    path = path.parent_path();
  fs::file_status status = fs::status(path, unknown);
  if (fs::exists(status) && !fs::is_directory(status)) return ENOTDIR;
  return faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static void count_files(ComputeCache& cache) {
  std::error_code error;
  auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator file(cache.folder, options, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code gone; // other processes remove files
    if (!file->is_regular_file(gone)) continue;
    std::uintmax_t bytes = file->file_size(gone);
    if (gone) continue;
    cache.bytes += bytes;
    ++cache.files;
  }
}

ComputeCache inspect_compute_cache() {
  ComputeCache cache;
  cache.folder = cache_folder();
  read_limit(cache);
  if (cache.folder.empty()) {
    const char* what = std::getenv("CUDA_CACHE_PATH") ? "CUDA_CACHE_PATH is empty"
                                                      : "neither CUDA_CACHE_PATH nor HOME is set";
    cache.problem = std::string(what) + ": set CUDA_CACHE_PATH to a folder that can be written";
  } else if (int error = folder_error(cache.folder)) {
    cache.problem = cache.folder + " cannot be written (" + std::strerror(error) +
                    "): set CUDA_CACHE_PATH to a folder that can";
  } else {
    count_files(cache);
  }
  if (std::atoi(variable("CUDA_CACHE_DISABLE").c_str()) != 0)
    cache.problem = "CUDA_CACHE_DISABLE turns it off";
  return cache;
}

} // namespace kern::cuda
