// An entry is written to a temporary file in the same folder and takes its name in one step: whoever reads
// sees all of it or none. Nothing waits for the disk, which would take 5 to 12 ms (benchmarks/load_time.py,
// cold): what a machine that lost its power kept half of is found out by its hashes. What a killed process
// left behind goes after an hour.
#include "runtime/cache/cache.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "runtime/cache/folder.h"
#include "runtime/common/log.h"

namespace kern::cache {

// One store under way: its temporary file goes with it, unless it got its name.
class Cache::Store {
public:
  Store(Cache& cache, const File& folder) : cache_(cache), folder_(folder) {}
  ~Store() {
    if (!name_.empty()) unlinkat(folder_.get(), name_.c_str(), 0);
  }

  // Each returns 0 or the errno of what failed.
  int write(const std::string& name, std::string_view bytes);
  int remove_old(const Settings& settings);

private:
  int step(Step step) { return cache_.on_step ? cache_.on_step(step) : 0; }
  int create();
  int write_piece(std::string_view& bytes);
  int remove(const FileInfo& file);

  Cache& cache_;
  const File& folder_;
  File file_;
  std::string name_; // of the temporary file
};

int Cache::Store::create() {
  if (int error = step(Step::Create)) return error;
  std::uint64_t number = 0;
  if (getentropy(&number, sizeof number) != 0) return errno;
  std::string name = std::string(temporary_prefix) + std::to_string(number);
  constexpr mode_t own = 0600;
  file_ =
      File(openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, own));
  if (!file_) return errno;
  name_ = std::move(name);
  return 0;
}

int Cache::Store::write_piece(std::string_view& bytes) {
  constexpr std::size_t piece = 64 << 10;
  if (int error = step(Step::Write)) return error;
  ssize_t count = ::write(file_.get(), bytes.data(), std::min(bytes.size(), piece));
  if (count < 0) return errno == EINTR ? 0 : errno;
  bytes.remove_prefix(static_cast<std::size_t>(count));
  return 0;
}

int Cache::Store::write(const std::string& name, std::string_view bytes) {
  // Beyond this limit a write is a signal, which would end the program.
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes.size() > most.rlim_cur) return EFBIG;
  int error = create();
  while (error == 0 && !bytes.empty()) error = write_piece(bytes);
  if (error == 0) error = step(Step::Rename);
  if (error == 0 && renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0) error = errno;
  if (error == 0) name_.clear();
  return error;
}

int Cache::Store::remove(const FileInfo& file) {
  if (int error = step(Step::Remove)) return error;
  // Another process may have been faster.
  return unlinkat(folder_.get(), file.name.c_str(), 0) == 0 || errno == ENOENT ? 0 : errno;
}

int Cache::Store::remove_old(const Settings& settings) {
  constexpr std::time_t abandoned = 3600;
  std::vector<FileInfo> files = list_files(folder_);
  std::sort(files.begin(), files.end(), [](const FileInfo& left, const FileInfo& right) {
    return std::pair(left.used.tv_sec, left.used.tv_nsec) < std::pair(right.used.tv_sec, right.used.tv_nsec);
  });
  std::uint64_t bytes = 0, entries = 0;
  for (const FileInfo& file : files) {
    if (file.temporary) continue;
    bytes += file.bytes;
    ++entries;
  }
  for (const FileInfo& file : files) {
    bool too_much = bytes > settings.limit || entries > settings.most_entries;
    bool goes = file.temporary ? file.used.tv_sec < std::time(nullptr) - abandoned : too_much;
    if (!goes) continue;
    if (int error = remove(file)) return error;
    if (file.temporary) continue;
    bytes -= file.bytes;
    --entries;
  }
  return 0;
}

// ---- The face ----

Cache::Cache(Settings settings) : settings_(std::move(settings)) {}

Cache& Cache::shared() {
  // Never taken down: what runs at the end of a program may use it.
  static auto* cache = new Cache(environment_settings());
  return *cache;
}

void Cache::warn(const std::string& text) {
  if (warned_.exchange(true)) return;
  std::string line =
      "kernel cache: " + text + "; kernels are built again (KERN_CACHE=off works without a cache)";
  if (on_warning)
    on_warning(line);
  else
    log(KERN_LOG_WARNING, line);
}

bool Cache::usable() {
  if (settings_.on && !settings_.problem.empty()) warn(settings_.problem);
  return settings_.on && settings_.problem.empty();
}

std::optional<std::string> Cache::find(const Key& key) {
  if (!usable()) return std::nullopt;
  std::string why, name = file_name(key);
  File folder = open_folder(settings_.folder, false, why);
  if (!folder) {
    if (!why.empty()) warn(settings_.folder + " " + why);
    return std::nullopt;
  }
  std::optional<std::string> bytes = read_private(folder, name, true, why);
  std::optional<Entry> entry = bytes ? decode(*bytes) : std::nullopt;
  if (bytes && (!entry || entry->key != key)) why = "is damaged";
  if (!why.empty()) {
    warn(settings_.folder + "/" + name + " " + why);
    return std::nullopt;
  }
  if (!entry) return std::nullopt;
  return std::string(entry->payload);
}

void Cache::store(const Key& key, const Description& description, std::string_view payload) {
  if (!usable()) return;
  std::string bytes = encode(key, description, payload), why;
  if (bytes.size() > std::min<std::uint64_t>(settings_.limit, most_entry_bytes)) return;
  File folder = open_folder(settings_.folder, true, why);
  if (!folder) return warn(settings_.folder + " " + why);
  Store store(*this, folder);
  int error = store.write(file_name(key), bytes);
  // Keys are hashes: their first byte is as good as chance, and tests can rely on it.
  if (error == 0 && key[0] % settings_.stores_a_sweep == 0) error = store.remove_old(settings_);
  if (error != 0) warn(settings_.folder + " cannot be written: " + std::strerror(error));
}

void Cache::drop(const Key& key) {
  std::string why;
  File folder = open_folder(settings_.folder, false, why);
  if (settings_.on && folder) unlinkat(folder.get(), file_name(key).c_str(), 0);
}

} // namespace kern::cache
